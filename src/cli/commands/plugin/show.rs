//! `plugin show`, `plugin audit`.

use super::request::whole_id;
use crate::{
    cli::{
        commands::ls::TableRow,
        error::Error,
        operator,
        output::Output,
        table::{LocalClock, Table, visible},
    },
    plugin::panel::Schema,
    port::{Operator, Page, PluginAuditRow, PluginDetail, PluginRow, Query},
};

/// Rows asked for at once; the station may give fewer.
const PAGE_ROWS: u64 = 1_000;

pub(super) async fn show(
    station: &dyn Operator,
    name: Option<&str>,
    clock: &LocalClock,
    out: &mut Output,
) -> Result<(), Error> {
    let Some(name) = name else {
        let Page::Plugins(rows) = operator::query(station, Query::Plugins).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        return table(&mut Table::new(PluginRow::COLUMNS).timed(clock), &rows, clock, out);
    };
    let plugin = whole_id(station, name).await?;
    let Page::Plugin(found) = operator::query(station, Query::Plugin { plugin: plugin.clone() }).await?
    else {
        return Err(Error::UnexpectedAnswer);
    };
    let unknown = || crate::port::PortError::Plugin(crate::plugin::Refusal::UnknownPlugin(plugin));
    let detail = found.ok_or_else(unknown)?;
    out.row(&*detail, text)
}

fn table<R: TableRow + serde::Serialize>(
    table: &mut Table,
    rows: &[R],
    clock: &LocalClock,
    out: &mut Output,
) -> Result<(), Error> {
    if out.is_json() {
        return rows.iter().try_for_each(|row| out.row(row, |_| String::new()));
    }
    let page = table.page(rows.iter().map(|row| row.cells(clock)).collect());
    page.iter().try_for_each(|line| out.line(line))
}

fn text(detail: &PluginDetail) -> String {
    let PluginDetail { row, description, slots, provides, hooks, detail, .. } = detail;
    let denied: Vec<&str> =
        row.asks.iter().filter(|it| !row.granted.contains(it)).map(String::as_str).collect();
    let facts = [
        ("plugin", row.plugin.to_string()),
        ("name", row.name.clone()),
        ("version", row.version.clone()),
        ("author", row.author.clone()),
        ("description", description.clone()),
        ("state", row.state.clone()),
        ("reason", row.reason.clone().unwrap_or_default()),
        ("source", detail.source.clone()),
        ("command", row.command.clone().unwrap_or_default()),
        ("granted", row.granted.join(", ")),
        ("not granted", denied.join(", ")),
        ("asks for", row.asking.clone().unwrap_or_default()),
        ("can", detail.consent.join("; ")),
        ("events", hooks.join(", ")),
        ("actions", row.actions.join(", ")),
        ("slots", slots.join(", ")),
        ("provides", provides.join(", ")),
    ];
    let facts = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
    let mut lines: Vec<String> =
        facts.map(|(name, fact)| format!("{name:<13}  {}", visible(&fact))).collect();
    for (slot, value) in &detail.status {
        lines.push(visible(&format!("status         {slot}: {value}")));
    }
    let schema = detail.panel.clone().and_then(|panel| serde_json::from_value::<Schema>(panel).ok());
    for section in schema.iter().flat_map(|schema| &schema.sections) {
        lines.push(String::new());
        lines.push(visible(&section.label));
        for field in &section.fields {
            let value = detail.values.get(&*field.key).or(field.default.as_ref());
            let value = value.map_or_else(|| "-".to_owned(), |value| field.shown(value));
            lines.push(visible(&format!("  {:<20}  {value}  ({})", field.key, field.label)));
        }
    }
    lines.join("\n")
}

pub(super) async fn audit(
    station: &dyn Operator,
    name: &str,
    clock: &LocalClock,
    out: &mut Output,
) -> Result<(), Error> {
    let plugin = whole_id(station, name).await?;
    let mut page = Table::new(PluginAuditRow::COLUMNS).timed(clock).fitting(out.columns());
    let mut after = 0;
    loop {
        let query = Query::PluginAudit { plugin: plugin.clone(), after, limit: PAGE_ROWS };
        let Page::PluginAudit { rows, more } = operator::query(station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        if !rows.is_empty() {
            table(&mut page, &rows, clock, out)?;
        }
        after = rows.last().map_or(after, |row| row.number);
        if !more || rows.is_empty() {
            return Ok(());
        }
    }
}
