//! Plugins, what they may use, the values of their panels, their audit, and the declared stream.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};

use super::values::{Damage, int, json, number, wall};
use crate::{
    ids::PluginId,
    schema::JsonText,
    store::plugins::{
        AuditFilter, AuditRow, Disabled, Grant, NewPlugin, PluginOp, PluginRow, RestoredPlugins, StreamPart,
    },
    tap::entry::plugin::DisableCause,
    time::Wall,
};

/// Plugins that are not installed and whose values a start takes up: of further ones they stay in the store.
const VALUES_ASIDE_MAX: u64 = 1_024;

/// Does an operation within the open transaction.
pub(in crate::store) fn apply(conn: &Connection, op: &PluginOp) -> rusqlite::Result<()> {
    match op {
        PluginOp::Put(new) => put(conn, new),
        PluginOp::SetDisabled { plugin, disabled } => set_disabled(conn, plugin, disabled.as_ref()),
        PluginOp::PutExits { plugin, exits } => put_exits(conn, plugin, exits),
        PluginOp::PutGrants { plugin, grants } => put_grants(conn, plugin, grants),
        PluginOp::Remove { plugin, purge } => remove(conn, plugin, *purge),
        PluginOp::PutValue { plugin, key, value } => put_value(conn, plugin, key, value.as_ref()),
        PluginOp::Audit { plugin, at, what, text, by, rows_max } => {
            append(conn, plugin, *at, [Some(what), Some(text), by.as_deref()])?;
            prune(conn, plugin, *rows_max)
        }
        PluginOp::PutStream { part, value } => put_stream(conn, *part, value.as_ref()),
    }
}

fn put(conn: &Connection, new: &NewPlugin) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO plugins (plugin, place, manifest, version, folder, command, installed_at_ms, exits)
         VALUES (?1, (SELECT coalesce(max(place), 0) + 1 FROM plugins), ?2, ?3, ?4, ?5, ?6, '[]')
         ON CONFLICT (plugin) DO UPDATE SET manifest = excluded.manifest, version = excluded.version,
            folder = excluded.folder, command = excluded.command, installed_at_ms = excluded.installed_at_ms",
    )?
    .execute(params![new.plugin.as_str(), new.manifest, new.version, new.folder, new.command, int(new.at.0)])
    .map(drop)
}

fn set_disabled(conn: &Connection, plugin: &PluginId, disabled: Option<&Disabled>) -> rusqlite::Result<()> {
    let cause = disabled.map(|disabled| disabled.cause.name());
    let text = disabled.map(|disabled| disabled.text.as_str());
    conn.prepare_cached("UPDATE plugins SET disable_cause = ?2, disable_text = ?3 WHERE plugin = ?1")?
        .execute(params![plugin.as_str(), cause, text])
        .map(drop)
}

fn put_exits(conn: &Connection, plugin: &PluginId, exits: &[Wall]) -> rusqlite::Result<()> {
    let exits: Vec<String> = exits.iter().map(|at| at.0.to_string()).collect();
    conn.prepare_cached("UPDATE plugins SET exits = ?2 WHERE plugin = ?1")?
        .execute(params![plugin.as_str(), format!("[{}]", exits.join(","))])
        .map(drop)
}

fn put_grants(conn: &Connection, plugin: &PluginId, grants: &[Grant]) -> rusqlite::Result<()> {
    conn.prepare_cached("DELETE FROM plugin_grants WHERE plugin = ?1")?.execute([plugin.as_str()])?;
    let mut put = conn.prepare_cached(
        "INSERT OR REPLACE INTO plugin_grants (plugin, capability, is_always) VALUES (?1, ?2, ?3)",
    )?;
    grants.iter().try_for_each(|grant| {
        put.execute(params![plugin.as_str(), grant.capability, grant.is_always]).map(drop)
    })
}

fn remove(conn: &Connection, plugin: &PluginId, purge: bool) -> rusqlite::Result<()> {
    let rest: &[&str] = if purge { &["plugin_values", "plugin_audit"] } else { &[] };
    for table in ["plugins", "plugin_grants"].iter().chain(rest) {
        conn.prepare_cached(&format!("DELETE FROM {table} WHERE plugin = ?1"))?.execute([plugin.as_str()])?;
    }
    Ok(())
}

fn put_value(
    conn: &Connection,
    plugin: &PluginId,
    key: &str,
    value: Option<&JsonText>,
) -> rusqlite::Result<()> {
    let Some(value) = value else {
        return conn
            .prepare_cached("DELETE FROM plugin_values WHERE plugin = ?1 AND key = ?2")?
            .execute(params![plugin.as_str(), key])
            .map(drop);
    };
    conn.prepare_cached("INSERT OR REPLACE INTO plugin_values (plugin, key, value) VALUES (?1, ?2, ?3)")?
        .execute(params![plugin.as_str(), key, value.as_str()])
        .map(drop)
}

/// Appends a row: what happened, to what, and by whom.
fn append(
    conn: &Connection,
    plugin: &PluginId,
    at: Wall,
    [what, text, by]: [Option<&str>; 3],
) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO plugin_audit (plugin, nth, at_ms, what, text, operator)
         VALUES (?1, (SELECT coalesce(max(nth), 0) + 1 FROM plugin_audit WHERE plugin = ?1), ?2, ?3, ?4, ?5)",
    )?
    .execute(params![plugin.as_str(), int(at.0), what, text, by])
    .map(drop)
}

/// Deletes a plugin's oldest rows beyond so many. Its rows are numbered without gaps: none need be counted.
fn prune(conn: &Connection, plugin: &PluginId, rows_max: u64) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "DELETE FROM plugin_audit WHERE plugin = ?1
         AND nth <= (SELECT max(nth) FROM plugin_audit WHERE plugin = ?1) - ?2",
    )?
    .execute(params![plugin.as_str(), int(rows_max)])
    .map(drop)
}

fn put_stream(conn: &Connection, part: StreamPart, value: Option<&JsonText>) -> rusqlite::Result<()> {
    match value {
        None => conn.prepare_cached("DELETE FROM stream WHERE part = ?1")?.execute([part.name()]),
        Some(value) => conn
            .prepare_cached("INSERT OR REPLACE INTO stream (part, value) VALUES (?1, ?2)")?
            .execute(params![part.name(), value.as_str()]),
    }
    .map(drop)
}

/// What a start takes up.
pub(in crate::store) fn restored(conn: &Connection) -> rusqlite::Result<RestoredPlugins> {
    let mut restored = RestoredPlugins { plugins: installed(conn)?, ..RestoredPlugins::default() };
    for plugin in with_values(conn)? {
        let values = values(conn, &plugin, |why| restored.damaged.push(why))?;
        if !values.is_empty() {
            restored.values.insert(plugin, values);
        }
    }
    let mut statement = conn.prepare("SELECT part, value FROM stream")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut damage = Damage::default();
        let part = damage.named("part", row, 0, StreamPart::from_name);
        let value = damage.or("value", json(row, 1), JsonText::null());
        match (part, damage.found()) {
            (Some(part), None) => drop(restored.stream.insert(part, value)),
            (part, why) => {
                let part = part.map_or("an unknown part", StreamPart::name);
                let why = why.unwrap_or_default();
                restored.damaged.push(format!("skipped the damaged stream ({part}): {why}"));
            }
        }
    }
    Ok(restored)
}

/// The plugins that have values: all that are installed, and so many others.
fn with_values(conn: &Connection) -> rusqlite::Result<Vec<PluginId>> {
    conn.prepare(
        "SELECT plugin FROM plugin_values GROUP BY plugin
         ORDER BY plugin IN (SELECT plugin FROM plugins) DESC, plugin
         LIMIT ?1 + (SELECT count(*) FROM plugins)",
    )?
    .query_map([int(VALUES_ASIDE_MAX)], |row| Ok(PluginId::new(&row.get::<_, String>(0)?)))?
    .collect()
}

/// The installed plugins, in the order in which they were installed first.
pub(in crate::store) fn installed(conn: &Connection) -> rusqlite::Result<Vec<PluginRow>> {
    let mut plugins: Vec<PluginRow> = conn
        .prepare(
            "SELECT plugin, manifest, version, folder, command, installed_at_ms, disable_cause, disable_text, exits
             FROM plugins ORDER BY place",
        )?
        .query_map([], |row| Ok(read(row)))?
        .collect::<rusqlite::Result<_>>()?;
    for row in &mut plugins {
        let (grants, damage) = grants(conn, &row.installed.plugin)?;
        row.grants = grants;
        row.damage = row.damage.take().or(damage);
    }
    Ok(plugins)
}

fn read(row: &Row<'_>) -> PluginRow {
    let mut damage = Damage::default();
    let installed = NewPlugin {
        plugin: PluginId::new(&damage.text("plugin", row, 0)),
        manifest: damage.text("manifest", row, 1),
        version: damage.text("version", row, 2),
        folder: damage.text("folder", row, 3),
        command: damage.optional_text("command", row, 4),
        at: damage.or("installed_at_ms", wall(row, 5), Wall(0)),
    };
    let is_disabled = damage.optional_text("disable_cause", row, 6).is_some();
    let cause = damage.optional_named("disable_cause", row, 6, DisableCause::from_name);
    let text = damage.optional_text("disable_text", row, 7).unwrap_or_default();
    // One that cannot be read stays disabled, until the operator enables it.
    let disabled = is_disabled.then(|| Disabled { cause: cause.unwrap_or(DisableCause::ByOperator), text });
    let exits: Vec<u64> = serde_json::from_str(&damage.text("exits", row, 8)).unwrap_or_default();
    PluginRow {
        installed,
        disabled,
        exits: exits.into_iter().map(Wall).collect(),
        grants: Vec::new(),
        damage: damage.found(),
    }
}

/// What a plugin may use, and what of it cannot be read: that is not granted.
fn grants(conn: &Connection, plugin: &PluginId) -> rusqlite::Result<(Vec<Grant>, Option<String>)> {
    let mut statement = conn.prepare_cached(
        "SELECT capability, is_always FROM plugin_grants WHERE plugin = ?1 ORDER BY capability",
    )?;
    let mut rows = statement.query([plugin.as_str()])?;
    let (mut grants, mut damaged) = (Vec::new(), None);
    while let Some(row) = rows.next()? {
        let mut damage = Damage::default();
        let capability = damage.text("capability", row, 0);
        let is_always = damage.or("is_always", row.get(1), false);
        match damage.found() {
            None => grants.push(Grant { capability, is_always }),
            why => damaged = damaged.or(why),
        }
    }
    Ok((grants, damaged))
}

/// The values of one plugin's panel, by their keys; one that cannot be read is left out, and `damaged` learns
/// which and why.
pub(in crate::store) fn values(
    conn: &Connection,
    plugin: &PluginId,
    mut damaged: impl FnMut(String),
) -> rusqlite::Result<BTreeMap<String, JsonText>> {
    let mut statement =
        conn.prepare_cached("SELECT key, value FROM plugin_values WHERE plugin = ?1 ORDER BY key")?;
    let mut rows = statement.query([plugin.as_str()])?;
    let mut values = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let mut damage = Damage::default();
        let key = damage.text("key", row, 0);
        let value = damage.or("value", json(row, 1), JsonText::null());
        match damage.found() {
            None => drop(values.insert(key, value)),
            Some(why) => damaged(format!("skipped the damaged value `{key}` of {plugin}: {why}")),
        }
    }
    Ok(values)
}

/// A page of the audit, with one more than was asked for when there are further ones.
pub(in crate::store) fn audit(conn: &Connection, filter: &AuditFilter) -> rusqlite::Result<Vec<AuditRow>> {
    let (beyond, direction, start) =
        if filter.oldest_first { ("number > ?1", "ASC", -1) } else { ("number < ?1", "DESC", i64::MAX) };
    // A plugin's rows are in the same order by `nth`, for which there is an index with `number` in it.
    let (of, order) = if filter.plugin.is_some() { ("plugin = ?2", "nth") } else { ("?2 IS NULL", "number") };
    conn.prepare_cached(&format!(
        "SELECT number, plugin, at_ms, what, text, operator FROM plugin_audit WHERE {beyond} AND {of}
         ORDER BY {order} {direction} LIMIT ?3"
    ))?
    .query_map(
        params![
            filter.beyond.map_or(start, int),
            filter.plugin.as_ref().map(PluginId::as_str),
            int(filter.limit.saturating_add(1))
        ],
        read_audit,
    )?
    .collect()
}

fn read_audit(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    let mut damage = Damage::default();
    let audit = AuditRow {
        number: number(row, 0)?,
        plugin: PluginId::new(&damage.text("plugin", row, 1)),
        at: damage.or("at_ms", wall(row, 2), Wall(0)),
        what: damage.text("what", row, 3),
        text: damage.text("text", row, 4),
        by: damage.optional_text("operator", row, 5),
    };
    Ok(match damage.found() {
        None => audit,
        Some(why) => AuditRow { text: format!("damaged: {why}"), ..audit },
    })
}
