//! Refund records.

use rusqlite::{Connection, params};

use super::{
    invocations,
    values::{Damage, int, number, refund_status, source, status_name, wall},
};
use crate::{
    ids::{InvocationId, RefundId},
    store::{
        invocations::{NewRefund, Refund, Source},
        read::RefundFilter,
        retention::Size,
    },
    tap::entry::mpp::RefundStatus,
    time::Wall,
};

/// Records a refund, and notes it at its invocation.
pub(in crate::store) fn insert(conn: &Connection, refund: &NewRefund) -> rusqlite::Result<RefundId> {
    conn.prepare_cached(
        "INSERT INTO refunds (invocation_id, source_kind, redemption, user, status, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        int(refund.invocation_id.0),
        refund.source.kind,
        refund.source.redemption,
        refund.source.user,
        status_name(refund.status),
        int(refund.at.0)
    ])?;
    let id = RefundId(u64::try_from(conn.last_insert_rowid()).unwrap_or(0));
    invocations::set_refund(conn, refund.invocation_id, refund.status)?;
    Ok(id)
}

/// A page, with one more than was asked for when there are further ones.
pub(in crate::store) fn page(conn: &Connection, filter: &RefundFilter) -> rusqlite::Result<Vec<Refund>> {
    let (beyond, direction, start) =
        if filter.oldest_first { ("id > ?1", "ASC", -1) } else { ("id < ?1", "DESC", i64::MAX) };
    conn.prepare_cached(&format!(
        "SELECT id, invocation_id, source_kind, redemption, user, status, at_ms FROM refunds
         WHERE {beyond} AND (?2 IS NULL OR status = ?2) ORDER BY id {direction} LIMIT ?3",
    ))?
    .query_map(
        params![
            filter.beyond.map_or(start, |id| int(id.0)),
            filter.status.map(status_name),
            int(filter.limit.saturating_add(1))
        ],
        |row| {
            let mut damage = Damage::default();
            Ok(Refund {
                id: RefundId(number(row, 0)?),
                invocation_id: InvocationId(damage.or("invocation_id", number(row, 1), 0)),
                source: source(row, 2, &mut damage),
                // A person sees to it then.
                status: damage.or("status", refund_status(row, 5), RefundStatus::Manual),
                at_ms: damage.or("at_ms", wall(row, 6), Wall(0)),
                damage: damage.found(),
            })
        },
    )?
    .collect()
}

/// The bytes of a record's texts.
const BYTES: &str =
    "octet_length(source_kind) + coalesce(octet_length(redemption), 0) + coalesce(octet_length(user), 0)";

/// The bytes of a record's texts.
pub(in crate::store) fn bytes(refund: &NewRefund) -> i64 {
    let Source { kind, redemption, user } = &refund.source;
    let optional = [redemption, user].into_iter().flatten().map(String::len);
    i64::try_from(optional.sum::<usize>() + kind.len()).unwrap_or(i64::MAX)
}

pub(in crate::store) fn count(conn: &Connection) -> rusqlite::Result<Size> {
    let count = format!("SELECT count(*), coalesce(sum({BYTES}), 0) FROM refunds");
    conn.query_row(&count, [], Size::read)
}

/// Deletes the oldest, at most `limit`; how much went.
pub(in crate::store) fn delete_oldest(conn: &Connection, limit: u64) -> rusqlite::Result<Size> {
    conn.prepare_cached(&format!(
        "DELETE FROM refunds WHERE id IN (SELECT id FROM refunds ORDER BY id LIMIT ?1) RETURNING 1, {BYTES}"
    ))?
    .query_map([int(limit)], Size::read)?
    .sum()
}
