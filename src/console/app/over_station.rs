//! What a console has of recordings that are shown over its station.

use std::{cell::RefCell, rc::Rc, sync::Arc};

use crate::console::settings::{OpenedRecording, RecordingOpener};

/// What a console needs to show a recording over a station.
#[derive(Debug, Default)]
pub(crate) struct OverStation {
    pub(super) opener: Option<Arc<dyn RecordingOpener>>,
    pub(super) is_opening: bool,
    /// What was opened, and is to be shown.
    pub(super) opened: Option<OpenedRecording>,
    /// What the station's console says meanwhile: of both consoles the same.
    pub(super) present: Rc<RefCell<Present>>,
}

/// What a recording's console shows of the station.
#[derive(Debug, Default)]
pub(super) struct Present {
    /// What the first line says.
    pub(super) parts: Vec<String>,
    /// What rings.
    pub(super) bell: Vec<u8>,
}

impl OverStation {
    /// With who opens recordings, if anything does.
    pub(super) fn new(opener: Option<Arc<dyn RecordingOpener>>) -> Self {
        Self { opener, ..Self::default() }
    }

    /// Whether a recording is to be shown.
    pub(super) const fn has_opened(&self) -> bool {
        self.opened.is_some()
    }
}
