//! A start: the database is checked and brought up to date, the journal's records go into their tables.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};

use super::{
    OpenedStore, StoreError, journal, log_damage,
    lost_database::{self, LostDatabase},
    marks::{self, Marks},
    migrations::{self, DatabaseOwner},
    op::Restored,
    pending_writes::{Effects, JournalledOp, PendingWrites},
    quarantine::with_suffix,
    record::Record,
    replay::{self, ReplayedJournal},
    session_log,
    tables::{brakes, invocations, manifests, meta, state},
};
use crate::{
    ids::{InvocationId, ManifestHash, PackId, SessionId},
    limits, private_files,
    time::Wall,
};

/// The database's name in the data folder.
pub(super) const DATABASE: &str = "station.db";

/// Its write-ahead log.
pub(super) const LOG: &str = "station.db-wal";

/// The pages of the write-ahead log that are kept when it is begun anew, in bytes.
pub(super) const LOG_BYTES_KEPT: u64 = 64 << 20;

/// A database that is ready to be written, and what a core starts from.
pub(super) struct RecoveredDatabase {
    pub(super) conn: Connection,
    pub(super) found: OpenedStore,
    /// Bytes of the texts of ended invocations.
    pub(super) ended_bytes: i64,
    pub(super) marks: Marks,
    pub(super) next_segment: u64,
    pub(super) next_seq: u64,
}

/// Numbers that must not fall back even when the database is lost.
#[derive(Clone, Copy, Debug, Default)]
struct RecoveredCounters {
    next_id: u64,
    session_id: u64,
}

/// Opens the data folder's database and makes it whole.
pub(super) fn recover(
    data: &Path,
    pack_id: &PackId,
    hash: &ManifestHash,
    now: Wall,
) -> Result<RecoveredDatabase, StoreError> {
    check_files(data)?;
    let mut lost = lost_database::resume(data)?;
    if lost.is_empty() {
        // Where one is set aside already it is told, and what it has left is read.
        lost.extend(lost_database::set_emptied_aside(data, now)?);
    }
    let damaged_log = if lost.is_empty() { log_damage::set_aside(data, now)? } else { None };
    let (conn, salvaged) = open_or_set_aside(data, now, &mut lost)?;
    let (salvaged, is_mark_there) = if lost.is_empty() && !damaged_log.as_ref().is_some_and(|log| log.is_loss)
    {
        (salvaged, true)
    } else {
        marked(data, salvaged, &lost)?
    };
    let failed = |error| StoreError::Database { what: "recovering station.db", source: error };
    let applied_through = meta::read(&conn, meta::APPLIED_THROUGH).map_err(failed)?;
    let mut replayed = replay::replay(data, applied_through)?;
    conn.execute_batch("PRAGMA synchronous = FULL; BEGIN IMMEDIATE").map_err(failed)?;
    let requeued = apply_journal(&conn, &mut replayed, salvaged, now).map_err(failed)?;
    conn.execute_batch("COMMIT").map_err(failed)?;
    File::open(data)
        .and_then(|folder| folder.sync_all())
        .map_err(StoreError::io(data.display().to_string()))?;
    replayed.retire(now).map_err(StoreError::io("removing journal segments"))?;
    let session_id = SessionId(meta::read(&conn, meta::SESSION_ID).map_err(failed)?);
    let next_id = meta::read(&conn, meta::NEXT_ID).map_err(failed)?;
    let marks =
        Marks::begin(data, next_id, session_id.0).map_err(StoreError::io("recording the used ids"))?;
    let told = lost.into_iter().map(|lost| lost.finish(data, next_id, is_mark_there));
    let mut notices = told.collect::<Result<Vec<_>, _>>()?;
    notices.extend(damaged_log.map(|log| log.notice));
    notices.append(&mut replayed.notices);
    let (pending_bytes, ended_bytes) = invocations::bytes(&conn).map_err(failed)?;
    let restored =
        Restored { pending_bytes, ..restored(&conn, pack_id, hash, requeued, &mut notices).map_err(failed)? };
    let ReplayedJournal { next_segment, last_seq, torn, .. } = replayed;
    let next_seq = last_seq.saturating_add(1);
    let found = OpenedStore { restored, session_id, notices, torn };
    Ok(RecoveredDatabase { conn, found, ended_bytes, marks, next_segment, next_seq })
}

/// Raises what was salvaged of a database that is lost by what is left beside it; whether that says all.
fn marked(
    data: &Path,
    salvaged: RecoveredCounters,
    lost: &[LostDatabase],
) -> Result<(RecoveredCounters, bool), StoreError> {
    let marked = marks::read(data).map_err(StoreError::io("reading the used ids"))?;
    let of_journal = lost.iter().map(|lost| lost.last_id.saturating_add(1)).max().unwrap_or(0);
    let raised = RecoveredCounters {
        next_id: salvaged.next_id.max(of_journal).max(marked.map_or(0, |marked| marked.next_id)),
        session_id: salvaged.session_id.max(marked.map_or(0, |marked| marked.session_id)),
    };
    Ok((raised, marked.is_some()))
}

/// Checks the database, the files that `SQLite` looks for beside it, and the logs, before any of them is
/// believed or set aside.
fn check_files(data: &Path) -> Result<(), StoreError> {
    let database = data.join(DATABASE);
    let mut files = ["", "-journal", "-wal", "-shm"].map(|suffix| with_suffix(&database, suffix)).to_vec();
    for kind in [journal::FILES, session_log::FILES] {
        let found = replay::files(data, kind).map_err(StoreError::io(data.display().to_string()))?;
        files.extend(found.into_iter().map(|(_, path)| path));
    }
    let check =
        |file: PathBuf| private_files::check_file(&file).map_err(StoreError::io(file.display().to_string()));
    files.into_iter().try_for_each(check)
}

/// Connects to a database that is there. A link in the place of the file is not followed.
pub(super) fn connect(file: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    // SQLite refuses links above the folder too, which are the user's own.
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    let real = folder.zip(file.file_name()).map(|(folder, name)| folder.join(name));
    Connection::open_with_flags(real.as_deref().unwrap_or(file), flags)
}

/// Puts the journal's records into their tables and begins a new session, within the open transaction; how
/// many rows are pending again.
fn apply_journal(
    conn: &Connection,
    replayed: &mut ReplayedJournal,
    salvaged: RecoveredCounters,
    now: Wall,
) -> rusqlite::Result<u64> {
    let mut last_id = invocations::last_id(conn)?;
    let mut held = PendingWrites::default();
    for (_, record) in replayed.records.drain(..) {
        if let Record::Move(moved) = &record {
            last_id = last_id.max(moved.id.0);
        }
        held.absorb(vec![JournalledOp { position: None, record }]);
    }
    held.write_out(conn, &mut Effects::default())?;
    meta::raise(conn, meta::APPLIED_THROUGH, replayed.last_seq)?;
    meta::raise(conn, meta::NEXT_ID, last_id.saturating_add(1).max(salvaged.next_id))?;
    let session_id = meta::read(conn, meta::SESSION_ID)?.max(salvaged.session_id);
    meta::raise(conn, meta::SESSION_ID, session_id.saturating_add(1))?;
    invocations::fail_stateless(conn, now)?;
    invocations::requeue_dispatched(conn, now)
}

fn restored(
    conn: &Connection,
    pack_id: &PackId,
    hash: &ManifestHash,
    requeued: u64,
    notices: &mut Vec<String>,
) -> rusqlite::Result<Restored> {
    let in_force = manifests::find(conn, pack_id, hash)?;
    Ok(Restored {
        next_id: InvocationId(meta::read(conn, meta::NEXT_ID)?),
        counts: invocations::counts(conn, in_force)?,
        brakes: brakes::all(conn, |damaged| notices.push(damaged))?,
        state: state::of_pack(conn, pack_id, |damaged| notices.push(damaged))?,
        left_applied: invocations::left_applied(conn, limits::Mpp::default().recent_rows_max)?,
        requeued,
        failing: None,
        pending_bytes: 0,
    })
}

/// Opens the database; a damaged one is set aside and a new one begun.
fn open_or_set_aside(
    data: &Path,
    now: Wall,
    lost: &mut Vec<LostDatabase>,
) -> Result<(Connection, RecoveredCounters), StoreError> {
    let file = data.join(DATABASE);
    let (why, salvaged) = match open(&file)? {
        Opening::Whole(conn) => return Ok((conn, RecoveredCounters::default())),
        Opening::Damaged { why, salvaged } => (why, salvaged),
    };
    lost.push(lost_database::set_aside(data, now, why)?);
    match open(&file)? {
        Opening::Whole(conn) => Ok((conn, salvaged)),
        Opening::Damaged { why, .. } => {
            Err(StoreError::io(file.display().to_string())(io::Error::other(why)))
        }
    }
}

enum Opening {
    Whole(Connection),
    Damaged { why: String, salvaged: RecoveredCounters },
}

fn open(file: &Path) -> Result<Opening, StoreError> {
    // Made here so that nobody else can read it; SQLite gives its log the same mode.
    let made = private_files::open_or_create(file);
    drop(made.map_err(StoreError::io(file.display().to_string()))?);
    let conn = connect(file).map_err(StoreError::database("opening station.db"))?;
    match prepare(&conn) {
        Ok(DatabaseOwner::Ours) => Ok(Opening::Whole(conn)),
        Ok(DatabaseOwner::Newer { found, known }) => {
            Err(StoreError::NewerSchema { file: file.to_owned(), found, known })
        }
        Ok(DatabaseOwner::Foreign) => Err(StoreError::NotAStore { file: file.to_owned() }),
        Err(error) if is_damage(&error) => {
            let salvaged = salvage(&conn);
            // What is set aside is as it was found.
            let _ = conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
            Ok(Opening::Damaged { why: error.to_string(), salvaged })
        }
        Err(error) => Err(StoreError::database("opening station.db")(error)),
    }
}

/// Checks a database and brings it up to date.
fn prepare(conn: &Connection) -> rusqlite::Result<DatabaseOwner> {
    conn.busy_timeout(Duration::from_secs(5))?;
    conn.set_prepared_statement_cache_capacity(64);
    let found = migrations::inspect(conn)?;
    if found != DatabaseOwner::Ours {
        return Ok(found);
    }
    conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    conn.execute_batch(
        "PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384",
    )?;
    conn.pragma_update(None, "journal_size_limit", i64::try_from(LOG_BYTES_KEPT).unwrap_or(i64::MAX))?;
    let finding: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if finding != "ok" {
        return Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
            Some(finding),
        ));
    }
    migrations::run(conn)?;
    Ok(found)
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// What can still be read of a damaged database's numbers.
fn salvage(conn: &Connection) -> RecoveredCounters {
    let read = |name| meta::read(conn, name).unwrap_or(0);
    let last_id = invocations::last_id(conn).unwrap_or(0);
    RecoveredCounters {
        next_id: read(meta::NEXT_ID).max(last_id.saturating_add(1)),
        session_id: read(meta::SESSION_ID),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_is_followed_above_the_folder_and_not_in_place_of_the_database() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        private_files::make_folder(&data).unwrap();
        let recovered = |data: &Path| {
            let recovered = recover(data, &PackId::new("p"), &ManifestHash::new("h"), Wall(1));
            recovered.map(|recovered| recovered.found.notices)
        };
        assert_eq!(recovered(&data).unwrap(), [""; 0]);
        symlink(folder.path(), folder.path().join("link")).unwrap();
        assert_eq!(recovered(&folder.path().join("link/data")).unwrap(), [""; 0]);
        let database = data.join(DATABASE);
        std::fs::rename(&database, folder.path().join("theirs")).unwrap();
        symlink(folder.path().join("theirs"), &database).unwrap();
        let why = recovered(&data).unwrap_err().to_string();
        assert!(why.contains("symbolic link"), "{why}");
        assert!(connect(&database).is_err(), "SQLite does not follow it either");
    }
}
