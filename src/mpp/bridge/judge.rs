//! What would be made of bytes that an adapter has not sent yet.

use std::{net::Ipv4Addr, time::Duration};

use super::{
    core::Bridge,
    decide::{Action, Decision, head_of, refuse},
    dispatch::{Pumped, invocation_head},
    frames::refusal_of,
};
use crate::{
    admission::{Origin, Plan, TurnedAway},
    ids::{ConnectionId, InvocationId, QueueName},
    judged::{Answer, Certainty, Doubt, Judged, Pending},
    mpp::{
        Stand,
        connection::{ActiveAdapter, HELLO_WITHIN, STALE_AFTER},
        frame::shortfall,
        framing::{Framed, first},
        snapshot::ReadyAfter,
    },
    tap::entry::{
        self, Redaction,
        mpp::{CloseCause, Fault, FrameType, Head, HelloReason, RowState, Verdict, Violation},
    },
    time::{Mono, Now},
    words::counted,
};

/// The connection of a newcomer; none has this number.
const NEWCOMER: ConnectionId = ConnectionId(0);
/// What is made of a line without its LF when the connection ends.
const DROPPED: &str = "the unfinished line is dropped with the connection";

impl Bridge {
    /// What would be made of the first line of some bytes, changing nothing. Numbers and times in its answers
    /// are those of now.
    #[must_use]
    pub fn judge(&self, now: Now, stand: &Stand, bytes: &[u8]) -> Judged {
        self.judge_lending(now, stand, bytes, None)
    }

    /// What would be made of bytes that show this text in place of a token, which is lent before they are
    /// sent (ruling MPP 15).
    #[must_use]
    pub fn judge_lending(&self, now: Now, stand: &Stand, bytes: &[u8], lending: Option<&str>) -> Judged {
        match *stand {
            Stand::Connection(conn) => self.judge_connection(now, conn, bytes, lending),
            Stand::Newcomer => self.judge_newcomer(now, bytes, lending),
            Stand::Greeted => self.judge_greeted(now, bytes),
            Stand::Towards(conn) => self.judge_towards(conn, bytes),
        }
    }

    /// What a whole line of the adapter is, and what would be made of it, without what comes of that.
    #[must_use]
    pub fn verdict_of(&self, now: Now, conn: ConnectionId, wire: &[u8]) -> (Head, Verdict) {
        let Decision { head, verdict, .. } = self.decide(now, conn, wire);
        (head, verdict)
    }

    /// Whether a line of a connection is a hello, its answer, or carries the bridge token, however it is
    /// written.
    #[must_use]
    pub fn is_secret(&self, now: Now, conn: ConnectionId, wire: &[u8]) -> bool {
        let Decision { head, redaction, .. } = self.decide(now, conn, wire);
        matches!(head.kind, Some(FrameType::Hello | FrameType::HelloAck)) || redaction != Redaction::None
    }

    fn judge_connection(&self, now: Now, conn: ConnectionId, bytes: &[u8], lending: Option<&str>) -> Judged {
        let guest = self.unauthenticated.get(&conn);
        if guest.is_none() && self.active.as_ref().is_none_or(|active| active.conn != conn) {
            return too_late(bytes);
        }
        let hello_by = guest.and_then(|_| self.table.speak_by(conn));
        let Some(Framed::Line(wire) | Framed::TooLarge(wire)) = first(bytes) else {
            return self.pending(now, hello_by, bytes);
        };
        let decision = match guest {
            Some(guest) => self.decide_first(now, conn, (Some(&guest.peer), lending), wire),
            None => self.decide(now, conn, wire),
        };
        let lent_until = decision.spends.and_then(|token| self.lent.until(token));
        let judged = self.judged(now, &decision, wire);
        judged.until(now, [hello_by, lent_until].into_iter().flatten().min())
    }

    /// A connection that is accepted now has all its time for its hello.
    fn judge_newcomer(&self, now: Now, bytes: &[u8], lending: Option<&str>) -> Judged {
        let plan = self.admission_plan(Origin::of_address(Ipv4Addr::LOCALHOST.into()));
        let mut judged = match (plan, first(bytes)) {
            (Plan::Refuses(why), _) => {
                let cause = match why {
                    TurnedAway::PeerShare => CloseCause::TooManyOfPeer,
                    _ => CloseCause::TooManyConnections,
                };
                Judged { ends: Some(cause.code().to_owned()), ..too_late(bytes) }
            }
            (_, None) => self.pending(now, Some(now.mono + HELLO_WITHIN), bytes),
            (_, Some(Framed::Line(wire) | Framed::TooLarge(wire))) => {
                self.judged(now, &self.decide_first(now, NEWCOMER, (None, lending), wire), wire)
            }
        };
        judged.doubts.push(Doubt::Transport);
        if let Plan::Evicts(oldest) = plan
            && let Some(guest) = self.unauthenticated.get(&oldest)
        {
            let then = judged.effect.map(|effect| format!(", {effect}")).unwrap_or_default();
            judged.effect = Some(format!("{} closed to make room{then}", guest.peer));
        }
        if plan == Plan::Fits { judged } else { judged.as_of_now(&[Doubt::AnotherPeer]) }
    }

    /// An adapter that connects now finds another in its place where there is one, and the judgement is that
    /// of its hello.
    fn judge_greeted(&self, now: Now, bytes: &[u8]) -> Judged {
        let Some(Framed::Line(wire) | Framed::TooLarge(wire)) = first(bytes) else {
            return self.pending(now, None, bytes);
        };
        let decision = if self.active.is_some() {
            let fault = Fault::Hello(HelloReason::AlreadyConnected);
            refuse(NEWCOMER, head_of(FrameType::Hello), Redaction::Withheld, fault, "")
        } else {
            self.decide_later(&ActiveAdapter::newcomer(NEWCOMER, now), wire)
        };
        let mut judged = self.judged(now, &decision, wire);
        judged.doubts.push(Doubt::Transport);
        judged.as_of_now(&[Doubt::AnotherPeer])
    }

    /// A line whose LF has not come; its first byte is taken to come now.
    fn pending(&self, now: Now, hello_by: Option<Mono>, bytes: &[u8]) -> Judged {
        let if_cut = if bytes.is_empty() { "nothing has come" } else { DROPPED };
        let pending = Pending { missing_bytes: Some(1), if_cut };
        let mut judged = Judged::pending(entry::Head::Mpp(Head::default()), pending);
        judged.taken_bytes = bytes.len();
        let frame_time = Duration::from_millis(self.settings.limits.frame_ms_max);
        let whole_by = (!bytes.is_empty()).then(|| now.mono + frame_time);
        judged.until(now, [hello_by, whole_by].into_iter().flatten().min())
    }

    fn judged(&self, now: Now, decision: &Decision, wire: &[u8]) -> Judged {
        let verdict = entry::Verdict::Mpp(decision.verdict.clone());
        let mut judged = Judged::certain(entry::Head::Mpp(decision.head.clone()), verdict);
        judged.taken_bytes = wire.len();
        match &decision.action {
            Action::Nothing => judged,
            Action::Refuse { fault, message } => {
                self.judged_refused(judged, decision.conn, *fault, message, wire)
            }
            Action::Welcome { .. } => self.judged_welcome(judged),
            Action::Park { queue } => self.judged_park(judged, queue),
            Action::Ack { id } => {
                judged.effect = Some(format!("{id} acked"));
                judged.as_of_now(&[Doubt::AnotherPeer])
            }
            Action::Applied { id, .. } => self.judged_step(judged, *id, RowState::Applied),
            Action::Done { id } => self.judged_step(judged, *id, RowState::Done),
            Action::Failed { id, refund, .. } => {
                let state = if *refund { RowState::Refunded } else { RowState::Failed };
                self.judged_step(judged, *id, state)
            }
            Action::Alive => self.judged_alive(judged, now),
            Action::Log { level, .. } => {
                judged.effect = Some(format!("one line of level {} logged", level.name()));
                judged
            }
            Action::Write { key, .. } => {
                let persist = self.settings.pack.state.get(key).is_some_and(|declared| declared.persist);
                let kept = if persist { " and persisted" } else { "" };
                judged.effect = Some(format!("state {key} written{kept}"));
                judged.as_of_now(if persist { &[Doubt::Commit] } else { &[] })
            }
            Action::AdapterError { .. } => {
                judged.ends = Some(Fault::ByAdapter.to_string());
                judged.effect = Some(format!("adapter disconnected, {}", self.hanging().words()));
                judged
            }
        }
    }

    fn judged_refused(
        &self,
        mut judged: Judged,
        conn: ConnectionId,
        fault: Fault,
        message: &str,
        wire: &[u8],
    ) -> Judged {
        judged.ends = Some(fault.to_string());
        judged.answers.extend(refusal_of(fault, message).map(|(head, bytes)| answer(head, bytes)));
        if self.active.as_ref().is_some_and(|active| active.conn == conn) {
            judged.effect = Some(format!("adapter disconnected, {}", self.hanging().words()));
        }
        match fault {
            Fault::Hello(HelloReason::UnsupportedMppVersion) => {
                judged.shortfall = shortfall(wire, Violation::Version);
                judged
            }
            Fault::Hello(HelloReason::AlreadyConnected) => judged.as_of_now(&[Doubt::AnotherPeer]),
            Fault::Hello(_) => judged.as_of_now(&[]),
            Fault::Protocol { violation, .. } => {
                judged.shortfall = shortfall(wire, violation);
                match hangs_on(violation) {
                    None => judged,
                    Some(doubts) => judged.as_of_now(doubts),
                }
            }
            Fault::ByAdapter => judged,
        }
    }

    fn judged_welcome(&self, mut judged: Judged) -> Judged {
        let (frame, persisted, left_out) = self.welcome_frame();
        judged.answers.push(answer(head_of(FrameType::HelloAck), frame));
        let without = match left_out.len() {
            0 => String::new(),
            left_out => format!(", {left_out} left out"),
        };
        let restored = counted(u64::from(persisted), "state value");
        judged.effect = Some(format!("adapter connected, {restored} restored{without}"));
        judged.as_of_now(&[Doubt::AnotherPeer])
    }

    fn judged_park(&self, mut judged: Judged, name: &QueueName) -> Judged {
        let Pumped { sent, failed, is_read_first } = self.foresee_pump(name);
        let before = match failed {
            0 => String::new(),
            failed => format!("{} failed before dispatch, ", counted(failed, "row")),
        };
        let Some((row, frame)) = sent else {
            let queue = self.queues.get(name);
            let why = match queue {
                Some(queue) if queue.brake.held => ", held",
                Some(queue) if queue.clearing.is_some() => ", its last row is not stored yet",
                _ if is_read_first => ", its next row is read from the store first",
                _ => "",
            };
            judged.effect = Some(format!("{before}queue {name} parked{why}"));
            if is_read_first {
                judged.certainty = Certainty::AfterALook;
            }
            let awaits_commit = failed > 0 || queue.is_some_and(|queue| queue.clearing.is_some());
            let doubts: &[Doubt] =
                if awaits_commit { &[Doubt::AnotherPeer, Doubt::Commit] } else { &[Doubt::AnotherPeer] };
            return judged.as_of_now(doubts);
        };
        judged.answers.push(answer(invocation_head(row.id, name, &row.event), frame));
        judged.effect = Some(format!("{before}{} pending → dispatched on queue {name}", row.id));
        judged.as_of_now(&[Doubt::AnotherPeer])
    }

    fn judged_step(&self, mut judged: Judged, id: InvocationId, to: RowState) -> Judged {
        if let Some(live) = self.live.get(&id) {
            let queue = self.queues.get(&live.queue).filter(|queue| queue.in_flight == Some(id));
            let frees =
                queue.is_some_and(|queue| to.is_terminal() || queue.ready_after == Some(ReadyAfter::Applied));
            let free = if frees { format!(", queue {} free", live.queue) } else { String::new() };
            judged.effect = Some(format!("{id} {} → {}{free}", live.state.name(), to.name()));
        }
        judged.as_of_now(&[Doubt::AnotherPeer, Doubt::Commit])
    }

    /// Nothing but when it is stale next.
    fn judged_alive(&self, mut judged: Judged, now: Now) -> Judged {
        let Some(active) = &self.active else { return judged };
        if active.stale {
            judged.effect = Some("adapter no longer stale".to_owned());
            return judged;
        }
        judged.until(now, Some(active.last_in.mono + STALE_AFTER))
    }
}

/// What a breach hangs on beside the bytes; nothing of one that hangs on them alone.
const fn hangs_on(violation: Violation) -> Option<&'static [Doubt]> {
    match violation {
        Violation::AlreadyParked
        | Violation::StillInFlight
        | Violation::NotDispatchedHere
        | Violation::AlreadyEnded
        | Violation::NotApplied
        | Violation::AlreadyApplied
        | Violation::RefundAfterApplied => Some(&[Doubt::AnotherPeer]),
        // The manifest in force decides.
        Violation::NoSuchQueue
        | Violation::UndeclaredKey
        | Violation::NotTheWriter
        | Violation::StateSchema
        | Violation::StateTooLarge => Some(&[]),
        Violation::NotUtf8
        | Violation::NotJson
        | Violation::NotObject
        | Violation::Version
        | Violation::NoType
        | Violation::UnknownType
        | Violation::HelloFirst
        | Violation::SecondHello
        | Violation::WrongDirection
        | Violation::Missing(_)
        | Violation::Mistyped(_)
        | Violation::TooLarge
        | Violation::TooSlow => None,
    }
}

/// Bytes for a connection that is closed.
pub(super) fn too_late(bytes: &[u8]) -> Judged {
    let taken = match first(bytes) {
        Some(Framed::Line(wire) | Framed::TooLarge(wire)) => wire,
        None => bytes,
    };
    let verdict = entry::Verdict::Mpp(Verdict::TooLate);
    Judged { taken_bytes: taken.len(), ..Judged::certain(entry::Head::Mpp(Head::default()), verdict) }
}

fn answer(head: Head, bytes: Vec<u8>) -> Answer {
    Answer { head: entry::Head::Mpp(head), bytes }
}
