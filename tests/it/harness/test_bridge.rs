//! Drives a bridge: hands in what happens, carries its requests to the store, and keeps all that it says.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use rl_console::{
    ids::{ConnectionId, InvocationId, ManifestHash, Peer, QueueName, RequestId, Seq, SessionId, TraceId},
    limits,
    mpp::{
        Bridge, CloseCause, Command, Input, NewInvocation, Outcome, Output, Refusal, Settings, Snapshot,
        Stand, TokenHash, manifest::Pack,
    },
    schema::JsonText,
    store::{
        invocations::{QueueCounts, Row},
        op::{Class, CommitError, Restored},
    },
    tap::entry::{
        Direction, Entry, Frame, Head, Link, Redaction, Transition as Any, Verdict as AnyVerdict, What,
        mpp::{FrameType, RowState, Transition, Verdict},
    },
    time::{Mono, Now},
};
use uuid::Uuid;

use super::{
    judged,
    store::{Request, Store},
};

/// The manifest of [`pack`].
pub(crate) const TOML: &str = r#"
[pack]
id = "com.example.mypack"
name = "My pack"
version = "1.0.0"

[queues.default]
[queues.boss]
ready_after = "done"

[events.give_item]
queue = "default"
schema = { type = "object", properties = { item_id = { type = "integer" }, count = { type = "integer" } } }
[events.free]
queue = "default"
[events.spawn]
queue = "boss"

[state.resets]
writer = "adapter"
persist = true
schema = { type = "integer" }
[state.notes]
writer = "adapter"
persist = true
[state.mood]
writer = "adapter"
persist = false
[state.goal]
writer = "platform"
persist = true
"#;

/// The specification's pack, under the specification's hash.
pub(crate) fn pack() -> Pack {
    let mut pack = Pack::parse(TOML.as_bytes(), &mut |path| Err(path.to_owned())).unwrap();
    pack.hash = ManifestHash::new("sha256:abc123...");
    pack
}

/// The specification's token.
pub(crate) const TOKEN: &str = "<raw-token>";
/// The specification's hello.
pub(crate) const HELLO: &str = r#"{"mpp": 2, "type": "hello", "pack_id": "com.example.mypack", "manifest_hash": "sha256:abc123...", "bridge_token": "<raw-token>"}"#;

/// A bridge and its surroundings.
pub(crate) struct TestBridge {
    pub(crate) bridge: Bridge,
    pub(crate) store: Store,
    pub(crate) pack: Arc<Pack>,
    pub(crate) limits: limits::Mpp,
    pub(crate) now: Now,
    /// The store answers at once.
    pub(crate) prompt: bool,
    /// The store refuses everything.
    pub(crate) broken: bool,
    /// What it refuses is too much for it, not impossible.
    pub(crate) busy: bool,
    pub(crate) sent: Vec<(ConnectionId, String)>,
    pub(crate) transition_log: Vec<(Transition, String, Option<TraceId>)>,
    pub(crate) received: Vec<(Verdict, Redaction)>,
    pub(crate) closed: Vec<(ConnectionId, CloseCause)>,
    pub(crate) answers: BTreeMap<RequestId, Result<Outcome, Refusal>>,
    pub(crate) deadline: Option<Mono>,
    /// Every row that left, in order, with its queue.
    pub(crate) dispatched: Vec<(QueueName, InvocationId)>,
    pub(crate) fold: Snapshot,
    peers: BTreeMap<ConnectionId, Peer>,
    line: Option<(ConnectionId, Vec<u8>)>,
    seq: Seq,
    next_request: RequestId,
    next_conn: ConnectionId,
}

impl TestBridge {
    pub(crate) fn new() -> Self {
        Self::with(pack(), limits::Mpp::default(), Store::default())
    }

    pub(crate) fn with(pack: Pack, limits: limits::Mpp, store: Store) -> Self {
        Self::start(pack, limits, store, Some(TokenHash::of(TOKEN)))
    }

    /// A station's start on what a store keeps: dispatched rows are pending again.
    pub(crate) fn start(
        pack: Pack,
        limits: limits::Mpp,
        mut store: Store,
        token_sha256: Option<TokenHash>,
    ) -> Self {
        let pack = Arc::new(pack);
        let mut restored = Restored::default();
        let waits = |row: &&Row| matches!(row.state, RowState::Pending | RowState::Dispatched);
        restored.pending_bytes = store.rows.values().filter(waits).map(Row::bytes).sum();
        store.waiting.clear();
        for row in store.rows.values_mut() {
            restored.next_id = row.id.next();
            if row.state == RowState::Dispatched {
                row.state = RowState::Pending;
                restored.requeued += 1;
            }
            let counts: &mut QueueCounts = restored.counts.entry(row.queue.clone()).or_default();
            match row.state {
                RowState::Pending if row.manifest_hash == pack.hash => counts.pending += 1,
                RowState::Pending => counts.other_manifest += 1,
                RowState::Applied => restored.left_applied.push(row.clone()),
                _ => {}
            }
        }
        restored.brakes.clone_from(&store.brakes);
        for (key, (value, scope)) in &store.state {
            let (key, value, scope, at_ms) = (key.clone(), value.clone(), scope.clone(), Now::at_ms(0).wall);
            restored.state.push(rl_console::store::state::StateRow { key, value, scope, at_ms });
        }
        let mut ids = 0;
        let settings = Settings {
            pack: Arc::clone(&pack),
            broadcaster_login: "streamer_login".to_owned(),
            session_id: SessionId(42),
            token_sha256,
            limits,
            tally: rl_console::admission::Tally::default(),
            ids: Box::new(move || {
                ids += 1;
                Uuid::from_u128(ids)
            }),
        };
        let now = Now::at_ms(0);
        let bridge = Bridge::new(settings, restored, now);
        let fold = bridge.snapshot();
        let mut world = Self {
            bridge,
            store,
            pack,
            limits,
            now,
            prompt: true,
            broken: false,
            busy: false,
            sent: Vec::new(),
            transition_log: Vec::new(),
            received: Vec::new(),
            closed: Vec::new(),
            answers: BTreeMap::new(),
            deadline: None,
            dispatched: Vec::new(),
            fold,
            peers: BTreeMap::new(),
            line: None,
            seq: Seq(0),
            next_request: RequestId(1),
            next_conn: ConnectionId(1),
        };
        world.run_until_idle();
        world
    }

    /// A station whose adapter is connected.
    pub(crate) fn connected() -> (Self, ConnectionId) {
        let mut world = Self::new();
        let conn = world.connect();
        (world, conn)
    }

    pub(crate) fn open(&mut self) -> ConnectionId {
        self.open_from(Peer::new(&format!("127.0.0.1:{}", 50_000 + self.next_conn.0)))
    }

    pub(crate) fn open_from(&mut self, peer: Peer) -> ConnectionId {
        let conn = self.next_conn;
        self.next_conn = conn.next();
        self.peers.insert(conn, peer.clone());
        self.handle(Input::Opened { conn, peer, origin: rl_console::admission::Origin::Unknown });
        conn
    }

    /// The hello that fits the pack in force.
    pub(crate) fn hello(&self) -> String {
        HELLO.replace("sha256:abc123...", self.pack.hash.as_str())
    }

    /// Opens a connection and says hello.
    pub(crate) fn connect(&mut self) -> ConnectionId {
        let conn = self.open();
        self.line(conn, &self.hello());
        assert_eq!(
            self.bridge.snapshot().adapter.map(|adapter| adapter.peer),
            Some(self.peers[&conn].clone())
        );
        conn
    }

    /// One line, without its LF; what was said and sent before is forgotten.
    pub(crate) fn line(&mut self, conn: ConnectionId, line: &str) -> Verdict {
        self.bytes(conn, format!("{line}\n").as_bytes())
    }

    pub(crate) fn bytes(&mut self, conn: ConnectionId, wire: &[u8]) -> Verdict {
        self.sent.clear();
        self.transition_log.clear();
        self.closed.clear();
        let judged = self.bridge.judge(self.now, &Stand::Connection(conn), wire);
        self.line = Some((conn, wire.to_vec()));
        let before = self.received.len();
        let large = wire.len() > 65_535 && !wire.ends_with(b"\n");
        let input = if large { Input::TooLarge { conn, wire } } else { Input::Line { conn, wire } };
        self.handle(input);
        assert_eq!(self.received.len(), before + 1, "a line is told of once");
        let verdict = self.received[before].0.clone();
        judged::agrees(self, conn, &verdict, &judged);
        verdict
    }

    pub(crate) fn close(&mut self, conn: ConnectionId, cause: CloseCause) {
        self.sent.clear();
        self.transition_log.clear();
        self.handle(Input::Closed { conn, cause });
    }

    pub(crate) fn command(&mut self, command: Command) -> RequestId {
        let request = self.next_request;
        self.next_request = request.next();
        self.sent.clear();
        self.transition_log.clear();
        self.bridge.command(self.now, request, command);
        self.run_until_idle();
        request
    }

    /// A command that is answered at once.
    pub(crate) fn ask(&mut self, command: Command) -> Result<Outcome, Refusal> {
        let request = self.command(command);
        self.answers[&request].clone()
    }

    /// Enqueues one row with nothing but its event and params; yields its id.
    pub(crate) fn enqueue(&mut self, event: &str, params: &str) -> InvocationId {
        let row =
            NewInvocation { params: Some(JsonText::parse(params).unwrap()), ..NewInvocation::new(event) };
        self.enqueue_row(row).unwrap().0
    }

    /// The same, answered when the store answers.
    pub(crate) fn enqueue_later(&mut self, event: &str) {
        self.command(Command::Enqueue { rows: vec![NewInvocation::new(event)] });
    }

    pub(crate) fn enqueue_row(
        &mut self,
        row: NewInvocation,
    ) -> Result<(InvocationId, RowState, bool), Refusal> {
        match self.ask(Command::Enqueue { rows: vec![row] })? {
            Outcome::Enqueued(rows) => rows[0].clone().map(|row| (row.id, row.state, row.repeated)),
            other => panic!("{other:?}"),
        }
    }

    /// Time passes, and every deadline in it comes.
    pub(crate) fn pass(&mut self, time: Duration) {
        self.sent.clear();
        self.transition_log.clear();
        self.closed.clear();
        let end = self.now.after(time);
        while let Some(deadline) = self.deadline.filter(|deadline| *deadline <= end.mono) {
            let step = deadline.since(self.now.mono);
            self.now = self.now.after(step);
            self.deadline = None;
            self.handle(Input::Timeout);
        }
        self.now = end;
    }

    pub(crate) fn handle(&mut self, input: Input<'_>) {
        self.bridge.handle(self.now, input);
        self.run_until_idle();
    }

    pub(crate) fn run_until_idle(&mut self) {
        self.drain();
        while self.prompt && self.answer_next(!self.broken) {}
    }

    /// The store answers its next request.
    pub(crate) fn answer_next(&mut self, well: bool) -> bool {
        let Some(request) = self.store.waiting.pop_front() else { return false };
        self.answer_request(request, well);
        true
    }

    pub(crate) fn answer_request(&mut self, request: Request, well: bool) {
        let busy = self.busy;
        let error = || {
            if busy {
                CommitError::Busy { waiting: 1 }
            } else {
                CommitError::Failed("no space left on device".to_owned())
            }
        };
        match request {
            Request::Persist { class: Class::WriteBehind, op, .. } => {
                if well {
                    self.store.apply(&op);
                }
            }
            Request::Persist { ticket, op, .. } if well => {
                let done = self.store.apply(&op);
                self.bridge.handle(self.now, Input::Committed { ticket, done });
            }
            Request::Persist { ticket, .. } => {
                self.bridge.handle(self.now, Input::CommitFailed { ticket, error: error() });
            }
            Request::Fetch { queue, after, limit, settled } if well => {
                let fetched = self.store.fetch(&self.pack.hash, &queue, after, limit, settled);
                self.bridge.handle(self.now, Input::Fetched(fetched));
            }
            Request::Fetch { queue, .. } => {
                self.bridge.handle(self.now, Input::FetchFailed { queue, error: error() });
            }
            Request::FetchInvocations { request, ids } => {
                let rows = ids.iter().map(|id| self.store.rows.get(id).cloned()).collect();
                let rows = if well { Ok(rows) } else { Err(error()) };
                self.bridge.handle(self.now, Input::FetchedInvocations { request, rows });
            }
            Request::FetchOthers { request, after, limit } => {
                let (rows, more) = self.store.fetch_others(&self.pack.hash, after, limit);
                let rows = if well { Ok(rows) } else { Err(error()) };
                self.bridge.handle(self.now, Input::FetchedOthers { request, rows, more });
            }
        }
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.bridge.poll_output() {
            self.take(output);
        }
        self.line = None;
        assert_eq!(self.fold, self.bridge.snapshot(), "the fold is the snapshot");
    }

    fn take(&mut self, output: Output) {
        no_token(&format!("{output:?}"));
        match output {
            Output::Received { conn, head, verdict, redaction, trace } => {
                let (from, wire) = self.line.clone().expect("only a line is received");
                assert_eq!(from, conn);
                no_token(&redacted(&wire, &redaction));
                self.received.push((verdict.clone(), redaction.clone()));
                self.frame(conn, Direction::Inbound, head, AnyVerdict::Mpp(verdict), trace);
            }
            Output::Transmit { conn, head, frame, trace } => {
                let text = String::from_utf8(frame).unwrap();
                no_token(&text);
                assert!(text.ends_with('\n') && text.len() <= 65_536 && text.matches('\n').count() == 1);
                assert!(head.kind.is_none_or(|kind| text.contains(kind.name())));
                if let (Some(FrameType::Invocation), Some(queue), Some(id)) =
                    (head.kind, &head.queue, head.id)
                {
                    self.dispatched.push((queue.clone(), id));
                }
                self.sent.push((conn, text.trim_end().to_owned()));
                self.frame(conn, Direction::Outbound, head, AnyVerdict::Sent, trace);
            }
            Output::Transition { transition, text, trace } => {
                let text = text.map(|text| text.to_string()).unwrap_or_default();
                no_token(&text);
                self.fold(What::Transition(Any::Mpp(transition.clone())), &text, trace);
                self.transition_log.push((transition, text, trace));
            }
            Output::Persist { ticket, class, op, .. } => {
                self.store.waiting.push_back(Request::Persist { ticket, class, op });
            }
            Output::Fetch { queue, after, limit, settled } => {
                assert!(limit > 0);
                self.store.waiting.push_back(Request::Fetch { queue, after, limit, settled });
            }
            Output::FetchInvocations { request, ids } => {
                self.store.waiting.push_back(Request::FetchInvocations { request, ids });
            }
            Output::FetchOthers { request, after, limit } => {
                self.store.waiting.push_back(Request::FetchOthers { request, after, limit });
            }
            Output::Timeout(deadline) => self.deadline = deadline,
            Output::Close { conn, cause } => self.closed.push((conn, cause)),
            Output::Answer { request, outcome } => {
                assert!(self.answers.insert(request, outcome).is_none(), "a command is answered once");
            }
        }
    }

    fn frame(
        &mut self,
        conn: ConnectionId,
        direction: Direction,
        head: rl_console::mpp::Head,
        verdict: AnyVerdict,
        trace: Option<TraceId>,
    ) {
        let frame = Frame {
            direction,
            peer: self.peers[&conn].clone(),
            head: Head::Mpp(head),
            verdict,
            wire_bytes: 0,
            redaction: Redaction::None,
            origin: None,
        };
        self.fold(What::Frame(frame), "", trace);
    }

    fn fold(&mut self, what: What, text: &str, trace: Option<TraceId>) {
        self.seq = self.seq.next();
        let entry = Entry { seq: self.seq, at: self.now, link: Link::Mpp, trace, cause: None, what };
        self.fold.apply(&entry, text, &self.limits);
    }

    /// The verdict on a whole line that is judged alone, without its LF.
    pub(crate) fn judge(&self, conn: ConnectionId, line: &str) -> Verdict {
        let stand = Stand::Connection(conn);
        judged::verdict(&self.bridge.judge(self.now, &stand, format!("{line}\n").as_bytes()))
    }

    /// The frames sent since the last input, to whomever.
    pub(crate) fn frames(&self) -> Vec<&str> {
        self.sent.iter().map(|(_, frame)| frame.as_str()).collect()
    }

    pub(crate) fn transitions(&self) -> Vec<&Transition> {
        self.transition_log.iter().map(|(transition, _, _)| transition).collect()
    }

    pub(crate) fn row(&self, id: InvocationId) -> &Row {
        &self.store.rows[&id]
    }
}

fn no_token(text: &str) {
    assert!(!text.contains(TOKEN), "token written to {text}");
}

fn redacted(wire: &[u8], redaction: &Redaction) -> String {
    let mut wire = wire.to_vec();
    match redaction {
        Redaction::None => {}
        Redaction::Withheld => wire.clear(),
        Redaction::Masked(ranges) => {
            for range in ranges.iter() {
                wire[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()].fill(b'*');
            }
        }
    }
    String::from_utf8_lossy(&wire).into_owned()
}
