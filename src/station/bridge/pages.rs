//! What the bridge answers to queries: from its core what that holds, from the store what it does not.

use std::collections::BTreeMap;

use super::{handle::Running, wait};
use crate::{
    ids::{InvocationId, QueueName, RefundId},
    mpp,
    port::{AdapterRow, EventRow, InvocationRow, Page, PortError, Query, QueueRow, RefundRow, StateKeyRow},
    schema::JsonText,
    station::{
        filtered_page::{Paging, RowChunk, page},
        host::{Asking, misdirected},
        pages::{flush_store, query_store},
    },
    store::{InvocationFilter, RefundFilter, invocations::Row},
    tap::entry::{Link, mpp::RowState},
    time::Wall,
};

pub(super) async fn answer(asking: Asking<'_>, query: Query) -> Result<Page, PortError> {
    let Asking { inner, running } = asking;
    match query {
        Query::Queues => {
            running.with_bridge(|bridge| Page::Queues(queue_rows(&bridge.snapshot(), &bridge.heads()))).await
        }
        Query::Events => Ok(Page::Events(event_rows(&running.pack))),
        Query::State => running.with_bridge(|bridge| Page::State(state_rows(bridge))).await,
        Query::Adapters => {
            running.with_bridge(|bridge| Page::Adapters(adapter_rows(&bridge.snapshot()))).await
        }
        Query::Invocation { id } => Ok(Page::Invocation(invocation(running, id).await?.map(Box::new))),
        Query::InvocationWhen { id, state, timeout_ms } => {
            wait::until(inner, running, id, state, timeout_ms).await
        }
        Query::Invocations { state, queue, beyond, oldest_first, other_manifest, filter, limit } => {
            let not_of = other_manifest.then(|| (running.pack.id.clone(), running.pack.hash.clone()));
            let paging = Paging { filter, beyond, limit: asking.rows_max(limit) };
            let read = |beyond, limit| {
                let (queue, not_of) = (queue.clone(), not_of.clone());
                invocations(running, InvocationFilter { state, queue, beyond, oldest_first, not_of, limit })
            };
            let RowChunk { rows, more, last: beyond } = page(inner, paging, |row| row.id, read).await?;
            Ok(Page::Invocations { rows, more, beyond })
        }
        Query::Refunds { status, beyond, oldest_first, filter, limit } => {
            let paging = Paging { filter, beyond, limit: asking.rows_max(limit) };
            let read = |beyond, limit| refunds(running, RefundFilter { status, beyond, oldest_first, limit });
            let RowChunk { rows, more, last: beyond } = page(inner, paging, |row| row.id, read).await?;
            Ok(Page::Refunds { rows, more, beyond })
        }
        _ => Err(misdirected(Link::Mpp)),
    }
}

/// The queues, with when the first row of each that has one was enqueued.
pub(in crate::station) fn queue_rows(
    snapshot: &mpp::Snapshot,
    heads: &BTreeMap<QueueName, Wall>,
) -> Vec<QueueRow> {
    let row = |(name, view): (&QueueName, &mpp::QueueView)| QueueRow {
        queue: name.clone(),
        ready_after: view.ready_after,
        pending: view.pending,
        other_manifest: view.other_manifest,
        in_flight: view.in_flight,
        parked: view.parked,
        held: view.brake.held,
        draining: view.brake.draining,
        head_at_ms: heads.get(name).copied().filter(|_| view.pending > 0),
    };
    snapshot.queues.iter().map(row).collect()
}

/// The events of a pack.
pub(in crate::station) fn event_rows(pack: &mpp::manifest::Pack) -> Vec<EventRow> {
    let row = |(name, event): (&crate::ids::EventName, &mpp::manifest::Event)| EventRow {
        event: name.clone(),
        queue: event.queue.clone(),
        title: event.title.as_deref().map(str::to_owned),
        schema: event.schema.as_ref().map(|schema| JsonText::from_value(schema.source())),
    };
    pack.events.iter().map(row).collect()
}

fn state_rows(bridge: &mpp::Bridge) -> Vec<StateKeyRow> {
    let row = |value: mpp::StateValue| StateKeyRow {
        key: value.key,
        value: value.value,
        scope: value.scope,
        persist: value.persist,
        writer: value.writer,
        written_by: Some(value.written_by),
        at_ms: Some(value.at),
    };
    bridge.state_rows().into_iter().map(row).collect()
}

/// The adapter, where there is one.
pub(in crate::station) fn adapter_rows(snapshot: &mpp::Snapshot) -> Vec<AdapterRow> {
    let row = |adapter: &mpp::AdapterView| AdapterRow {
        peer: adapter.peer.clone(),
        connected_at_ms: adapter.connected_at.wall,
        pack_id: snapshot.pack.id.clone(),
        last_in_ms: adapter.last_in.wall,
    };
    snapshot.adapter.iter().map(row).collect()
}

/// Has everything the core decided so far visible to reads; gives what is not committed yet. While commits
/// fail, reads show what the tables have, and the core's own states are laid over them.
async fn flush_pending(running: &Running) -> Result<BTreeMap<InvocationId, mpp::UncommittedRow>, PortError> {
    let dirty = running.with_bridge(mpp::Bridge::dirty).await?;
    flush_store(&running.store).await?;
    Ok(dirty)
}

fn overlay(row: &mut Row, dirty: &BTreeMap<InvocationId, mpp::UncommittedRow>) {
    if let Some(moved) = dirty.get(&row.id) {
        row.state = moved.state;
        row.updated_at_ms = moved.at;
        row.result = moved.result.clone().or_else(|| row.result.take());
        row.reason = moved.reason.clone().or_else(|| row.reason.take());
    }
}

/// One invocation as the core has it.
pub(super) async fn invocation(
    running: &Running,
    id: InvocationId,
) -> Result<Option<InvocationRow>, PortError> {
    let dirty = flush_pending(running).await?;
    let row: Option<Row> = query_store(|done| running.store.invocation(id, done)).await?;
    Ok(row.map(|mut row| {
        overlay(&mut row, &dirty);
        InvocationRow::of(row, &running.pack.id, &running.pack.hash)
    }))
}

async fn invocations(
    running: &Running,
    filter: InvocationFilter,
) -> Result<RowChunk<InvocationRow, InvocationId>, PortError> {
    let dirty = flush_pending(running).await?;
    let state: Option<RowState> = filter.state;
    let page = query_store(|done| running.store.invocations(filter, done)).await?;
    let last = page.rows.last().map(|row| row.id);
    let rows = page
        .rows
        .into_iter()
        .map(|mut row| {
            overlay(&mut row, &dirty);
            row
        })
        .filter(|row| state.is_none_or(|state| row.state == state))
        .map(|row| InvocationRow::of(row, &running.pack.id, &running.pack.hash))
        .collect();
    Ok(RowChunk { rows, more: page.more, last })
}

async fn refunds(
    running: &Running,
    filter: RefundFilter,
) -> Result<RowChunk<RefundRow, RefundId>, PortError> {
    let page = query_store(|done| running.store.refunds(filter, done)).await?;
    let last = page.rows.last().map(|refund| refund.id);
    let rows = page
        .rows
        .into_iter()
        .map(|refund| RefundRow {
            id: refund.id,
            invocation_id: refund.invocation_id,
            source: refund.source,
            status: refund.status,
            at_ms: refund.at_ms,
            damage: refund.damage,
        })
        .collect();
    Ok(RowChunk { rows, more: page.more, last })
}
