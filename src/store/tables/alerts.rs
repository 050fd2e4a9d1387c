//! Alerts.

use std::sync::Arc;

use rusqlite::{Connection, Row, params};

use super::values::{Damage, int, number, wall, wall_or_null};
use crate::{
    store::{
        alerts::{AlertFilter, RestoredAlerts},
        retention::Size,
    },
    tap::entry::{
        Link,
        alerts::{Alert, AlertManner, AlertState},
    },
    time::{Mono, Now, Wall},
};

const COLUMNS: &str = "id, name, system, subject, manner, text, last, quiet, since_ms, raised_at_ms, acknowledged_at_ms, resolved_at_ms";

/// The bytes of an alert's texts.
const BYTES: &str = "octet_length(name) + octet_length(subject) + octet_length(text)";

fn bytes(alert: &Alert) -> i64 {
    int((alert.name.len() + alert.subject.len() + alert.text.len()) as u64)
}

/// Writes an alert as it is now; by how much the table grew.
pub(in crate::store) fn put(conn: &Connection, alert: &Alert) -> rusqlite::Result<Size> {
    let before = conn
        .prepare_cached(&format!("SELECT 1, {BYTES} FROM alerts WHERE id = ?1"))?
        .query_map([int(alert.id)], Size::read)?
        .sum::<rusqlite::Result<Size>>()?;
    let ms = |at: Option<Now>| at.map(|at| int(at.wall.0));
    conn.prepare_cached(&format!(
        "INSERT OR REPLACE INTO alerts ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
    ))?
    .execute(params![
        int(alert.id),
        &*alert.name,
        alert.link.name(),
        &*alert.subject,
        alert.manner.name(),
        &*alert.text,
        alert.last.map(int),
        alert.is_quiet,
        int(alert.since.wall.0),
        int(alert.raised_at.wall.0),
        ms(alert.acknowledged_at),
        ms(alert.resolved_at),
    ])?;
    let mut grown = Size::one(bytes(alert));
    grown -= before;
    Ok(grown)
}

/// A moment of an earlier start: the wall clock's time alone.
fn moment(at: Wall) -> Now {
    Now { mono: Mono(0), wall: at }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Alert> {
    let mut damage = Damage::default();
    let link = damage.text("system", row, 2);
    let manner = damage.text("manner", row, 4);
    let mut at = |name, column| moment(damage.or(name, wall(row, column), Wall(0)));
    let (since, raised_at) = (at("since_ms", 8), at("raised_at_ms", 9));
    let mut maybe = |name, column| damage.or(name, wall_or_null(row, column), None).map(moment);
    let (acknowledged_at, resolved_at) = (maybe("acknowledged_at_ms", 10), maybe("resolved_at_ms", 11));
    let last = damage.or("last", row.get::<_, Option<i64>>(6), None);
    Ok(Alert {
        id: number(row, 0)?,
        name: damage.text("name", row, 1).into(),
        link: Link::from_name(&link).unwrap_or(Link::Station),
        subject: damage.text("subject", row, 3).into(),
        // It is over once it was seen then, which a person sees to.
        manner: AlertManner::from_name(&manner).unwrap_or(AlertManner::Once),
        since,
        text: damage.text("text", row, 5).into(),
        last: last.and_then(|last| u64::try_from(last).ok()),
        is_quiet: damage.or("quiet", row.get(7), false),
        raised_at,
        acknowledged_at,
        resolved_at,
    })
}

/// A page, with one more than was asked for when there are further ones.
pub(in crate::store) fn page(conn: &Connection, filter: &AlertFilter) -> rusqlite::Result<Vec<Alert>> {
    let (beyond, direction, start) =
        if filter.oldest_first { ("id > ?1", "ASC", -1) } else { ("id < ?1", "DESC", i64::MAX) };
    let state = match filter.state {
        None => "TRUE",
        Some(AlertState::Active) => "resolved_at_ms IS NULL AND acknowledged_at_ms IS NULL",
        Some(AlertState::Acknowledged) => "resolved_at_ms IS NULL AND acknowledged_at_ms IS NOT NULL",
        Some(AlertState::Resolved) => "resolved_at_ms IS NOT NULL",
    };
    conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM alerts WHERE {beyond} AND {state} AND raised_at_ms >= ?2 ORDER BY id {direction} LIMIT ?3"
    ))?
    .query_map(
        params![
            filter.beyond.map_or(start, int),
            filter.since.map_or(i64::MIN, |since| int(since.0)),
            int(filter.limit.saturating_add(1))
        ],
        read,
    )?
    .collect()
}

/// What a start takes up: those that hold, and the newest of the resolved ones, so many together.
pub(in crate::store) fn left(conn: &Connection, limit: u64) -> rusqlite::Result<RestoredAlerts> {
    let last: Option<i64> = conn.query_row("SELECT max(id) FROM alerts", [], |row| row.get(0))?;
    let mut alerts: Vec<Alert> = conn
        .prepare(&format!(
            "SELECT {COLUMNS} FROM alerts ORDER BY resolved_at_ms IS NOT NULL, id DESC LIMIT ?1"
        ))?
        .query_map([int(limit)], read)?
        .collect::<rusqlite::Result<_>>()?;
    alerts.sort_by_key(|alert| alert.id);
    let last = last.and_then(|last| u64::try_from(last).ok()).unwrap_or(0);
    Ok(RestoredAlerts { alerts: alerts.into_iter().map(Arc::new).collect(), next: last.saturating_add(1) })
}

pub(in crate::store) fn count(conn: &Connection) -> rusqlite::Result<Size> {
    let count = format!("SELECT count(*), coalesce(sum({BYTES}), 0) FROM alerts");
    conn.query_row(&count, [], Size::read)
}

/// Deletes the oldest resolved ones, at most `limit`; how much went.
pub(in crate::store) fn delete_oldest(conn: &Connection, limit: u64) -> rusqlite::Result<Size> {
    conn.prepare_cached(&format!(
        "DELETE FROM alerts WHERE id IN (SELECT id FROM alerts WHERE resolved_at_ms IS NOT NULL ORDER BY id LIMIT ?1)
         RETURNING 1, {BYTES}"
    ))?
    .query_map([int(limit)], Size::read)?
    .sum()
}
