//! Triggers that were added while the station ran.

use rusqlite::{Connection, params};

/// Keeps one as JSON, or removes it.
pub(in crate::store) fn put(conn: &Connection, name: &str, spec: Option<&str>) -> rusqlite::Result<()> {
    match spec {
        Some(spec) => conn
            .prepare_cached("INSERT OR REPLACE INTO triggers (name, spec) VALUES (?1, ?2)")?
            .execute(params![name, spec])?,
        None => conn.prepare_cached("DELETE FROM triggers WHERE name = ?1")?.execute([name])?,
    };
    Ok(())
}

/// All, by their names.
pub(in crate::store) fn all(conn: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let mut select = conn.prepare_cached("SELECT name, spec FROM triggers ORDER BY name")?;
    select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}
