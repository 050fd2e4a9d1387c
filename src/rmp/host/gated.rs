//! Units that the gate stops before the broker takes them, and what both ways have in common. A session
//! whose unit is held is not read.

use std::{
    cell::OnceCell,
    sync::Arc,
    task::{Context, Poll},
};

use super::{conn::Phase, run::Host};
use crate::{
    gate::{self, Cleared, Look, Notice, Offer, Offered, Release, Stopped, Waits},
    ids::{ConnectionId, Seq},
    rmp::{
        Dialect, HEADER_BYTES, PREFIX_BYTES, Stand,
        broker::{Broker, Input, Wire, class_of},
        split::{self, UnitSplit},
    },
    tap::{
        OriginCell, Tap,
        entry::{
            Direction, FrameOrigin, Head, Link, Verdict,
            gate::Passing,
            rmp::{CloseCause, FrameKind},
        },
    },
    time::Now,
};

/// What the gate holds of a connection.
#[derive(Debug, Default)]
pub(super) struct Gated {
    /// The unit that came last.
    unit: Option<Stopped<(Vec<u8>, Dialect)>>,
    /// The unit that is first to leave.
    pub(super) front: Option<Stopped<Vec<u8>>>,
    /// The first unit was asked about: it leaves without being asked again.
    pub(super) asked: Option<Vec<u8>>,
    /// What comes and is not asked about.
    cleared_in: Cleared,
    /// What leaves and is not asked about.
    pub(super) cleared_out: Cleared,
    /// What leaves before the queue: units that were changed, or a part of one.
    pub(super) replacement: Vec<u8>,
    /// The connection ends once that has left.
    pub(super) is_cut: bool,
    /// The connection is about to end: nothing is stopped any more.
    is_over: bool,
}

/// What became of the first unit of some bytes.
pub(super) enum Taken {
    /// Nothing: it goes its way as without a gate.
    Ungated,
    /// It was dealt with, and took so many bytes.
    Unit(usize),
    /// It is not whole; how long it will be, where that is known.
    Part(Option<usize>),
    /// It is held, and took so many bytes.
    Held(usize),
}

impl Gated {
    /// Whether the connection is not to be read.
    pub(super) const fn holds_unit(&self) -> bool {
        self.unit.is_some()
    }

    /// Ready when a unit is released.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<(Direction, Release)> {
        gate::poll_released(self.unit.as_mut(), self.front.as_mut(), cx)
    }
}

/// What the broker says of a unit.
struct AtBroker<'a> {
    broker: &'a Broker,
    tap: &'a Tap,
    now: Now,
    stand: Stand,
    wire: &'a [u8],
    judged: OnceCell<(Head, Verdict)>,
}

impl Look for AtBroker<'_> {
    fn head(&self) -> Option<Head> {
        match self.stand {
            Stand::Connection(id) => self.broker.head_of_publish(self.now, id, self.wire).map(Head::Rmp),
            Stand::Towards(_) | Stand::Newcomer { .. } => None,
        }
    }

    fn judged(&self) -> (Head, Verdict) {
        let judge = || {
            let judged = self.broker.judge(self.now, &self.stand, self.wire);
            (judged.head, judged.verdict.unwrap_or(Verdict::Sent))
        };
        self.judged.get_or_init(judge).clone()
    }

    /// A `Hello` is one even where the session is open already.
    fn is_secret(&self) -> bool {
        let Head::Rmp(head) = self.judged().0 else { return true };
        matches!(head.kind, Some(FrameKind::Hello | FrameKind::Welcome))
            || self.tap.finds_token(Link::Rmp, self.wire)
    }
}

impl Host {
    /// Asks the gate about a unit, and remembers that all of its class pass.
    pub(super) fn ask_gate(
        &mut self,
        now: Now,
        id: ConnectionId,
        direction: Direction,
        (wire, control): (&[u8], &[u8]),
    ) -> Option<Box<gate::Taken>> {
        let stand = match direction {
            Direction::Inbound => Stand::Connection(id),
            Direction::Outbound => Stand::Towards(id),
        };
        let conn = self.conns.get(&id).filter(|conn| !conn.gated.is_over)?;
        let (broker, tap) = (&self.broker, &self.tap);
        let look = AtBroker { broker, tap, now, stand, wire, judged: OnceCell::new() };
        // What was put among what leaves is told of when it is put.
        let by_hand = conn.by_hand.as_ref().filter(|_| direction == Direction::Inbound);
        let origin = by_hand.map(OriginCell::get);
        let offer = Offer { link: Link::Rmp, direction, peer: &conn.peer, bytes: wire, origin };
        match self.gate.offer(now, &offer, &look) {
            Offered::Taken(taken) => return Some(taken),
            Offered::ClassPasses { version } => {
                let Gated { cleared_in, cleared_out, .. } = &mut self.conns.get_mut(&id)?.gated;
                let cleared = if direction == Direction::Inbound { cleared_in } else { cleared_out };
                if let Some(class) = class_of(control) {
                    cleared.add(version, class);
                }
            }
            Offered::Passes => {}
        }
        None
    }

    /// Asks the gate about the first unit of some bytes, whose first frame has `len` bytes: a `Publish` and
    /// its message are one.
    pub(super) fn take_unit(
        &mut self,
        now: Now,
        id: ConnectionId,
        dialect: Dialect,
        bytes: &[u8],
        len: usize,
    ) -> Taken {
        if !self.gate.is_armed(Link::Rmp, Direction::Inbound) {
            return Taken::Ungated;
        }
        let Some((frame, behind)) = bytes.split_at_checked(len) else { return Taken::Ungated };
        let class = if dialect == Dialect::Frames { class_of(frame) } else { None };
        if let Some(conn) = self.conns.get_mut(&id)
            && class.is_some_and(|class| conn.gated.cleared_in.has(&self.gate, class))
        {
            return Taken::Ungated;
        }
        if !self.broker.may_be_held(id) {
            return Taken::Ungated;
        }
        let is_publish = dialect == Dialect::Frames && self.broker.is_publish(now, id, frame);
        let len = match is_publish.then(|| split::split_unit(behind, dialect, self.limits.body_bytes_max)) {
            None => len,
            Some(UnitSplit::Whole(message)) => len + message,
            Some(UnitSplit::Part(whole)) => return Taken::Part(whole.map(|whole| len + whole)),
            Some(UnitSplit::Broken(_)) => return Taken::Ungated,
        };
        let Some(unit) = bytes.get(..len) else { return Taken::Ungated };
        let Some(taken) = self.ask_gate(now, id, Direction::Inbound, (unit, frame)) else {
            self.hand_in(now, id, dialect, unit, None);
            return Taken::Unit(len);
        };
        self.cause = None;
        let (notice, waits) = taken.tell(|what| self.emit(now, None, what, unit));
        match waits {
            Waits::Held(held) => {
                let frame = (unit.to_vec(), dialect);
                if let Some(conn) = self.conns.get_mut(&id) {
                    conn.gated.unit = Some(Stopped { held, notice, frame });
                }
                // What has begun behind it is read when it goes.
                self.receiving.end(id);
                Taken::Held(len)
            }
            Waits::Not(release) => {
                self.pass_unit(now, id, notice, (dialect, unit), &release);
                Taken::Unit(len)
            }
        }
    }

    /// Hands a unit to the broker, caused by this entry.
    fn hand_in(&mut self, now: Now, id: ConnectionId, dialect: Dialect, unit: &[u8], passed: Option<Seq>) {
        self.passed = passed;
        self.cause = None;
        let body_bytes_max = self.limits.body_bytes_max;
        let mut at = 0;
        while let Some(rest) = unit.get(at..).filter(|rest| !rest.is_empty()) {
            let error = match split::split_unit(rest, dialect, body_bytes_max) {
                UnitSplit::Whole(len) => {
                    let frame = rest.get(..len).unwrap_or(rest);
                    let input = match dialect {
                        Dialect::Frames => Input::Frame { session: id, frame: Wire::Lent(frame) },
                        Dialect::Json => Input::Unit { session: id, unit: frame },
                    };
                    self.broker.handle(now, input);
                    at += len;
                    continue;
                }
                UnitSplit::Broken(error) => Some(error),
                UnitSplit::Part(_) => split::truncation(rest, dialect, body_bytes_max),
            };
            if let Some(error) = error {
                self.broker.handle(now, Input::Broken { session: id, dialect, error });
                let seen = at + rest.len().min(PREFIX_BYTES + HEADER_BYTES);
                self.drain(now, unit.get(..seen).unwrap_or(unit));
                self.break_off(id);
            }
            break;
        }
        self.drain(now, unit);
        self.passed = None;
    }

    /// Says how a unit leaves the gate, and as whose it goes on where it was changed.
    pub(super) fn tell_passed(
        &mut self,
        now: Now,
        notice: Notice,
        release: &Release,
    ) -> (Seq, Option<Arc<FrameOrigin>>) {
        self.cause = Some(notice.seq);
        let seq = self.emit(now, None, notice.passed(release), release.bytes.as_deref().unwrap_or_default());
        (seq, notice.origin(release).map(Arc::new))
    }

    fn pass_unit(
        &mut self,
        now: Now,
        id: ConnectionId,
        notice: Notice,
        (dialect, unit): (Dialect, &[u8]),
        release: &Release,
    ) {
        let (seq, origin) = self.tell_passed(now, notice, release);
        self.putting = origin.map(|origin| (Direction::Inbound, origin));
        match release.how {
            Passing::Dropped => {}
            Passing::Cut => {
                self.break_off(id);
                self.on_connection_lost(now, id, CloseCause::PeerClosed);
            }
            Passing::Duplicated => {
                self.hand_in(now, id, dialect, unit, Some(seq));
                if self.conns.get(&id).is_some_and(|conn| conn.phase == Phase::Open) {
                    self.hand_in(now, id, dialect, unit, Some(seq));
                }
            }
            Passing::AsItWas | Passing::Edited | Passing::TimedOut | Passing::Delayed => {
                let bytes = release.bytes.as_deref().unwrap_or(unit);
                self.hand_in(now, id, dialect, bytes, Some(seq));
            }
        }
        self.putting = None;
    }

    /// A unit goes on, and what has come behind it, or waits to leave behind it.
    pub(super) fn on_released(
        &mut self,
        now: Now,
        id: ConnectionId,
        direction: Direction,
        release: &Release,
    ) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        match direction {
            Direction::Inbound => {
                if let Some(Stopped { notice, frame: (wire, dialect), .. }) = conn.gated.unit.take() {
                    self.pass_unit(now, id, notice, (dialect, &wire), release);
                }
                self.handle_kept(now, id);
            }
            Direction::Outbound => {
                if let Some(Stopped { notice, frame: wire, .. }) = conn.gated.front.take() {
                    self.pass_front(now, id, notice, wire, release);
                }
                // What leaves behind it has causes of its own.
                self.cause = None;
                self.write(now, id);
                self.finish_turn(now);
            }
        }
    }

    /// Whether the gate holds anything of a connection.
    pub(super) fn holds_any(&self, id: ConnectionId) -> bool {
        let gated = self.conns.get(&id).map(|conn| &conn.gated);
        gated.is_some_and(|gated| gated.unit.is_some() || gated.front.is_some())
    }

    /// Before a connection ends: what the gate holds of it goes on, with all that has come behind it.
    pub(super) fn release_held(&mut self, now: Now, id: ConnectionId) {
        let Some(conn) = self.conns.get_mut(&id).filter(|conn| !conn.gated.is_over) else { return };
        conn.gated.is_over = true;
        if let Some(mut stopped) = conn.gated.unit.take() {
            let release = stopped.release();
            let (unit, dialect) = stopped.frame;
            self.pass_unit(now, id, stopped.notice, (dialect, &unit), &release);
            self.handle_kept(now, id);
        }
        let front = self.conns.get_mut(&id).and_then(|conn| conn.gated.front.take());
        if let Some(mut front) = front {
            let release = front.release();
            self.pass_front(now, id, front.notice, front.frame, &release);
        }
    }
}
