//! One TCP connection: its framer, its bounded write buffer, its end.

use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use super::gated::Gated;
use crate::{admission::Origin, ids::Peer, mpp::framing::Framer, tap::OriginCell, time::Mono};

/// How long a write may make no progress (ruling MPP 16).
pub(super) const WRITE_STALL_MAX: Duration = Duration::from_secs(30);

/// How long a closed connection is kept to let our last frame arrive: closing with unread bytes would send
/// RST and destroy it.
pub(super) const LINGER_MAX: Duration = Duration::from_secs(2);

/// Where a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Both sides talk.
    Open,
    /// The core is done with it: what was transmitted leaves, then FIN, and what still comes is thrown away.
    Lingering {
        /// When it is dropped at the latest.
        until: Mono,
        /// Whether FIN was sent.
        shut: bool,
    },
}

/// What a write buffer could not take or send.
#[derive(Debug)]
pub(super) struct Full;

/// When what a connection says is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadGate {
    /// As it comes.
    AtOnce,
    /// Its first words lie in the framer until then.
    Held(Mono),
    /// As it comes, after its first words were held once.
    Resumed,
}

#[derive(Debug)]
pub(super) struct Conn {
    stream: TcpStream,
    pub(super) peer: Peer,
    pub(super) origin: Origin,
    pub(super) framer: Framer,
    pub(super) phase: Phase,
    /// Whether a whole line has come.
    pub(super) has_spoken: bool,
    pub(super) hearing: ReadGate,
    /// Whose it is, where it is the workbench's own.
    pub(super) by_hand: Option<OriginCell>,
    /// What the gate holds of it.
    pub(super) gated: Gated,
    out: Vec<u8>,
    sent: usize,
    frame_lens: VecDeque<usize>,
    head_sent: usize,
    out_limit: usize,
    waiting_since: Option<Mono>,
}

impl Conn {
    pub(super) fn new(
        stream: TcpStream,
        peer: Peer,
        origin: Origin,
        by_hand: Option<OriginCell>,
        out_limit: usize,
    ) -> Self {
        Self {
            stream,
            peer,
            origin,
            framer: Framer::new(),
            phase: Phase::Open,
            has_spoken: false,
            hearing: ReadGate::AtOnce,
            by_hand,
            gated: Gated::default(),
            out: Vec::new(),
            sent: 0,
            frame_lens: VecDeque::new(),
            head_sent: 0,
            out_limit,
            waiting_since: None,
        }
    }

    /// Whether a frame of so many bytes may be sent.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.unsent_bytes() + bytes <= self.out_limit
    }

    /// Takes a frame to be sent, whole or not at all.
    pub(super) fn push(&mut self, frame: &[u8]) -> Result<(), Full> {
        if !self.has_room(frame.len()) {
            return Err(Full);
        }
        if self.sent > 0 && self.sent == self.out.len() {
            self.out.clear();
            self.sent = 0;
        }
        self.out.extend_from_slice(frame);
        self.frame_lens.push_back(frame.len());
        Ok(())
    }

    /// Whether what comes on it is heard at this moment.
    pub(super) fn is_read(&self) -> bool {
        self.phase == Phase::Open && !self.gated.holds_line()
    }

    pub(super) fn unsent_bytes(&self) -> usize {
        self.out.len() - self.sent + self.gated.unsent_bytes()
    }

    pub(super) fn unsent_frames(&self) -> usize {
        self.frame_lens.len() + self.gated.unsent_frames()
    }

    /// Since when the oldest unsent byte makes no progress.
    pub(super) fn stall_deadline(&self) -> Option<Mono> {
        self.waiting_since.map(|since| since + WRITE_STALL_MAX)
    }

    /// Sends what the socket takes now; ready when all has left.
    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>, now: Mono) -> Poll<io::Result<()>> {
        while self.sent < self.out.len() {
            match Pin::new(&mut self.stream).poll_write(cx, &self.out[self.sent..]) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(wrote)) => self.count_sent(wrote),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    self.waiting_since.get_or_insert(now);
                    self.compact();
                    return Poll::Pending;
                }
            }
        }
        self.waiting_since = None;
        Poll::Ready(Ok(()))
    }

    /// Sends what the socket takes at this moment of what is queued, before it is closed. It asks the system
    /// itself: the runtime may not know yet that it takes something.
    pub(super) fn send_now(&mut self) {
        while let Some(rest) = self.out.get(self.sent..).filter(|rest| !rest.is_empty()) {
            let flags = rustix::net::SendFlags::DONTWAIT | rustix::net::SendFlags::NOSIGNAL;
            match rustix::net::send(&self.stream, rest, flags) {
                Ok(sent @ 1..) => self.count_sent(sent),
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) | Err(_) => return,
            }
        }
    }

    fn count_sent(&mut self, wrote: usize) {
        self.sent += wrote;
        self.head_sent += wrote;
        self.waiting_since = None;
        while let Some(&len) = self.frame_lens.front() {
            if self.head_sent < len {
                break;
            }
            self.head_sent -= len;
            self.frame_lens.pop_front();
        }
    }

    fn compact(&mut self) {
        if self.sent > self.out.len() / 2 {
            self.out.drain(..self.sent);
            self.sent = 0;
        }
    }

    /// Reads once into the framer; 0 is the peer's FIN.
    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut buf = ReadBuf::new(self.framer.spare());
        match Pin::new(&mut self.stream).poll_read(cx, &mut buf) {
            Poll::Ready(Ok(())) => {
                let read = buf.filled().len();
                self.framer.filled(read);
                Poll::Ready(Ok(read))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => Poll::Pending,
        }
    }

    /// Reads once what lies in the kernel's buffer at this moment, if anything does. It asks the system
    /// itself: the runtime may not know of it yet.
    pub(super) fn read_now(&mut self) -> Option<io::Result<usize>> {
        let spare = self.framer.spare();
        if spare.is_empty() {
            return None;
        }
        match rustix::net::recv(&self.stream, spare, rustix::net::RecvFlags::DONTWAIT) {
            Ok((read, _)) => {
                self.framer.filled(read);
                Some(Ok(read))
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => None,
            Err(errno) => Some(Err(errno.into())),
        }
    }

    /// Moves a lingering connection on; ready when it can be dropped.
    pub(super) fn poll_linger(&mut self, cx: &mut Context<'_>, now: Mono) -> Poll<()> {
        let Phase::Lingering { until, shut } = self.phase else { return Poll::Pending };
        if now >= until {
            return Poll::Ready(());
        }
        if !shut {
            match self.poll_flush(cx, now) {
                Poll::Pending => {}
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Ready(Ok(())) => match Pin::new(&mut self.stream).poll_shutdown(cx) {
                    Poll::Ready(Ok(())) => self.phase = Phase::Lingering { until, shut: true },
                    Poll::Ready(Err(_)) => return Poll::Ready(()),
                    Poll::Pending => {}
                },
            }
        }
        let mut scratch = [0; 4096];
        loop {
            let mut buf = ReadBuf::new(&mut scratch);
            match Pin::new(&mut self.stream).poll_read(cx, &mut buf) {
                Poll::Ready(Ok(())) if buf.filled().is_empty() => return self.all_left(),
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// The peer has sent FIN: nothing more to wait for once our bytes have left.
    fn all_left(&self) -> Poll<()> {
        if self.unsent_bytes() == 0 { Poll::Ready(()) } else { Poll::Pending }
    }
}
