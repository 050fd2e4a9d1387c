//! The loop: one event in, all that it causes out.

use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
    time::Duration,
};

use tokio::sync::{mpsc, oneshot, watch};

use super::{
    by_hand::ByHand,
    conn::{Conn, LINGER_MAX, Phase, ReadGate},
    listen::{Listener, ListenerEvent},
    next::{Event, Timer},
    request::Request,
};
use crate::{
    admission::{Origin, Receiving},
    gate::Gate,
    ids::{ConnectionId, Peer, RequestId, Seq, StateKey, Ticket},
    limits::{self, MPP_FRAME_BYTES_MAX},
    mpp::{Bridge, Input, Outcome, Refusal, framing::Framed},
    store::{
        Handle, InvocationsById, Journal, OthersPage,
        op::{CommitError, Done, Op},
    },
    tap::{
        Draft, Tap,
        entry::{Link, What, mpp::CloseCause},
    },
    time::{Clock, Mono, Now},
};

/// How long the first words of a newcomer are held back at most while another adapter is connected. They are
/// heard at once when that one goes; only who is to be refused waits for all of it.
const HELD_BACK_MAX: Duration = Duration::from_millis(100);
/// Reads of one older connection before a newcomer is heard, each of up to 64 KiB.
const OLDER_READS_MAX: usize = 64;

/// What the loop is made of.
pub struct Setup {
    /// Where the port is bound.
    pub bind: IpAddr,
    /// The port; 0 takes any.
    pub port: u16,
    /// Where the port that was bound is noted, so that another host can be given the same.
    pub bound: watch::Sender<u16>,
    /// The core.
    pub bridge: Bridge,
    /// The journal of process-class transitions.
    pub journal: Journal,
    /// The store's writer.
    pub store: Handle,
    /// Where everything is reported.
    pub tap: Tap,
    /// The clock.
    pub clock: Clock,
    /// The bounds of the bridge.
    pub limits: limits::Mpp,
    /// What may stop frames.
    pub gate: Gate,
    /// What the station asks.
    pub requests: mpsc::Receiver<Request>,
}

/// What the store answered.
#[derive(Debug)]
pub(super) enum Completion {
    Committed(Ticket, Result<Done, CommitError>),
    Fetched(crate::ids::QueueName, Result<crate::store::op::Fetched, CommitError>),
    FetchedInvocations(RequestId, Option<Seq>, Result<InvocationsById, CommitError>),
    FetchedOthers(RequestId, Result<OthersPage, CommitError>),
}

pub(super) struct Host {
    pub(super) bridge: Bridge,
    /// Bytes that may wait to leave to one connection.
    out_limit: usize,
    pub(super) conns: BTreeMap<ConnectionId, Conn>,
    /// Lines that have begun.
    pub(super) receiving: Receiving<ConnectionId>,
    pub(super) journal: Journal,
    pub(super) store: Handle,
    pub(super) tap: Tap,
    pub(super) clock: Clock,
    pub(super) limits: limits::Mpp,
    pub(super) gate: Gate,
    /// The entry that let the line pass that is handed in now.
    pub(super) passed: Option<Seq>,
    /// The entry that causes what is drained now.
    pub(super) cause: Option<Seq>,
    /// The last entry of this link.
    pub(super) last_seq: Seq,
    bound: watch::Sender<u16>,
    /// Tickets whose operations lie in the journal's buffer.
    pub(super) unwritten: Vec<(Ticket, Option<Seq>)>,
    /// Operations of this turn that nobody waits for.
    pub(super) write_behind: Vec<Op>,
    /// Pack-state values on their way into the journal, the latest of each key.
    pub(super) state_writes: BTreeMap<StateKey, Op>,
    /// When those that could not be journalled are tried again.
    pub(super) state_retry_at: Option<Mono>,
    /// Tickets whose writing the core has not been told of.
    pub(super) written: Vec<(Ticket, Option<Seq>, Result<(), CommitError>)>,
    /// What each outstanding request to the writer was caused by.
    pub(super) outstanding: HashMap<Ticket, Option<Seq>>,
    pub(super) completions: mpsc::Sender<Completion>,
    pub(super) answers: HashMap<RequestId, oneshot::Sender<Result<Outcome, Refusal>>>,
    pub(super) timeout: Option<Mono>,
    next_conn: ConnectionId,
    next_request: RequestId,
    /// Which source is asked first.
    pub(super) turn: u64,
    /// The connection that was served last.
    pub(super) last_conn: ConnectionId,
    /// What is made by hand.
    pub(super) by_hand: ByHand,
}

/// Serves adapters until it is told to stop.
pub async fn run(setup: Setup) {
    let (bind, port, clock) = (setup.bind, setup.port, setup.clock);
    let (mut host, mut requests, mut completed) = Host::new(setup);
    let mut listener = Listener::new(bind, port);
    let mut timer = Timer::default();
    host.settle(clock.now());
    loop {
        let event = host.next_event(&mut listener, &mut requests, &mut completed, &mut timer).await;
        let now = clock.now();
        match event {
            Event::Request(Some(Request::Stop { answer })) => {
                host.stop(now);
                let _ = answer.send(());
                return;
            }
            Event::Request(None) => return host.stop(now),
            Event::Request(Some(request)) => host.on_request(now, request),
            Event::Completed(completion) => host.on_completion(now, completion),
            Event::Read(conn, read) => {
                host.read_older(now, conn);
                if !host.holds_back(now, conn, &read) {
                    host.on_read(now, conn, &read);
                }
            }
            Event::Resumed(conn) => {
                host.read_older(now, conn);
                host.on_lines(now, conn);
            }
            Event::Released(conn, direction, release) => host.on_released(now, conn, direction, release),
            Event::WriteFailed(conn) => host.on_connection_lost(now, conn, CloseCause::WriteFailed),
            Event::Lingered(conn) => {
                host.drop_conn(now, conn);
            }
            Event::Listened(news) => host.on_listener_event(now, news),
            Event::Timer => host.on_timer(now),
        }
        host.settle(now);
    }
}

impl Host {
    /// Requests to the store at one time; as many answers have room.
    pub(super) const OUTSTANDING_MAX: usize = 8_192;

    /// Without connections.
    fn new(setup: Setup) -> (Self, mpsc::Receiver<Request>, mpsc::Receiver<Completion>) {
        let Setup { bound, bridge, journal, store, tap, clock, limits, gate, requests, .. } = setup;
        let (completions, completed) = mpsc::channel(Self::OUTSTANDING_MAX);
        // One credit a queue: so much an adapter that keeps to the protocol may have on its way at one time.
        let credits = bridge.snapshot().queues.len().saturating_add(2).saturating_mul(MPP_FRAME_BYTES_MAX);
        let out_limit = usize::try_from(limits.write_buffer_bytes_max).unwrap_or(usize::MAX).max(credits);
        let host = Self {
            receiving: super::receiving::none(&limits, &bridge),
            bridge,
            out_limit,
            conns: BTreeMap::new(),
            // What an earlier host reported is no part of this one's state, nor to be folded onto it.
            last_seq: tap.last(),
            journal,
            store,
            tap,
            clock,
            limits,
            gate,
            passed: None,
            cause: None,
            bound,
            unwritten: Vec::new(),
            write_behind: Vec::new(),
            state_writes: BTreeMap::new(),
            state_retry_at: None,
            written: Vec::new(),
            outstanding: HashMap::new(),
            completions,
            answers: HashMap::new(),
            timeout: None,
            next_conn: ConnectionId(1),
            next_request: RequestId(1),
            turn: 0,
            last_conn: ConnectionId(0),
            by_hand: ByHand::default(),
        };
        (host, requests, completed)
    }

    fn on_request(&mut self, now: Now, request: Request) {
        match request {
            Request::Command { command, cause, answer } => {
                let request = self.next_request;
                self.next_request = request.next();
                self.answers.insert(request, answer);
                self.cause = cause;
                self.bridge.command(now, request, command);
                self.drain(now);
            }
            Request::Snapshot { answer } => {
                let _ = answer.send((self.last_seq, self.bridge.snapshot()));
            }
            Request::Lend { token_sha256, to, until, answer } => {
                self.cause = None;
                let lent = self.bridge.lend(now, token_sha256, to, until);
                self.drain(now);
                let _ = answer.send(lent);
            }
            Request::Expect { from, origin, answer } => {
                self.by_hand.expected.add(now.mono, from, origin);
                let _ = answer.send(());
            }
            Request::Put { direction, bytes, origin, answer } => {
                let _ = answer.send(self.put(now, direction, &bytes, origin));
            }
            Request::Look(look) => {
                self.write_journal(now);
                look(&self.bridge);
            }
            Request::Stop { .. } => {}
        }
    }

    fn on_completion(&mut self, now: Now, completion: Completion) {
        match completion {
            Completion::Committed(ticket, result) => {
                self.cause = self.outstanding.remove(&ticket).flatten();
                match result {
                    Ok(done) => {
                        self.emit(now, None, What::Committed { through: ticket }, &[]);
                        self.bridge.handle(now, Input::Committed { ticket, done });
                    }
                    Err(error) => self.bridge.handle(now, Input::CommitFailed { ticket, error }),
                }
            }
            Completion::Fetched(queue, result) => {
                self.cause = None;
                match result {
                    Ok(fetched) => self.bridge.handle(now, Input::Fetched(fetched)),
                    Err(error) => self.bridge.handle(now, Input::FetchFailed { queue, error }),
                }
            }
            Completion::FetchedInvocations(request, cause, rows) => {
                self.cause = cause;
                self.bridge.handle(now, Input::FetchedInvocations { request, rows });
            }
            Completion::FetchedOthers(request, result) => {
                self.cause = None;
                let (rows, more) = match result {
                    Ok(page) => (Ok(page.rows), page.more),
                    Err(error) => (Err(error), false),
                };
                self.bridge.handle(now, Input::FetchedOthers { request, rows, more });
            }
        }
        self.drain(now);
    }

    fn on_listener_event(&mut self, now: Now, listened: ListenerEvent) {
        self.cause = None;
        match listened {
            ListenerEvent::Bound(addr) => {
                self.bound.send_replace(addr.port());
                self.bridge.handle(now, Input::Listening { addr });
            }
            ListenerEvent::Failed(why) => self.bridge.handle(now, Input::NotListening { why: &why }),
            ListenerEvent::Accepted(stream, addr) => {
                let origin = Origin::of_address(addr.ip());
                self.read_those_that_would_go(now, origin);
                self.cause = None;
                self.make_room(now);
                let conn = self.next_conn;
                self.next_conn = conn.next();
                let peer = Peer::new(&addr.to_string());
                let by_hand = self.by_hand.expected.take(now.mono, addr);
                let accepted = Conn::new(stream, peer.clone(), origin, by_hand, self.out_limit);
                self.conns.insert(conn, accepted);
                self.bridge.handle(now, Input::Opened { conn, peer, origin });
            }
        }
        self.drain(now);
    }

    /// Before the first words of a newcomer: what lies ready on the connections that were there before it. An
    /// adapter that closes and connects again at once must not find its own old connection in the way
    /// (ruling MPP 2).
    fn read_older(&mut self, now: Now, newcomer: ConnectionId) {
        if self.conns.get(&newcomer).is_none_or(|conn| conn.has_spoken) {
            return;
        }
        let older: Vec<_> = self
            .conns
            .range(..newcomer)
            .filter(|(_, conn)| conn.phase == Phase::Open)
            .map(|(&id, _)| id)
            .collect();
        for id in older {
            for _ in 0..OLDER_READS_MAX {
                let Some(conn) = self.conns.get_mut(&id).filter(|conn| conn.is_read()) else {
                    break;
                };
                let Some(read) = conn.read_now() else { break };
                self.on_read(now, id, &read);
            }
        }
    }

    /// Holds the first words of a newcomer back while another adapter is connected. A busy system delivers
    /// the end of one connection after the words of a later one: for a moment, who comes back at once
    /// would find itself in the way (ruling MPP 2).
    fn holds_back(&mut self, now: Now, newcomer: ConnectionId, read: &std::io::Result<usize>) -> bool {
        let is_another = |(id, conn): (&ConnectionId, &Conn)| {
            *id < newcomer && conn.phase == Phase::Open && conn.has_spoken
        };
        let is_crowded = self.conns.iter().any(is_another);
        let Some(conn) = self.conns.get_mut(&newcomer) else { return false };
        if !is_crowded || conn.has_spoken || conn.hearing != ReadGate::AtOnce || !matches!(read, Ok(1..)) {
            return false;
        }
        conn.hearing = ReadGate::Held(now.mono + HELD_BACK_MAX);
        true
    }

    /// Hears newcomers again whose first words were held back: a connection that could have been in their way
    /// is gone.
    fn resume_held(&mut self, now: Now) {
        for conn in self.conns.values_mut().filter(|conn| matches!(conn.hearing, ReadGate::Held(_))) {
            conn.hearing = ReadGate::Held(now.mono);
        }
    }

    /// Hands in every whole line that has come, then takes the end of the connection, if it came too.
    pub(super) fn on_read(&mut self, now: Now, id: ConnectionId, read: &std::io::Result<usize>) {
        self.on_lines(now, id);
        if self.conns.get(&id).is_some_and(|conn| conn.gated.holds_line()) {
            // Its end is read once more when that line goes.
            return;
        }
        let end = match read {
            Ok(0) => CloseCause::PeerClosed,
            Ok(_) => return,
            Err(_) => CloseCause::ReadFailed,
        };
        self.cause = None;
        self.on_connection_lost(now, id, end);
    }

    /// Hands in every whole line that has come.
    pub(super) fn on_lines(&mut self, now: Now, id: ConnectionId) {
        let Some(conn) = self.conns.get_mut(&id).filter(|conn| !conn.gated.holds_line()) else { return };
        let mut framer = std::mem::take(&mut conn.framer);
        let (mut has_spoken, mut is_read) = (false, true);
        while is_read && let Some(framed) = framer.next() {
            has_spoken = true;
            is_read = match framed {
                Framed::Line(wire) => self.take_line(now, id, wire),
                Framed::TooLarge(wire) => {
                    self.cause = None;
                    self.bridge.handle(now, Input::TooLarge { conn: id, wire });
                    self.drain_line(now, wire);
                    self.is_open(id)
                }
            };
        }
        if let Some(conn) = self.conns.get_mut(&id) {
            conn.framer = framer;
            conn.has_spoken |= has_spoken;
        }
        self.note_receiving(now, id, has_spoken);
    }

    /// Connections that linger count as well: the oldest of them makes room.
    fn make_room(&mut self, now: Now) {
        while self.conns.len() as u64 >= self.limits.connections_max {
            let oldest = self.conns.iter().find(|(_, conn)| conn.phase != Phase::Open).map(|(&id, _)| id);
            let Some(oldest) = oldest else { return };
            if let Some(conn) = self.conns.get_mut(&oldest) {
                conn.send_now();
            }
            self.drop_conn(now, oldest);
        }
    }

    pub(super) fn is_open(&self, id: ConnectionId) -> bool {
        self.conns.get(&id).is_some_and(|conn| conn.phase == Phase::Open)
    }

    fn on_timer(&mut self, now: Now) {
        self.read_those_due(now);
        self.end_slow(now);
        self.cause = None;
        if self.timeout.is_some_and(|at| now.mono >= at) {
            self.timeout = None;
            self.bridge.handle(now, Input::Timeout);
            self.drain(now);
        }
        let stalled: Vec<_> = self
            .conns
            .iter()
            .filter(|(_, conn)| conn.stall_deadline().is_some_and(|at| now.mono >= at))
            .map(|(&id, _)| id)
            .collect();
        for id in stalled {
            if self.is_open(id) {
                self.on_connection_lost(now, id, CloseCause::WriteStalled);
            }
        }
    }

    /// A connection that ended from outside: the core is told and nothing more is sent on it.
    pub(super) fn on_connection_lost(&mut self, now: Now, id: ConnectionId, cause: CloseCause) {
        // What has come already counts.
        self.release_held(now, id);
        if !self.is_open(id) {
            return;
        }
        self.drop_conn(now, id);
        self.resume_held(now);
        self.cause = None;
        self.bridge.handle(now, Input::Closed { conn: id, cause });
        self.drain(now);
    }

    /// Reports what did not leave, and closes the socket.
    pub(super) fn drop_conn(&mut self, now: Now, id: ConnectionId) {
        let Some(conn) = self.conns.remove(&id) else { return };
        self.receiving.end(id);
        if conn.unsent_bytes() > 0 {
            let what =
                What::Unsent { frames: conn.unsent_frames() as u64, bytes: conn.unsent_bytes() as u64 };
            self.emit(now, None, what, conn.peer.as_str().as_bytes());
        }
        self.tell_lost(now, conn.gated);
    }

    /// The core is done with a connection: let the last frame arrive.
    pub(super) fn linger(&mut self, now: Now, id: ConnectionId) {
        self.release_outgoing(now, id);
        if let Some(conn) = self.conns.get_mut(&id) {
            conn.phase = Phase::Lingering { until: now.mono + LINGER_MAX, shut: false };
            let gated = conn.gated.end();
            self.tell_lost(now, gated);
        }
        self.receiving.end(id);
        self.resume_held(now);
    }

    /// The next moment at which something is due without an event.
    pub(super) fn deadline(&self, listener: &Listener) -> Option<Mono> {
        let stalls = self.conns.values().filter_map(Conn::stall_deadline);
        let lingers = self.conns.values().filter_map(|conn| match conn.phase {
            Phase::Lingering { until, .. } => Some(until),
            Phase::Open => None,
        });
        let held = self.conns.values().filter_map(|conn| match (conn.phase, conn.hearing) {
            (Phase::Open, ReadGate::Held(until)) => Some(until),
            _ => None,
        });
        let fixed = [self.timeout, listener.deadline(), self.state_retry_at, self.receiving.deadline()];
        fixed.into_iter().flatten().chain(stalls).chain(lingers).chain(held).min()
    }

    fn stop(&mut self, now: Now) {
        let open: Vec<_> = self.conns.keys().copied().collect();
        for id in open {
            self.on_connection_lost(now, id, CloseCause::Shutdown);
        }
        self.settle(now);
    }

    pub(super) fn emit(
        &mut self,
        now: Now,
        trace: Option<crate::ids::TraceId>,
        what: What,
        bytes: &[u8],
    ) -> Seq {
        let seq = self.tap.emit(Draft { at: now, link: Link::Mpp, trace, cause: self.cause, what, bytes });
        self.last_seq = seq;
        seq
    }
}
