//! What the bus is told in.

use std::sync::Arc;

use super::{error::DecodeError, plain, wire};
use crate::{
    ids::{ConnectionId, Peer, TopicName},
    tap::entry::rmp::{CloseCause, Dialect, DropReason, Gauge, Head, Kind, Refusal, Transition, Verdict},
};

const NOTHING: wire::Nothing = wire::Nothing {};

pub(super) fn recorded_head(head: &Head) -> wire::RmpHead {
    let Head { kind, dialect, topic, schema_id, msg_id, sub, refusal, session } = head;
    wire::RmpHead {
        kind: kind.map_or(0, plain::to_rmp_frame_kind),
        dialect: plain::to_rmp_dialect(*dialect),
        topic: topic.as_ref().map(|topic| topic.as_str().to_owned()),
        schema_id: schema_id.map(u32::from),
        msg_id: *msg_id,
        sub: *sub,
        refusal: refusal.map(|refusal| refusal.name().to_owned()),
        session: session.map(|session| session.0),
    }
}

pub(super) fn live_head(head: &wire::RmpHead) -> Result<Head, DecodeError> {
    Ok(Head {
        kind: if head.kind == 0 { None } else { Some(plain::rmp_frame_kind(head.kind, "rmp_head.kind")?) },
        dialect: plain::rmp_dialect(head.dialect, "rmp_head.dialect")?,
        topic: head.topic.as_deref().map(TopicName::new),
        schema_id: live_schema_id(head.schema_id)?,
        msg_id: head.msg_id,
        sub: head.sub,
        refusal: head.refusal.as_deref().map(live_refusal).transpose()?,
        session: head.session.map(ConnectionId),
    })
}

pub(crate) fn live_schema_id(schema_id: Option<u32>) -> Result<Option<u16>, DecodeError> {
    schema_id.map(u16::try_from).transpose().map_err(|_| DecodeError::Invalid("schema_id"))
}

fn live_refusal(name: &str) -> Result<Refusal, DecodeError> {
    Refusal::from_name(name).ok_or(DecodeError::Invalid("refusal"))
}

pub(super) fn recorded_verdict(verdict: &Verdict) -> wire::RmpVerdict {
    use wire::rmp_verdict::Kind;
    let kind = match verdict {
        Verdict::Accepted => Kind::Accepted(NOTHING),
        Verdict::Published { subscribers, dropped } => {
            Kind::Published(wire::RmpPublished { subscribers: *subscribers, dropped: *dropped })
        }
        Verdict::Refused(refusal) => Kind::Refused(refusal.name().to_owned()),
        Verdict::TooLate => Kind::TooLate(NOTHING),
    };
    wire::RmpVerdict { kind: Some(kind) }
}

pub(super) fn live_verdict(verdict: wire::RmpVerdict) -> Result<Verdict, DecodeError> {
    use wire::rmp_verdict::Kind;
    Ok(match verdict.kind.ok_or(DecodeError::Missing("rmp_verdict.kind"))? {
        Kind::Accepted(_) => Verdict::Accepted,
        Kind::Published(wire::RmpPublished { subscribers, dropped }) => {
            Verdict::Published { subscribers, dropped }
        }
        Kind::Refused(name) => Verdict::Refused(live_refusal(&name)?),
        Kind::TooLate(_) => Verdict::TooLate,
    })
}

fn recorded_close(cause: CloseCause) -> wire::RmpCloseCause {
    use wire::rmp_close_cause::Kind;
    let kind = match cause {
        CloseCause::PeerClosed => Kind::PeerClosed(NOTHING),
        CloseCause::ReadFailed => Kind::ReadFailed(NOTHING),
        CloseCause::WriteFailed => Kind::WriteFailed(NOTHING),
        CloseCause::HelloTimeout => Kind::HelloTimeout(NOTHING),
        CloseCause::Refused(refusal) => Kind::Refused(refusal.name().to_owned()),
        CloseCause::NotReading => Kind::NotReading(NOTHING),
        CloseCause::Kicked => Kind::Kicked(NOTHING),
        CloseCause::TooManyConnections => Kind::TooManyConnections(NOTHING),
        CloseCause::Shutdown => Kind::Shutdown(NOTHING),
    };
    wire::RmpCloseCause { kind: Some(kind) }
}

fn live_close(cause: Option<wire::RmpCloseCause>) -> Result<CloseCause, DecodeError> {
    use wire::rmp_close_cause::Kind;
    Ok(match cause.and_then(|cause| cause.kind).ok_or(DecodeError::Missing("rmp_close_cause"))? {
        Kind::PeerClosed(_) => CloseCause::PeerClosed,
        Kind::ReadFailed(_) => CloseCause::ReadFailed,
        Kind::WriteFailed(_) => CloseCause::WriteFailed,
        Kind::HelloTimeout(_) => CloseCause::HelloTimeout,
        Kind::Refused(name) => CloseCause::Refused(live_refusal(&name)?),
        Kind::NotReading(_) => CloseCause::NotReading,
        Kind::Kicked(_) => CloseCause::Kicked,
        Kind::TooManyConnections(_) => CloseCause::TooManyConnections,
        Kind::Shutdown(_) => CloseCause::Shutdown,
    })
}

pub(super) fn recorded(transition: &Transition) -> wire::RmpTransition {
    use wire::rmp_transition::Kind;
    let kind = match transition {
        Transition::Listening { path } => Kind::Listening(path.to_string()),
        Transition::NotListening => Kind::NotListening(NOTHING),
        Transition::Connected { session, peer } => {
            Kind::Connected(wire::RmpConnected { session: session.0, peer: peer.to_string() })
        }
        Transition::Greeted { session, client, kind, dialect } => Kind::Greeted(wire::RmpGreeted {
            session: session.0,
            greeting: Some(recorded_greeting(client, *kind, *dialect)),
        }),
        Transition::Disconnected { session, cause } => Kind::Disconnected(wire::RmpDisconnected {
            session: session.0,
            cause: Some(recorded_close(*cause)),
        }),
        Transition::Subscribed { session, sub, topic } => Kind::Subscribed(wire::RmpSubscribed {
            subscription: Some(subscription((*session, *sub))),
            topic: topic.to_string(),
        }),
        Transition::Unsubscribed { session, sub } => Kind::Unsubscribed(subscription((*session, *sub))),
        Transition::Dropped { reason, topic, to, from, count, msg_id, expires_at_ms } => {
            Kind::Dropped(wire::RmpDropped {
                reason: plain::to_rmp_drop_reason(*reason),
                topic: topic.to_string(),
                to: to.map(subscription),
                from: from.map(|from| from.0),
                count: *count,
                msg_id: *msg_id,
                expires_at_ms: *expires_at_ms,
            })
        }
        Transition::QueueStats { session, sub, gauge } => Kind::Gauged(wire::RmpGauged {
            subscription: Some(subscription((*session, *sub))),
            gauge: Some(recorded_gauge(gauge)),
        }),
        Transition::SessionStats { session, published, refused } => {
            Kind::Counted(wire::RmpCounted { session: session.0, published: *published, refused: *refused })
        }
        Transition::DedupeStats { keys, evicted_young, lost_evicted_young, topics } => {
            let (keys, evicted_young, lost_evicted_young, topics) =
                (*keys, *evicted_young, *lost_evicted_young, *topics);
            Kind::Remembered(wire::RmpRemembered { keys, evicted_young, lost_evicted_young, topics })
        }
        Transition::ClockJumped { by_ms } => Kind::ClockJumpedMs(*by_ms),
    };
    wire::RmpTransition { kind: Some(kind) }
}

pub(super) fn live(transition: wire::RmpTransition) -> Result<Transition, DecodeError> {
    use wire::rmp_transition::Kind;
    Ok(match transition.kind.ok_or(DecodeError::Missing("rmp.kind"))? {
        Kind::Listening(path) => Transition::Listening { path: Arc::from(path) },
        Kind::NotListening(_) => Transition::NotListening,
        Kind::Connected(it) => {
            Transition::Connected { session: ConnectionId(it.session), peer: Peer::new(&it.peer) }
        }
        Kind::Greeted(it) => {
            let (client, kind, dialect) =
                live_greeting(it.greeting.ok_or(DecodeError::Missing("greeting"))?)?;
            Transition::Greeted { session: ConnectionId(it.session), client, kind, dialect }
        }
        Kind::Disconnected(it) => {
            Transition::Disconnected { session: ConnectionId(it.session), cause: live_close(it.cause)? }
        }
        Kind::Subscribed(it) => {
            let (session, sub) = live_subscription(it.subscription)?;
            Transition::Subscribed { session, sub, topic: TopicName::new(&it.topic) }
        }
        Kind::Unsubscribed(it) => {
            let (session, sub) = live_subscription(Some(it))?;
            Transition::Unsubscribed { session, sub }
        }
        Kind::Dropped(it) => Transition::Dropped {
            reason: plain::rmp_drop_reason(it.reason, "rmp.dropped.reason")?,
            topic: TopicName::new(&it.topic),
            to: it.to.map(|to| (ConnectionId(to.session), to.sub)),
            from: it.from.map(ConnectionId),
            count: it.count,
            msg_id: it.msg_id,
            expires_at_ms: it.expires_at_ms,
        },
        Kind::Gauged(it) => {
            let (session, sub) = live_subscription(it.subscription)?;
            Transition::QueueStats { session, sub, gauge: live_gauge(it.gauge.as_ref()) }
        }
        Kind::Counted(it) => Transition::SessionStats {
            session: ConnectionId(it.session),
            published: it.published,
            refused: it.refused,
        },
        Kind::Remembered(wire::RmpRemembered { keys, evicted_young, lost_evicted_young, topics }) => {
            Transition::DedupeStats { keys, evicted_young, lost_evicted_young, topics }
        }
        Kind::ClockJumpedMs(by_ms) => Transition::ClockJumped { by_ms },
    })
}

fn subscription((session, sub): (ConnectionId, u64)) -> wire::RmpSubscription {
    wire::RmpSubscription { session: session.0, sub }
}

fn live_subscription(it: Option<wire::RmpSubscription>) -> Result<(ConnectionId, u64), DecodeError> {
    it.map(|it| (ConnectionId(it.session), it.sub)).ok_or(DecodeError::Missing("subscription"))
}

pub(crate) fn recorded_greeting(client: &str, kind: Kind, dialect: Dialect) -> wire::RmpGreeting {
    wire::RmpGreeting {
        client: client.to_owned(),
        kind: plain::to_rmp_kind(kind),
        dialect: plain::to_rmp_dialect(dialect),
    }
}

pub(crate) fn live_greeting(it: wire::RmpGreeting) -> Result<(Arc<str>, Kind, Dialect), DecodeError> {
    let kind = plain::rmp_kind(it.kind, "greeting.kind")?;
    Ok((Arc::from(it.client), kind, plain::rmp_dialect(it.dialect, "greeting.dialect")?))
}

pub(crate) fn recorded_drops(dropped: [u64; DropReason::ALL.len()]) -> wire::RmpDrops {
    let of = |reason: DropReason| dropped[reason.index()];
    wire::RmpDrops {
        ttl_expired: of(DropReason::TtlExpired),
        duplicate: of(DropReason::Duplicate),
        backpressure_timeout: of(DropReason::BackpressureTimeout),
    }
}

/// Absent drops are none: protobuf leaves out what is all default.
pub(crate) fn live_drops(it: Option<&wire::RmpDrops>) -> [u64; DropReason::ALL.len()] {
    let it = it.copied().unwrap_or_default();
    DropReason::ALL.map(|reason| match reason {
        DropReason::TtlExpired => it.ttl_expired,
        DropReason::Duplicate => it.duplicate,
        DropReason::BackpressureTimeout => it.backpressure_timeout,
    })
}

pub(crate) fn recorded_gauge(
    Gauge { queued_messages, queued_bytes, delivered, dropped }: &Gauge,
) -> wire::RmpGauge {
    wire::RmpGauge {
        queued_messages: *queued_messages,
        queued_bytes: *queued_bytes,
        delivered: *delivered,
        dropped: Some(recorded_drops(*dropped)),
    }
}

pub(crate) fn live_gauge(it: Option<&wire::RmpGauge>) -> Gauge {
    let it = it.copied().unwrap_or_default();
    Gauge {
        queued_messages: it.queued_messages,
        queued_bytes: it.queued_bytes,
        delivered: it.delivered,
        dropped: live_drops(it.dropped.as_ref()),
    }
}
