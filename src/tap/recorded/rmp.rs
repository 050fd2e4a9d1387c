//! The bus: heads, verdicts, causes of a close, transitions.

use super::{
    error::DecodeError,
    form::{Recorded, recorded},
    wire,
};
use crate::{
    ids::ConnectionId,
    tap::entry::rmp::{CloseCause, Dialect, DropReason, FrameKind, Gauge, Head, Kind, Transition, Verdict},
    time::ClockShift,
};

recorded! {
    codes FrameKind = RmpFrameKind {
        Hello, Subscribe, Unsubscribe, Publish, Ping, Welcome, Ok, Error, Deliver, Pong,
    }
    codes Dialect = RmpDialect { Frames, Json }
    codes Kind = RmpKind { Agent, Ui, Tui, Viewer, Cue, Station }
    codes DropReason = RmpDropReason { TtlExpired, Duplicate, BackpressureTimeout }
    struct Head = RmpHead "rmp_head" { kind, dialect, topic, schema_id, msg_id, sub, refusal, session }
    enum Verdict = rmp_verdict::Kind, "rmp_verdict" in RmpVerdict.kind {
        Accepted = Accepted,
        Published { subscribers, dropped } = Published(wire::RmpPublished { subscribers, dropped }),
        Refused(refusal) = Refused(refusal),
        TooLate = TooLate,
    }
    enum CloseCause = rmp_close_cause::Kind, "rmp_close_cause" in RmpCloseCause.kind {
        PeerClosed = PeerClosed,
        ReadFailed = ReadFailed,
        WriteFailed = WriteFailed,
        HelloTimeout = HelloTimeout,
        Refused(refusal) = Refused(refusal),
        NotReading = NotReading,
        Kicked = Kicked,
        TooManyConnections = TooManyConnections,
        MadeRoom = MadeRoom,
        NoToken = NoToken,
        TooManyOfPeer = TooManyOfPeer,
        FrameTimeout = FrameTimeout,
        ReceivingFull = ReceivingFull,
        Shutdown = Shutdown,
    }
    default struct Gauge = RmpGauge "gauge" { queued_messages, queued_bytes, delivered, dropped }
    enum Transition = rmp_transition::Kind, "rmp" in RmpTransition.kind {
        Listening { path } = Listening(path),
        NotListening = NotListening,
        Connected { session, peer } = Connected(wire::RmpConnected { session, peer }),
        Greeted { session, client, kind, dialect } = Greeted(wire::RmpGreeted {
            session,
            greeting: Some(wire::RmpGreeting { client, kind, dialect }),
        }) else Kind::Greeted(_),
        Disconnected { session, cause } = Disconnected(wire::RmpDisconnected { session, cause }),
        Subscribed { session, sub, topic } = Subscribed(wire::RmpSubscribed {
            subscription: Some(wire::RmpSubscription { session, sub }),
            topic,
        }) else Kind::Subscribed(_),
        Unsubscribed { session, sub } = Unsubscribed(wire::RmpSubscription { session, sub }),
        Dropped { reason, topic, to, from, count, msg_id, expires_at_ms } =
            Dropped(wire::RmpDropped { reason, topic, to, from, count, msg_id, expires_at_ms }),
        QueueStats { session, sub, gauge } = Gauged(wire::RmpGauged {
            subscription: Some(wire::RmpSubscription { session, sub }),
            gauge,
        }) else Kind::Gauged(_),
        SessionStats { session, published, refused } =
            Counted(wire::RmpCounted { session, published, refused }),
        DedupeStats { keys, evicted_young, lost_evicted_young, topics } =
            Remembered(wire::RmpRemembered { keys, evicted_young, lost_evicted_young, topics }),
        ClockJumped { by_ms } = ClockJumpedMs(by_ms),
    }
}

impl Recorded<wire::RmpSubscription> for (ConnectionId, u64) {
    fn recorded(&self) -> wire::RmpSubscription {
        wire::RmpSubscription { session: self.0.recorded(), sub: self.1 }
    }

    fn live(it: wire::RmpSubscription, _: &'static str, _: ClockShift) -> Result<Self, DecodeError> {
        Ok((ConnectionId(it.session), it.sub))
    }
}

/// Drops by reason. Absent, they are none: protobuf leaves out what is all default.
impl Recorded<Option<wire::RmpDrops>> for [u64; DropReason::ALL.len()] {
    fn recorded(&self) -> Option<wire::RmpDrops> {
        let of = |reason: DropReason| self[reason.index()];
        Some(wire::RmpDrops {
            ttl_expired: of(DropReason::TtlExpired),
            duplicate: of(DropReason::Duplicate),
            backpressure_timeout: of(DropReason::BackpressureTimeout),
        })
    }

    fn live(it: Option<wire::RmpDrops>, _: &'static str, _: ClockShift) -> Result<Self, DecodeError> {
        let it = it.unwrap_or_default();
        Ok(DropReason::ALL.map(|reason| match reason {
            DropReason::TtlExpired => it.ttl_expired,
            DropReason::Duplicate => it.duplicate,
            DropReason::BackpressureTimeout => it.backpressure_timeout,
        }))
    }
}
