//! Damaged files are set aside, never deleted: one file under another name, a database with all that belongs
//! to it in a folder.
//!
//! ```text
//! bad-<ms>.partial/ made ──its logs, then the database, renamed into it──▶ an empty one made ──▶ bad-<ms>/
//! ```
//!
//! A start that is interrupted leaves the folder under its first name, and the next one goes on.

use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use super::open::DATABASE;
use crate::time::Wall;

/// What names of folders begin with.
const PREFIX: &str = "bad-";
/// What the name of one ends in that does not have everything yet.
const PARTIAL: &str = ".partial";

/// A path with something behind its last name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Renames a file to `<name>.bad-<unix ms>`; says what it is called now.
pub(super) fn quarantine(path: &Path, now: Wall) -> io::Result<PathBuf> {
    let aside = free_name(path, now)?;
    fs::rename(path, &aside)?;
    Ok(aside)
}

/// What a file may be called that is set aside: `<name>.bad-<unix ms>`.
pub(super) fn free_name(path: &Path, now: Wall) -> io::Result<PathBuf> {
    for ms in now.0.. {
        let aside = with_suffix(path, &format!(".{PREFIX}{ms}"));
        if !aside.try_exists()? {
            return Ok(aside);
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A folder that a database is set aside in.
#[derive(Debug)]
pub(super) struct AsideFolder {
    data: PathBuf,
    /// What it is called in the end.
    folder: PathBuf,
}

impl AsideFolder {
    /// Makes one.
    pub(super) fn make(data: &Path, now: Wall) -> io::Result<Self> {
        for ms in now.0.. {
            let aside = Self { data: data.to_owned(), folder: data.join(format!("{PREFIX}{ms}")) };
            if aside.folder.try_exists()? {
                continue;
            }
            match DirBuilder::new().mode(0o700).create(aside.partial()) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| aside),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Those that an interrupted start has left, the oldest first. One with nothing in it goes.
    pub(super) fn left(data: &Path) -> io::Result<Vec<Self>> {
        let mut left = Vec::new();
        for entry in fs::read_dir(data)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_str().and_then(|name| name.strip_suffix(PARTIAL));
            let ms = name.and_then(|name| name.strip_prefix(PREFIX)?.parse::<u64>().ok());
            if let Some(ms) = ms.filter(|_| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                // It fails for one with something in it.
                && fs::remove_dir(entry.path()).is_err()
            {
                left.push((ms, Self { data: data.to_owned(), folder: data.join(format!("{PREFIX}{ms}")) }));
            }
        }
        left.sort_by_key(|(ms, _)| *ms);
        Ok(left.into_iter().map(|(_, aside)| aside).collect())
    }

    /// What it is called until it has everything.
    fn partial(&self) -> PathBuf {
        with_suffix(&self.folder, PARTIAL)
    }

    /// What it is called in the end.
    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// Whether the database is in it, which comes last.
    pub(super) fn has_database(&self) -> io::Result<bool> {
        self.partial().join(DATABASE).try_exists()
    }

    /// Renames a file into it.
    pub(super) fn take(&self, path: &Path) -> io::Result<()> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        fs::rename(path, self.partial().join(name))
    }

    /// Gives it its name.
    pub(super) fn finish(self) -> io::Result<()> {
        let partial = self.partial();
        File::open(&partial)?.sync_all()?;
        fs::rename(partial, &self.folder)?;
        File::open(&self.data)?.sync_all()
    }
}
