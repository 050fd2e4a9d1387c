//! The recordings that a path names.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use super::{reader::OpenError, set::SetError};

/// Files of one folder, and of one set.
pub(super) const FILES_MAX: usize = 4_096;
/// The ending of the files that are looked for in a folder.
const ENDING: &str = "mcap";

/// A file, or those of a folder that are named as recordings, by their names.
///
/// # Errors
/// The folder cannot be read, or has none, or more than 4,096.
pub fn files_of(path: &Path) -> Result<Vec<PathBuf>, SetError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |why: io::Error| SetError::Open { path: path.to_owned(), why: OpenError::Io(why) };
    let mut files = Vec::new();
    for found in fs::read_dir(path).map_err(unreadable)? {
        let file = found.map_err(unreadable)?.path();
        if file.extension().is_none_or(|ending| ending != ENDING) {
            continue;
        }
        if files.len() >= FILES_MAX {
            return Err(SetError::TooMany);
        }
        files.push(file);
    }
    if files.is_empty() {
        return Err(SetError::Empty(path.to_owned()));
    }
    files.sort();
    Ok(files)
}

/// Says to others that a file is being written, until it is closed. Where the file system has no locks,
/// nothing says so.
pub(super) fn lock(file: &File) {
    let _ = file.try_lock();
}

/// Whether a recorder writes to a file: that its end is not there is no damage then.
#[must_use]
pub fn is_being_written(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_names_its_recordings_and_a_file_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert!(matches!(files_of(folder.path()), Err(SetError::Empty(_))));
        for name in ["b.mcap", "a.mcap", "a.marks.json"] {
            fs::write(path(name), "").unwrap();
        }
        assert_eq!(files_of(folder.path()).unwrap(), [path("a.mcap"), path("b.mcap")]);
        assert_eq!(files_of(&path("none.mcap")).unwrap(), [path("none.mcap")]);
    }
    #[test]
    fn a_file_is_being_written_until_whoever_writes_it_closes_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mcap");
        assert!(!is_being_written(&path));
        let file = File::create_new(&path).unwrap();
        lock(&file);
        assert!(is_being_written(&path) && is_being_written(&path));
        drop(file);
        assert!(!is_being_written(&path));
    }
}
