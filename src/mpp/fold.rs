//! Carries a snapshot on by the tap's entries. Live, attached and replayed views are all made by this one
//! fold.

use std::sync::Arc;

use super::snapshot::{AdapterView, EndedView, Listener, LiveView, LogView, PackFacts, QueueView, Snapshot};
use crate::{
    ids::{EventName, InvocationId, QueueName, TraceId},
    limits,
    tap::entry::{
        Direction, Entry, Frame, Transition as Any, What,
        mpp::{RowState, Transition},
    },
    time::Now,
    words,
};

impl Snapshot {
    /// Before anything was heard of a bridge.
    #[must_use]
    pub fn new(pack: PackFacts) -> Self {
        Self {
            listener: Listener::Starting,
            paired: false,
            pack,
            adapter: None,
            last_close: None,
            queues: std::collections::BTreeMap::new(),
            live: std::collections::BTreeMap::new(),
            recent: std::collections::VecDeque::new(),
            logs: std::collections::VecDeque::new(),
            commits_failing: None,
            reads_failing: None,
        }
    }

    /// Takes in one entry of the MPP link that follows this snapshot; entries of other links change nothing.
    /// `text` is what lies beside a transition. A snapshot at any moment and the entries behind it make
    /// the bridge's own, within the windows that `limits` sets.
    pub fn apply(&mut self, entry: &Entry, text: &str, limits: &limits::Mpp) {
        match &entry.what {
            What::Frame(frame) => self.on_frame(entry.at, frame),
            What::Transition(Any::Mpp(transition)) => {
                let cx = Context { at: entry.at, trace: entry.trace, text, limits };
                self.on_transition(transition, &cx);
            }
            _ => {}
        }
    }

    fn on_frame(&mut self, at: Now, frame: &Frame) {
        if let Some(adapter) = self
            .adapter
            .as_mut()
            .filter(|adapter| frame.direction == Direction::Inbound && adapter.peer == frame.peer)
        {
            adapter.last_in = at;
            adapter.stale = false;
        }
    }

    fn on_transition(&mut self, transition: &Transition, cx: &Context<'_>) {
        match transition {
            Transition::Listening { addr } => self.listener = Listener::Listening(*addr),
            Transition::NotListening => self.listener = Listener::Down(Arc::from(cx.text)),
            Transition::Paired => self.paired = true,
            Transition::PackLoaded { pack_id, manifest_hash } => {
                self.pack.id = pack_id.clone();
                self.pack.hash = manifest_hash.clone();
            }
            Transition::Handshaken { peer, session_id, .. } => {
                let (connected_at, last_in) = (cx.at, cx.at);
                self.adapter = Some(AdapterView {
                    peer: peer.clone(),
                    connected_at,
                    last_in,
                    session_id: *session_id,
                    stale: false,
                });
            }
            Transition::Disconnected { peer, active: true, cause } => {
                self.adapter = None;
                self.last_close = Some((peer.clone(), *cause, cx.at));
                for queue in self.queues.values_mut() {
                    queue.parked = false;
                }
            }
            Transition::Stale { .. } => {
                if let Some(adapter) = &mut self.adapter {
                    adapter.stale = true;
                }
            }
            Transition::Logged { level } => {
                self.logs.push_back(LogView {
                    at: cx.at,
                    level: *level,
                    text: cut_to(cx.text, cx.limits.log_line_bytes_max),
                });
                while self.logs.len() as u64 > cx.limits.log_entries_max {
                    self.logs.pop_front();
                }
            }
            Transition::CommitsFailing => self.commits_failing = Some(Arc::from(cx.text)),
            Transition::CommitsOk => self.commits_failing = None,
            Transition::ReadsFailing => self.reads_failing = Some(Arc::from(cx.text)),
            Transition::ReadsOk => self.reads_failing = None,
            Transition::Connected { .. }
            | Transition::Disconnected { active: false, .. }
            | Transition::RefundRecorded { .. }
            | Transition::Drained { .. }
            | Transition::StateWritten { .. }
            | Transition::PersistedLeftOut { .. } => {}
            Transition::Parked { .. }
            | Transition::Braked { .. }
            | Transition::Enqueued { .. }
            | Transition::OtherCancelled { .. }
            | Transition::Migrated { .. } => self.on_queue(transition),
            Transition::Dispatched { .. }
            | Transition::Acked { .. }
            | Transition::Applied { .. }
            | Transition::Requeued { .. }
            | Transition::Orphaned { .. } => self.on_live(transition, cx),
            Transition::Done { .. } | Transition::Failed { .. } | Transition::Refunded { .. } => {
                self.on_end(transition, cx);
            }
        }
    }

    fn on_queue(&mut self, transition: &Transition) {
        match transition {
            Transition::Parked { queue } => self.queue(queue, |queue| queue.parked = true),
            Transition::Braked { queue, brake } => self.queue(queue, |queue| queue.brake = *brake),
            Transition::Enqueued { queue, .. } => self.queue(queue, |queue| queue.pending += 1),
            Transition::OtherCancelled { queue, .. } => self.queue(queue, |queue| {
                queue.other_manifest = queue.other_manifest.saturating_sub(1);
                queue.failed += 1;
            }),
            Transition::Migrated { queue, rows, failed } => self.queue(queue, |queue| {
                queue.other_manifest = queue.other_manifest.saturating_sub(rows + failed);
                queue.pending += rows;
                queue.failed += failed;
            }),
            _ => {}
        }
    }

    fn on_live(&mut self, transition: &Transition, cx: &Context<'_>) {
        match transition {
            Transition::Dispatched { id, queue, event } => {
                self.queue(queue, |queue| {
                    queue.pending = queue.pending.saturating_sub(1);
                    queue.parked = false;
                    queue.in_flight = Some(*id);
                });
                let (queue, event) = (queue.clone(), event.clone());
                let live = LiveView {
                    queue,
                    event,
                    state: RowState::Dispatched,
                    since: cx.at,
                    trace: cx.trace,
                    acked: false,
                    orphaned: false,
                };
                self.live.insert(*id, live);
            }
            Transition::Acked { id, .. } => {
                if let Some(live) = self.live.get_mut(id) {
                    live.acked = true;
                }
            }
            Transition::Applied { id, queue, cleared } => {
                if let Some(live) = self.live.get_mut(id) {
                    live.state = RowState::Applied;
                    live.since = cx.at;
                }
                self.queue(queue, |queue| free(queue, *id, *cleared));
            }
            Transition::Requeued { id, queue } => {
                self.live.remove(id);
                self.queue(queue, |queue| {
                    free(queue, *id, true);
                    queue.pending += 1;
                });
            }
            Transition::Orphaned { id, queue } => {
                self.queue(queue, |queue| free(queue, *id, true));
                self.orphan(*id, cx.limits.recent_rows_max);
            }
            _ => {}
        }
    }

    fn orphan(&mut self, id: InvocationId, left_max: u64) {
        if let Some(live) = self.live.get_mut(&id) {
            live.orphaned = true;
        }
        let left = self.live.values().filter(|live| live.orphaned).count() as u64;
        if left > left_max
            && let Some(oldest) = self.live.iter().find(|(_, live)| live.orphaned).map(|(id, _)| *id)
        {
            self.live.remove(&oldest);
        }
    }

    fn on_end(&mut self, transition: &Transition, cx: &Context<'_>) {
        match transition {
            Transition::Done { id, queue, event, cleared, .. } => {
                self.queue(queue, |queue| {
                    free(queue, *id, *cleared);
                    queue.done += 1;
                });
                self.end(*id, queue, event, RowState::Done, cx);
            }
            Transition::Failed { id, queue, event, from, cleared, .. } => {
                self.queue(queue, |queue| {
                    free(queue, *id, *cleared);
                    queue.failed += 1;
                    if *from == RowState::Pending {
                        queue.pending = queue.pending.saturating_sub(1);
                    }
                });
                self.end(*id, queue, event, RowState::Failed, cx);
            }
            Transition::Refunded { id, queue, event } => {
                self.queue(queue, |queue| {
                    free(queue, *id, true);
                    queue.failed += 1;
                });
                self.end(*id, queue, event, RowState::Refunded, cx);
            }
            _ => {}
        }
    }

    fn end(
        &mut self,
        id: InvocationId,
        queue: &QueueName,
        event: &EventName,
        state: RowState,
        cx: &Context<'_>,
    ) {
        self.live.remove(&id);
        let reason = (state != RowState::Done).then(|| cut_to(cx.text, cx.limits.recent_reason_bytes_max));
        let ended = EndedView {
            id,
            queue: queue.clone(),
            event: event.clone(),
            state,
            at: cx.at,
            reason,
            trace: cx.trace,
        };
        self.recent.push_back(ended);
        while self.recent.len() as u64 > cx.limits.recent_rows_max {
            self.recent.pop_front();
        }
    }

    /// Changes a queue that is shown; one that the manifest lacks goes when no row names it any more.
    fn queue(&mut self, name: &QueueName, change: impl FnOnce(&mut QueueView)) {
        let Some(queue) = self.queues.get_mut(name) else { return };
        change(queue);
        if queue.ready_after.is_none() && queue.pending == 0 && queue.other_manifest == 0 {
            self.queues.remove(name);
        }
    }
}

/// What surrounds a transition.
struct Context<'a> {
    at: Now,
    trace: Option<TraceId>,
    text: &'a str,
    limits: &'a limits::Mpp,
}

fn cut_to(text: &str, bytes_max: u64) -> Arc<str> {
    Arc::from(words::cut_marked(text, bytes_max))
}

fn free(queue: &mut QueueView, id: InvocationId, cleared: bool) {
    if cleared && queue.in_flight == Some(id) {
        queue.in_flight = None;
    }
}
