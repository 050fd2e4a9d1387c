//! What is wrong with recordings, as scripts and people read it.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::error::Exit;
use crate::{
    private_files,
    recording::{OpenError, RepairError, SetError},
    words::{is_no_room, quoted, write_failure},
};

/// Why a recording is not read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordingError {
    /// It is no recording, or not of this version.
    #[error("{}: {why}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        why: OpenError,
    },
    /// A folder has none.
    #[error("{} has no recordings", .0.display())]
    Empty(PathBuf),
    /// There are more than can be read as one.
    #[error("{0}")]
    TooMany(String),
    /// Files of different starts of a station have the same time.
    #[error("{0}")]
    Overlap(String),
    /// Nothing in it says what held.
    #[error("{} has no keyframe: nothing says what held when it was recorded", .0.display())]
    NoKeyframe(PathBuf),
    /// Its messages are where none is read.
    #[error("{} has its messages outside of chunks", .0.display())]
    Unchunked(PathBuf),
    /// The other file is there.
    #[error("{} exists", .0.display())]
    Exists(PathBuf),
    /// The disk is full.
    #[error("no room for {}", .0.display())]
    NoRoom(PathBuf),
    /// It cannot be written.
    #[error("cannot write {}: {}", path.display(), write_failure(why))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// A screen of it is another than was expected.
    #[error("{}, line {line}: expected {expected:?}, drawn {drawn:?}{}", path.display(), and_more(*more))]
    OtherScreen {
        /// The file with what was expected.
        path: PathBuf,
        /// The first line that differs, from 1.
        line: usize,
        /// That line there; empty behind its end.
        expected: String,
        /// That line as it was drawn.
        drawn: String,
        /// How many further screens differ.
        more: usize,
    },
    /// There is no such screen to compare with.
    #[error("{} does not exist", .0.display())]
    NoScreen(PathBuf),
    /// Nothing is attached under this name.
    #[error("{} has no attachment {name}", path.display())]
    NoAttachment {
        /// The recording, or the folder.
        path: PathBuf,
        /// The name.
        name: String,
        /// The names of those that there are.
        has: Vec<String>,
    },
    /// It is not whole, as was printed.
    #[error("{}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is damaged or missing.
        what: String,
        /// Whether more can be read of it once it was repaired.
        is_repairable: bool,
    },
}

fn and_more(screens: usize) -> String {
    match screens {
        0 => String::new(),
        1 => " (and 1 more screen)".to_owned(),
        more => format!(" (and {more} more screens)"),
    }
}

impl RecordingError {
    /// A repair that did not come to be.
    pub(crate) fn of_repair(from: PathBuf, to: PathBuf, error: RepairError) -> Self {
        match error {
            RepairError::Open(why) => Self::Open { path: from, why },
            RepairError::Nothing => {
                Self::Damaged { path: from, what: error.to_string(), is_repairable: false }
            }
            RepairError::Write(why) => Self::unwritten(to, why),
        }
    }

    /// A file that is not made or written.
    pub(crate) fn unwritten(path: PathBuf, why: io::Error) -> Self {
        match why.kind() {
            io::ErrorKind::AlreadyExists => Self::Exists(path),
            kind if is_no_room(kind) => Self::NoRoom(path),
            _ => Self::Write { path, why },
        }
    }

    /// Whether the file of a recording can be made by a station that is not started yet. It is made, and
    /// removed again. The station makes its data folder itself.
    ///
    /// # Errors
    /// It exists, or cannot be made.
    pub(crate) fn check_new(path: &Path, data: &Path) -> Result<(), Self> {
        match private_files::create_new(path) {
            Ok(_) => {
                let _ = std::fs::remove_file(path);
                Ok(())
            }
            Err(why) if why.kind() == io::ErrorKind::NotFound && path.parent() == Some(data) => Ok(()),
            Err(why) => Err(Self::unwritten(path.to_owned(), why)),
        }
    }

    /// Recordings that are not opened.
    pub(crate) fn of_set(error: SetError) -> Self {
        match error {
            SetError::Open { path, why } => Self::Open { path, why },
            SetError::Empty(path) => Self::Empty(path),
            SetError::NoKeyframe(path) => Self::NoKeyframe(path),
            SetError::Unchunked(path) => Self::Unchunked(path),
            error @ SetError::TooMany => Self::TooMany(error.to_string()),
            error @ SetError::Overlap { .. } => Self::Overlap(error.to_string()),
        }
    }

    /// This one, with one more screen that differs.
    pub(crate) fn and_one_more(self) -> Self {
        match self {
            Self::OtherScreen { path, line, expected, drawn, more } => {
                Self::OtherScreen { path, line, expected, drawn, more: more + 1 }
            }
            _ => self,
        }
    }

    /// The exit code.
    pub(crate) const fn exit(&self) -> Exit {
        match self {
            Self::Open { why: OpenError::Io(_) | OpenError::Folder, .. }
            | Self::Empty(_)
            | Self::TooMany(_)
            | Self::NoAttachment { .. }
            | Self::Overlap(_) => Exit::Usage,
            Self::Open { .. } | Self::Damaged { .. } | Self::NoKeyframe(_) | Self::Unchunked(_) => {
                Exit::NotValid
            }
            Self::Exists(_) | Self::NoRoom(_) | Self::Write { .. } => Exit::Refused,
            Self::OtherScreen { .. } | Self::NoScreen(_) => Exit::OtherState,
        }
    }

    /// The machine-readable code.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Open { why: OpenError::Io(_) | OpenError::Folder, .. }
            | Self::TooMany(_)
            | Self::NoAttachment { .. } => "bad_input",
            Self::Open { why: OpenError::NotOurs(_), .. } | Self::Empty(_) => "no_recording",
            Self::Open { why: OpenError::Newer { .. }, .. } => "newer_form",
            Self::Overlap(_) => "overlap",
            Self::NoKeyframe(_) => "no_keyframe",
            Self::Exists(_) => "exists",
            Self::NoRoom(_) => "no_room",
            Self::Write { .. } => "output",
            Self::OtherScreen { .. } | Self::NoScreen(_) => "other_screen",
            Self::Damaged { .. } | Self::Unchunked(_) => "damaged",
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::Open { why: OpenError::Io(_), .. } => "name a file that can be read".to_owned(),
            Self::Open { why: OpenError::Folder, .. } => "name one of the recordings in it".to_owned(),
            Self::Open { why: OpenError::NotOurs(_), .. } | Self::Empty(_) => {
                "create one with `rl-console record OUT.mcap`".to_owned()
            }
            Self::Open { why: OpenError::Newer { host_version, .. }, .. } => {
                format!("use rl-console {host_version} or newer")
            }
            Self::TooMany(_) => "name fewer files, or a folder with fewer of them".to_owned(),
            Self::Overlap(_) => "name the files of one start alone, in place of the folder".to_owned(),
            Self::NoAttachment { has, .. } if has.is_empty() => "nothing is attached to it".to_owned(),
            Self::NoAttachment { has, .. } => format!("name one of {}", has.join(", ")),
            Self::NoKeyframe(_) => {
                "name the files before it too: the first file of a recording begins with a keyframe"
                    .to_owned()
            }
            Self::Exists(_) => "name a new file, or remove this one".to_owned(),
            Self::NoRoom(_) => "make room, or name a file on another disk".to_owned(),
            Self::Write { why, .. } if why.kind() == io::ErrorKind::FileTooLarge => {
                "take less of it (--from, --to, fewer seconds), or raise limits.recording.file_bytes_max"
                    .to_owned()
            }
            Self::Write { .. } => "name a file in a folder that you can write to".to_owned(),
            Self::OtherScreen { .. } | Self::NoScreen(_) => {
                "look at the screen without --expect; --bless makes what is drawn what is expected".to_owned()
            }
            Self::Damaged { is_repairable: false, .. } => {
                "what is missing is lost: a repair reads nothing more of this file".to_owned()
            }
            Self::Damaged { path, .. } | Self::Unchunked(path) => {
                let path = quoted(&path.to_string_lossy());
                format!("`rl-console recording repair {path} OUT.mcap` writes everything readable")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{
        limits,
        recording::{EncodedSnapshot, PartFile, RecordingInfo},
        time::Now,
    };

    #[test]
    fn a_part_that_is_longer_than_a_file_may_be_says_what_to_take_or_to_raise() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part.mcap");
        let limits = limits::Recording { file_bytes_max: 100_000, ..limits::Recording::default() };
        let state = EncodedSnapshot { at: Now::at_ms(1), bytes: vec![7; 100_000] };
        let why = PartFile::begin(&path, &RecordingInfo::default(), limits, &state, &[]).unwrap_err();
        let error = RecordingError::unwritten(path.clone(), why);
        let hint = error.hint();
        assert!(hint.contains("--from") && hint.contains("file_bytes_max"), "{error}: {hint}");
        assert_eq!((error.code(), path.exists()), ("output", false));
    }

    #[test]
    fn a_file_to_record_to_must_be_new_and_its_folder_there() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let check = |path: &Path| RecordingError::check_new(path, &data);
        let path = folder.path().join("show.mcap");
        check(&path).unwrap();
        assert!(!path.exists(), "it was only tried");
        check(&data.join("show.mcap")).unwrap();
        fs::write(&path, "there").unwrap();
        let exists = check(&path).unwrap_err();
        assert_eq!((exists.code(), exists.exit() as u8), ("exists", 1));
        assert_eq!(fs::read(&path).unwrap(), b"there");
        let nowhere = check(&folder.path().join("none/show.mcap")).unwrap_err();
        assert_eq!(nowhere.code(), "output");
        assert!(nowhere.to_string().ends_with("its folder does not exist"), "{nowhere}");
    }
}
