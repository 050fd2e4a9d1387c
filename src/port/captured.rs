//! A captured frame that is sent again: the way that it takes, and whether all of it is kept.

use super::{DoorSpec, WorkbenchError};
use crate::{
    rmp::{Dialect, FrameKind, Kind},
    tap::{
        EntryRef,
        entry::{Direction, Frame, Head, Redaction, What, mpp::FrameType},
    },
};

impl DoorSpec {
    /// The door of a captured frame, and the topic that it is published on; `client` is what a session of the
    /// bus of its own is called.
    #[must_use]
    pub fn of_captured(frame: &Frame, client: &str) -> (Self, Option<String>) {
        let is_inbound = frame.direction == Direction::Inbound;
        let peer = |dialect, kind| Self::Peer { dialect, kind, client: client.to_owned() };
        match &frame.head {
            Head::Mpp(head) if is_inbound => {
                (Self::Adapter { hello: head.kind != Some(FrameType::Hello) }, None)
            }
            Head::Mpp(_) => (Self::ToAdapter, None),
            Head::Rmp(head) if is_inbound => {
                let kind = (head.kind != Some(FrameKind::Hello)).then_some(Kind::Agent);
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

/// The captured frame that an entry is, whole.
///
/// # Errors
/// Why it cannot be sent again: it is no frame, the tap withheld it, or kept a part of it.
pub fn whole_frame(entry: EntryRef<'_>) -> Result<&Frame, WorkbenchError> {
    let What::Frame(frame) = &entry.entry.what else {
        return Err(WorkbenchError::NotWhole { why: "the entry is not a frame".to_owned() });
    };
    let (kept, bytes) = (entry.bytes.len() as u64, u64::from(frame.wire_bytes));
    if frame.redaction == Redaction::Withheld {
        return Err(WorkbenchError::Withheld);
    }
    if kept < bytes { Err(WorkbenchError::FrameCut { kept, bytes }) } else { Ok(frame) }
}
