//! What each operation does to the tables.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::{
    invocations::{Changed, Enqueued, Move, NewRefund, Row},
    op::{Done, Migration, Op},
    pending_writes::Effects,
    retention::Size,
    tables::{
        alerts, brakes, injected_traces, int, invocations, macp, manifests, meta, mplp, plugins, refunds,
        runs, state, triggers,
    },
};
use crate::{
    ids::{InvocationId, ManifestHash, PackId},
    tap::entry::mpp::RowState,
    time::Wall,
};

/// Does an operation within the open transaction.
///
/// # Errors
/// The database's; what it did up to there is to be rolled back.
pub(super) fn apply(
    conn: &Connection,
    pack_id: &PackId,
    op: Op,
    effects: &mut Effects,
) -> rusqlite::Result<Done> {
    match op {
        Op::Enqueue { rows, lookups } => {
            let mut done = if rows.is_empty() { Vec::new() } else { enqueue(conn, rows, effects)? };
            for (kind, key) in lookups {
                let first = invocations::by_key(conn, &kind, &key)?;
                done.push(first.map_or(Enqueued::NotThere, |first| Enqueued::Repeated(Box::new(first))));
            }
            Ok(Done::Enqueued(done))
        }
        Op::Move(moved) => {
            effects.moved(invocations::apply(conn, &moved)?);
            Ok(Done::Plain)
        }
        Op::Refund { moved, refund } => {
            effects.moved(invocations::apply(conn, &moved)?);
            effects.refunds += Size::one(refunds::bytes(&refund));
            Ok(Done::Refunded(refunds::insert(conn, &refund)?, refund.status))
        }
        Op::Change { ids, from, to, reason, refund, at } => {
            let change = Change { from, to, reason, refund, at };
            ids.into_iter()
                .map(|id| change.apply(conn, id, effects))
                .collect::<Result<_, _>>()
                .map(Done::Changed)
        }
        Op::Migrate { rows, manifest_hash, at } => migrate(conn, pack_id, rows, &manifest_hash, at, effects),
        Op::WriteState { pack_id, key, value, scope, at } => {
            state::write(conn, &pack_id, &key, &value, scope.as_deref(), at).map(|()| Done::Plain)
        }
        Op::Runs(ops) => {
            for op in ops.iter() {
                effects.ran(runs::apply(conn, op)?);
            }
            Ok(Done::Plain)
        }
        Op::Macp(op) => {
            let done = macp::apply(conn, op)?;
            effects.sessions.bytes += done.log_bytes;
            Ok(Done::Macp(done))
        }
        Op::Alerts(all) => {
            for alert in &all {
                effects.alerts += alerts::put(conn, alert)?;
            }
            Ok(Done::Plain)
        }
        Op::Trigger { name, spec } => triggers::put(conn, &name, spec.as_deref()).map(|()| Done::Plain),
        Op::InjectedTraces(traces) => injected_traces::add(conn, &traces).map(|()| Done::Plain),
        Op::Rate { run, rating } => {
            let (rated, grown) = mplp::rate(conn, run, &rating)?;
            effects.runs += grown;
            Ok(Done::Rated(rated))
        }
        Op::Plugins(ops) => {
            ops.iter().try_for_each(|op| plugins::apply(conn, op))?;
            Ok(Done::Plain)
        }
        Op::SetBrake { queue, brake } => brakes::set(conn, &queue, brake).map(|()| Done::Plain),
    }
}

fn enqueue(conn: &Connection, rows: Vec<Row>, effects: &mut Effects) -> rusqlite::Result<Vec<Enqueued>> {
    let mut done = Vec::with_capacity(rows.len());
    let mut last_id = 0;
    let mut of_manifest: Option<(PackId, ManifestHash, i64)> = None;
    let mut inserted = BTreeMap::<i64, i64>::new();
    for row in rows {
        last_id = last_id.max(row.id.0);
        let manifest = match &of_manifest {
            Some((pack_id, hash, manifest)) if *pack_id == row.pack_id && *hash == row.manifest_hash => {
                *manifest
            }
            _ => manifests::number(conn, &row.pack_id, &row.manifest_hash)?,
        };
        if invocations::insert(conn, &row, manifest)? {
            *inserted.entry(manifest).or_default() += 1;
            effects.moved(row.state.is_terminal().then(|| int(row.bytes())));
            done.push(Enqueued::Inserted);
        } else {
            let first = invocations::by_key(conn, &row.source.kind, row.key.as_deref().unwrap_or_default())?;
            done.push(Enqueued::Repeated(Box::new(first.ok_or(rusqlite::Error::QueryReturnedNoRows)?)));
        }
        of_manifest = Some((row.pack_id, row.manifest_hash, manifest));
    }
    for (manifest, rows) in inserted {
        manifests::count(conn, manifest, rows)?;
    }
    meta::raise(conn, meta::NEXT_ID, last_id.saturating_add(1))?;
    Ok(done)
}

struct Change {
    from: RowState,
    to: RowState,
    reason: Option<String>,
    refund: bool,
    at: Wall,
}

impl Change {
    fn apply(&self, conn: &Connection, id: InvocationId, effects: &mut Effects) -> rusqlite::Result<Changed> {
        let Some(before) = invocations::by_id(conn, id)? else { return Ok(Changed::NoSuchRow) };
        if before.state != self.from {
            return Ok(Changed::NotThere { state: before.state });
        }
        let moved = Move { id, state: self.to, result: None, reason: self.reason.clone(), at: self.at };
        effects.moved(invocations::apply(conn, &moved)?);
        let refund = if self.refund {
            let status = before.source.refund_status();
            let record = NewRefund { invocation_id: id, source: before.source.clone(), status, at: self.at };
            effects.refunds += Size::one(refunds::bytes(&record));
            Some((refunds::insert(conn, &record)?, status))
        } else {
            None
        };
        Ok(Changed::Changed { before: Box::new(before), refund })
    }
}

fn migrate(
    conn: &Connection,
    pack_id: &PackId,
    rows: Vec<Migration>,
    hash: &ManifestHash,
    at: Wall,
    effects: &mut Effects,
) -> rusqlite::Result<Done> {
    let target = manifests::number(conn, pack_id, hash)?;
    let (mut moved, mut failed) = (0, 0);
    for row in rows {
        let Some((RowState::Pending, manifest)) = invocations::state_of(conn, row.id)? else { continue };
        if let Some(reason) = row.fails {
            let ended = Move { id: row.id, state: RowState::Failed, result: None, reason: Some(reason), at };
            effects.moved(invocations::apply(conn, &ended)?);
            failed += 1;
        } else {
            invocations::set_manifest(conn, row.id, target)?;
            manifests::count(conn, manifest, -1)?;
            manifests::count(conn, target, 1)?;
            moved += 1;
        }
    }
    Ok(Done::Migrated { moved, failed })
}
