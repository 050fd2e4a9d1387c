//! The MPP bridge.

use std::sync::Arc;

use crate::{
    ids::{EventName, InvocationId, ManifestHash, PackId, Peer, QueueName, SessionId},
    mpp::{self, AdapterView, EndedView, Listener, LiveView, LogView, PackFacts, QueueView, ReadyAfter},
    tap::{
        entry::mpp::CloseCause,
        recorded::{
            DecodeError,
            mpp::{live_close, recorded_close},
            plain::{self, moment, now},
            transition::{live_brake, recorded_brake},
            wire,
        },
    },
    time::Now,
};

const NOTHING: wire::Nothing = wire::Nothing {};

pub(super) fn recorded_mpp(snapshot: &mpp::Snapshot) -> wire::MppView {
    let mpp::Snapshot {
        listener,
        paired,
        pack,
        adapter,
        last_close,
        queues,
        live,
        recent,
        logs,
        commits_failing,
    } = snapshot;
    wire::MppView {
        listener: Some(recorded_listener(listener)),
        paired: *paired,
        pack: Some(recorded_pack(pack)),
        adapter: adapter.as_ref().map(recorded_adapter),
        last_close: last_close.as_ref().map(|(peer, cause, at)| wire::LastClose {
            peer: peer.to_string(),
            cause: Some(recorded_close(*cause)),
            at: Some(moment(*at)),
        }),
        queues: queues.iter().map(|(name, queue)| recorded_queue(name, queue)).collect(),
        live: live.iter().map(|(id, row)| recorded_live(*id, row)).collect(),
        recent: recent.iter().map(recorded_ended).collect(),
        logs: logs.iter().map(recorded_log).collect(),
        commits_failing: commits_failing.as_deref().map(str::to_owned),
    }
}

pub(super) fn live_mpp(it: wire::MppView) -> Result<mpp::Snapshot, DecodeError> {
    let last_close = it.last_close.map(|it| {
        let at = now(it.at, "last_close.at")?;
        Ok::<(Peer, CloseCause, Now), DecodeError>((Peer::new(&it.peer), live_close(it.cause)?, at))
    });
    Ok(mpp::Snapshot {
        listener: live_listener(it.listener)?,
        paired: it.paired,
        pack: live_pack(it.pack.ok_or(DecodeError::Missing("pack"))?),
        adapter: it.adapter.as_ref().map(live_adapter).transpose()?,
        last_close: last_close.transpose()?,
        queues: it.queues.iter().map(live_queue).collect::<Result<_, _>>()?,
        live: it.live.iter().map(live_live).collect::<Result<_, _>>()?,
        recent: it.recent.into_iter().map(live_ended).collect::<Result<_, _>>()?,
        logs: it.logs.into_iter().map(live_log).collect::<Result<_, _>>()?,
        commits_failing: it.commits_failing.map(Arc::from),
    })
}

fn recorded_listener(listener: &Listener) -> wire::Listener {
    use wire::listener::State;
    let state = match listener {
        Listener::Starting => State::Starting(NOTHING),
        Listener::Listening(addr) => State::Listening(addr.to_string()),
        Listener::Down(why) => State::Down(why.to_string()),
    };
    wire::Listener { state: Some(state) }
}

fn live_listener(listener: Option<wire::Listener>) -> Result<Listener, DecodeError> {
    use wire::listener::State;
    Ok(match listener.and_then(|it| it.state).ok_or(DecodeError::Missing("listener"))? {
        State::Starting(_) => Listener::Starting,
        State::Listening(addr) => Listener::Listening(plain::addr(&addr, "listener")?),
        State::Down(why) => Listener::Down(Arc::from(why)),
    })
}

fn recorded_pack(PackFacts { id, name, version, hash, is_sample }: &PackFacts) -> wire::PackFacts {
    wire::PackFacts {
        id: id.to_string(),
        name: name.to_string(),
        version: version.to_string(),
        hash: hash.to_string(),
        is_sample: *is_sample,
    }
}

fn live_pack(it: wire::PackFacts) -> PackFacts {
    PackFacts {
        id: PackId::new(&it.id),
        name: Arc::from(it.name),
        version: Arc::from(it.version),
        hash: ManifestHash::new(&it.hash),
        is_sample: it.is_sample,
    }
}

fn recorded_adapter(
    AdapterView { peer, connected_at, last_in, session_id, stale }: &AdapterView,
) -> wire::AdapterView {
    wire::AdapterView {
        peer: peer.to_string(),
        connected_at: Some(moment(*connected_at)),
        last_in: Some(moment(*last_in)),
        session_id: session_id.0,
        stale: *stale,
    }
}

fn live_adapter(it: &wire::AdapterView) -> Result<AdapterView, DecodeError> {
    Ok(AdapterView {
        peer: Peer::new(&it.peer),
        connected_at: now(it.connected_at, "adapter.connected_at")?,
        last_in: now(it.last_in, "adapter.last_in")?,
        session_id: SessionId(it.session_id),
        stale: it.stale,
    })
}

fn recorded_queue(name: &QueueName, queue: &QueueView) -> wire::QueueView {
    let QueueView { ready_after, pending, other_manifest, in_flight, parked, brake, done, failed } = queue;
    let ready_after = match ready_after {
        None => wire::ReadyAfter::Unspecified,
        Some(ReadyAfter::Applied) => wire::ReadyAfter::Applied,
        Some(ReadyAfter::Done) => wire::ReadyAfter::Done,
    };
    wire::QueueView {
        queue: name.to_string(),
        ready_after: ready_after as i32,
        pending: *pending,
        other_manifest: *other_manifest,
        in_flight: in_flight.map(|id| id.0),
        parked: *parked,
        brake: Some(recorded_brake(*brake)),
        done: *done,
        failed: *failed,
    }
}

fn live_queue(it: &wire::QueueView) -> Result<(QueueName, QueueView), DecodeError> {
    let ready_after = match wire::ReadyAfter::try_from(it.ready_after) {
        Ok(wire::ReadyAfter::Unspecified) => None,
        Ok(wire::ReadyAfter::Applied) => Some(ReadyAfter::Applied),
        Ok(wire::ReadyAfter::Done) => Some(ReadyAfter::Done),
        Err(_) => return Err(DecodeError::Unknown { field: "queue.ready_after", value: it.ready_after }),
    };
    let view = QueueView {
        ready_after,
        pending: it.pending,
        other_manifest: it.other_manifest,
        in_flight: it.in_flight.map(InvocationId),
        parked: it.parked,
        brake: live_brake(it.brake),
        done: it.done,
        failed: it.failed,
    };
    Ok((QueueName::new(&it.queue), view))
}

fn recorded_live(id: InvocationId, row: &LiveView) -> wire::LiveView {
    let LiveView { queue, event, state, since, trace, acked, orphaned: left } = row;
    wire::LiveView {
        id: id.0,
        queue: queue.to_string(),
        event: event.to_string(),
        state: plain::to_row_state(*state),
        since: Some(moment(*since)),
        trace: plain::trace_bytes(*trace),
        acked: *acked,
        left: *left,
    }
}

fn live_live(it: &wire::LiveView) -> Result<(InvocationId, LiveView), DecodeError> {
    let view = LiveView {
        queue: QueueName::new(&it.queue),
        event: EventName::new(&it.event),
        state: plain::row_state(it.state, "live.state")?,
        since: now(it.since, "live.since")?,
        trace: plain::trace(it.trace.as_deref())?,
        acked: it.acked,
        orphaned: it.left,
    };
    Ok((InvocationId(it.id), view))
}

fn recorded_ended(EndedView { id, queue, event, state, at, reason, trace }: &EndedView) -> wire::EndedView {
    wire::EndedView {
        id: id.0,
        queue: queue.to_string(),
        event: event.to_string(),
        state: plain::to_row_state(*state),
        at: Some(moment(*at)),
        reason: reason.as_deref().map(str::to_owned),
        trace: plain::trace_bytes(*trace),
    }
}

fn live_ended(it: wire::EndedView) -> Result<EndedView, DecodeError> {
    Ok(EndedView {
        id: InvocationId(it.id),
        queue: QueueName::new(&it.queue),
        event: EventName::new(&it.event),
        state: plain::row_state(it.state, "recent.state")?,
        at: now(it.at, "recent.at")?,
        reason: it.reason.map(Arc::from),
        trace: plain::trace(it.trace.as_deref())?,
    })
}

fn recorded_log(LogView { at, level, text }: &LogView) -> wire::LogView {
    wire::LogView { at: Some(moment(*at)), level: plain::to_level(*level), text: text.to_string() }
}

fn live_log(it: wire::LogView) -> Result<LogView, DecodeError> {
    Ok(LogView {
        at: now(it.at, "log.at")?,
        level: plain::level(it.level, "log.level")?,
        text: Arc::from(it.text),
    })
}
