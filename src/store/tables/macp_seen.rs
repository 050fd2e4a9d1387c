//! Which messages sessions accepted that are in the store alone: digests in short rows, so that one is found
//! without reading the others.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::values::int;
use crate::store::macp::{DIGEST_BYTES, Digest, SEEN_BYTES, SEEN_ROW, SeenPart, accepted_at};

/// Writes a part: rows that begin with the digests that they are found by.
pub(super) fn put(conn: &Connection, part: &SeenPart) -> rusqlite::Result<()> {
    let mut put =
        conn.prepare_cached("INSERT OR REPLACE INTO macp_seen (session, first, items) VALUES (?1, ?2, ?3)")?;
    let mut rows = part.items.chunks(SEEN_ROW * SEEN_BYTES).filter(|row| row.len() >= SEEN_BYTES);
    rows.try_for_each(|row| put.execute(params![int(part.session), &row[..DIGEST_BYTES], row]).map(drop))
}

/// When a session accepted a message.
pub(super) fn at(conn: &Connection, session: u64, message: &Digest) -> rusqlite::Result<Option<u64>> {
    let row: Option<Vec<u8>> = conn
        .prepare_cached(
            "SELECT items FROM macp_seen WHERE session = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1",
        )?
        .query_row(params![int(session), &message[..]], |row| row.get(0))
        .optional()?;
    Ok(row.and_then(|items| accepted_at(&items, message)))
}

/// Deletes rows of a session, at most so many: how many there were.
pub(super) fn delete(conn: &Connection, session: u64, rows_max: u64) -> rusqlite::Result<u64> {
    let rows = conn
        .prepare_cached("DELETE FROM macp_seen WHERE session = ?1 AND first IN (SELECT first FROM macp_seen WHERE session = ?1 LIMIT ?2)")?
        .execute(params![int(session), int(rows_max)])?;
    Ok(u64::try_from(rows).unwrap_or(u64::MAX))
}
