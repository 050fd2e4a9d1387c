//! The host: a task a connection, one for what the station asks, one for the clock.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    future::poll_fn,
    io,
    pin::{Pin, pin},
    rc::{Rc, Weak},
    sync::{Arc, atomic::AtomicU64},
    task::{Context, Poll},
    time::Duration,
};

use bytes::BufMut;
use hashbrown::HashMap;
use tokio::{
    io::{AsyncRead, AsyncReadExt, ReadBuf},
    net::{UnixListener, unix::OwnedReadHalf},
    sync::{Notify, mpsc, watch},
    task::LocalSet,
};

use super::{
    by_hand::adopt,
    conn::{Conn, Phase},
    listen::{dispatch_input, listen},
    path::BoundSocket,
    requests::{AnswerPart, Request},
    station_inbox::StationInbox,
};
use crate::{
    admission::{Receiving, SpareDescriptors},
    gate::{Gate, Release},
    ids::{ConnectionId, Peer, Seq},
    limits,
    rmp::broker::{Broker, Input, OperatorRequest, receiving_bytes_max},
    tap::{
        OriginCell, Tap,
        entry::{Direction, FrameOrigin, rmp::CloseCause},
    },
    time::{Clock, Mono},
};

/// What all connections are read into. What is left over of a unit is put in front of what is read next.
const SCRATCH_BYTES: usize = 256 << 10;
/// Descriptors that are held for operators.
const SPARES: usize = 8;
/// How long a closed connection is kept for what is to leave.
const LINGER_MAX: Duration = Duration::from_secs(2);
/// How long connections have to be told that the station goes down.
const STOP_MAX: Duration = Duration::from_millis(500);

/// What the host is made of.
#[derive(Debug)]
pub struct Setup {
    /// The socket.
    pub bound: BoundSocket,
    /// The core.
    pub broker: Broker,
    /// Where everything is reported.
    pub tap: Tap,
    /// The clock.
    pub clock: Clock,
    /// The bounds of the bus.
    pub limits: limits::Rmp,
    /// What may stop frames.
    pub gate: Gate,
    /// What the station asks.
    pub requests: mpsc::Receiver<Request>,
    /// What operators ask the station on `rlp/operator`; one that finds no room is told `Busy`.
    pub operator_requests: mpsc::Sender<OperatorRequest>,
    /// Where what the station takes itself goes, if the broker's settings say that it does.
    pub station_inbox: Option<StationInbox>,
    /// The number of subscriptions that the tap's entries reach, so that nobody encodes them for nobody.
    pub tap_readers: watch::Sender<u64>,
    /// The number of the next connection, which outlives a host.
    pub next_session: Arc<AtomicU64>,
    /// The user whose processes may connect (ruling RMP 6); the station's.
    pub uid: u32,
    /// Which processes are agents, whatever token they show.
    pub confinement: Confinement,
}

/// Takes who showed a token that is ignored, with its process id where that is known.
pub type TokenIgnoredFn = Box<dyn Fn(&Peer, Option<u32>) + Send>;

/// Which processes are agents on the bus, whatever token they show (ruling Plugins 16).
pub struct Confinement {
    /// Whether a process is, by its id. It is asked as the process connects.
    pub applies_to: Box<dyn Fn(u32) -> bool + Send>,
    /// Told of each that shows a token of this station, with its process id.
    pub token_ignored: TokenIgnoredFn,
}

impl std::fmt::Debug for Confinement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Confinement").finish_non_exhaustive()
    }
}

impl Confinement {
    /// Of no process.
    #[must_use]
    pub fn none() -> Self {
        Self { applies_to: Box::new(|_| false), token_ignored: Box::new(|_, _| {}) }
    }
}

pub(super) struct Host {
    pub(super) broker: Broker,
    pub(super) tap: Tap,
    pub(super) clock: Clock,
    pub(super) limits: limits::Rmp,
    pub(super) gate: Gate,
    /// The entry that let the unit pass that is handed in now.
    pub(super) passed: Option<Seq>,
    pub(super) conns: HashMap<ConnectionId, Conn>,
    /// Connections that the core is done with and that linger, the oldest first.
    pub(super) leaving: BTreeSet<ConnectionId>,
    /// Descriptors for operators that come when there are no others.
    pub(super) spares: SpareDescriptors,
    /// Units that have begun.
    pub(super) receiving: Receiving<ConnectionId>,
    pub(super) scratch: Vec<u8>,
    pub(super) operator_requests: mpsc::Sender<OperatorRequest>,
    pub(super) station_inbox: Option<StationInbox>,
    pub(super) tap_readers: watch::Sender<u64>,
    pub(super) next_session: Arc<AtomicU64>,
    pub(super) uid: u32,
    pub(super) confinement: Confinement,
    /// Parts of answers that wait for room, by session.
    pub(super) parts: HashMap<ConnectionId, std::collections::VecDeque<AnswerPart>>,
    /// The entry that causes what is drained now.
    pub(super) cause: Option<Seq>,
    /// The last entry of this link.
    pub(super) last_seq: Seq,
    /// What the task of the clock sleeps for.
    pub(super) armed: Option<Mono>,
    pub(super) timer: Rc<Notify>,
    /// The tasks of operators' connections, which go before those of all others.
    pub(super) operators: Weak<LocalSet>,
    pub(super) station: Peer,
    /// The connection that was spoken of last, and who is at its other end.
    pub(super) recent: Option<(ConnectionId, Peer, Option<OriginCell>)>,
    /// Which way goes what is put into a connection now, and who made it.
    pub(super) putting: Option<(Direction, Arc<FrameOrigin>)>,
}

impl Host {
    /// Without connections.
    pub(super) fn new(
        setup: Setup,
        operators: Weak<LocalSet>,
    ) -> (Self, BoundSocket, mpsc::Receiver<Request>) {
        let host = Self {
            // What an earlier host reported is no part of this one's state, nor to be folded onto it.
            last_seq: setup.tap.last(),
            tap: setup.tap,
            clock: setup.clock,
            limits: setup.limits,
            gate: setup.gate,
            passed: None,
            conns: HashMap::new(),
            leaving: BTreeSet::new(),
            spares: SpareDescriptors::new(SPARES),
            receiving: receiving(&setup.limits, &setup.broker),
            broker: setup.broker,
            scratch: vec![0; SCRATCH_BYTES],
            operator_requests: setup.operator_requests,
            station_inbox: setup.station_inbox,
            tap_readers: setup.tap_readers,
            next_session: setup.next_session,
            uid: setup.uid,
            confinement: setup.confinement,
            parts: HashMap::new(),
            cause: None,
            armed: None,
            timer: Rc::new(Notify::new()),
            operators,
            station: Peer::new("station"),
            recent: None,
            putting: None,
        };
        (host, setup.bound, setup.requests)
    }
}

/// Serves the bus until it is told to stop.
///
/// # Errors
/// When the bound socket cannot be handed to the runtime.
pub async fn run(setup: Setup) -> io::Result<()> {
    let operators = Rc::new(LocalSet::new());
    let (host, bound, mut requests) = Host::new(setup, Rc::downgrade(&operators));
    let BoundSocket { listener, file } = bound;
    let listener = UnixListener::from_std(listener)?;
    let path = file.path().display().to_string();
    let timer = Rc::clone(&host.timer);
    let host = Rc::new(RefCell::new(host));
    dispatch_input(&host, Input::Listening { path: &path });
    let local = LocalSet::new();
    let accepting = local.spawn_local(listen(Rc::clone(&host), listener, file));
    local.spawn_local(keep_time(Rc::clone(&host), timer));
    // What is asked, and operators, are looked at before each round of the others.
    let stopped = local
        .run_until(operators.run_until(async {
            while let Some(request) = requests.recv().await {
                match request {
                    Request::Stop { answer } => return Some(answer),
                    Request::Adopt { stream, origin, answer } => {
                        let host = Rc::clone(&host);
                        local.spawn_local(async move { adopt(&host, stream, origin, answer) });
                        continue;
                    }
                    _ => {}
                }
                let mut host = host.borrow_mut();
                let now = host.clock.now();
                host.on_request(now, request);
            }
            None
        }))
        .await;
    accepting.abort();
    // The socket's file goes with the task.
    let _ = local.run_until(accepting).await;
    local.run_until(operators.run_until(stop(&host))).await;
    let _ = stopped.map(|answer| answer.send(()));
    Ok(())
}

/// Without a unit begun.
fn receiving(limits: &limits::Rmp, broker: &Broker) -> Receiving<ConnectionId> {
    let time = Duration::from_millis(limits.frame_ms_max);
    Receiving::new(receiving_bytes_max(limits), time, broker.tally().clone())
}

/// Tells every connection that it is over, and waits a little until that has left.
async fn stop(host: &Rc<RefCell<Host>>) {
    {
        let mut host = host.borrow_mut();
        let now = host.clock.now();
        let open: Vec<_> = host.conns.keys().copied().collect();
        for id in &open {
            host.release_held(now, *id);
        }
        host.cause = None;
        host.broker.shut_down(now);
        host.drain(now, &[]);
        for id in open {
            host.on_connection_lost(now, id, CloseCause::Shutdown);
        }
        host.finish_turn(now);
    }
    let gone = async {
        while !host.borrow().conns.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let _ = tokio::time::timeout(STOP_MAX, gone).await;
    let mut host = host.borrow_mut();
    let now = host.clock.now();
    let left: Vec<_> = host.conns.keys().copied().collect();
    for id in left {
        host.drop_conn(now, id);
    }
}

/// Hands in the moments that the core asks for.
async fn keep_time(host: Rc<RefCell<Host>>, timer: Rc<Notify>) {
    loop {
        let (clock, at) = {
            let host = host.borrow();
            (host.clock, host.armed)
        };
        let Some(at) = at else {
            timer.notified().await;
            continue;
        };
        tokio::select! {
            () = timer.notified() => continue,
            () = tokio::time::sleep(clock.until(at)) => {}
        }
        if clock.now().mono < at {
            continue;
        }
        let mut host = host.borrow_mut();
        host.armed = None;
        let now = host.clock.now();
        host.on_time(now);
    }
}

/// What a connection's task is woken for.
enum Turn {
    /// So many bytes of the scratch are its own; whether there may be more to read.
    Scratch(usize, bool),
    /// Its large unit is whole.
    Large,
    /// More of its large unit has come.
    Grown,
    /// The gate lets a unit go that it held, in this direction.
    Released(Direction, Release),
    /// The socket takes more.
    Writable,
    /// The peer sends nothing more.
    End,
    Failed,
    /// The core is done with it.
    Closing,
    /// It is gone.
    Gone,
}

/// Why a connection's turns end.
enum Served {
    /// It turned out to be an operator's.
    Operator,
    /// The core is done with it.
    Closing,
    /// It is gone.
    Gone,
}

/// Serves one connection until it is gone, or an operator's, whose turns come before all others'.
pub(super) async fn serve(host: Rc<RefCell<Host>>, id: ConnectionId, mut read: OwnedReadHalf) {
    let served = serve_turns(&host, id, &mut read, false).await;
    let operators = host.borrow().operators.upgrade();
    match (served, operators) {
        (Served::Operator, Some(operators)) => {
            operators.spawn_local(async move {
                let served = serve_turns(&host, id, &mut read, true).await;
                leave(&host, id, read, &served).await;
            });
        }
        (served, _) => leave(&host, id, read, &served).await,
    }
}

/// Takes a connection's turns; those of an operator's only where `is_first`.
async fn serve_turns(
    host: &Rc<RefCell<Host>>,
    id: ConnectionId,
    read: &mut OwnedReadHalf,
    is_first: bool,
) -> Served {
    loop {
        let turn = poll_fn(|cx| poll_turn(host, id, read, cx)).await;
        let is_busy = matches!(turn, Turn::Scratch(_, true) | Turn::Large | Turn::Grown);
        {
            let mut host = host.borrow_mut();
            let now = host.clock.now();
            match turn {
                Turn::Scratch(filled, _) => host.on_scratch(now, id, filled),
                Turn::Large => host.on_large(now, id),
                Turn::Grown => {
                    host.note_receiving(now, id, false);
                    host.finish_turn(now);
                }
                Turn::Released(direction, release) => host.on_released(now, id, direction, &release),
                Turn::Writable => {
                    host.write(now, id);
                    host.finish_turn(now);
                }
                Turn::End => host.on_end(now, id),
                Turn::Failed => {
                    host.on_connection_lost(now, id, CloseCause::ReadFailed);
                    host.finish_turn(now);
                }
                Turn::Closing => return Served::Closing,
                Turn::Gone => return Served::Gone,
            }
            if !is_first && host.broker.is_operator(id) {
                return Served::Operator;
            }
        }
        if is_busy {
            tokio::task::yield_now().await;
        }
    }
}

/// Lets what is queued for a connection leave that the core is done with.
async fn leave(host: &Rc<RefCell<Host>>, id: ConnectionId, mut read: OwnedReadHalf, served: &Served) {
    if !matches!(served, Served::Gone) {
        let leave = poll_fn(|cx| poll_leave(host, id, &mut read, cx));
        let _ = tokio::time::timeout(LINGER_MAX, leave).await;
    }
    let mut host = host.borrow_mut();
    let now = host.clock.now();
    host.drop_conn(now, id);
    host.finish_turn(now);
    // Its descriptor is free now.
    drop(read);
    host.spares.refill();
}

fn poll_turn(
    host: &Rc<RefCell<Host>>,
    id: ConnectionId,
    read: &mut OwnedReadHalf,
    cx: &mut Context<'_>,
) -> Poll<Turn> {
    let mut host = host.borrow_mut();
    let Host { conns, scratch, .. } = &mut *host;
    let Some(conn) = conns.get_mut(&id) else { return Poll::Ready(Turn::Gone) };
    if conn.waker.as_ref().is_none_or(|waker| !waker.will_wake(cx.waker())) {
        conn.waker = Some(cx.waker().clone());
    }
    if conn.phase != Phase::Open {
        return Poll::Ready(Turn::Closing);
    }
    if is_writable(conn, cx) {
        return Poll::Ready(Turn::Writable);
    }
    if let Poll::Ready((direction, release)) = conn.gated.poll(cx) {
        return Poll::Ready(Turn::Released(direction, release));
    }
    if conn.gated.holds_unit() {
        return Poll::Pending;
    }
    if let Some((buffer, whole)) = &mut conn.read_buffer.large {
        let lacking = whole.saturating_sub(buffer.len());
        let polled = {
            let mut limited = (&mut *buffer).limit(lacking);
            pin!(read.read_buf(&mut limited)).poll(cx)
        };
        return polled.map(|read| match read {
            Ok(0) => Turn::End,
            Ok(_) if buffer.len() >= *whole => Turn::Large,
            Ok(_) => Turn::Grown,
            Err(_) => Turn::Failed,
        });
    }
    let kept = conn.read_buffer.pending.len();
    let Some((front, room)) = scratch.split_at_mut_checked(kept) else { return Poll::Ready(Turn::Failed) };
    let room = room.get_mut(..conn.read_bytes_max.min(room.len())).unwrap_or_default();
    let busy_min = room.len() / 2;
    let mut buf = ReadBuf::new(room);
    match Pin::new(read).poll_read(cx, &mut buf) {
        Poll::Pending => Poll::Pending,
        Poll::Ready(Err(_)) => Poll::Ready(Turn::Failed),
        Poll::Ready(Ok(())) if buf.filled().is_empty() => Poll::Ready(Turn::End),
        Poll::Ready(Ok(())) => {
            front.copy_from_slice(&conn.read_buffer.pending);
            let read = buf.filled().len();
            Poll::Ready(Turn::Scratch(kept + read, read > busy_min))
        }
    }
}

/// Whether a socket that was full takes more again.
fn is_writable(conn: &Conn, cx: &mut Context<'_>) -> bool {
    conn.is_full && conn.write.as_ref().is_some_and(|write| write.as_ref().poll_write_ready(cx).is_ready())
}

/// Lets what is queued leave, then says FIN and waits for the peer's; what it still sends is thrown away.
fn poll_leave(
    host: &Rc<RefCell<Host>>,
    id: ConnectionId,
    read: &mut OwnedReadHalf,
    cx: &mut Context<'_>,
) -> Poll<()> {
    let mut host = host.borrow_mut();
    let now = host.clock.now();
    loop {
        let Some(conn) = host.conns.get_mut(&id) else { return Poll::Ready(()) };
        conn.waker = Some(cx.waker().clone());
        if conn.is_full && !is_writable(conn, cx) {
            break;
        }
        if conn.write.is_none() {
            break;
        }
        host.write(now, id);
        let Some(conn) = host.conns.get_mut(&id) else { return Poll::Ready(()) };
        if !conn.is_full {
            conn.write = None;
            if conn.phase == Phase::Closing(CloseCause::PeerClosed) {
                return Poll::Ready(());
            }
        }
    }
    let Host { conns, scratch, .. } = &mut *host;
    let Some(conn) = conns.get(&id) else { return Poll::Ready(()) };
    if conn.phase == Phase::Closing(CloseCause::PeerClosed) {
        return Poll::Pending;
    }
    for _ in 0..4 {
        let mut buf = ReadBuf::new(scratch);
        match Pin::new(&mut *read).poll_read(cx, &mut buf) {
            Poll::Ready(Ok(())) if !buf.filled().is_empty() => {}
            Poll::Ready(_) if conn.write.is_none() => return Poll::Ready(()),
            Poll::Ready(_) | Poll::Pending => return Poll::Pending,
        }
    }
    cx.waker().wake_by_ref();
    Poll::Pending
}
