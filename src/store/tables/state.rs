//! Pack-state values that persist; the last write of a key wins.

use rusqlite::{Connection, params};

use super::values::{Damage, int, json, wall};
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

/// One pack's values, by key; one that cannot be read is left out, and `damaged` is told which and why.
pub(in crate::store) fn of_pack(
    conn: &Connection,
    pack_id: &PackId,
    mut damaged: impl FnMut(String),
) -> rusqlite::Result<Vec<StateRow>> {
    let mut statement =
        conn.prepare("SELECT key, value, scope, at_ms FROM state_values WHERE pack_id = ?1 ORDER BY key")?;
    let mut found = statement.query([pack_id.as_str()])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let mut damage = Damage::default();
        let state = StateRow {
            key: StateKey::new(&damage.text("key", row, 0)),
            value: damage.or("value", json(row, 1), JsonText::null()),
            scope: damage.optional_text("scope", row, 2),
            at_ms: damage.or("at_ms", wall(row, 3), Wall(0)),
        };
        match damage.found() {
            None => rows.push(state),
            Some(why) => {
                damaged(format!("skipped the damaged state value `{}`: {why}", state.key));
            }
        }
    }
    Ok(rows)
}
