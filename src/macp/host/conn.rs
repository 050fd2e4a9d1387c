//! A connection of the port: its bytes pass a [`FrameMeter`] before HTTP/2 sees them.

use std::{
    io,
    mem::MaybeUninit,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::Sleep,
};
use tonic::transport::server::Connected;

use super::{call::Caller, connections::Place, frame_meter::FrameMeter, shared::Shared};
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
    /// When the peer must have taken something of what waits to be written.
    write_deadline: Option<Pin<Box<Sleep>>>,
    place: Place,
    shared: Arc<Shared>,
}

impl Conn {
    pub(super) fn new(stream: TcpStream, peer: Peer, shared: &Arc<Shared>, place: Place) -> Self {
        let meter = FrameMeter::new(shared.clock.now().mono, &shared.limits);
        Self { stream, peer, meter, deadline: None, write_deadline: None, place, shared: Arc::clone(shared) }
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

    /// While nothing can be written, nothing is read: it ends once it is to make room, or has stalled for too
    /// long.
    fn poll_written(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.write_deadline = None;
            return written;
        }
        self.place.signal().looked();
        if self.place.poll_ended(cx.waker()) {
            return Poll::Ready(Err(self.close(TurnAwayCause::MadeRoom)));
        }
        let max = Duration::from_millis(self.shared.limits.write_ms_max);
        ready!(
            self.write_deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(max))).as_mut().poll(cx)
        );
        Poll::Ready(Err(self.close(TurnAwayCause::WriteTimeout)))
    }

    /// Tells who asked whether this one has spoken that what lay unread was read, or cannot be.
    fn looked(&self) {
        let signal = self.place.signal();
        if signal.is_asked() {
            let unread = SockRef::from(&self.stream).peek(&mut [MaybeUninit::uninit()]);
            if !unread.is_ok_and(|bytes| bytes > 0) {
                signal.looked();
            }
        }
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
    type ConnectInfo = Caller;

    fn connect_info(&self) -> Caller {
        Caller { peer: self.peer.clone(), connection: Some(self.place.id()) }
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
            self.looked();
            let cause = ready!(self.poll_close(cx));
            return Poll::Ready(Err(self.close(cause)));
        };
        read?;
        let now = self.shared.clock.now().mono;
        let had_called = self.meter.has_called();
        let taken = self.meter.take(now, &into.filled()[before..]);
        if self.meter.has_called() && !had_called {
            self.place.spoke();
            self.place.signal().looked();
        }
        Poll::Ready(taken.map_err(|cause| self.close(cause)))
    }
}

impl AsyncWrite for Conn {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.poll_written(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.poll_written(cx, written)
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
