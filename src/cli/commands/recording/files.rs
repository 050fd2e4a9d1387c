//! The recordings that a path names.

use std::path::{Path, PathBuf};

use crate::{
    cli::{error::Error, recording_error::RecordingError},
    recording::OpenError,
};

/// Files of one folder.
const FILES_MAX: usize = 4_096;

/// A file, or those of a folder that are named as recordings, by their names.
///
/// # Errors
/// The folder cannot be read, or has none, or more than 4,096.
pub(super) fn files_of(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |why| RecordingError::Open { path: path.to_owned(), why: OpenError::Io(why) };
    let mut files = Vec::new();
    for found in std::fs::read_dir(path).map_err(unreadable)? {
        let file = found.map_err(unreadable)?.path();
        if file.extension().is_some_and(|ending| ending == "mcap") {
            if files.len() >= FILES_MAX {
                return Err(RecordingError::TooMany(format!("more than {FILES_MAX} recordings")).into());
            }
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(RecordingError::Empty(path.to_owned()).into());
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_names_its_recordings_and_a_file_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert_eq!(files_of(folder.path()).unwrap_err().code(), "no_recording");
        for name in ["b.mcap", "a.mcap", "a.marks.json"] {
            fs::write(path(name), "").unwrap();
        }
        assert_eq!(files_of(folder.path()).unwrap(), [path("a.mcap"), path("b.mcap")]);
        assert_eq!(files_of(&path("none.mcap")).unwrap(), [path("none.mcap")]);
    }
}
