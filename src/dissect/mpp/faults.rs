//! What the bridge's peers break.

use std::sync::Arc;

use crate::{
    dissect::{
        Breach,
        violations::{FRAME_CHARS_MAX, FaultDraft},
    },
    ids::Peer,
    tap::{
        EntryRef,
        entry::{
            Direction, Frame, Head, Redaction, Transition, Verdict, What, mpp,
            mpp::{CloseCause, FrameType},
        },
    },
};

/// The breach that an entry tells of. One that a frame brought is counted there, one that no frame brought
/// where the connection ends.
pub(in crate::dissect) fn fault_of(entry: EntryRef<'_>) -> Option<FaultDraft> {
    match &entry.entry.what {
        What::Frame(Frame {
            direction: Direction::Inbound,
            peer,
            head: Head::Mpp(head),
            verdict: Verdict::Mpp(mpp::Verdict::Refused(fault)),
            redaction,
            wire_bytes,
            origin: _,
        }) => {
            let (excerpt, full_frame) = match redaction {
                Redaction::Withheld => (
                    format!(
                        "{wire_bytes} bytes, withheld: a frame that is not a handshake may contain a token"
                    ),
                    None,
                ),
                Redaction::None | Redaction::Masked(_) => {
                    (entry.text().chars().take(FRAME_CHARS_MAX).collect(), Some(Arc::from(entry.bytes)))
                }
            };
            Some(FaultDraft {
                frame: head.kind.map(FrameType::name),
                excerpt: Some(excerpt.into()),
                full_frame,
                ..FaultDraft::new(Breach::from(*fault), peer.clone())
            })
        }
        What::Transition(Transition::Mpp(mpp::Transition::Disconnected {
            peer,
            cause: CloseCause::HelloTimeout,
            ..
        })) => Some(FaultDraft::new(Breach::HelloTimeout, peer.clone())),
        _ => None,
    }
}

/// What a connection that is being closed is told: the message of a `protocol_error` of ours.
pub(crate) fn reply_of(entry: EntryRef<'_>) -> Option<(&Peer, Arc<str>)> {
    #[derive(serde::Deserialize)]
    struct CloseMessage {
        message: String,
    }
    let What::Frame(Frame { direction: Direction::Outbound, peer, head: Head::Mpp(head), .. }) =
        &entry.entry.what
    else {
        return None;
    };
    if head.kind != Some(FrameType::ProtocolError) {
        return None;
    }
    let CloseMessage { message } = serde_json::from_slice(entry.bytes).ok()?;
    Some((peer, message.chars().take(FRAME_CHARS_MAX).collect::<String>().into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        limits::Limits,
        tap::{Draft, Tap, entry::Link},
        time::Now,
    };

    #[test]
    fn bytes_that_were_withheld_are_told_as_that_and_not_as_their_note() {
        let fault = mpp::Fault::Protocol {
            code: mpp::ErrorCode::InvalidFrame,
            violation: mpp::Violation::AlreadyParked,
        };
        let frame = Frame {
            direction: Direction::Inbound,
            peer: "127.0.0.1:1".into(),
            head: Head::Mpp(mpp::Head::default()),
            verdict: Verdict::Mpp(mpp::Verdict::Refused(fault)),
            redaction: Redaction::Withheld,
            wire_bytes: 31,
            origin: None,
        };
        let tap = Tap::new(Limits::default().tap);
        let mut reader = tap.reader().unwrap();
        let bytes = br#"{"withheld":{"bytes":31}}"#;
        tap.emit(Draft {
            at: Now::at_ms(0),
            link: Link::Mpp,
            trace: None,
            cause: None,
            what: What::Frame(frame),
            bytes,
        });
        let batch = reader.read().unwrap();
        let fault = batch.iter().find_map(fault_of).unwrap();
        assert_eq!(
            fault.excerpt.as_deref(),
            Some("31 bytes, withheld: a frame that is not a handshake may contain a token")
        );
    }
}
