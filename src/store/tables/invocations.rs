//! Invocations: writing them one at a time, reading them in pages.
//!
//! Conditions on a state are spelled out in the SQL, not bound: only then does `SQLite` see that a partial
//! index covers them.

use rusqlite::{Connection, OptionalExtension, Row as SqlRow, params};
use uuid::Uuid;

use super::{
    manifests,
    values::{
        Damage, int, json, json_or_null, number, number_or_null, refund_status_or_null, row_state, source,
        status_name, trace, wall,
    },
};
use crate::{
    ids::{EventName, InvocationId, ManifestHash, PackId, QueueName, TraceId},
    schema::JsonText,
    store::{
        invocations::{Move, Pending, QueueCounts, Row},
        read::InvocationFilter,
    },
    tap::entry::mpp::{RefundStatus, RowState},
    time::Wall,
};

/// The columns of a [`Row`]. The join keeps invocations the outer loop, so that their order needs no sorting,
/// and a row whose manifest is lost is shown.
const ROW: &str = "SELECT i.id, i.queue, i.event, i.state, i.params, i.result, i.reason, i.source_kind, i.redemption, i.user, i.key,
    i.trace, m.pack_id, m.hash, i.enqueued_at_ms, i.updated_at_ms, i.refund, i.requeued_from
    FROM invocations i LEFT JOIN manifests m ON m.manifest = i.manifest";

/// The columns of a [`Pending`], then its queue.
const PENDING: &str = "SELECT id, event, params, trace, source_kind, redemption, user, enqueued_at_ms, queue,
    octet_length(queue) + octet_length(event) + octet_length(params) + octet_length(source_kind)
    + coalesce(octet_length(redemption), 0) + coalesce(octet_length(user), 0) + coalesce(octet_length(key), 0)
    + coalesce(octet_length(reason), 0) + coalesce(octet_length(result), 0) FROM invocations";

/// The bytes of a row's texts ([`Row::bytes`]), without reading long ones.
const BYTES: &str =
    "octet_length(queue) + octet_length(event) + octet_length(params) + octet_length(source_kind)
    + coalesce(octet_length(redemption), 0) + coalesce(octet_length(user), 0) + coalesce(octet_length(key), 0)
    + coalesce(octet_length(reason), 0) + coalesce(octet_length(result), 0)";

/// The condition of the index `notable`, word for word. (An `IN` list of three or more would be made into a
/// table for every statement.)
const NOTABLE: &str = "i.state <> 'pending' AND i.state <> 'done'";

fn row(row: &SqlRow<'_>) -> rusqlite::Result<Row> {
    let mut damage = Damage::default();
    Ok(Row {
        id: InvocationId(number(row, 0)?),
        queue: QueueName::new(&damage.text("queue", row, 1)),
        event: EventName::new(&damage.text("event", row, 2)),
        // It is in no index of rows that go on.
        state: damage.or("state", row_state(row, 3), RowState::Failed),
        params: damage.or("params", json(row, 4), JsonText::null()),
        result: damage.or("result", json_or_null(row, 5), None),
        reason: damage.optional_text("reason", row, 6),
        source: source(row, 7, &mut damage),
        key: damage.optional_text("key", row, 10),
        trace_id: damage.or("trace", trace(row, 11), TraceId(Uuid::nil())),
        pack_id: PackId::new(&damage.text("pack_id", row, 12)),
        manifest_hash: ManifestHash::new(&damage.text("hash", row, 13)),
        enqueued_at_ms: damage.or("enqueued_at_ms", wall(row, 14), Wall(0)),
        updated_at_ms: damage.or("updated_at_ms", wall(row, 15), Wall(0)),
        refund: damage.or("refund", refund_status_or_null(row, 16), None),
        requeued_from: damage.or("requeued_from", number_or_null(row, 17), None).map(InvocationId),
        damage: damage.found(),
    })
}

fn pending(row: &SqlRow<'_>) -> rusqlite::Result<(QueueName, Pending)> {
    let mut damage = Damage::default();
    let queue = QueueName::new(&damage.text("queue", row, 8));
    let pending = Pending {
        id: InvocationId(number(row, 0)?),
        event: EventName::new(&damage.text("event", row, 1)),
        params: damage.or("params", json(row, 2), JsonText::null()),
        trace_id: damage.or("trace", trace(row, 3), TraceId(Uuid::nil())),
        source: source(row, 4, &mut damage),
        enqueued_at: damage.or("enqueued_at_ms", wall(row, 7), Wall(0)),
        bytes: number(row, 9)?,
        damage: damage.found(),
    };
    Ok((queue, pending))
}

/// Inserts a row unless its key is there; says whether it did.
pub(in crate::store) fn insert(conn: &Connection, row: &Row, manifest: i64) -> rusqlite::Result<bool> {
    let inserted = conn
        .prepare_cached(
            "INSERT INTO invocations (id, state, manifest, queue, event, enqueued_at_ms, updated_at_ms, trace,
                source_kind, redemption, user, key, params, result, reason, requeued_from)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
             ON CONFLICT (source_kind, key) WHERE key IS NOT NULL DO NOTHING",
        )?
        .execute(params![
            int(row.id.0),
            row.state.name(),
            manifest,
            row.queue.as_str(),
            row.event.as_str(),
            int(row.enqueued_at_ms.0),
            int(row.updated_at_ms.0),
            row.trace_id.0.as_bytes().as_slice(),
            row.source.kind,
            row.source.redemption,
            row.source.user,
            row.key,
            row.params.as_str(),
            row.result.as_ref().map(JsonText::as_str),
            row.reason,
            row.requeued_from.map(|id| int(id.0))
        ])?;
    Ok(inserted == 1)
}

/// The row that has a key.
pub(in crate::store) fn by_key(conn: &Connection, kind: &str, key: &str) -> rusqlite::Result<Option<Row>> {
    conn.prepare_cached(&format!("{ROW} WHERE i.source_kind = ?1 AND i.key = ?2"))?
        .query_row([kind, key], row)
        .optional()
}

/// One row.
pub(in crate::store) fn by_id(conn: &Connection, id: InvocationId) -> rusqlite::Result<Option<Row>> {
    conn.prepare_cached(&format!("{ROW} WHERE i.id = ?1"))?.query_row([int(id.0)], row).optional()
}

/// Where a row stands, and its manifest's number.
pub(in crate::store) fn state_of(
    conn: &Connection,
    id: InvocationId,
) -> rusqlite::Result<Option<(RowState, i64)>> {
    conn.prepare_cached("SELECT state, manifest FROM invocations WHERE id = ?1")?
        .query_row([int(id.0)], |found| Ok((row_state(found, 0)?, found.get(1)?)))
        .optional()
}

/// Moves a row; the bytes of its texts where that ended it. A row that does not exist is left out.
pub(in crate::store) fn apply(conn: &Connection, moved: &Move) -> rusqlite::Result<Option<i64>> {
    let values = params![
        int(moved.id.0),
        moved.state.name(),
        moved.result.as_ref().map(JsonText::as_str),
        moved.reason,
        int(moved.at.0)
    ];
    if moved.state.is_terminal() {
        // `RETURNING` would make a table of its own for each row.
        let ended = conn
            .prepare_cached(
                "UPDATE invocations SET state = ?2, result = coalesce(?3, result), reason = coalesce(?4, reason), updated_at_ms = ?5
                 WHERE id = ?1 AND state <> 'done' AND state <> 'failed' AND state <> 'refunded'",
            )?
            .execute(values)?;
        if ended > 0 {
            return conn
                .prepare_cached(&format!("SELECT {BYTES} FROM invocations WHERE id = ?1"))?
                .query_row([int(moved.id.0)], |row| row.get(0));
        }
    }
    conn.prepare_cached(
        "UPDATE invocations SET state = ?2, result = coalesce(?3, result), reason = coalesce(?4, reason), updated_at_ms = ?5 WHERE id = ?1",
    )?
    .execute(values)?;
    Ok(None)
}

/// Notes which refund was recorded for a row.
pub(in crate::store) fn set_refund(
    conn: &Connection,
    id: InvocationId,
    status: RefundStatus,
) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE invocations SET refund = ?2 WHERE id = ?1")?
        .execute(params![int(id.0), status_name(status)])?;
    Ok(())
}

/// Gives a row another manifest.
pub(in crate::store) fn set_manifest(
    conn: &Connection,
    id: InvocationId,
    manifest: i64,
) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE invocations SET manifest = ?2 WHERE id = ?1")?
        .execute(params![int(id.0), manifest])?;
    Ok(())
}

/// Pending rows of one queue and manifest after an id, oldest first.
pub(in crate::store) fn pending_after(
    conn: &Connection,
    queue: &QueueName,
    manifest: i64,
    after: InvocationId,
    limit: u64,
) -> rusqlite::Result<Vec<Pending>> {
    conn.prepare_cached(&format!(
        "{PENDING} WHERE queue = ?1 AND manifest = ?2 AND id > ?3 AND state = 'pending' ORDER BY id LIMIT ?4"
    ))?
    .query_map(params![queue.as_str(), manifest, int(after.0), int(limit)], |found| Ok(pending(found)?.1))?
    .collect()
}

/// Pending rows of any queue of some manifests after an id, oldest first.
pub(in crate::store) fn pending_of_manifests(
    conn: &Connection,
    manifests: &[i64],
    after: InvocationId,
    limit: u64,
) -> rusqlite::Result<Vec<(QueueName, Pending)>> {
    let mut statement = conn.prepare_cached(&format!(
        "{PENDING} WHERE manifest = ?1 AND id > ?2 AND state = 'pending' ORDER BY id LIMIT ?3"
    ))?;
    let mut rows = Vec::new();
    for manifest in manifests {
        for found in statement.query_map(params![manifest, int(after.0), int(limit)], pending)? {
            rows.push(found?);
        }
    }
    rows.sort_by_key(|(_, pending)| pending.id);
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(rows)
}

/// A page, with one more row than was asked for when there are further ones.
pub(in crate::store) fn page(conn: &Connection, filter: &InvocationFilter) -> rusqlite::Result<Vec<Row>> {
    let limit = filter.limit.saturating_add(1);
    let (beyond, direction) = if filter.oldest_first { ("i.id > ?1", "ASC") } else { ("i.id < ?1", "DESC") };
    let of_state = match filter.state {
        None => "1".to_owned(),
        Some(state @ (RowState::Pending | RowState::Done)) => format!("i.state = '{}'", state.name()),
        Some(state) => format!("i.state = '{}' AND {NOTABLE}", state.name()),
    };
    let of_queue = if filter.queue.is_some() { "i.queue = ?2" } else { "?2 IS NULL" };
    let left_out = match &filter.not_of {
        Some((pack_id, hash)) => manifests::find(conn, pack_id, hash)?,
        None => None,
    };
    // Pending rows are indexed by manifest; a page of all is merged from a page of each.
    let (of_manifest, manifests) = match filter.state {
        Some(RowState::Pending) => {
            let of_each = manifests::all(conn)?
                .into_iter()
                .map(Some)
                .filter(|manifest| left_out.is_none() || *manifest != left_out);
            ("i.manifest = ?4", of_each.collect())
        }
        _ if left_out.is_some() => ("i.manifest <> ?4", vec![left_out]),
        _ => ("?4 IS NULL", vec![None]),
    };
    let sql = format!(
        "{ROW} WHERE {beyond} AND {of_state} AND {of_queue} AND {of_manifest} ORDER BY i.id {direction} LIMIT ?3"
    );
    let beyond = filter.beyond.map_or(if filter.oldest_first { -1 } else { i64::MAX }, |id| int(id.0));
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = Vec::new();
    for manifest in manifests {
        let queue = filter.queue.as_ref().map(QueueName::as_str);
        for found in statement.query_map(params![beyond, queue, int(limit), manifest], row)? {
            rows.push(found?);
        }
    }
    if filter.oldest_first {
        rows.sort_by_key(|row| row.id);
    } else {
        rows.sort_by_key(|row| std::cmp::Reverse(row.id));
    }
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(rows)
}

/// Rows in `applied`, oldest first.
pub(in crate::store) fn left_applied(conn: &Connection, limit: u64) -> rusqlite::Result<Vec<Row>> {
    conn.prepare_cached(&format!("{ROW} WHERE i.state = 'applied' AND {NOTABLE} ORDER BY i.id LIMIT ?1"))?
        .query_map([int(limit)], row)?
        .collect()
}

/// Pending rows by queue, apart for the manifest in force and all others.
pub(in crate::store) fn counts(
    conn: &Connection,
    in_force: Option<i64>,
) -> rusqlite::Result<std::collections::BTreeMap<QueueName, QueueCounts>> {
    let mut counts = std::collections::BTreeMap::<QueueName, QueueCounts>::new();
    let mut statement = conn.prepare(
        "SELECT queue, manifest, count(*) FROM invocations INDEXED BY pending_of_queue WHERE state = 'pending' GROUP BY queue, manifest",
    )?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let manifest: i64 = row.get(1)?;
        let of_queue = counts.entry(QueueName::new(&Damage::default().text("queue", row, 0))).or_default();
        let rows = number(row, 2)?;
        if Some(manifest) == in_force {
            of_queue.pending += rows;
        } else {
            of_queue.other_manifest += rows;
        }
    }
    Ok(counts)
}

/// Makes every dispatched row pending; says how many.
pub(in crate::store) fn requeue_dispatched(conn: &Connection, at: Wall) -> rusqlite::Result<u64> {
    let requeued = conn.execute(
        "UPDATE invocations AS i SET state = 'pending', updated_at_ms = ?1
         WHERE i.state = 'dispatched' AND i.state <> 'pending' AND i.state <> 'done'",
        [int(at.0)],
    )?;
    Ok(u64::try_from(requeued).unwrap_or(0))
}

/// Fails every row whose state is none, which nothing else would ever look at; says how many.
pub(in crate::store) fn fail_stateless(conn: &Connection, at: Wall) -> rusqlite::Result<u64> {
    let mut states: Vec<_> = RowState::ALL.iter().map(|state| state.name()).collect();
    states.sort_unstable();
    let from = std::iter::once(None).chain(states.iter().map(Some));
    let to = states.iter().map(Some).chain(std::iter::once(None));
    let mut failed = 0;
    // A range of the index each: what lies between two states is none.
    for (from, to) in from.zip(to) {
        let from = from.map_or("1".to_owned(), |from| format!("i.state > '{from}'"));
        let to = to.map_or("1".to_owned(), |to| format!("i.state < '{to}'"));
        failed += conn.execute(
            &format!(
                "UPDATE invocations AS i SET state = 'failed', updated_at_ms = ?1,
                    reason = coalesce(reason, 'damaged: its state could not be read')
                 WHERE {from} AND {to} AND {NOTABLE}"
            ),
            [int(at.0)],
        )?;
    }
    Ok(u64::try_from(failed).unwrap_or(0))
}

/// Bytes of the texts of pending rows, and of those that ended. It reads every row, once a start: half a
/// second of a million short ones that are in the system's cache.
pub(in crate::store) fn bytes(conn: &Connection) -> rusqlite::Result<(u64, i64)> {
    conn.query_row(
        &format!(
            "SELECT coalesce(sum(CASE WHEN state = 'pending' THEN bytes END), 0),
                coalesce(sum(CASE WHEN state IN ('done', 'failed', 'refunded') THEN bytes END), 0)
             FROM (SELECT state, {BYTES} AS bytes FROM invocations)"
        ),
        [],
        |row| Ok((number(row, 0)?, row.get(1)?)),
    )
}

/// Rows that have not ended.
pub(in crate::store) fn open_rows(conn: &Connection) -> rusqlite::Result<i64> {
    conn.query_row(
        "SELECT (SELECT count(*) FROM invocations INDEXED BY pending_of_manifest WHERE state = 'pending')
            + (SELECT count(*) FROM invocations INDEXED BY notable
               WHERE state IN ('dispatched', 'applied') AND state <> 'pending' AND state <> 'done')",
        [],
        |row| row.get(0),
    )
}

/// The greatest id there is.
pub(in crate::store) fn last_id(conn: &Connection) -> rusqlite::Result<u64> {
    let last: Option<i64> = conn.query_row("SELECT max(id) FROM invocations", [], |row| row.get(0))?;
    Ok(u64::try_from(last.unwrap_or(0)).unwrap_or(0))
}

/// Deletes ended rows with ids above `after`, oldest first, at most `limit`; their ids, manifests and bytes.
pub(in crate::store) fn delete_ended(
    conn: &Connection,
    after: InvocationId,
    limit: u64,
) -> rusqlite::Result<Vec<(InvocationId, i64, i64)>> {
    conn.prepare_cached(&format!(
        "DELETE FROM invocations WHERE id IN
            (SELECT id FROM invocations WHERE id > ?1 AND state IN ('done', 'failed', 'refunded')
             ORDER BY id LIMIT ?2)
         RETURNING id, manifest, {BYTES}"
    ))?
    .query_map([int(after.0), int(limit)], |row| {
        Ok((InvocationId(number(row, 0)?), row.get(1)?, row.get(2)?))
    })?
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::migrations;

    fn plan(conn: &Connection, sql: &str) -> String {
        let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let count = statement.parameter_count();
        let lines = statement
            .query_map(rusqlite::params_from_iter(std::iter::repeat_n(1, count)), |row| {
                row.get::<_, String>(3)
            })
            .unwrap();
        lines.map(Result::unwrap).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn what_runs_while_work_flows_reads_an_index_in_order() {
        let conn = Connection::open_in_memory().unwrap();
        migrations::run(&conn).unwrap();
        let cases = [
            (
                format!(
                    "{PENDING} WHERE queue = ?1 AND manifest = ?2 AND id > ?3 AND state = 'pending' ORDER BY id LIMIT ?4"
                ),
                "pending_of_queue",
            ),
            (
                format!(
                    "{PENDING} WHERE manifest = ?1 AND id > ?2 AND state = 'pending' ORDER BY id LIMIT ?3"
                ),
                "pending_of_manifest",
            ),
            (format!("{ROW} WHERE i.state = 'applied' AND {NOTABLE} ORDER BY i.id LIMIT ?1"), "notable"),
            (format!("{ROW} WHERE i.source_kind = ?1 AND i.key = ?2"), "keys"),
            (
                format!(
                    "UPDATE invocations AS i SET state = 'pending', updated_at_ms = ?1 WHERE i.state = 'dispatched' AND {NOTABLE}"
                ),
                "notable",
            ),
        ];
        for (sql, index) in cases {
            let plan = plan(&conn, &sql);
            assert!(plan.contains(index), "{sql}: {plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{sql}: {plan}");
        }
    }
}
