//! Which entries of the tap are messages of MPLP, and their bodies as far as the tap keeps them.

use std::borrow::Cow;

use crate::{
    dissect::rmp::body_text,
    limits,
    mplp::InputLimits,
    rmp::SchemaId,
    tap::{
        EntryRef,
        entry::{
            Direction, Frame, Head, Redaction, Verdict, What,
            rmp::{self as events, FrameKind},
        },
    },
};

/// What messages are judged within.
pub(super) fn input_limits(limits: &limits::Mplp) -> InputLimits {
    let size = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
    InputLimits {
        bytes_max: size(limits.object_bytes_max),
        depth_max: size(limits.depth_max),
        findings_max: size(limits.findings_max),
    }
}

/// The frame of an entry that is a message of schema id 0x0083 on the bus: whoever published it, in either
/// dialect. One that was refused is none: why is told by its clause.
pub(super) fn message(entry: EntryRef<'_>) -> Option<(&Frame, &events::Head)> {
    let What::Frame(frame) = &entry.entry.what else { return None };
    let (Head::Rmp(head), Direction::Inbound) = (&frame.head, frame.direction) else { return None };
    let is_taken =
        matches!(frame.verdict, Verdict::Rmp(events::Verdict::Accepted | events::Verdict::Published { .. }));
    let is_of_mplp = head.kind == Some(FrameKind::Publish) && head.schema_id == Some(SchemaId::MPLP_EVENT.0);
    (is_taken && is_of_mplp).then_some((frame, head))
}

/// Whether the tap kept a frame to its last byte.
pub(super) fn is_whole(frame: &Frame, bytes: &[u8]) -> bool {
    frame.redaction != Redaction::Withheld && bytes.len() as u64 >= u64::from(frame.wire_bytes)
}

/// A message of MPLP on the bus, as the tap kept it.
pub(crate) enum Published<'a> {
    /// Its body.
    Whole(Cow<'a, [u8]>),
    /// The tap did not keep all of it.
    Cut,
}

/// The message of MPLP that an entry is, if it is one.
pub(crate) fn published(entry: EntryRef<'_>) -> Option<Published<'_>> {
    let (frame, _) = message(entry)?;
    let bytes = entry.bytes;
    // What the broker took is a message; of what is none, its lint says so.
    let whole = is_whole(frame, bytes).then(|| Published::Whole(body(bytes).unwrap_or_default()));
    Some(whole.unwrap_or(Published::Cut))
}

/// The body of a message, of the bytes that were kept of its frame whole; nothing where they are no message.
pub(super) fn body(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    body_text::message(bytes)
}
