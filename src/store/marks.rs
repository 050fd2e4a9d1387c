//! Numbers that are given once, beside the database: where the database is lost, they go on from there.
//!
//! The file `station.marks` has two lines: an id past all that were given, and how often a station was
//! started on the folder. Ids are marked some thousands ahead, so that few enqueues wait for the file.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::private_files;

/// The file's name in the data folder.
const FILE: &str = "station.marks";
/// So many ids are marked at a time.
const IDS_AHEAD: u64 = 65_536;

/// What the file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MarkedNumbers {
    /// An id that no invocation had yet.
    pub(super) next_id: u64,
    /// How often a station was started.
    pub(super) session_id: u64,
}

/// Reads the file; nothing where it is not there or says no such numbers.
///
/// # Errors
/// It is not this user's alone, or cannot be read.
pub(super) fn read(data: &Path) -> io::Result<Option<MarkedNumbers>> {
    let file = match private_files::open(&data.join(FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let bytes = private_files::read_small(file)?;
    Ok(std::str::from_utf8(&bytes).ok().and_then(|text| {
        let mut lines = text.lines();
        let mut number = |name| lines.next()?.strip_prefix(name)?.parse().ok();
        Some(MarkedNumbers { next_id: number("next_id ")?, session_id: number("session_id ")? })
    }))
}

/// The hand that writes the file.
#[derive(Debug)]
pub(super) struct Marks {
    path: PathBuf,
    session_id: u64,
    /// All ids below are marked.
    marked: u64,
}

impl Marks {
    /// Marks where a start begins.
    ///
    /// # Errors
    /// What the disk says.
    pub(super) fn begin(data: &Path, next_id: u64, session_id: u64) -> io::Result<Self> {
        let mut marks = Self { path: data.join(FILE), session_id, marked: 0 };
        marks.mark(next_id)?;
        Ok(marks)
    }

    /// Marks an id before it is given; on disk when this returns.
    ///
    /// # Errors
    /// What the disk says; the id is not to be given then.
    pub(super) fn mark(&mut self, id: u64) -> io::Result<()> {
        if id < self.marked {
            return Ok(());
        }
        let next_id = id.saturating_add(IDS_AHEAD);
        let text = format!("next_id {next_id}\nsession_id {}\n", self.session_id);
        private_files::replace(&self.path, text.as_bytes())?;
        self.marked = next_id;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn ids_are_marked_before_they_are_given_and_few_write_the_file() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap(), None);
        let mut marks = Marks::begin(folder.path(), 7, 3).unwrap();
        let first = MarkedNumbers { next_id: 7 + IDS_AHEAD, session_id: 3 };
        assert_eq!(read(folder.path()).unwrap(), Some(first));
        marks.mark(6 + IDS_AHEAD).unwrap();
        assert_eq!(read(folder.path()).unwrap(), Some(first));
        marks.mark(7 + IDS_AHEAD).unwrap();
        assert_eq!(read(folder.path()).unwrap().unwrap().next_id, 7 + 2 * IDS_AHEAD);
        fs::remove_dir_all(folder.path()).unwrap();
        assert!(marks.mark(7 + 2 * IDS_AHEAD).is_err());
        marks.mark(6 + 2 * IDS_AHEAD).unwrap();
    }

    #[test]
    fn a_damaged_file_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["", "next_id 7\n", "next_id 7\nsession_id -1\n", "next_id x\nsession_id 1\n", "\u{0}"] {
            fs::write(folder.path().join(FILE), text).unwrap();
            assert_eq!(read(folder.path()).unwrap(), None, "{text}");
        }
        fs::write(folder.path().join(FILE), [0xff; 100]).unwrap();
        assert_eq!(read(folder.path()).unwrap(), None);
    }
}
