//! The bridge's transitions.

use super::{
    error::DecodeError,
    mpp::{live_close, recorded_close},
    plain, wire,
};
use crate::{
    ids::{EventName, InvocationId, ManifestHash, PackId, Peer, QueueName, RefundId, SessionId, StateKey},
    tap::entry::mpp::{Brake, Transition},
};

const NOTHING: wire::Nothing = wire::Nothing {};

pub(super) fn recorded(transition: &Transition) -> wire::MppTransition {
    use wire::mpp_transition::Kind;
    let kind = match transition {
        Transition::Listening { addr } => Kind::Listening(addr.to_string()),
        Transition::NotListening => Kind::NotListening(NOTHING),
        Transition::Paired => Kind::Paired(NOTHING),
        Transition::Connected { peer } => Kind::Connected(peer.to_string()),
        Transition::Handshaken { peer, session_id, persisted } => Kind::Handshaken(wire::Handshaken {
            peer: peer.to_string(),
            session_id: session_id.0,
            persisted: *persisted,
        }),
        Transition::Disconnected { peer, active, cause } => Kind::Disconnected(wire::Disconnected {
            peer: peer.to_string(),
            active: *active,
            cause: Some(recorded_close(*cause)),
        }),
        Transition::Stale { silent_s } => Kind::StaleSilentS(*silent_s),
        Transition::Parked { queue } => Kind::Parked(queue.to_string()),
        Transition::Enqueued { id, queue, event } => Kind::Enqueued(row(*id, queue, Some(event))),
        Transition::Dispatched { id, queue, event } => Kind::Dispatched(row(*id, queue, Some(event))),
        Transition::Acked { id, queue } => Kind::Acked(row(*id, queue, None)),
        Transition::Applied { id, queue, cleared } => {
            Kind::Applied(wire::Row { cleared: *cleared, ..row(*id, queue, None) })
        }
        Transition::Done { id, queue, event, cleared, settled } => {
            Kind::Done(wire::Row { cleared: *cleared, settled: *settled, ..row(*id, queue, Some(event)) })
        }
        Transition::Failed { id, queue, event, from, cleared, by } => Kind::Failed(wire::RowFailed {
            row: Some(wire::Row { cleared: *cleared, ..row(*id, queue, Some(event)) }),
            from: plain::to_row_state(*from),
            by: plain::to_failed_by(*by),
        }),
        Transition::Refunded { id, queue, event } => Kind::Refunded(row(*id, queue, Some(event))),
        Transition::Requeued { id, queue } => Kind::Requeued(row(*id, queue, None)),
        Transition::Orphaned { id, queue } => Kind::LeftApplied(row(*id, queue, None)),
        Transition::RefundRecorded { refund, id, status } => Kind::RefundRecorded(wire::RefundRecorded {
            refund: refund.0,
            id: id.0,
            status: plain::to_refund_status(*status),
        }),
        Transition::OtherCancelled { id, queue } => Kind::OtherCancelled(row(*id, queue, None)),
        Transition::Migrated { queue, rows, failed } => {
            Kind::Migrated(wire::Migrated { queue: queue.to_string(), rows: *rows, failed: *failed })
        }
        Transition::Braked { queue, brake } => {
            Kind::Braked(wire::Braked { queue: queue.to_string(), brake: Some(recorded_brake(*brake)) })
        }
        Transition::Drained { queue } => Kind::Drained(queue.to_string()),
        Transition::Logged { level } => Kind::Logged(plain::to_level(*level)),
        Transition::StateWritten { key, persist } => {
            Kind::StateWritten(wire::StateWritten { key: key.to_string(), persist: *persist })
        }
        Transition::PersistedLeftOut { key } => Kind::PersistedLeftOut(key.to_string()),
        Transition::CommitsFailing => Kind::CommitsFailing(NOTHING),
        Transition::CommitsOk => Kind::CommitsWell(NOTHING),
        Transition::PackLoaded { pack_id, manifest_hash } => Kind::PackLoaded(wire::PackLoaded {
            pack_id: pack_id.to_string(),
            manifest_hash: manifest_hash.to_string(),
        }),
    };
    wire::MppTransition { kind: Some(kind) }
}

pub(super) fn live(transition: wire::MppTransition) -> Result<Transition, DecodeError> {
    use wire::mpp_transition::Kind;
    Ok(match transition.kind.ok_or(DecodeError::Missing("mpp.kind"))? {
        Kind::Listening(addr) => Transition::Listening { addr: plain::addr(&addr, "listening")? },
        Kind::NotListening(_) => Transition::NotListening,
        Kind::Paired(_) => Transition::Paired,
        Kind::Connected(peer) => Transition::Connected { peer: Peer::new(&peer) },
        Kind::Handshaken(it) => Transition::Handshaken {
            peer: Peer::new(&it.peer),
            session_id: SessionId(it.session_id),
            persisted: it.persisted,
        },
        Kind::Disconnected(it) => Transition::Disconnected {
            peer: Peer::new(&it.peer),
            active: it.active,
            cause: live_close(it.cause)?,
        },
        Kind::StaleSilentS(silent_s) => Transition::Stale { silent_s },
        Kind::Parked(queue) => Transition::Parked { queue: QueueName::new(&queue) },
        Kind::Enqueued(row) => Transition::Enqueued { id: id(&row), queue: queue(&row), event: event(&row) },
        Kind::Dispatched(row) => {
            Transition::Dispatched { id: id(&row), queue: queue(&row), event: event(&row) }
        }
        Kind::Acked(row) => Transition::Acked { id: id(&row), queue: queue(&row) },
        Kind::Applied(row) => Transition::Applied { id: id(&row), queue: queue(&row), cleared: row.cleared },
        Kind::Done(row) => Transition::Done {
            id: id(&row),
            queue: queue(&row),
            event: event(&row),
            cleared: row.cleared,
            settled: row.settled,
        },
        Kind::Failed(it) => live_failed(it)?,
        Kind::Refunded(row) => Transition::Refunded { id: id(&row), queue: queue(&row), event: event(&row) },
        Kind::Requeued(row) => Transition::Requeued { id: id(&row), queue: queue(&row) },
        Kind::LeftApplied(row) => Transition::Orphaned { id: id(&row), queue: queue(&row) },
        Kind::RefundRecorded(it) => Transition::RefundRecorded {
            refund: RefundId(it.refund),
            id: InvocationId(it.id),
            status: plain::refund_status(it.status, "refund_recorded.status")?,
        },
        Kind::OtherCancelled(row) => Transition::OtherCancelled { id: id(&row), queue: queue(&row) },
        Kind::Migrated(it) => {
            Transition::Migrated { queue: QueueName::new(&it.queue), rows: it.rows, failed: it.failed }
        }
        Kind::Braked(it) => {
            Transition::Braked { queue: QueueName::new(&it.queue), brake: live_brake(it.brake) }
        }
        Kind::Drained(queue) => Transition::Drained { queue: QueueName::new(&queue) },
        Kind::Logged(level) => Transition::Logged { level: plain::level(level, "logged")? },
        Kind::StateWritten(it) => {
            Transition::StateWritten { key: StateKey::new(&it.key), persist: it.persist }
        }
        Kind::PersistedLeftOut(key) => Transition::PersistedLeftOut { key: StateKey::new(&key) },
        Kind::CommitsFailing(_) => Transition::CommitsFailing,
        Kind::CommitsWell(_) => Transition::CommitsOk,
        Kind::PackLoaded(it) => Transition::PackLoaded {
            pack_id: PackId::new(&it.pack_id),
            manifest_hash: ManifestHash::new(&it.manifest_hash),
        },
    })
}

fn live_failed(it: wire::RowFailed) -> Result<Transition, DecodeError> {
    let row = it.row.ok_or(DecodeError::Missing("failed.row"))?;
    Ok(Transition::Failed {
        id: id(&row),
        queue: queue(&row),
        event: event(&row),
        from: plain::row_state(it.from, "failed.from")?,
        cleared: row.cleared,
        by: plain::failed_by(it.by, "failed.by")?,
    })
}

pub(crate) fn recorded_brake(Brake { held, draining }: Brake) -> wire::Brake {
    wire::Brake { held, draining }
}

/// An absent brake holds nothing: protobuf leaves out what is all default.
pub(crate) fn live_brake(brake: Option<wire::Brake>) -> Brake {
    brake.map(|wire::Brake { held, draining }| Brake { held, draining }).unwrap_or_default()
}

fn row(id: InvocationId, queue: &QueueName, event: Option<&EventName>) -> wire::Row {
    wire::Row {
        id: id.0,
        queue: queue.to_string(),
        event: event.map(ToString::to_string).unwrap_or_default(),
        cleared: false,
        settled: false,
    }
}

fn id(row: &wire::Row) -> InvocationId {
    InvocationId(row.id)
}

fn queue(row: &wire::Row) -> QueueName {
    QueueName::new(&row.queue)
}

fn event(row: &wire::Row) -> EventName {
    EventName::new(&row.event)
}
