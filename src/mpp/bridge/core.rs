//! The bridge's state, what enters it and what leaves it.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt,
    sync::Arc,
};

use uuid::Uuid;

use super::{
    cancel::Cancelling, commands::BrakeWait, commits::Commits, connections::table, lent::LentTokens,
    migrate::Migration, pack_state::PackState, requeue::RequeueWait,
};
use crate::{
    admission::{Table, Tally},
    ids::{ConnectionId, EventName, InvocationId, Peer, QueueName, RequestId, SessionId, TraceId},
    limits,
    mpp::{
        connection::{ActiveAdapter, TokenHash, UnauthenticatedConnection, shared},
        invocation::Live,
        io::{Input, Output},
        manifest::Pack,
        queue::Queue,
        snapshot::{EndedView, Listener, LogView},
        text::cut_shared,
    },
    store::{invocations::QueueCounts, op::Restored},
    tap::entry::mpp::{Brake, CloseCause, Head, RowState, Transition},
    time::{Mono, Now},
};

/// What a bridge is made with.
pub struct Settings {
    /// The manifest in force.
    pub pack: Arc<Pack>,
    /// What `hello_ack` says (ruling MPP 14).
    pub broadcaster_login: String,
    /// What `hello_ack` says: the count of station starts (ruling MPP 14).
    pub session_id: SessionId,
    /// SHA-256 of the token; absent without a pairing.
    pub token_sha256: Option<TokenHash>,
    /// Its bounds.
    pub limits: limits::Mpp,
    /// The counters of who is turned away; they outlive the bridge.
    pub tally: Tally,
    /// Makes the trace ids of invocations that come without one.
    pub ids: Box<dyn FnMut() -> Uuid + Send>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("pack", &self.pack.id)
            .field("broadcaster_login", &self.broadcaster_login)
            .field("session_id", &self.session_id)
            .field("paired", &self.token_sha256.is_some())
            .finish_non_exhaustive()
    }
}

/// A queue whose read-ahead failed.
#[derive(Debug)]
pub(super) struct FetchRetry {
    /// When to ask again; nothing once that is done.
    pub(super) at: Option<Mono>,
    /// How often in a row it failed.
    pub(super) failures: u32,
    /// Why it failed last.
    pub(super) error: Arc<str>,
}

/// The MPP v2 bridge without I/O. See the [module](super).
#[derive(Debug)]
pub struct Bridge {
    pub(super) settings: Settings,
    pub(super) listener: Listener,
    /// The places of all connections.
    pub(super) table: Table,
    /// Connections before their handshake.
    pub(super) unauthenticated: BTreeMap<ConnectionId, UnauthenticatedConnection>,
    pub(super) active: Option<ActiveAdapter>,
    pub(super) last_close: Option<(Peer, CloseCause, Now)>,
    /// Every queue of the manifest, and those that stored rows name.
    pub(super) queues: BTreeMap<QueueName, Queue>,
    pub(super) live: BTreeMap<InvocationId, Live>,
    /// Those of `live` that no connection speaks for any more.
    pub(super) orphaned: BTreeSet<InvocationId>,
    pub(super) recent: VecDeque<EndedView>,
    pub(super) logs: VecDeque<LogView>,
    pub(super) pack_state: PackState,
    pub(super) next_id: InvocationId,
    /// Bytes of the texts of rows that wait in all queues, and of those on their way into the store.
    pub(super) pending_bytes: u64,
    pub(super) commits: Commits,
    /// Queues whose last read-ahead failed.
    pub(super) fetch_retries: BTreeMap<QueueName, FetchRetry>,
    /// Which of those was told, and why.
    pub(super) reads_failing: Option<(QueueName, Arc<str>)>,
    pub(super) cancelling: BTreeMap<InvocationId, Cancelling>,
    pub(super) braking: BTreeMap<RequestId, BrakeWait>,
    /// Commands whose rows are being read.
    pub(super) requeues: BTreeMap<RequestId, RequeueWait>,
    pub(super) migration: Option<Migration>,
    pub(super) lent: LentTokens,
    outputs: VecDeque<Output>,
    /// The moment asked for last.
    pub(super) timer_at: Option<Mono>,
}

impl Bridge {
    /// A bridge that goes on from what the store kept. The first reads ahead are asked for at once.
    #[must_use]
    pub fn new(settings: Settings, restored: Restored, now: Now) -> Self {
        let pack = Arc::clone(&settings.pack);
        let mut bridge = Self {
            pack_state: PackState::restore(&pack, restored.state),
            table: table(&settings),
            settings,
            listener: Listener::Starting,
            unauthenticated: BTreeMap::new(),
            active: None,
            last_close: None,
            queues: queues(&pack, restored.counts, &restored.brakes),
            live: BTreeMap::new(),
            orphaned: BTreeSet::new(),
            recent: VecDeque::new(),
            logs: VecDeque::new(),
            next_id: restored.next_id.max(InvocationId(1)),
            pending_bytes: restored.pending_bytes,
            commits: Commits::default(),
            fetch_retries: BTreeMap::new(),
            reads_failing: None,
            cancelling: BTreeMap::new(),
            braking: BTreeMap::new(),
            requeues: BTreeMap::new(),
            migration: None,
            lent: LentTokens::default(),
            outputs: VecDeque::new(),
            timer_at: None,
        };
        for row in restored.left_applied {
            let since = Now { mono: Mono(0), wall: row.updated_at_ms };
            bridge.orphaned.insert(row.id);
            let live = Live {
                queue: row.queue,
                event: row.event,
                trace: row.trace_id,
                state: RowState::Applied,
                since,
                acked: false,
                orphaned: true,
                conn: None,
                row: None,
            };
            bridge.live.insert(row.id, live);
        }
        bridge.emit_transition(
            Transition::PackLoaded { pack_id: pack.id.clone(), manifest_hash: pack.hash.clone() },
            None,
            None,
        );
        if let Some(why) = restored.failing {
            bridge.on_store_failing(now, shared(&why));
        }
        for name in bridge.queue_names() {
            bridge.read_ahead(&name);
        }
        bridge.arm(now, false);
        bridge
    }

    /// Takes in one thing that happened.
    pub fn handle(&mut self, now: Now, input: Input<'_>) {
        let timeout = matches!(input, Input::Timeout);
        match input {
            Input::Listening { addr } => {
                self.listener = Listener::Listening(addr);
                self.emit_transition(Transition::Listening { addr }, None, None);
            }
            Input::NotListening { why } => {
                let why = shared(why);
                self.listener = Listener::Down(Arc::clone(&why));
                self.emit_transition(Transition::NotListening, Some(why), None);
            }
            Input::Opened { conn, peer, origin } => self.on_opened(now, conn, peer, origin),
            Input::Line { conn, wire } | Input::TooLarge { conn, wire } => {
                let decision = self.decide(now, conn, wire);
                self.apply(now, decision);
            }
            Input::TooSlow { conn, wire } => {
                let decision = self.decide_slow(conn, wire);
                self.apply(now, decision);
            }
            Input::ReceivingFull { conn } => self.close(now, conn, CloseCause::ReceivingFull),
            Input::Closed { conn, cause } => self.disconnect(now, conn, cause),
            Input::Timeout => self.on_timeout(now),
            Input::Fetched(fetched) => self.on_fetched(now, fetched),
            Input::FetchFailed { queue, error } => self.on_fetch_failed(now, &queue, &error),
            Input::FetchedInvocations { request, rows } => self.on_fetched_invocations(now, request, rows),
            Input::FetchedOthers { request, rows, more } => self.on_fetched_others(now, request, rows, more),
            Input::Committed { ticket, done } => self.on_committed(now, ticket, done),
            Input::CommitFailed { ticket, error } => self.on_commit_failed(now, ticket, &error),
        }
        self.arm(now, timeout);
    }

    /// The next thing to be done.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    pub(super) fn put(&mut self, output: Output) {
        self.outputs.push_back(output);
    }

    pub(super) fn emit_transition(
        &mut self,
        transition: Transition,
        text: Option<Arc<str>>,
        trace: Option<TraceId>,
    ) {
        self.put(Output::Transition { transition, text, trace });
    }

    pub(super) fn transmit(
        &mut self,
        now: Now,
        conn: ConnectionId,
        head: Head,
        frame: Vec<u8>,
        trace: Option<TraceId>,
    ) {
        if let Some(active) = self.active.as_mut().filter(|active| active.conn == conn) {
            active.last_out = now.mono;
        }
        self.put(Output::Transmit { conn, head, frame, trace });
    }

    pub(super) fn queue_names(&self) -> Vec<QueueName> {
        self.queues.keys().cloned().collect()
    }

    /// The queues that the manifest declares.
    pub(super) fn declared(&self) -> Vec<QueueName> {
        self.queues
            .iter()
            .filter(|(_, queue)| queue.ready_after.is_some())
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Forgets a queue that the manifest lacks and that no row names any more.
    pub(super) fn forget_if_empty(&mut self, name: &QueueName) {
        if self.queues.get(name).is_some_and(Queue::is_forgettable) {
            self.queues.remove(name);
            self.reads_succeed(name);
        }
    }

    /// A row has ended: it is counted and shown.
    pub(super) fn remember_ended(&mut self, ended: EndedView) {
        if let Some(queue) = self.queues.get_mut(&ended.queue) {
            match ended.state {
                RowState::Done => queue.done += 1,
                _ => queue.failed += 1,
            }
        }
        let bytes_max = self.settings.limits.recent_reason_bytes_max;
        let reason = ended.reason.map(|reason| cut_shared(&reason, bytes_max));
        self.recent.push_back(EndedView { reason, ..ended });
        while self.recent.len() as u64 > self.settings.limits.recent_rows_max {
            self.recent.pop_front();
        }
    }
}

/// What a transition says of a row that ended.
pub(super) fn ended(
    now: Now,
    (id, queue, event): (InvocationId, &QueueName, &EventName),
    state: RowState,
    reason: Option<&Arc<str>>,
    trace: TraceId,
) -> EndedView {
    EndedView {
        id,
        queue: queue.clone(),
        event: event.clone(),
        state,
        at: now,
        reason: reason.cloned(),
        trace: Some(trace),
    }
}

/// A bound as a length.
pub(super) fn length(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn queues(
    pack: &Pack,
    mut counts: BTreeMap<QueueName, QueueCounts>,
    brakes: &BTreeMap<QueueName, Brake>,
) -> BTreeMap<QueueName, Queue> {
    let mut queues = BTreeMap::new();
    for (name, declared) in &pack.queues {
        let brake = brakes.get(name).copied().unwrap_or_default();
        queues.insert(
            name.clone(),
            Queue::new(Some(declared.ready_after), &counts.remove(name).unwrap_or_default(), brake),
        );
    }
    for (name, counts) in counts {
        let queue = Queue::new(None, &counts, Brake::default());
        if !queue.is_forgettable() {
            queues.insert(name, queue);
        }
    }
    queues
}
