//! A database that cannot be used, with all that belongs to it: a damaged one, and one without a byte, or
//! none at all, beside files that only a database with pages has. `SQLite` takes that for a new one and
//! deletes the write-ahead log beside it, with the rows that are in there alone.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    StoreError, journal,
    open::DATABASE,
    quarantine::{AsideFolder, with_suffix},
    record::Record,
    replay, session_log,
};
use crate::{private_files, time::Wall};

/// What was set aside.
#[derive(Debug)]
pub(super) struct LostDatabase {
    /// Where it is.
    pub(super) aside: AsideFolder,
    /// What was wrong with it.
    pub(super) why: String,
    /// The greatest invocation id that the journal beside it names; 0 where it names none.
    pub(super) last_id: u64,
}

/// The files that a data folder's database has left, where the database itself is missing or has no byte;
/// none where there is nothing amiss. Nothing is changed.
///
/// # Errors
/// The folder cannot be read.
pub fn left_by_an_emptied_database(data: &Path) -> io::Result<Vec<PathBuf>> {
    let database = data.join(DATABASE);
    if has_bytes(&database)? {
        return Ok(Vec::new());
    }
    // A rollback journal is none of them: only the making of a database has one, and what it rolls back to is
    // empty.
    let mut left = logs(&database)?;
    if data.is_dir() {
        for kind in [journal::FILES, session_log::FILES] {
            left.extend(replay::files(data, kind)?.into_iter().map(|(_, path)| path));
        }
    }
    Ok(left)
}

fn has_bytes(database: &Path) -> io::Result<bool> {
    match fs::metadata(database) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        found => found.map(|found| found.len() > 0),
    }
}

/// A database's write-ahead log and its index, as far as they are there.
fn logs(database: &Path) -> io::Result<Vec<PathBuf>> {
    let mut logs = Vec::new();
    for suffix in ["-wal", "-shm"] {
        let path = with_suffix(database, suffix);
        if path.try_exists()? {
            logs.push(path);
        }
    }
    Ok(logs)
}

/// All that is set aside, in the order in which it is: the database comes last, so that what an interruption
/// leaves is never a database without its log.
fn belongings(data: &Path) -> io::Result<Vec<PathBuf>> {
    let database = data.join(DATABASE);
    let mut all = left_by_an_emptied_database(data)?;
    if has_bytes(&database)? {
        // The journal and the log of sessions beside a damaged one are still read.
        all = logs(&database)?;
    } else if !database.try_exists()? {
        drop(private_files::create_new(&database)?);
    }
    all.push(database);
    Ok(all)
}

fn failed(data: &Path) -> impl FnOnce(io::Error) -> StoreError {
    StoreError::io(format!("moving {DATABASE} away in {}", data.display()))
}

/// Goes on where a start was interrupted that was setting a database aside.
///
/// # Errors
/// A file cannot be read or renamed.
pub(super) fn resume(data: &Path) -> Result<Vec<LostDatabase>, StoreError> {
    let mut all = Vec::new();
    for aside in AsideFolder::left(data).map_err(failed(data))? {
        let why = "it was being moved away when the station stopped".to_owned();
        // What lies there once it has one is the new one.
        all.push(if aside.has_database().map_err(failed(data))? {
            LostDatabase { aside, why, last_id: 0 }
        } else {
            take_all(data, aside, why)?
        });
    }
    Ok(all)
}

/// Sets an emptied database aside with all that it has left.
///
/// # Errors
/// A file cannot be read or renamed.
pub(super) fn set_emptied_aside(data: &Path, now: Wall) -> Result<Option<LostDatabase>, StoreError> {
    let left = left_by_an_emptied_database(data).map_err(failed(data))?;
    let Some(first) = left.first() else { return Ok(None) };
    let was_there = data.join(DATABASE).try_exists().map_err(failed(data))?;
    let why = format!(
        "it {}, although {} and {} more show that it had rows",
        if was_there { "was empty" } else { "was missing" },
        first.display(),
        left.len() - 1
    );
    set_aside(data, now, why).map(Some)
}

/// Sets a database aside with what belongs to it.
///
/// # Errors
/// A file cannot be read or renamed.
pub(super) fn set_aside(data: &Path, now: Wall, why: String) -> Result<LostDatabase, StoreError> {
    let aside = AsideFolder::make(data, now).map_err(failed(data))?;
    take_all(data, aside, why)
}

fn take_all(data: &Path, aside: AsideFolder, why: String) -> Result<LostDatabase, StoreError> {
    let last_id = last_id(data)?;
    let taken = belongings(data).and_then(|all| all.iter().try_for_each(|path| aside.take(path)));
    taken.map_err(failed(data))?;
    Ok(LostDatabase { aside, why, last_id })
}

impl LostDatabase {
    /// Ends what was begun, once there is a new database: gives the folder its name.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub(super) fn finish(self, data: &Path, next_id: u64, is_mark_there: bool) -> Result<String, StoreError> {
        let (database, folder) = (data.join(DATABASE), self.aside.path().to_owned());
        self.aside.finish().map_err(failed(data))?;
        let ids = if is_mark_there {
            format!("ids continue at {next_id}")
        } else {
            format!(
                "no record of the used ids: they continue at {next_id}; clear the memory of an adapter that \
                 has seen greater ids"
            )
        };
        Ok(format!(
            "{} was damaged ({}): it was moved to {}, and the station started with an empty one ({ids}); \
             restore a backup, or try `sqlite3 {} .recover`",
            database.display(),
            self.why,
            folder.display(),
            folder.join(DATABASE).display()
        ))
    }
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Begins to set a database aside, and is interrupted after so many files; says how many there are.
    pub(in crate::store) fn interrupted(data: &Path, files: usize) -> usize {
        let aside = AsideFolder::make(data, Wall(17)).unwrap();
        let all = belongings(data).unwrap();
        all.iter().take(files).for_each(|path| aside.take(path).unwrap());
        all.len()
    }
}
