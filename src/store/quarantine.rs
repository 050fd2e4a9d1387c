//! Damaged files are set aside, never deleted.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::time::Wall;

/// A path with something behind its last name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Renames a file to `<name>.bad-<unix ms>`; says what it is called now.
pub(super) fn quarantine(path: &Path, now: Wall) -> io::Result<PathBuf> {
    for ms in now.0.. {
        let aside = with_suffix(path, &format!(".bad-{ms}"));
        if !aside.try_exists()? {
            fs::rename(path, &aside)?;
            return Ok(aside);
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
