//! Who opens recordings for a console that shows a station.

use std::{fmt, sync::Arc};

use super::bookmark_keeper::SavedBookmarks;
use crate::port::StationPort;

/// A recording that was opened.
#[derive(Clone)]
pub struct OpenedRecording {
    /// It in the place of a station.
    pub port: Arc<dyn StationPort>,
    /// What the header calls it.
    pub name: String,
    /// The view that is shown first, by its name or its key.
    pub view: Option<String>,
    /// The filter of that view's first pane.
    pub filter: Option<String>,
    /// Its bookmarks.
    pub bookmarks: Option<SavedBookmarks>,
}

impl fmt::Debug for OpenedRecording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedRecording").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Opens recordings.
pub trait RecordingOpener: Send + Sync + fmt::Debug {
    /// Opens what the words of the subcommand `replay` name. It may take a while.
    ///
    /// # Errors
    /// Why it is not opened, for people.
    fn open(&self, words: &[String]) -> Result<OpenedRecording, String>;
}
