//! From the tap's transitions to what is told.

use super::{
    Event,
    event::{By, OfRun},
};
use crate::tap::entry::{Link, macp, mpp, rmp, runs, station};

pub(super) fn of_station(transition: &station::Transition, text: impl FnOnce() -> String) -> Option<Event> {
    Some(match transition {
        station::Transition::HostUp { link } => Event::Up { host: link.name() },
        station::Transition::HostDown { link } => Event::Down { host: link.name(), why: text() },
        station::Transition::StoreOk => Event::StoreWell,
        station::Transition::StoreFailing => Event::StoreFailing { why: text() },
        station::Transition::RecordingStarted => Event::RecordingStarted { path: text() },
        station::Transition::RecordingStopped { bytes } => {
            Event::RecordingStopped { path: text(), bytes: *bytes }
        }
        station::Transition::RecordingFailed { .. } => Event::RecordingFailed { why: text() },
        station::Transition::DiskLow { free_bytes } => Event::DiskLow { free_bytes: *free_bytes },
        station::Transition::DiskOk { free_bytes } => Event::DiskWell { free_bytes: *free_bytes },
        station::Transition::Operated { by, .. } => {
            Event::Operated { what: text(), by: by.as_ref().map(By::of) }
        }
        station::Transition::Triggered { name, entry, coalesced, .. } => {
            Event::Triggered { name: name.to_string(), text: text(), entry: *entry, coalesced: *coalesced }
        }
        station::Transition::Marked { by, entry } => {
            Event::Marked { text: text(), entry: *entry, by: by.as_ref().map(By::of) }
        }
        station::Transition::Notice { level } => Event::Notice { level: *level, text: text() },
        station::Transition::TokenShown { .. } => {
            Event::Notice { level: station::Level::Error, text: text() }
        }
        station::Transition::Restarted => Event::Notice { level: station::Level::Warn, text: text() },
        station::Transition::Stopping { .. } => Event::Stopping,
        // What alerts tell is told with what to do, once a second.
        station::Transition::Alert { .. }
        | station::Transition::Started
        | station::Transition::DiskFree { .. }
        | station::Transition::OperationEnded { .. }
        | station::Transition::AlwaysRecording
        | station::Transition::RecordingGrew { .. }
        | station::Transition::TurnedAway { .. } => return None,
    })
}

pub(super) fn of_mpp(transition: &mpp::Transition, text: impl FnOnce() -> String) -> Option<Event> {
    use mpp::Transition as T;
    Some(match transition {
        T::Listening { addr } => Event::Ready { mpp: Some(*addr), rmp: None, macp: None, metrics: None },
        T::NotListening => Event::Down { host: "mpp", why: text() },
        T::Paired => Event::Paired,
        T::Handshaken { peer, session_id, .. } => {
            Event::AdapterConnected { peer: peer.clone(), session_id: *session_id }
        }
        T::Disconnected { peer, active: true, cause } => {
            Event::AdapterDisconnected { peer: peer.clone(), cause: cause.code().to_owned() }
        }
        T::Disconnected { peer, active: false, cause } => {
            Event::AdapterRefused { peer: peer.clone(), cause: cause.code().to_owned() }
        }
        T::Stale { silent_s } => Event::AdapterStale { silent_s: *silent_s },
        T::PersistedLeftOut { key } => Event::PersistedLeftOut { key: key.clone(), why: text() },
        T::Braked { queue, brake } => {
            Event::Braked { queue: queue.clone(), held: brake.held, draining: brake.draining }
        }
        T::Drained { queue } => Event::Drained { queue: queue.clone() },
        T::CommitsFailing | T::ReadsFailing => Event::StoreFailing { why: text() },
        T::CommitsOk | T::ReadsOk => Event::StoreWell,
        T::PackLoaded { pack_id, manifest_hash } => {
            Event::PackLoaded { pack_id: pack_id.clone(), manifest_hash: manifest_hash.as_str().to_owned() }
        }
        _ => return None,
    })
}

/// Events of the bus: whether its socket answers.
pub(super) fn of_rmp(transition: &rmp::Transition, text: impl FnOnce() -> String) -> Option<Event> {
    match transition {
        rmp::Transition::Listening { .. } => Some(Event::Up { host: Link::Rmp.name() }),
        rmp::Transition::NotListening => Some(Event::Down { host: Link::Rmp.name(), why: text() }),
        _ => None,
    }
}

/// Events of sessions: whether the port answers, that they begin, and how they end.
pub(super) fn of_macp(transition: &macp::Transition, text: impl FnOnce() -> String) -> Option<Event> {
    use macp::{Ending, Transition as T};
    Some(match transition {
        T::Listening { .. } => Event::Up { host: Link::Macp.name() },
        T::NotListening => Event::Down { host: Link::Macp.name(), why: text() },
        T::Opened { session, mode, by, .. } => {
            Event::SessionOpened { session: session.id.to_string(), mode: mode.short(), by: by.to_string() }
        }
        T::Ended { session, ending } => {
            let session = session.id.to_string();
            match ending {
                Ending::Resolved => Event::SessionResolved { session, resolution: text() },
                Ending::TtlExpired => Event::SessionExpired { session, damaged: false },
                Ending::LogDamaged => Event::SessionExpired { session, damaged: true },
                Ending::Cancelled => Event::SessionCancelled { session, reason: text() },
            }
        }
        _ => return None,
    })
}

/// Events of rows and lines of the adapter's log: with every detail, and not otherwise.
pub(super) fn of_row(transition: &mpp::Transition, text: impl FnOnce() -> String) -> Option<Event> {
    use mpp::{FailedBy, Transition as T};
    Some(match transition.clone() {
        T::Enqueued { id, queue, event: name, requeued_from } => {
            Event::Enqueued { id, queue, name, requeued_from }
        }
        T::Dispatched { id, queue, event: name } => Event::Dispatched { id, queue, name },
        T::Applied { id, queue, .. } => Event::Applied { id, queue },
        T::Done { id, queue, event: name, settled, .. } => Event::Done { id, queue, name, settled },
        T::Failed { id, queue, event: name, by: FailedBy::Cancelled, .. } => {
            Event::Cancelled { id, queue, name: Some(name), reason: text() }
        }
        T::Failed { id, queue, event: name, by, .. } => {
            Event::Failed { id, queue, name, reason: text(), settled: by == FailedBy::Settled }
        }
        T::Refunded { id, queue, event: name } => Event::Refunded { id, queue, name, reason: text() },
        T::OtherCancelled { id, queue } => Event::Cancelled { id, queue, name: None, reason: text() },
        T::Requeued { id, queue } => Event::Requeued { id, queue },
        T::Orphaned { id, queue } => Event::LeftApplied { id, queue },
        T::RefundRecorded { id, status, .. } => Event::RefundRecorded { id, status },
        T::Migrated { queue, rows, failed } => Event::Migrated { queue, rows, failed },
        T::Logged { level } => Event::Logged { level, text: text() },
        _ => return None,
    })
}

pub(super) fn of_runs(transition: &runs::Transition, text: impl FnOnce() -> String) -> Option<Event> {
    use runs::{Transition as T, Verdict};
    if let T::Braked { held, by } = transition {
        return Some(Event::RunsBraked { held: *held, by: by.client.to_string() });
    }
    let of = OfRun { run: transition.run()?, name: None };
    Some(match transition {
        T::Submitted { run, name, by, nodes } => {
            Event::RunAccepted { run: *run, name: name.to_string(), nodes: *nodes, by: by.client.to_string() }
        }
        T::Rejected { request, by } => {
            Event::RunRejected { request: *request, by: by.client.to_string(), why: text() }
        }
        T::Asked { action, node, expires_at, question, .. } => Event::RunAsks {
            action: *action,
            of,
            node: node.id.to_string(),
            question: question.to_string(),
            expires_at_ms: *expires_at,
        },
        T::Decided { verdict: Verdict::Withdrawn, .. } => return None,
        T::Decided { action, verdict, by, .. } => Event::RunDecided {
            action: *action,
            of,
            verdict: *verdict,
            by: by.as_ref().map(|by| by.client.to_string()),
        },
        T::Ended { state, .. } => {
            Event::RunEnded { of, state: *state, why: Some(text()).filter(|why| !why.is_empty()) }
        }
        _ => return None,
    })
}
