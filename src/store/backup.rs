//! A copy of the database while it runs.

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use rusqlite::{Connection, OpenFlags};

use super::op::CommitError;

/// Copies the committed rows into a new file (0600), which opens as a store's `station.db`; says its length.
///
/// # Errors
/// [`CommitError::Failed`] when the file is there already or cannot be written; what was begun is removed.
pub(super) fn backup(database: &Path, path: &Path) -> Result<u64, CommitError> {
    let failed = |error: &dyn std::fmt::Display| CommitError::Failed(format!("{}: {error}", path.display()));
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(|error| failed(&error))?;
    let copied = copy(database, path).map_err(|error| failed(&error)).and_then(|()| {
        file.sync_all().map_err(|error| failed(&error))?;
        file.metadata().map(|metadata| metadata.len()).map_err(|error| failed(&error))
    });
    if copied.is_err() {
        let _ = fs::remove_file(path);
    }
    copied
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
