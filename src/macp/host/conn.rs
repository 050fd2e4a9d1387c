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

use super::{
    call::Caller,
    connections::Slot,
    frame_meter::FrameMeter,
    open_calls::ConnectionCalls,
    sent_frames::SentFrames,
    shared::{Shared, State},
    untaken::Untaken,
};
use crate::{
    admission::TurnedAway,
    macp::{Transition, TurnAwayCause},
    time::{Mono, Now},
};

/// Bytes that are read at once between frames while very many calls are open, about a call's worth: then
/// others have their turn.
const CROWDED_READ_BYTES: usize = 128;

/// A connection, with its room among all.
pub(super) struct Conn {
    stream: TcpStream,
    caller: Caller,
    meter: FrameMeter,
    sent: SentFrames,
    /// When what has begun must be whole, while nothing comes.
    deadline: Option<(Mono, Pin<Box<Sleep>>)>,
    /// When the peer must have taken something of what waits to be written.
    write_deadline: Option<Pin<Box<Sleep>>>,
    untaken: Untaken,
    calls: Arc<ConnectionCalls>,
    /// While very many calls are open: something was read, and others are to have their turn before the next.
    is_turn_over: bool,
    /// When to look for an answer that is not taken.
    answers_deadline: Option<Pin<Box<Sleep>>>,
    slot: Slot,
    shared: Arc<Shared>,
}

/// What a call knows of its connection.
#[derive(Clone)]
pub(super) struct ConnectInfo {
    pub(super) caller: Caller,
    /// The answers of the connection that wait to be taken.
    pub(super) untaken: Untaken,
    /// Its calls that are open.
    pub(super) calls: Arc<ConnectionCalls>,
}

impl Conn {
    pub(super) fn new(stream: TcpStream, caller: Caller, shared: &Arc<Shared>, slot: Slot) -> Self {
        let meter = FrameMeter::new(shared.clock.mono(), &shared.limits);
        let sent = SentFrames::default();
        let calls = shared.calls.connection(caller.clone());
        Self {
            stream,
            caller,
            meter,
            sent,
            deadline: None,
            write_deadline: None,
            untaken: Untaken::default(),
            calls,
            is_turn_over: false,
            answers_deadline: None,
            slot,
            shared: Arc::clone(shared),
        }
    }

    /// While nothing comes: ready once it is to make room, or what has begun is not whole in time.
    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<TurnAwayCause> {
        if self.slot.poll_ended(cx.waker()) {
            return Poll::Ready(TurnAwayCause::MadeRoom);
        }
        if self.poll_untaken(cx).is_ready() {
            return Poll::Ready(TurnAwayCause::WriteTimeout);
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

    /// Ready once an answer has waited too long to be taken. The deadline is that of the answer that waited
    /// longest when it was set: mostly it has been taken since.
    fn poll_untaken(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let max = Duration::from_millis(self.shared.limits.write_ms_max);
        loop {
            let deadline = if let Some(deadline) = &mut self.answers_deadline {
                deadline
            } else {
                let Some(since) = self.untaken.oldest() else { return Poll::Pending };
                let left = self.shared.clock.until(since + max);
                if left.is_zero() {
                    return Poll::Ready(());
                }
                self.answers_deadline.insert(Box::pin(tokio::time::sleep(left)))
            };
            ready!(deadline.as_mut().poll(cx));
            self.answers_deadline = None;
        }
    }

    /// While nothing can be written, nothing is read: it ends once it is to make room, or has stalled for too
    /// long.
    fn poll_written(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
        of: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            self.write_deadline = None;
            let mut left = *written.as_ref().unwrap_or(&0);
            for part in of {
                let (sent, _) = part.split_at(left.min(part.len()));
                left -= sent.len();
                if self.sent.take(sent) {
                    self.meter.on_data_sent();
                }
            }
            return Poll::Ready(written);
        }
        self.slot.signal().looked();
        if self.slot.poll_ended(cx.waker()) {
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
        let signal = self.slot.signal();
        if signal.is_asked() {
            let unread = SockRef::from(&self.stream).peek(&mut [MaybeUninit::uninit()]);
            if !unread.is_ok_and(|bytes| bytes > 0) {
                signal.looked();
            }
        }
    }

    /// Closes it for a bound: what HTTP/2 is told in place of bytes.
    fn close(&self, cause: TurnAwayCause) -> io::Error {
        self.shared.turned_away(&self.caller, cause);
        io::Error::new(io::ErrorKind::ConnectionAborted, cause.name())
    }
}

impl Shared {
    /// Counts and reports a connection that is closed, or a call that is ended, for a bound.
    pub(super) fn turned_away(&self, caller: &Caller, cause: TurnAwayCause) {
        match cause {
            TurnAwayCause::PrefaceTimeout => self.tally.count(TurnedAway::FirstFrame, caller.origin),
            TurnAwayCause::FrameTimeout | TurnAwayCause::MessageTimeout => {
                self.tally.count(TurnedAway::FrameTime, caller.origin);
            }
            // The cores have counted the others.
            _ => {}
        }
        let now = self.clock.now();
        if let Some(mut state) = self.lock() {
            self.count_turned_away(&mut state, now, caller, cause);
        }
    }

    pub(super) fn count_turned_away(
        &self,
        state: &mut State,
        now: Now,
        caller: &Caller,
        cause: TurnAwayCause,
    ) {
        state.counters.count_turned_away(now, cause, caller.origin);
        let turned_away = Transition::TurnedAway { peer: caller.peer.clone(), cause };
        self.emit_transition(state, now, None, turned_away, None, "");
    }
}

impl Connected for Conn {
    type ConnectInfo = ConnectInfo;

    fn connect_info(&self) -> ConnectInfo {
        ConnectInfo {
            caller: self.caller.clone(),
            untaken: self.untaken.clone(),
            calls: Arc::clone(&self.calls),
        }
    }
}

/// Reads so many bytes at most.
fn poll_read_some(
    stream: &mut TcpStream,
    cx: &mut Context<'_>,
    into: &mut ReadBuf<'_>,
    len: usize,
) -> Poll<io::Result<()>> {
    let mut some = ReadBuf::new(into.initialize_unfilled_to(len));
    ready!(Pin::new(stream).poll_read(cx, &mut some))?;
    let read = some.filled().len();
    into.advance(read);
    Poll::Ready(Ok(()))
}

impl AsyncRead for Conn {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let is_crowded = self.shared.calls.is_crowded();
        if self.meter.ends_turn() || std::mem::take(&mut self.is_turn_over) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = into.filled().len();
        let read = if is_crowded {
            let len = self.meter.payload_left().max(CROWDED_READ_BYTES).min(into.remaining());
            poll_read_some(&mut self.stream, cx, into, len)
        } else {
            Pin::new(&mut self.stream).poll_read(cx, into)
        };
        let Poll::Ready(read) = read else {
            self.looked();
            let cause = ready!(self.poll_close(cx));
            return Poll::Ready(Err(self.close(cause)));
        };
        read?;
        self.is_turn_over = is_crowded;
        let now = self.shared.clock.mono();
        let had_called = self.meter.has_called();
        let taken = self.meter.take(now, &into.filled()[before..]);
        self.untaken.set_narrow(self.meter.is_narrow());
        if self.meter.has_called() && !had_called {
            self.slot.establish();
            self.slot.signal().looked();
        }
        Poll::Ready(taken.map_err(|cause| self.close(cause)))
    }
}

impl AsyncWrite for Conn {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.poll_written(cx, written, &[io::IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.poll_written(cx, written, bytes)
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
