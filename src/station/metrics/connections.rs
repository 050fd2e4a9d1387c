//! The connections of the metrics' endpoint: who has a place, and how far the request of each has come.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use hashbrown::HashMap;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    task::AbortHandle,
};

use crate::{
    admission::{Admitted, Origin, Receiving, Table, TableBounds, Tally, TurnedAway},
    ids::{ConnectionId, Peer},
    limits,
    time::{Clock, Mono, Now},
};

/// How long a connection may say nothing, and how long its answer may take to leave.
const SILENCE_MAX: Duration = Duration::from_secs(10);

/// How far the request of a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing of it has.
    Silent,
    /// It has begun.
    Begun,
    /// It is whole.
    Whole,
}

/// A connection as others see it.
#[derive(Debug)]
pub(in crate::station) struct Client {
    pub(in crate::station) peer: Peer,
    pub(in crate::station) since: Now,
    /// Whether its request is whole.
    pub(in crate::station) has_asked: bool,
}

#[derive(Debug)]
struct Conn {
    peer: Peer,
    since: Now,
    stage: Stage,
    /// When its answer must have left, once its request is whole.
    answer_by: Option<Mono>,
    /// Bytes that came.
    bytes: u64,
    task: Option<AbortHandle>,
}

/// All connections. Clones are the same ones.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    state: Arc<Mutex<State>>,
    clock: Clock,
}

#[derive(Debug)]
struct State {
    table: Table,
    receiving: Receiving<ConnectionId>,
    conns: HashMap<ConnectionId, Conn>,
    next: ConnectionId,
}

/// The place of a connection; it is free again once this is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    connections: Connections,
    id: ConnectionId,
}

impl Connections {
    /// None yet.
    pub(super) fn new(limits: &limits::Metrics, clock: Clock, tally: Tally) -> Self {
        let bounds = TableBounds {
            connections_max: limits.connections_max,
            peer_connections_max: limits.peer_connections_max,
            operators_max: 0,
            first_frame_max: Some(SILENCE_MAX),
            token_max: None,
        };
        let frame_time = Duration::from_millis(limits.frame_ms_max);
        let receiving = Receiving::new(
            limits.receiving_bytes_max.max(limits.request_bytes_max),
            frame_time,
            tally.clone(),
        );
        let state = State {
            table: Table::new(bounds, tally),
            receiving,
            conns: HashMap::new(),
            next: ConnectionId(1),
        };
        Self { state: Arc::new(Mutex::new(state)), clock }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a newcomer in, whom the oldest makes room for whose request is not whole; none where there is
    /// no place.
    pub(super) fn open(&self, peer: Peer, origin: Origin) -> Option<Slot> {
        let now = self.clock.now();
        let mut state = self.lock();
        let id = state.next;
        state.next = id.next();
        match state.table.open(now, id, origin) {
            Admitted::Common { evicted } | Admitted::Operators { evicted } => {
                if let Some(evicted) = evicted {
                    state.end(evicted);
                }
            }
            Admitted::Refused(_) => return None,
        }
        let conn = Conn { peer, since: now, stage: Stage::Silent, answer_by: None, bytes: 0, task: None };
        state.conns.insert(id, conn);
        Some(Slot { connections: self.clone(), id })
    }
}

impl Connections {
    /// All of them, in the order in which they came.
    pub(super) fn clients(&self) -> Vec<Client> {
        let state = self.lock();
        let mut ids: Vec<&ConnectionId> = state.conns.keys().collect();
        ids.sort_unstable();
        let client = |Conn { peer, since, stage, .. }: &Conn| Client {
            peer: peer.clone(),
            since: *since,
            has_asked: *stage == Stage::Whole,
        };
        ids.into_iter().filter_map(|id| state.conns.get(id).map(client)).collect()
    }
}

impl State {
    /// Ends a connection in whatever it does.
    fn end(&mut self, id: ConnectionId) {
        self.receiving.end(id);
        if let Some(task) = self.conns.remove(&id).and_then(|conn| conn.task) {
            task.abort();
        }
    }
}

impl Slot {
    /// Its number.
    pub(super) fn id(&self) -> ConnectionId {
        self.id
    }

    /// What is ended when the place is needed.
    pub(super) fn set_task(connections: &Connections, id: ConnectionId, task: AbortHandle) {
        match connections.lock().conns.get_mut(&id) {
            Some(conn) => conn.task = Some(task),
            // It is over, or made room before its task was known.
            None => task.abort(),
        }
    }

    /// How far its request has come, and how long that may go on; nothing if it made room.
    pub(super) fn stage(&self) -> Option<(Stage, Duration)> {
        let state = self.connections.lock();
        let conn = state.conns.get(&self.id)?;
        let by = match conn.stage {
            Stage::Silent => state.table.speak_by(self.id),
            Stage::Begun => state.receiving.due_at(self.id),
            Stage::Whole => conn.answer_by,
        };
        Some((conn.stage, by.map_or(Duration::ZERO, |by| self.connections.clock.until(by))))
    }

    /// It took too long.
    pub(super) fn count_late(&self, stage: Stage) {
        let why = match stage {
            Stage::Silent => TurnedAway::FirstFrame,
            Stage::Begun => TurnedAway::FrameTime,
            Stage::Whole => return,
        };
        self.connections.lock().table.count(self.id, why);
    }

    /// Its request is whole.
    pub(super) fn on_whole(&self) {
        let now = self.connections.clock.now();
        let mut state = self.connections.lock();
        state.receiving.end(self.id);
        state.table.establish(self.id);
        if let Some(conn) = state.conns.get_mut(&self.id) {
            (conn.stage, conn.answer_by) = (Stage::Whole, Some(now.mono + SILENCE_MAX));
        }
    }

    /// More of its request came.
    fn on_read(&self, bytes: usize) {
        let now = self.connections.clock.now();
        let mut guard = self.connections.lock();
        let state = &mut *guard;
        let Some(conn) = state.conns.get_mut(&self.id).filter(|conn| conn.stage != Stage::Whole) else {
            return;
        };
        conn.bytes += bytes as u64;
        if conn.stage == Stage::Silent {
            conn.stage = Stage::Begun;
        }
        let origin = state.table.origin(self.id).unwrap_or(Origin::Unknown);
        let mut longest = state.receiving.set_kept(now, self.id, origin, conn.bytes, false);
        while let Some(id) = longest {
            state.table.close(id);
            state.end(id);
            longest = state.receiving.overflow();
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.connections.lock();
        state.table.close(self.id);
        state.receiving.end(self.id);
        state.conns.remove(&self.id);
    }
}

/// A stream whose bytes are counted while a request is being received.
pub(super) struct Counted<S> {
    pub(super) stream: S,
    pub(super) slot: Arc<Slot>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, into))?;
        let read = into.filled().len() - before;
        if read > 0 {
            self.slot.on_read(read);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
