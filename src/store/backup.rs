//! A copy of the database while it runs.
//!
//! ```text
//! NAME.<random>.partial ──VACUUM INTO──▶ synced ──rename──▶ NAME ──▶ its folder synced
//! ```
//!
//! So a file under the final name is whole, and each copy has a file of its own, which nobody made before it.
//! What a copy has left that was killed is `NAME.<random>.partial`; it may be deleted.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use rusqlite::{Connection, OpenFlags};
use rustix::{
    fs::{CWD, RenameFlags},
    io::Errno,
};
use uuid::Uuid;

use super::{op::CommitError, quarantine::with_suffix};
use crate::private_files;

/// Copies the committed rows into a new file (0600), which opens as a store's `station.db`; says its length.
///
/// # Errors
/// [`CommitError::Failed`] when the file is there already or cannot be written; nothing is under its name
/// then that was not.
pub(super) fn backup(database: &Path, path: &Path) -> Result<u64, CommitError> {
    copy_to(path, |partial| copy(database, partial).map_err(io::Error::other))
        .map_err(|error| CommitError::Failed(format!("{}: {error}", path.display())))
}

/// Has a file written under another name first; says its length.
pub(super) fn copy_to(path: &Path, copy: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<u64> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let partial = with_suffix(path, &format!(".{}.partial", Uuid::new_v4().simple()));
    let file = private_files::create_new(&partial)?;
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
            assert!(!path.exists() && names(folder.path()).len() == 1);
            assert!(partial.extension().is_some_and(|end| end == "partial"), "{}", partial.display());
            fs::write(partial, "rows")
        });
        assert_eq!((written.unwrap(), names(folder.path())), (4, vec!["copy.db".to_owned()]));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(copy_to(&path, |_| Ok(())).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn of_two_copies_to_one_name_each_has_a_file_of_its_own_and_the_first_that_is_whole_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copy.db");
        let first = copy_to(&path, |partial| {
            fs::write(partial, "first")?;
            assert_eq!(copy_to(&path, |partial| fs::write(partial, "second"))?, 6);
            assert_eq!(fs::read(partial)?, b"first");
            Ok(())
        });
        assert_eq!(first.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((names(folder.path()).len(), fs::read(&path).unwrap()), (1, b"second".to_vec()));
    }

    #[test]
    fn two_copies_of_a_database_at_once_leave_one_that_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("station.db");
        let conn = Connection::open(&database).unwrap();
        conn.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(2000000))").unwrap();
        let path = folder.path().join("copy.db");
        let copies = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..2).map(|_| scope.spawn(|| backup(&database, &path))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        let bytes = fs::metadata(&path).unwrap().len();
        assert_eq!(copies.iter().filter(|copy| **copy == Ok(bytes)).count(), 1, "{copies:?}");
        let copy = Connection::open(&path).unwrap();
        let kept: i64 = copy.query_row("SELECT length(x) FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(
            (kept, names(folder.path())),
            (2_000_000, vec!["copy.db".to_owned(), "station.db".to_owned()])
        );
    }

    #[test]
    fn a_copy_that_fails_leaves_nothing_and_what_was_planted_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copy.db");
        let full = copy_to(&path, |partial| {
            fs::write(partial, "half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!((full.unwrap_err().kind(), names(folder.path()).len()), (io::ErrorKind::StorageFull, 0));
        let planted = folder.path().join("copy.db.partial");
        fs::write(&planted, "open to another").unwrap();
        assert_eq!(copy_to(&path, |partial| fs::write(partial, "rows")).unwrap(), 4);
        assert_eq!(fs::read(&planted).unwrap(), b"open to another");
        assert_eq!(fs::read(&path).unwrap(), b"rows");
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
