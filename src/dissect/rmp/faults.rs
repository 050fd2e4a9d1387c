//! What peers of the bus break.

use std::sync::Arc;

use super::body_text;
use crate::{
    dissect::{
        Breach,
        violations::{FRAME_CHARS_MAX, FaultDraft},
    },
    ids::{ConnectionId, Peer},
    rmp,
    tap::{
        EntryRef,
        entry::{
            Direction, Frame, Head, Redaction, Transition, Verdict, What,
            rmp::{CloseCause, FrameKind, Transition as T, Verdict as BusVerdict},
        },
    },
};

/// What a session calls itself.
pub(crate) fn client(bus: Option<&rmp::Snapshot>, session: ConnectionId) -> Option<&str> {
    Some(&*bus?.peers.get(&session)?.greeting.as_ref()?.client).filter(|name| !name.is_empty())
}

/// Who a session is: its name and number where it has said them, and its process.
pub(crate) fn peer_label(peer: &Peer, session: Option<ConnectionId>, bus: Option<&rmp::Snapshot>) -> String {
    match (session, session.and_then(|session| client(bus, session))) {
        (Some(session), Some(name)) => format!("{name} (session {session})"),
        (Some(session), None) => format!("session {session} ({peer})"),
        (None, _) => peer.to_string(),
    }
}

fn draft(
    breach: Breach,
    peer: Peer,
    session: Option<ConnectionId>,
    bus: Option<&rmp::Snapshot>,
) -> FaultDraft {
    let offender = peer_label(&peer, session, bus).into();
    FaultDraft { offender, session, ..FaultDraft::new(breach, peer) }
}

/// The breach that an entry tells of, the bus being as it was. One that a frame brought is counted there, one
/// that no frame brought where the connection ends.
pub(in crate::dissect) fn fault_of(entry: EntryRef<'_>, bus: Option<&rmp::Snapshot>) -> Option<FaultDraft> {
    match &entry.entry.what {
        What::Frame(Frame {
            direction: Direction::Inbound,
            peer,
            head: Head::Rmp(head),
            verdict: Verdict::Rmp(BusVerdict::Refused(refusal)),
            redaction,
            ..
        }) => {
            let (excerpt, full_frame) = match redaction {
                Redaction::Withheld => (None, None),
                Redaction::None | Redaction::Masked(_) => {
                    (Some(hex(entry.bytes).into()), Some(Arc::from(entry.bytes)))
                }
            };
            Some(FaultDraft {
                frame: head.kind.map(FrameKind::name),
                excerpt,
                full_frame,
                ..draft(Breach::Bus(*refusal), peer.clone(), head.session, bus)
            })
        }
        What::Transition(Transition::Rmp(T::Disconnected { session, cause: CloseCause::HelloTimeout })) => {
            let known = bus.and_then(|bus| bus.peers.get(session));
            let peer =
                known.map_or_else(|| Peer::new(&format!("session {session}")), |known| known.peer.clone());
            Some(draft(Breach::BusHelloTimeout, peer, Some(*session), bus))
        }
        _ => None,
    }
}

/// What a peer is told of its breach.
pub(in crate::dissect) fn reply_of(entry: EntryRef<'_>) -> Option<(&Peer, Arc<str>)> {
    match &entry.entry.what {
        What::Frame(Frame { direction: Direction::Outbound, peer, head: Head::Rmp(head), .. })
            if head.refusal.is_some() =>
        {
            let words = body_text::error_message(entry.bytes)?;
            Some((peer, words.chars().take(FRAME_CHARS_MAX).collect::<String>().into()))
        }
        _ => None,
    }
}

/// The first bytes of a frame as pairs of hex digits.
fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().take(FRAME_CHARS_MAX / 3).map(|byte| format!("{byte:02x}"));
    digits.collect::<Vec<_>>().join(" ")
}
