//! `export FILE` as it is written in the palette.

use std::path::PathBuf;

/// Its name in the palette.
pub(crate) const NAME: &str = "export";
/// What it does, in a line.
pub(crate) const ABOUT: &str = "Save what the focused pane shows to FILE.";
/// How it is written.
pub(crate) const USAGE: &str =
    "export FILE: NDJSON for .ndjson and .json, else a table; export! replaces a file";
/// Why nothing is exported where no pane with rows has the keys.
pub(crate) const NO_PANE: &str = "rows are exported from a pane: Tab to one";

/// An export that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExportRequest {
    pub(crate) path: PathBuf,
    /// Whether a file that is there is replaced.
    pub(crate) replaces: bool,
}

impl ExportRequest {
    /// The request that a line of the palette is, if it is one with a file.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let words = shlex::split(line)?;
        let [verb, path] = words.as_slice() else { return None };
        let replaces = verb.strip_prefix(NAME).filter(|rest| matches!(*rest, "" | "!"))? == "!";
        (!path.is_empty()).then(|| Self { path: PathBuf::from(path), replaces })
    }

    /// The file.
    pub(crate) fn path_text(&self) -> String {
        self.path.display().to_string()
    }
}
