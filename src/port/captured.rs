//! A captured frame that is sent again: the way that it takes, and whether all of it is kept.

use std::{borrow::Cow, ops::Range};

use super::{DoorSpec, WorkbenchError};
use crate::{
    rmp::{Dialect, FrameKind, Kind},
    tap::{
        EntryRef,
        entry::{Direction, Frame, Head, Redaction, What, mpp::FrameType},
    },
    words::token::LENT_TOKEN,
};

/// Who is there as a captured frame is sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Present {
    /// Whether an adapter is connected. One is at a time: what an adapter sent goes in its place.
    pub has_adapter: bool,
    /// The kind of the session of the bus that sent the frame, while it is there.
    pub kind: Option<Kind>,
}

impl DoorSpec {
    /// The door of a captured frame, and the topic that it is published on; `client` is what a session of the
    /// bus of its own is called, which is an agent where the sender's kind is not known.
    #[must_use]
    pub fn of_captured(frame: &Frame, client: &str, present: Present) -> (Self, Option<String>) {
        let is_inbound = frame.direction == Direction::Inbound;
        let peer = |dialect, kind| Self::Peer { dialect, kind, client: client.to_owned() };
        match &frame.head {
            Head::Mpp(head) if is_inbound && head.kind == Some(FrameType::Hello) => {
                (Self::Adapter { hello: false }, None)
            }
            Head::Mpp(_) if is_inbound && present.has_adapter => (Self::AsAdapter, None),
            Head::Mpp(_) if is_inbound => (Self::Adapter { hello: true }, None),
            Head::Mpp(_) => (Self::ToAdapter, None),
            Head::Rmp(head) if is_inbound => {
                let kind = present.kind.unwrap_or(Kind::Agent);
                let kind = (head.kind != Some(FrameKind::Hello)).then_some(kind);
                let is_published = head.kind == Some(FrameKind::Publish) && head.dialect == Dialect::Frames;
                let topic = head.topic.as_ref().filter(|_| is_published).map(ToString::to_string);
                (peer(head.dialect, kind), topic)
            }
            Head::Rmp(head) => match head.session {
                Some(session) => (Self::ToPeer { session }, None),
                None => (peer(head.dialect, Some(Kind::Agent)), None),
            },
            Head::Macp(head) => (Self::Call { rpc: head.rpc }, None),
            Head::Plugin(head) if is_inbound => (Self::AsPlugin { plugin: head.plugin.clone() }, None),
            Head::Plugin(head) => (Self::ToPlugin { plugin: head.plugin.clone() }, None),
        }
    }
}

/// The captured frame that an entry is, or that the gate stopped, whole, and its bytes as they are sent
/// again: a hello of the bridge has `$TOKEN` where its token was masked, for which the station lends one.
///
/// # Errors
/// Why it cannot be sent again: it is no frame, or an answer of the runtime; the tap withheld or masked it,
/// or kept a part of it.
pub fn whole_frame(entry: EntryRef<'_>) -> Result<(&Frame, Cow<'_, [u8]>), WorkbenchError> {
    let frame = match &entry.entry.what {
        What::Frame(frame) => frame,
        What::Intercepted(it) => &it.frame,
        _ => return Err(WorkbenchError::NotWhole { why: "the entry is not a frame".to_owned() }),
    };
    if matches!(frame.head, Head::Macp(_)) && frame.direction == Direction::Outbound {
        return Err(WorkbenchError::AnAnswer);
    }
    let (kept, bytes) = (entry.bytes.len() as u64, u64::from(frame.wire_bytes));
    match &frame.redaction {
        Redaction::Withheld => Err(WorkbenchError::Withheld),
        _ if kept < bytes => Err(WorkbenchError::FrameCut { kept, bytes }),
        Redaction::None => Ok((frame, Cow::Borrowed(entry.bytes))),
        // An empty token hides nothing.
        Redaction::Masked(places) if places.is_empty() => Ok((frame, Cow::Borrowed(entry.bytes))),
        Redaction::Masked(places) => match with_lent_token(frame, places, entry.bytes) {
            Some(bytes) => Ok((frame, Cow::Owned(bytes))),
            None => Err(WorkbenchError::Withheld),
        },
    }
}

/// A hello with a token that is lent in place of its own; nothing of a frame with another secret.
fn with_lent_token(frame: &Frame, places: &[Range<u32>], bytes: &[u8]) -> Option<Vec<u8>> {
    let is_hello = matches!(&frame.head, Head::Mpp(head) if head.kind == Some(FrameType::Hello));
    let [place] = places else { return None };
    let (start, end) = (usize::try_from(place.start).ok()?, usize::try_from(place.end).ok()?);
    let (before, after) = (bytes.get(..start)?, bytes.get(end..)?);
    let colon = before.strip_suffix(b"\"")?.trim_ascii_end();
    let name = colon.strip_suffix(b":")?.trim_ascii_end();
    let is_token = name.ends_with(b"\"bridge_token\"") && after.starts_with(b"\"");
    (is_hello && frame.direction == Direction::Inbound && is_token)
        .then(|| [before, LENT_TOKEN.as_bytes(), after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::Seq,
        macp::{self, Rpc},
        tap::entry::{Entry, Link, Verdict, gate::Intercepted, mpp, rmp},
        time::Now,
    };

    const HELLO: &[u8] = br#"{"type":"hello","bridge_token": "****","pack_id":"p"}"#;

    fn entry(kind: FrameType, redaction: Redaction) -> Entry {
        let frame = Frame {
            direction: Direction::Inbound,
            peer: "127.0.0.1:1".into(),
            head: Head::Mpp(mpp::Head { kind: Some(kind), ..mpp::Head::default() }),
            verdict: Verdict::Mpp(mpp::Verdict::Accepted),
            wire_bytes: u32::try_from(HELLO.len()).unwrap(),
            redaction,
            origin: None,
        };
        let what = What::Frame(frame);
        Entry { seq: Seq(1), at: Now::at_ms(0), link: Link::Mpp, trace: None, cause: None, what }
    }

    fn sent(kind: FrameType, redaction: Redaction) -> Result<String, WorkbenchError> {
        let entry = entry(kind, redaction);
        let (_, bytes) = whole_frame(EntryRef { entry: &entry, bytes: HELLO })?;
        Ok(String::from_utf8(bytes.into_owned()).unwrap())
    }

    #[test]
    fn a_frame_takes_the_way_of_who_is_there() {
        let frame = |kind| match entry(kind, Redaction::None).what {
            What::Frame(frame) => frame,
            _ => unreachable!(),
        };
        let door = |kind, has_adapter| {
            DoorSpec::of_captured(&frame(kind), "test", Present { has_adapter, kind: None }).0
        };
        assert_eq!(door(FrameType::Pull, false), DoorSpec::Adapter { hello: true });
        assert_eq!(door(FrameType::Pull, true), DoorSpec::AsAdapter);
        assert_eq!(door(FrameType::Hello, true), DoorSpec::Adapter { hello: false });
        let mut frame = frame(FrameType::Pull);
        frame.head = Head::Rmp(rmp::Head { kind: Some(FrameKind::Ping), ..rmp::Head::default() });
        let door = |kind| DoorSpec::of_captured(&frame, "test", Present { has_adapter: true, kind }).0;
        let peer =
            |kind| DoorSpec::Peer { dialect: Dialect::Frames, kind: Some(kind), client: "test".to_owned() };
        assert_eq!(door(None), peer(Kind::Agent));
        assert_eq!(door(Some(Kind::Tui)), peer(Kind::Tui));
    }

    #[test]
    fn a_frame_that_the_gate_stopped_is_sent_as_it_came() {
        let mut entry = entry(FrameType::Pull, Redaction::None);
        let What::Frame(frame) = entry.what.clone() else { unreachable!() };
        let of = frame.clone();
        entry.what = What::Intercepted(Intercepted { number: 1, rule: 1, hold_ms: None, frame }.into());
        let (found, bytes) = whole_frame(EntryRef { entry: &entry, bytes: HELLO }).unwrap();
        assert_eq!((found, &*bytes), (&of, HELLO));
    }

    #[test]
    fn an_answer_of_the_runtime_is_not_sent_by_itself() {
        let sent = |direction| {
            let mut entry = entry(FrameType::Log, Redaction::None);
            if let What::Frame(frame) = &mut entry.what {
                (frame.head, frame.direction) = (Head::Macp(macp::Head::new(Rpc::Send)), direction);
            }
            whole_frame(EntryRef { entry: &entry, bytes: HELLO }).map(|(_, bytes)| bytes.into_owned())
        };
        assert_eq!(sent(Direction::Outbound), Err(WorkbenchError::AnAnswer));
        assert_eq!(sent(Direction::Inbound), Ok(HELLO.to_vec()));
    }

    #[test]
    fn a_masked_hello_is_sent_with_a_lent_token_and_no_frame_with_stars() {
        let start = u32::try_from(HELLO.iter().position(|byte| *byte == b'*').unwrap()).unwrap();
        let masked = |places: &[Range<u32>]| Redaction::Masked(places.into());
        let token = start..start + 4;
        let lent = r#"{"type":"hello","bridge_token": "$TOKEN","pack_id":"p"}"#.to_owned();
        assert_eq!(sent(FrameType::Hello, masked(std::slice::from_ref(&token))), Ok(lent));
        let withheld = Err(WorkbenchError::Withheld);
        assert_eq!(sent(FrameType::Log, masked(std::slice::from_ref(&token))), withheld);
        assert_eq!(sent(FrameType::Hello, masked(&[1..2, token])), withheld, "another secret is there");
        assert_eq!(sent(FrameType::Hello, masked(std::slice::from_ref(&(1..5)))), withheld);
        assert_eq!(sent(FrameType::Hello, Redaction::Withheld), withheld);
        assert!(sent(FrameType::Hello, Redaction::None).unwrap().contains("****"), "it said that itself");
    }
}
