//! What the bridge's entries tell.

use std::borrow::Cow;

use super::close_cause::breach_of;
use crate::{
    dissect::{Breach, outcome::EntryOutcome, summary::EntrySummary},
    tap::entry::{
        Direction, Frame, Verdict as AnyVerdict,
        mpp::{CloseCause, FailedBy, Fault, FrameType, Head, RefundStatus, Transition as T, Verdict},
    },
    words::counted,
};

/// What a frame of the bridge tells of.
pub(super) fn frame_summary<'a>(frame: &'a Frame, head: &'a Head) -> EntrySummary<'a> {
    let (outcome, clause) = match &frame.verdict {
        AnyVerdict::Mpp(Verdict::Accepted) => (EntryOutcome::Ok, None),
        AnyVerdict::Mpp(Verdict::TooLate) => (EntryOutcome::Late, None),
        AnyVerdict::Mpp(Verdict::Refused(fault)) => {
            (EntryOutcome::Fault, Some(Breach::from(*fault).clause()))
        }
        _ => (EntryOutcome::Sent, None),
    };
    EntrySummary {
        kind: head.kind.map_or("?", FrameType::name),
        peer: Some(&frame.peer),
        id: head.id,
        queue: head.queue.as_ref(),
        event: head.event.as_ref(),
        outcome,
        clause,
        ..EntrySummary::default()
    }
}

/// What a frame says, in one line. A refused one says what is wrong with it.
pub(super) fn frame_line(frame: &Frame, head: &Head) -> Cow<'static, str> {
    match &frame.verdict {
        AnyVerdict::Mpp(Verdict::Refused(fault)) => return Breach::from(*fault).text().into(),
        AnyVerdict::Mpp(Verdict::TooLate) => return "arrived after the close, ignored".into(),
        _ => {}
    }
    match (head.kind, frame.direction) {
        (Some(FrameType::Hello) | None, Direction::Inbound) => format!("from {}", frame.peer).into(),
        (Some(FrameType::HelloAck) | None, Direction::Outbound) => format!("to {}", frame.peer).into(),
        (Some(_), _) => frame_summary(frame, head).subject().into(),
    }
}

/// What the bridge's transitions tell of.
pub(super) fn summary(transition: &T) -> EntrySummary<'_> {
    let of = |kind| EntrySummary { kind, ..EntrySummary::default() };
    let warns = |told| EntrySummary { outcome: EntryOutcome::Warn, ..told };
    match transition {
        T::Listening { .. } => of("listening"),
        T::NotListening => EntrySummary { outcome: EntryOutcome::Bad, ..of("not_listening") },
        T::Paired => of("paired"),
        T::Connected { peer } => EntrySummary { peer: Some(peer), ..of("connected") },
        T::Handshaken { peer, .. } => EntrySummary { peer: Some(peer), ..of("handshaken") },
        T::Disconnected { peer, active, cause } => {
            EntrySummary { peer: Some(peer), ..close_summary(*active, *cause) }
        }
        T::Stale { .. } => warns(of("stale")),
        T::Parked { queue } => EntrySummary { queue: Some(queue), ..of("parked") },
        T::Enqueued { id, queue, event, .. } => {
            EntrySummary { id: Some(*id), queue: Some(queue), event: Some(event), ..of("enqueued") }
        }
        T::Dispatched { id, queue, event } => {
            EntrySummary { id: Some(*id), queue: Some(queue), event: Some(event), ..of("dispatched") }
        }
        T::Acked { id, queue } => EntrySummary { id: Some(*id), queue: Some(queue), ..of("acked") },
        T::Applied { id, queue, .. } => EntrySummary { id: Some(*id), queue: Some(queue), ..of("applied") },
        T::Done { id, queue, event, .. } => {
            EntrySummary { id: Some(*id), queue: Some(queue), event: Some(event), ..of("done") }
        }
        T::Failed { id, queue, event, by, .. } => {
            let standing = match by {
                FailedBy::Adapter | FailedBy::UnknownQueue | FailedBy::Schema | FailedBy::Damage => {
                    EntryOutcome::Bad
                }
                FailedBy::Cancelled | FailedBy::Settled => EntryOutcome::Plain,
            };
            EntrySummary {
                id: Some(*id),
                queue: Some(queue),
                event: Some(event),
                outcome: standing,
                ..of("failed")
            }
        }
        T::Refunded { id, queue, event } => {
            warns(EntrySummary { id: Some(*id), queue: Some(queue), event: Some(event), ..of("refunded") })
        }
        T::Requeued { id, queue } => {
            warns(EntrySummary { id: Some(*id), queue: Some(queue), ..of("requeued") })
        }
        T::Orphaned { id, queue } => {
            warns(EntrySummary { id: Some(*id), queue: Some(queue), ..of("left_applied") })
        }
        T::RefundRecorded { id, .. } => EntrySummary { id: Some(*id), ..of("refund") },
        T::OtherCancelled { id, queue } => {
            EntrySummary { id: Some(*id), queue: Some(queue), ..of("other_cancelled") }
        }
        T::Migrated { queue, .. } => EntrySummary { queue: Some(queue), ..of("migrated") },
        T::Braked { queue, .. } => EntrySummary { queue: Some(queue), ..of("braked") },
        T::Drained { queue } => EntrySummary { queue: Some(queue), ..of("drained") },
        T::Logged { level } => EntrySummary { outcome: EntryOutcome::of_level(*level), ..of("logged") },
        T::StateWritten { .. } => of("state_written"),
        T::PersistedLeftOut { .. } => warns(of("left_out")),
        T::CommitsFailing => EntrySummary { outcome: EntryOutcome::Bad, ..of("commits_failing") },
        T::CommitsOk => of("commits_well"),
        T::ReadsFailing => EntrySummary { outcome: EntryOutcome::Bad, ..of("reads_failing") },
        T::ReadsOk => of("reads_ok"),
        T::PackLoaded { .. } => of("pack_loaded"),
    }
}

/// A connection's end: for an active adapter always worth a look, for the others when they broke a rule.
fn close_summary(active: bool, cause: CloseCause) -> EntrySummary<'static> {
    let broken = breach_of(cause).map(Breach::clause);
    let standing = match (broken.is_some(), active) {
        (true, true) => EntryOutcome::Bad,
        (true, false) | (false, true) => EntryOutcome::Warn,
        (false, false) => EntryOutcome::Plain,
    };
    EntrySummary { kind: "disconnected", outcome: standing, clause: broken, ..EntrySummary::default() }
}

/// Whether it was the adapter that ended the connection, or the way to it: otherwise the bridge did.
const fn is_by_peer(cause: CloseCause) -> bool {
    matches!(
        cause,
        CloseCause::PeerClosed
            | CloseCause::ReadFailed
            | CloseCause::WriteFailed
            | CloseCause::Fault(Fault::ByAdapter)
    )
}

/// What becomes of a refund.
const fn refund(status: RefundStatus) -> &'static str {
    match status {
        RefundStatus::Requested => "requested",
        RefundStatus::Skipped => "skipped: bits",
        RefundStatus::Manual => "manual",
    }
}

/// What happened, in one line.
pub(super) fn line(transition: &T) -> Cow<'static, str> {
    let subject = summary(transition).subject();
    match transition {
        T::Listening { addr } => format!("on {addr}").into(),
        T::NotListening => "adapters cannot connect".into(),
        T::Paired => "new token active".into(),
        T::Connected { peer } => format!("from {peer}").into(),
        T::Handshaken { peer, persisted: 0, .. } => format!("adapter {peer}").into(),
        T::Handshaken { peer, persisted, .. } => {
            format!("adapter {peer}, {} restored", counted(*persisted, "state value")).into()
        }
        T::Disconnected { active: true, cause, .. } if is_by_peer(*cause) => {
            format!("adapter disconnected: {}", cause.code()).into()
        }
        T::Disconnected { active: true, cause, .. } => {
            format!("{}: closed by the bridge", cause.code()).into()
        }
        T::Disconnected { peer, active: false, cause } => format!("{peer}: {}", cause.code()).into(),
        T::Stale { silent_s } => format!("the adapter has sent nothing for {silent_s} s").into(),
        T::Enqueued { requeued_from: Some(from), .. } => format!("{subject}, requeued from {from}").into(),
        T::Parked { queue } => format!("adapter waiting on {queue}").into(),
        T::Applied { cleared: true, .. } => format!("{subject}, queue released").into(),
        T::Done { settled: true, .. } => format!("{subject}, settled manually").into(),
        T::Failed { by: FailedBy::Adapter, from, .. } => format!("{subject}, from {}", from.name()).into(),
        T::Failed { by: FailedBy::UnknownQueue, .. } => format!("{subject}: queue not in the pack").into(),
        T::Failed { by: FailedBy::Schema, .. } => format!("{subject}: params do not fit the schema").into(),
        T::Failed { by: FailedBy::Damage, .. } => format!("{subject}: row unreadable").into(),
        T::Failed { by: FailedBy::Cancelled, .. } => format!("{subject}: cancelled").into(),
        T::Failed { by: FailedBy::Settled, .. } => format!("{subject}: settled manually").into(),
        T::Requeued { .. } => format!("{subject}: requeued at the head").into(),
        T::Orphaned { .. } => format!("{subject}: adapter lost, outcome unknown").into(),
        T::RefundRecorded { id, status, .. } => format!("refund of {id} {}", refund(*status)).into(),
        T::Migrated { queue, rows, failed: 0 } => {
            format!("{} on {queue} moved to this manifest", counted(*rows, "row")).into()
        }
        T::Migrated { queue, rows, failed } => {
            format!("{} on {queue} moved to this manifest, {failed} failed", counted(*rows, "row")).into()
        }
        T::Braked { queue, brake } => match (brake.held, brake.draining) {
            (false, false) => format!("{queue} resumed").into(),
            (true, false) => format!("{queue} held").into(),
            (false, true) => format!("{queue} draining").into(),
            (true, true) => format!("{queue} held + draining").into(),
        },
        T::Drained { queue } => format!("{queue} drained").into(),
        T::Logged { level } => level.name().into(),
        T::StateWritten { key, persist: true } => format!("{key}, persisted").into(),
        T::StateWritten { key, persist: false } => key.to_string().into(),
        T::PersistedLeftOut { key } => format!("{key} not restored").into(),
        T::CommitsFailing => "work is held back until they succeed".into(),
        T::CommitsOk => "commits ok again".into(),
        T::ReadsFailing => "rows of a queue unreadable".into(),
        T::ReadsOk => "rows readable again".into(),
        T::PackLoaded { pack_id, .. } => format!("{pack_id} loaded").into(),
        T::Enqueued { .. }
        | T::Dispatched { .. }
        | T::Acked { .. }
        | T::Applied { .. }
        | T::Done { .. }
        | T::Refunded { .. }
        | T::OtherCancelled { .. } => subject.into(),
    }
}
