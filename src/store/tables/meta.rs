//! Numbers about the data folder as a whole.

use rusqlite::{Connection, OptionalExtension, params};

use super::values::int;

/// The journal's last record whose effect is in the tables.
pub(in crate::store) const APPLIED_THROUGH: &str = "applied_through";
/// An id that no invocation had yet, nor any below it that retention deleted.
pub(in crate::store) const NEXT_ID: &str = "next_id";
/// How often a station was started on the data folder.
pub(in crate::store) const SESSION_ID: &str = "session_id";

/// The last piece of the log of sessions that is in the tables.
pub(in crate::store) const SESSIONS_THROUGH: &str = "sessions_through";

/// When the database was last written only to see whether it can be, in Unix milliseconds.
pub(in crate::store) const PROBED_AT_MS: &str = "probed_at_ms";

/// When the store was closed in order the last time, in Unix milliseconds.
pub(in crate::store) const CLOSED_AT_MS: &str = "closed_at_ms";

/// A number, 0 before it was first written.
pub(in crate::store) fn read(conn: &Connection, name: &str) -> rusqlite::Result<u64> {
    let value: Option<i64> = conn
        .prepare_cached("SELECT value FROM meta WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    Ok(u64::try_from(value.unwrap_or(0)).unwrap_or(0))
}

/// Raises a number; a smaller one than is there is left out.
pub(in crate::store) fn raise(conn: &Connection, name: &str, value: u64) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE excluded.value > value",
    )?
    .execute(params![name, int(value)])?;
    Ok(())
}
