//! Pack-state values that persist; the last write of a key wins.

use rusqlite::{Connection, params};

use super::values::{int, json, wall};
use crate::{
    ids::{PackId, StateKey},
    schema::JsonText,
    store::state::StateRow,
    time::Wall,
};

pub(in crate::store) fn write(
    conn: &Connection,
    pack_id: &PackId,
    key: &StateKey,
    value: &JsonText,
    scope: Option<&str>,
    at: Wall,
) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT OR REPLACE INTO state_values (pack_id, key, value, scope, at_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![pack_id.as_str(), key.as_str(), value.as_str(), scope, int(at.0)])?;
    Ok(())
}

/// One pack's values, by key.
pub(in crate::store) fn of_pack(conn: &Connection, pack_id: &PackId) -> rusqlite::Result<Vec<StateRow>> {
    conn.prepare("SELECT key, value, scope, at_ms FROM state_values WHERE pack_id = ?1 ORDER BY key")?
        .query_map([pack_id.as_str()], |row| {
            Ok(StateRow {
                key: StateKey::new(row.get_ref(0)?.as_str()?),
                value: json(row, 1)?,
                scope: row.get(2)?,
                at_ms: wall(row, 3)?,
            })
        })?
        .collect()
}
