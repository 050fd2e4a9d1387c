//! A copy of the database while it runs.
//!
//! ```text
//! NAME.partial, locked ──VACUUM INTO──▶ synced ──rename──▶ NAME ──▶ its folder synced
//! ```
//!
//! So a file under the final name is whole. What an interrupted copy left is `NAME.partial`, and the next
//! copy to the same name begins in it.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use rusqlite::{Connection, OpenFlags};
use rustix::{
    fs::{CWD, FlockOperation, OFlags, RenameFlags},
    io::Errno,
};

use super::{op::CommitError, quarantine::with_suffix};

/// Copies the committed rows into a new file (0600), which opens as a store's `station.db`; says its length.
///
/// # Errors
/// [`CommitError::Failed`] when the file is there already, is being made or cannot be written; nothing is
/// under its name then that was not.
pub(super) fn backup(database: &Path, path: &Path) -> Result<u64, CommitError> {
    copy_to(path, |partial| copy(database, partial).map_err(io::Error::other))
        .map_err(|error| CommitError::Failed(format!("{}: {error}", path.display())))
}

/// Has a file written under another name first.
fn copy_to(path: &Path, copy: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<u64> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let partial = with_suffix(path, ".partial");
    let file = begin(&partial)?;
    let written = copy(&partial).and_then(|()| {
        file.sync_all()?;
        let bytes = file.metadata()?.len();
        rename_to_new(&partial, path)?;
        Ok(bytes)
    });
    if written.is_err() {
        let _ = fs::remove_file(&partial);
    }
    let bytes = written?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()?;
    Ok(bytes)
}

/// Opens the file for the copy and empties what an interrupted one has left: its lock went with its process.
fn begin(partial: &Path) -> io::Result<File> {
    let nofollow = i32::try_from(OFlags::NOFOLLOW.bits()).map_err(io::Error::other)?;
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(nofollow)
        .open(partial)?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => file.set_len(0).map(|()| file),
        Err(Errno::WOULDBLOCK) => {
            Err(io::Error::new(io::ErrorKind::ResourceBusy, "another backup to this name is being made"))
        }
        Err(errno) => Err(errno.into()),
    }
}

/// Renames a file, unless there is one of the new name.
fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // The file system knows no such rename: what was looked at before the copy has to do.
        Err(Errno::INVAL | Errno::NOSYS) => fs::rename(from, to),
        renamed => Ok(renamed?),
    }
}

fn copy(database: &Path, path: &Path) -> rusqlite::Result<()> {
    let conn = Connection::open_with_flags(
        database,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    let target = path.to_str().ok_or_else(|| rusqlite::Error::InvalidPath(path.to_owned()))?;
    conn.execute("VACUUM INTO ?1", [target])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_under_the_final_name_before_the_copy_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copy.db");
        let written = copy_to(&path, |partial| {
            assert_eq!(names(folder.path()), ["copy.db.partial"]);
            let second = copy_to(&path, |_| Ok(())).unwrap_err();
            assert_eq!(second.kind(), io::ErrorKind::ResourceBusy);
            fs::write(partial, "rows")
        });
        assert_eq!((written.unwrap(), names(folder.path())), (4, vec!["copy.db".to_owned()]));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(copy_to(&path, |_| Ok(())).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn a_copy_that_fails_leaves_nothing_and_what_a_killed_one_left_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copy.db");
        let full = copy_to(&path, |partial| {
            fs::write(partial, "half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!((full.unwrap_err().kind(), names(folder.path()).len()), (io::ErrorKind::StorageFull, 0));
        fs::write(folder.path().join("copy.db.partial"), "half of one that was killed").unwrap();
        assert_eq!(copy_to(&path, |partial| fs::write(partial, "rows")).unwrap(), 4);
        assert_eq!((names(folder.path()).len(), fs::read(&path).unwrap()), (1, b"rows".to_vec()));
    }

    #[test]
    fn a_file_made_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copy.db");
        let other = copy_to(&path, |_| fs::write(&path, "theirs"));
        assert_eq!(other.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((names(folder.path()).len(), fs::read(&path).unwrap()), (1, b"theirs".to_vec()));
    }
}
