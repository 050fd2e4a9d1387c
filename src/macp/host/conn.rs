//! A connection of the port: its bytes pass a [`FrameMeter`] before HTTP/2 sees them.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::Sleep,
};
use tonic::transport::server::Connected;

use super::{connections::Place, frame_meter::FrameMeter, shared::Shared};
use crate::{
    admission::TurnedAway,
    ids::Peer,
    macp::{Transition, TurnAwayCause},
    time::Mono,
};

/// A connection, with its room among all.
pub(super) struct Conn {
    stream: TcpStream,
    peer: Peer,
    meter: FrameMeter,
    /// When what has begun must be whole, while nothing comes.
    deadline: Option<(Mono, Pin<Box<Sleep>>)>,
    place: Place,
    shared: Arc<Shared>,
}

impl Conn {
    pub(super) fn new(stream: TcpStream, peer: Peer, shared: &Arc<Shared>, place: Place) -> Self {
        let meter = FrameMeter::new(shared.clock.now().mono, &shared.limits);
        Self { stream, peer, meter, deadline: None, place, shared: Arc::clone(shared) }
    }

    /// While nothing comes: ready once it is to make room, or what has begun is not whole in time.
    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<TurnAwayCause> {
        if self.place.poll_ended(cx.waker()) {
            return Poll::Ready(TurnAwayCause::MadeRoom);
        }
        let Some((at, cause)) = self.meter.timeout() else {
            self.deadline = None;
            return Poll::Pending;
        };
        if self.deadline.as_ref().is_none_or(|(armed, _)| *armed != at) {
            self.deadline = Some((at, Box::pin(tokio::time::sleep(self.shared.clock.until(at)))));
        }
        if let Some((_, deadline)) = &mut self.deadline {
            ready!(deadline.as_mut().poll(cx));
        }
        Poll::Ready(cause)
    }

    /// Closes it for a bound: what HTTP/2 is told in place of bytes.
    fn close(&self, cause: TurnAwayCause) -> io::Error {
        self.shared.turned_away(&self.peer, cause);
        io::Error::new(io::ErrorKind::ConnectionAborted, cause.name())
    }
}

impl Shared {
    /// Counts and reports a connection that is closed, or a call that is ended, for a bound.
    pub(super) fn turned_away(&self, peer: &Peer, cause: TurnAwayCause) {
        match cause {
            TurnAwayCause::PrefaceTimeout => self.tally.count(TurnedAway::FirstFrame),
            TurnAwayCause::FrameTimeout | TurnAwayCause::MessageTimeout => {
                self.tally.count(TurnedAway::FrameTime);
            }
            // The cores have counted the others.
            _ => {}
        }
        let now = self.clock.now();
        if let Some(mut state) = self.lock() {
            state.counters.count_turned_away(now, cause);
            let closed = Transition::TurnedAway { peer: peer.clone(), cause };
            self.emit_transition(&mut state, now, None, closed, None, "");
        }
    }
}

impl Connected for Conn {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer.clone()
    }
}

impl AsyncRead for Conn {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, into) else {
            let cause = ready!(self.poll_close(cx));
            return Poll::Ready(Err(self.close(cause)));
        };
        read?;
        let now = self.shared.clock.now().mono;
        let had_called = self.meter.has_called();
        let taken = self.meter.take(now, &into.filled()[before..]);
        if self.meter.has_called() && !had_called {
            self.place.spoke();
        }
        Poll::Ready(taken.map_err(|cause| self.close(cause)))
    }
}

impl AsyncWrite for Conn {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
