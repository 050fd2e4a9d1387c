//! Lines that the gate stops: before the core takes them, and before they leave to the adapter.
//!
//! A connection whose line is held is not read, and of one whose frame is held nothing is written behind it:
//! what is to leave meanwhile waits here, and counts against the connection's write buffer.

use std::{
    collections::VecDeque,
    sync::Arc,
    task::{Context, Poll},
};

use super::{conn::Conn, next::Event, run::Host};
use crate::{
    gate::{Look, Notice, Offer, Release, Stopped, Taken, Waits, poll_released},
    ids::{ConnectionId, Seq, TraceId},
    mpp::{
        Bridge, FrameType, Head, Input, Stand,
        framing::{Framed, first},
    },
    tap::{
        OriginCell, Tap,
        entry::{Direction, FrameOrigin, Head as AnyHead, Link, Verdict, gate::Passing, mpp::CloseCause},
    },
    time::Now,
};

/// What the gate holds of a connection.
#[derive(Debug, Default)]
pub(super) struct Gated {
    /// The line that came last, and who made it by hand, and how.
    line: Option<Stopped<Line>>,
    /// The frame that is to leave next.
    front: Option<Stopped<Outgoing>>,
    /// What leaves behind it, the first next.
    behind: VecDeque<Outgoing>,
    /// Bytes of all that is to leave.
    out_bytes: usize,
    /// The connection is about to end: nothing is stopped any more.
    is_over: bool,
}

/// A line that is held, and who made it by hand, and how.
type Line = (Vec<u8>, Option<Arc<FrameOrigin>>);

/// A frame that is to leave.
#[derive(Debug)]
struct Outgoing {
    head: Head,
    bytes: Vec<u8>,
    trace: Option<TraceId>,
    cause: Option<Seq>,
    /// Who made it by hand, and how.
    origin: Option<Arc<FrameOrigin>>,
}

impl Gated {
    /// Whether the connection is not to be read.
    pub(super) const fn holds_line(&self) -> bool {
        self.line.is_some()
    }

    /// It stops nothing any more; what it had.
    pub(super) fn end(&mut self) -> Self {
        std::mem::replace(self, Self { is_over: true, ..Self::default() })
    }

    /// Bytes that are to leave.
    pub(super) const fn unsent_bytes(&self) -> usize {
        self.out_bytes
    }

    /// Frames that are to leave.
    pub(super) fn unsent_frames(&self) -> usize {
        self.behind.len() + usize::from(self.front.is_some())
    }

    /// Ready when a line is released.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, id: ConnectionId) -> Poll<Event> {
        poll_released(self.line.as_mut(), self.front.as_mut(), cx)
            .map(|(direction, release)| Event::Released(id, direction, release))
    }

    /// The frame that is to leave next.
    fn take_front(&mut self) -> Option<Stopped<Outgoing>> {
        let front = self.front.take()?;
        self.out_bytes = self.out_bytes.saturating_sub(front.frame.bytes.len());
        Some(front)
    }

    fn take_behind(&mut self) -> Option<Outgoing> {
        let next = self.behind.pop_front()?;
        self.out_bytes = self.out_bytes.saturating_sub(next.bytes.len());
        Some(next)
    }
}

/// What the bridge says of a line that comes.
struct AtBridge<'a> {
    bridge: &'a Bridge,
    tap: &'a Tap,
    now: Now,
    conn: ConnectionId,
    wire: &'a [u8],
}

impl Look for AtBridge<'_> {
    fn head(&self) -> Option<AnyHead> {
        None
    }

    fn judged(&self) -> (AnyHead, Verdict) {
        let (head, verdict) = self.bridge.verdict_of(self.now, self.conn, self.wire);
        (AnyHead::Mpp(head), Verdict::Mpp(verdict))
    }

    fn is_secret(&self) -> bool {
        self.bridge.is_secret(self.now, self.conn, self.wire) || self.tap.finds_token(Link::Mpp, self.wire)
    }
}

/// A frame that is to leave.
struct Leaving<'a> {
    head: &'a Head,
    tap: &'a Tap,
    wire: &'a [u8],
}

impl Look for Leaving<'_> {
    fn head(&self) -> Option<AnyHead> {
        Some(AnyHead::Mpp(self.head.clone()))
    }

    fn judged(&self) -> (AnyHead, Verdict) {
        (AnyHead::Mpp(self.head.clone()), Verdict::Sent)
    }

    fn is_secret(&self) -> bool {
        self.tap.finds_token(Link::Mpp, self.wire)
    }
}

impl Host {
    /// Asks the gate about a whole line of the adapter's connection. What may carry a token is not stopped:
    /// a handshake, where there is no adapter yet and later too, and any line that has one in it.
    fn ask_gate(
        &self,
        now: Now,
        id: ConnectionId,
        wire: &[u8],
        leaving: Option<&Head>,
    ) -> Option<Box<Taken>> {
        let direction = if leaving.is_some() { Direction::Outbound } else { Direction::Inbound };
        if !self.gate.is_armed(Link::Mpp, direction) || self.bridge.adapter() != Some(id) {
            return None;
        }
        let conn = self.conns.get(&id).filter(|conn| !conn.gated.is_over)?;
        let origin = self.by_hand.origin(direction).or_else(|| conn.by_hand.as_ref().map(OriginCell::get));
        let offer = Offer { link: Link::Mpp, direction, peer: &conn.peer, bytes: wire, origin };
        let at_bridge = AtBridge { bridge: &self.bridge, tap: &self.tap, now, conn: id, wire };
        let leaving = leaving.map(|head| Leaving { head, tap: &self.tap, wire });
        let look: &dyn Look = match &leaving {
            Some(leaving) => leaving,
            None => &at_bridge,
        };
        self.gate.offer(now, &offer, look).taken()
    }

    /// Hands a whole line to the core, unless the gate stops it; whether the connection is read on.
    pub(super) fn take_line(&mut self, now: Now, id: ConnectionId, wire: &[u8]) -> bool {
        let Some(taken) = self.ask_gate(now, id, wire, None) else {
            self.hand_in(now, id, wire, None);
            return self.is_open(id);
        };
        self.cause = None;
        let (notice, waits) = taken.tell(|what| self.emit(now, None, what, wire));
        let made = self.by_hand.origin(Direction::Inbound);
        match waits {
            Waits::Held(held) => {
                let frame = (wire.to_vec(), made);
                if let Some(conn) = self.conns.get_mut(&id) {
                    conn.gated.line = Some(Stopped { held, notice, frame });
                }
                // What has begun behind it is read when it goes.
                self.receiving.end(id);
                false
            }
            Waits::Not(release) => {
                self.pass_line(now, id, notice, (wire, made), &release);
                self.is_open(id)
            }
        }
    }

    /// Hands a line to the core, caused by this entry.
    fn hand_in(&mut self, now: Now, id: ConnectionId, wire: &[u8], passed: Option<Seq>) {
        self.passed = passed;
        self.cause = None;
        let input = match first(wire) {
            Some(Framed::TooLarge(wire)) => Input::TooLarge { conn: id, wire },
            Some(Framed::Line(_)) | None => Input::Line { conn: id, wire },
        };
        self.bridge.handle(now, input);
        self.drain_line(now, wire);
        self.passed = None;
    }

    /// Says how a line leaves the gate, and as whose it goes on where it was changed.
    fn tell_passed(
        &mut self,
        now: Now,
        notice: Notice,
        release: &Release,
    ) -> (Seq, Option<Arc<FrameOrigin>>) {
        self.cause = Some(notice.seq);
        let seq = self.emit(now, None, notice.passed(release), release.bytes.as_deref().unwrap_or_default());
        (seq, notice.origin(release).map(Arc::new))
    }

    fn pass_line(
        &mut self,
        now: Now,
        id: ConnectionId,
        notice: Notice,
        (wire, made): (&[u8], Option<Arc<FrameOrigin>>),
        release: &Release,
    ) {
        let (seq, origin) = self.tell_passed(now, notice, release);
        self.by_hand.putting = origin.or(made).map(|origin| (Direction::Inbound, origin));
        match release.how {
            Passing::Dropped => {}
            Passing::Cut => self.on_connection_lost(now, id, CloseCause::PeerClosed),
            Passing::Duplicated => {
                self.hand_in(now, id, wire, Some(seq));
                if self.is_open(id) {
                    self.hand_in(now, id, wire, Some(seq));
                }
            }
            Passing::AsItWas | Passing::Edited | Passing::TimedOut | Passing::Delayed => {
                self.hand_in(now, id, release.bytes.as_deref().unwrap_or(wire), Some(seq));
            }
        }
        self.by_hand.putting = None;
    }

    /// A line goes on, and what has come behind it, or waits to leave behind it.
    pub(super) fn on_released(&mut self, now: Now, id: ConnectionId, direction: Direction, release: Release) {
        match direction {
            Direction::Inbound => {
                let line = self.conns.get_mut(&id).and_then(|conn| conn.gated.line.take());
                if let Some(Stopped { notice, frame: (wire, made), .. }) = line {
                    self.pass_line(now, id, notice, (&wire, made), &release);
                }
                self.on_lines(now, id);
            }
            Direction::Outbound => {
                let front = self.conns.get_mut(&id).and_then(|conn| conn.gated.take_front());
                if let Some(Stopped { notice, frame, .. }) = front {
                    self.pass_frame(now, id, notice, frame, release);
                }
                while let Some(next) = self.conns.get_mut(&id).and_then(Conn::next_behind) {
                    self.cause = next.cause;
                    self.by_hand.putting = next.origin.map(|origin| (Direction::Outbound, origin));
                    self.transmit(now, id, next.head, &next.bytes, next.trace);
                }
                self.by_hand.putting = None;
                self.drain(now);
            }
        }
    }

    /// Before a connection ends: what the gate holds of it goes on, with all that has come behind it.
    pub(super) fn release_held(&mut self, now: Now, id: ConnectionId) {
        let Some(conn) = self.conns.get_mut(&id).filter(|conn| !conn.gated.is_over) else { return };
        conn.gated.is_over = true;
        if let Some(mut line) = conn.gated.line.take() {
            let release = line.release();
            let (wire, made) = line.frame;
            self.pass_line(now, id, line.notice, (&wire, made), &release);
            self.on_lines(now, id);
        }
        self.release_outgoing(now, id);
    }

    /// A connection is gone: what the gate holds of it is lost, and told so.
    pub(super) fn tell_lost(&mut self, now: Now, gated: Gated) {
        let cause = self.cause;
        let stopped = [gated.line.map(|line| line.notice), gated.front.map(|front| front.notice)];
        for notice in stopped.into_iter().flatten() {
            self.tell_passed(now, notice, &Release::dropped());
        }
        self.cause = cause;
    }

    /// What waits to leave goes into the write buffer, whatever the rules say.
    pub(super) fn release_outgoing(&mut self, now: Now, id: ConnectionId) {
        let front = self.conns.get_mut(&id).and_then(|conn| conn.gated.take_front());
        if let Some(mut front) = front {
            let release = front.release();
            self.pass_frame(now, id, front.notice, front.frame, release);
        }
        while let Some(next) = self.conns.get_mut(&id).and_then(|conn| conn.gated.take_behind()) {
            self.cause = next.cause;
            self.by_hand.putting = next.origin.map(|origin| (Direction::Outbound, origin));
            self.push(now, id, next.head, &next.bytes, next.trace);
        }
        self.by_hand.putting = None;
    }

    /// Has a frame leave, unless the gate holds it or one before it.
    pub(super) fn transmit(
        &mut self,
        now: Now,
        id: ConnectionId,
        head: Head,
        bytes: &[u8],
        trace: Option<TraceId>,
    ) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        let origin = self.by_hand.origin(Direction::Outbound);
        let out = |cause| Outgoing {
            head: head.clone(),
            bytes: bytes.to_vec(),
            trace,
            cause,
            origin: origin.clone(),
        };
        if conn.gated.front.is_some() {
            if conn.has_room(bytes.len()) {
                conn.gated.out_bytes += bytes.len();
                conn.gated.behind.push_back(out(self.cause));
                return;
            }
            // That nothing more fits is not the adapter's doing: what is held goes on.
            let cause = self.cause;
            self.release_outgoing(now, id);
            self.cause = cause;
            if let Some(conn) = self.conns.get_mut(&id) {
                conn.send_now();
            }
            return self.push(now, id, head, bytes, trace);
        }
        if head.kind == Some(FrameType::HelloAck) {
            return self.push(now, id, head, bytes, trace);
        }
        let Some(taken) = self.ask_gate(now, id, bytes, Some(&head)) else {
            return self.push(now, id, head, bytes, trace);
        };
        let cause = self.cause;
        let (notice, waits) = taken.tell(|what| self.emit(now, None, what, bytes));
        match (waits, self.conns.get_mut(&id)) {
            (Waits::Held(waiting), Some(conn)) => {
                conn.gated.out_bytes += bytes.len();
                conn.gated.front = Some(Stopped { held: waiting, notice, frame: out(cause) });
            }
            (Waits::Held(_), None) => {}
            (Waits::Not(release), _) => {
                self.pass_frame(now, id, notice, out(cause), release);
                self.cause = cause;
            }
        }
    }

    fn pass_frame(&mut self, now: Now, id: ConnectionId, notice: Notice, out: Outgoing, release: Release) {
        let (seq, origin) = self.tell_passed(now, notice, &release);
        self.cause = Some(seq);
        let Outgoing { head, bytes, trace, origin: made, .. } = out;
        self.by_hand.putting = origin.or(made).map(|origin| (Direction::Outbound, origin));
        match release.how {
            Passing::Dropped => {}
            Passing::Cut => {
                let part = bytes.get(..bytes.len() / 2).unwrap_or_default();
                if let Some(conn) = self.conns.get_mut(&id) {
                    // What does not fit is cut too.
                    let _ = conn.push(part);
                    conn.send_now();
                }
                self.on_connection_lost(now, id, CloseCause::WriteFailed);
            }
            Passing::Duplicated => {
                self.push(now, id, head.clone(), &bytes, trace);
                self.push(now, id, head, &bytes, trace);
            }
            Passing::AsItWas | Passing::Edited | Passing::TimedOut | Passing::Delayed => {
                match release.bytes {
                    Some(changed) => {
                        let judged = self.bridge.judge(now, &Stand::Towards(id), &changed);
                        let head = if let AnyHead::Mpp(head) = judged.head { head } else { head };
                        self.push(now, id, head, &changed, trace);
                    }
                    None => self.push(now, id, head, &bytes, trace),
                }
            }
        }
        self.by_hand.putting = None;
    }
}

impl Conn {
    /// What is to leave next, where nothing is held.
    fn next_behind(&mut self) -> Option<Outgoing> {
        if self.gated.front.is_some() { None } else { self.gated.take_behind() }
    }
}
