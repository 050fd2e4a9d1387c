//! A database without a byte, or none at all, beside files that only a database with pages has. `SQLite`
//! takes it for a new one and deletes the write-ahead log beside it, with the rows that are in there alone.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    StoreError, journal,
    open::DATABASE,
    quarantine::{quarantine, with_suffix},
    record::Record,
    replay, session_log,
};
use crate::{private_files, time::Wall};

/// What was set aside.
#[derive(Debug)]
pub(super) struct EmptiedDatabase {
    /// What a person should read.
    pub(super) notice: String,
    /// The greatest invocation id that the journal names; 0 where it names none.
    pub(super) last_id: u64,
}

/// The files that a data folder's database has left, where the database itself is missing or has no byte;
/// none where there is nothing amiss. Nothing is changed.
///
/// # Errors
/// The folder cannot be read.
pub fn left_by_an_emptied_database(data: &Path) -> io::Result<Vec<PathBuf>> {
    let database = data.join(DATABASE);
    match fs::metadata(&database) {
        Ok(metadata) if metadata.len() > 0 => return Ok(Vec::new()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut left = Vec::new();
    // A rollback journal is none of them: only the making of a database has one, and what it rolls back to is
    // empty.
    for suffix in ["-wal", "-shm"] {
        let path = with_suffix(&database, suffix);
        if path.try_exists()? {
            left.push(path);
        }
    }
    if data.is_dir() {
        for kind in [journal::FILES, session_log::FILES] {
            left.extend(replay::files(data, kind)?.into_iter().map(|(_, path)| path));
        }
    }
    Ok(left)
}

/// Sets an emptied database aside with all that it has left, under names that belong together.
///
/// # Errors
/// A file cannot be read or renamed.
pub(super) fn set_aside(data: &Path, now: Wall) -> Result<Option<EmptiedDatabase>, StoreError> {
    let failed = || StoreError::io(format!("setting aside what {DATABASE} has left in {}", data.display()));
    let left = left_by_an_emptied_database(data).map_err(failed())?;
    let Some(first) = left.first() else { return Ok(None) };
    let last_id = last_id(data)?;
    let database = data.join(DATABASE);
    let was_there = database.try_exists().map_err(failed())?;
    if !was_there {
        drop(private_files::create_new(&database).map_err(failed())?);
    }
    let aside = quarantine(&database, now).map_err(failed())?;
    for path in &left {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match name.strip_prefix(DATABASE) {
            Some(suffix) => fs::rename(path, with_suffix(&aside, suffix)).map_err(failed())?,
            None => drop(quarantine(path, now).map_err(failed())?),
        }
    }
    let notice = format!(
        "{} was damaged (it {}, although {} and {} more beside it say that it had rows): all is kept as {} and beside it, and \
         the station began an empty one; restore a backup",
        database.display(),
        if was_there { "was empty" } else { "was gone" },
        first.display(),
        left.len() - 1,
        aside.display()
    );
    Ok(Some(EmptiedDatabase { notice, last_id }))
}

/// The greatest id that the journal moves, so that it is not given again.
fn last_id(data: &Path) -> Result<u64, StoreError> {
    let replayed = replay::replay(data, 0)?;
    let ids = replayed.records.iter().filter_map(|(_, record)| match record {
        Record::Move(moved) => Some(moved.id.0),
        Record::SetBrake { .. } | Record::WriteState { .. } => None,
    });
    Ok(ids.max().unwrap_or(0))
}
