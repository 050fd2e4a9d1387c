//! The manifests that rows were enqueued under, each with the number of its rows, so that the rows carry a
//! number instead of two texts.

use rusqlite::{Connection, OptionalExtension, params};

use crate::ids::{ManifestHash, PackId};

/// The manifest's number, if it is there.
pub(in crate::store) fn find(
    conn: &Connection,
    pack_id: &PackId,
    hash: &ManifestHash,
) -> rusqlite::Result<Option<i64>> {
    conn.prepare_cached("SELECT manifest FROM manifests WHERE pack_id = ?1 AND hash = ?2")?
        .query_row([pack_id.as_str(), hash.as_str()], |row| row.get(0))
        .optional()
}

/// The manifest's number; it is made if it is missing.
pub(in crate::store) fn number(
    conn: &Connection,
    pack_id: &PackId,
    hash: &ManifestHash,
) -> rusqlite::Result<i64> {
    if let Some(manifest) = find(conn, pack_id, hash)? {
        return Ok(manifest);
    }
    conn.prepare_cached("INSERT INTO manifests (pack_id, hash, rows) VALUES (?1, ?2, 0)")?
        .execute([pack_id.as_str(), hash.as_str()])?;
    Ok(conn.last_insert_rowid())
}

/// Counts rows in or out.
pub(in crate::store) fn count(conn: &Connection, manifest: i64, rows: i64) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE manifests SET rows = rows + ?2 WHERE manifest = ?1")?
        .execute(params![manifest, rows])?;
    Ok(())
}

/// Forgets manifests that no row names any more, but for `keep`.
pub(in crate::store) fn forget_empty(conn: &Connection, keep: Option<i64>) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM manifests WHERE rows <= 0 AND manifest IS NOT ?1")?.execute([keep])?;
    Ok(())
}

/// Rows of all manifests together.
pub(in crate::store) fn rows(conn: &Connection) -> rusqlite::Result<i64> {
    conn.query_row("SELECT coalesce(sum(rows), 0) FROM manifests", [], |row| row.get(0))
}

/// Every manifest's number.
pub(in crate::store) fn all(conn: &Connection) -> rusqlite::Result<Vec<i64>> {
    conn.prepare_cached("SELECT manifest FROM manifests ORDER BY manifest")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// The numbers of a pack's other manifests.
pub(in crate::store) fn others(
    conn: &Connection,
    pack_id: &PackId,
    hash: &ManifestHash,
) -> rusqlite::Result<Vec<i64>> {
    conn.prepare_cached("SELECT manifest FROM manifests WHERE pack_id = ?1 AND hash <> ?2 ORDER BY manifest")?
        .query_map([pack_id.as_str(), hash.as_str()], |row| row.get(0))?
        .collect()
}
