//! The recordings that a path names.

use std::{
    fs, io,
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
}
