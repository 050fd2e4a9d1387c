//! What the workbench keeps while it is closed: the draft, and the frames that were sent.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, OnceLock},
};

use super::{Workbench, way::Way};
use crate::{
    console::ui::state::Ui,
    port::{JudgedRow, SentFrame},
    time::Wall,
};

/// Bytes of a frame that is kept with what became of it.
const FRAME_BYTES_MAX: usize = 65_536;

/// What is kept.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The workbench that was left.
    pub(super) kept: Option<Box<Workbench>>,
    /// The edits of held frames that were left, by the frame's number: as many as frames are held at most.
    pub(in crate::console) kept_edits: BTreeMap<u64, Box<Workbench>>,
    /// The frames that were sent, the last first.
    pub(super) sent: VecDeque<Arc<SentRecord>>,
    /// The draft of the start before, until the workbench is opened.
    pub(super) draft: Option<String>,
    /// Whether a draft was written.
    pub(super) has_draft: bool,
    /// The change of the workbench at which that was.
    pub(super) draft_revision: u64,
    /// Counts the frames that were made.
    pub(super) count: u64,
}

/// A frame that was sent.
#[derive(Clone, Debug)]
pub(crate) struct SentRecord {
    pub(super) at: Wall,
    pub(super) way: Way,
    /// Through which door, in words.
    pub(super) door: String,
    /// Nothing where the bytes were edited, or it is too large to be kept.
    pub(super) json: Option<String>,
    /// Nothing where they are too many to be kept.
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) length: usize,
    pub(super) foreseen: Option<Box<JudgedRow>>,
    pub(super) outcome: Result<SentFrame, String>,
    /// Its text in the file of the frames that were sent, once that was made.
    pub(super) written: OnceLock<String>,
}

impl SentRecord {
    /// Lets go of what is too large to be kept.
    pub(super) fn bounded(mut self) -> Self {
        self.json = self.json.filter(|json| json.len() <= FRAME_BYTES_MAX);
        self.bytes = self.bytes.filter(|bytes| bytes.len() <= FRAME_BYTES_MAX);
        if let Ok(sent) = &mut self.outcome {
            for told in &mut sent.told {
                told.payload.0 = Vec::new();
            }
        }
        self
    }
}

impl State {
    /// The next number.
    pub(super) const fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }
}

/// The workbench, open or kept.
pub(super) fn bench(ui: &mut Ui) -> Option<&mut Workbench> {
    if ui.layer::<Workbench>().is_some() {
        ui.layers_mut().next()
    } else {
        ui.systems.workbench.kept.as_deref_mut()
    }
}
