//! The files of openings.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::{runs::openings::Library, time::Wall};

/// The files of openings that a console can begin from, and the library of those that they nest. Everything
/// here may wait for the disk.
pub trait OpeningFiles: Library + Send + Sync + fmt::Debug {
    /// The files that there are.
    fn list(&self) -> OpeningListing;

    /// The text of one.
    ///
    /// # Errors
    /// Why it cannot be had, for a person.
    fn text(&self, path: &Path) -> Result<String, String>;
}

/// The files that there are, those that changed last first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpeningListing {
    /// The files.
    pub files: Vec<OpeningFile>,
    /// Files that are not listed, because there are too many.
    pub cut: usize,
    /// Folders that cannot be read, and why.
    pub troubles: Vec<String>,
}

/// A file of an opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
    /// When it was changed last, where that is known.
    pub changed_at: Option<Wall>,
}
