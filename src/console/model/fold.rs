//! Moves a snapshot's state on by one entry.

use std::sync::Arc;

use crate::{
    ids::{EventName, InvocationId, QueueName, TraceId},
    mpp::{AdapterView, EndedView, Listener, LiveView, LogView, QueueView, Snapshot},
    port::{HostState, RecordingView, StationView},
    tap::{
        EntryRef,
        entry::{
            Direction, Transition, What,
            mpp::{self as events, Brake, RowState},
            station as station_events,
        },
    },
    time::Now,
};

/// Windows of the snapshot, as `limits.mpp` has them by default.
const RECENT_MAX: usize = 256;
const LOGS_MAX: usize = 1_000;

/// The station's own.
pub(super) fn station(view: &mut StationView, transition: station_events::Transition, entry: EntryRef<'_>) {
    use station_events::Transition as T;
    match transition {
        T::HostUp { link } => view.hosts[link.index()] = HostState::Up,
        T::HostDown { link } => view.hosts[link.index()] = HostState::Down(entry.text().as_ref().into()),
        T::StoreWell => view.store_failing = None,
        T::StoreFailing => view.store_failing = Some(entry.text().as_ref().into()),
        T::RecordingStarted => {
            view.recording = Some(RecordingView { path: entry.text().as_ref().into(), since: entry.entry.at, bytes: 0 });
        }
        T::RecordingGrew { bytes } => {
            if let Some(recording) = &mut view.recording {
                recording.bytes = bytes;
            }
        }
        T::RecordingStopped { .. } => view.recording = None,
        T::Started | T::Operated | T::Notice { .. } | T::Stopping => {}
    }
}

/// The bridge's.
pub(super) fn mpp(view: &mut Snapshot, entry: EntryRef<'_>) {
    match &entry.entry.what {
        What::Frame(frame) if frame.direction == Direction::Inbound => {
            if let Some(adapter) = view.adapter.as_mut().filter(|adapter| adapter.peer == frame.peer) {
                adapter.last_in = entry.entry.at;
                adapter.stale = false;
            }
        }
        What::Transition(Transition::Mpp(transition)) => apply(view, transition, entry),
        _ => {}
    }
}

fn apply(view: &mut Snapshot, transition: &events::Transition, entry: EntryRef<'_>) {
    use events::Transition as T;
    let at = entry.entry.at;
    match transition {
        T::Listening { addr } => view.listener = Listener::Listening(*addr),
        T::NotListening => view.listener = Listener::Down(entry.text().as_ref().into()),
        T::Paired => view.paired = true,
        T::Handshaken { peer, session_id, .. } => {
            view.adapter = Some(AdapterView { peer: peer.clone(), connected_at: at, last_in: at, session_id: *session_id, stale: false });
        }
        T::Disconnected { peer, active: true, cause } => {
            view.adapter = None;
            view.last_close = Some((peer.clone(), *cause, at));
            for queue in view.queues.values_mut() {
                queue.parked = false;
            }
        }
        T::Stale { .. } => {
            if let Some(adapter) = &mut view.adapter {
                adapter.stale = true;
            }
        }
        T::Logged { level } => {
            view.logs.push_back(LogView { at, level: *level, text: entry.text().as_ref().into() });
            while view.logs.len() > LOGS_MAX {
                view.logs.pop_front();
            }
        }
        T::CommitsFailing => view.commits_failing = Some(entry.text().as_ref().into()),
        T::CommitsWell => view.commits_failing = None,
        T::PackLoaded { pack_id, manifest_hash } => {
            view.pack.id = pack_id.clone();
            view.pack.hash = manifest_hash.clone();
        }
        T::Braked { queue, brake } => queue_of(view, queue).brake = *brake,
        T::OtherCancelled { queue, .. } => {
            let queue = queue_of(view, queue);
            queue.other_manifest = queue.other_manifest.saturating_sub(1);
            queue.failed += 1;
        }
        T::Migrated { queue, rows, failed } => {
            let queue = queue_of(view, queue);
            queue.other_manifest = queue.other_manifest.saturating_sub(rows + failed);
            queue.pending += rows;
            queue.failed += failed;
        }
        T::Parked { queue } => queue_of(view, queue).parked = true,
        _ => apply_to_row(view, transition, entry),
    }
}

fn apply_to_row(view: &mut Snapshot, transition: &events::Transition, entry: EntryRef<'_>) {
    use events::Transition as T;
    let (at, trace) = (entry.entry.at, entry.entry.trace);
    match transition {
        T::Enqueued { queue, .. } => queue_of(view, queue).pending += 1,
        T::Dispatched { id, queue, event } => {
            let row = queue_of(view, queue);
            row.pending = row.pending.saturating_sub(1);
            row.in_flight = Some(*id);
            row.parked = false;
            let live = LiveView {
                queue: queue.clone(),
                event: event.clone(),
                state: RowState::Dispatched,
                since: at,
                trace,
                acked: false,
                left: false,
            };
            view.live.insert(*id, live);
        }
        T::Acked { id, .. } => {
            if let Some(live) = view.live.get_mut(id) {
                live.acked = true;
            }
        }
        T::Applied { id, queue, cleared } => {
            if let Some(live) = view.live.get_mut(id) {
                live.state = RowState::Applied;
                live.since = at;
            }
            clear(view, queue, *id, *cleared);
        }
        T::Done { id, queue, event, cleared, .. } => {
            queue_of(view, queue).done += 1;
            clear(view, queue, *id, *cleared);
            end(view, *id, queue, event, RowState::Done, at, None, trace);
        }
        T::Failed { id, queue, event, from, cleared, .. } => {
            let row = queue_of(view, queue);
            row.failed += 1;
            if *from == RowState::Pending {
                row.pending = row.pending.saturating_sub(1);
            }
            clear(view, queue, *id, *cleared);
            end(view, *id, queue, event, RowState::Failed, at, Some(entry.text().as_ref().into()), trace);
        }
        T::Refunded { id, queue, event } => {
            queue_of(view, queue).failed += 1;
            clear(view, queue, *id, true);
            end(view, *id, queue, event, RowState::Refunded, at, Some(entry.text().as_ref().into()), trace);
        }
        T::Requeued { id, queue } => {
            view.live.remove(id);
            queue_of(view, queue).pending += 1;
            clear(view, queue, *id, true);
        }
        T::LeftApplied { id, queue } => {
            if let Some(live) = view.live.get_mut(id) {
                live.left = true;
            }
            clear(view, queue, *id, true);
        }
        _ => {}
    }
}

fn queue_of<'a>(view: &'a mut Snapshot, queue: &QueueName) -> &'a mut QueueView {
    view.queues.entry(queue.clone()).or_insert_with(|| QueueView {
        ready_after: None,
        pending: 0,
        other_manifest: 0,
        in_flight: None,
        parked: false,
        brake: Brake::default(),
        done: 0,
        failed: 0,
    })
}

fn clear(view: &mut Snapshot, queue: &QueueName, id: InvocationId, cleared: bool) {
    let row = queue_of(view, queue);
    if cleared && row.in_flight == Some(id) {
        row.in_flight = None;
    }
}

#[expect(clippy::too_many_arguments, reason = "the fields of one row")]
fn end(
    view: &mut Snapshot,
    id: InvocationId,
    queue: &QueueName,
    event: &EventName,
    state: RowState,
    at: Now,
    reason: Option<Arc<str>>,
    trace: Option<TraceId>,
) {
    let trace = view.live.remove(&id).and_then(|live| live.trace).or(trace);
    view.recent.push_back(EndedView { id, queue: queue.clone(), event: event.clone(), state, at, reason, trace });
    while view.recent.len() > RECENT_MAX {
        view.recent.pop_front();
    }
}
