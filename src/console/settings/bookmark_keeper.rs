//! The bookmarks of a recording, which are kept in a file next to it.

use std::{fmt, path::PathBuf, sync::Arc};

/// What was kept of the bookmarks of a recording.
#[derive(Clone, Debug)]
pub struct SavedBookmarks {
    /// Where they are kept.
    pub file: PathBuf,
    /// What was kept there, if anything was yet, or why it cannot be read.
    pub text: Result<Option<String>, String>,
    /// Who keeps them; without one they are of this console alone.
    pub keeper: Option<Arc<dyn BookmarkKeeper>>,
}

/// Keeps bookmarks.
pub trait BookmarkKeeper: Send + Sync + fmt::Debug {
    /// Keeps them in place of those before. It must not wait for anything, and may fail silently.
    fn save(&self, text: &str);
}
