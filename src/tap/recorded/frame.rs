//! Frames: their heads, verdicts and redaction.

use super::{error::DecodeError, macp, mpp, plain, rmp, wire};
use crate::{
    ids::Peer,
    tap::entry::{Frame, Head, Redaction, Verdict},
};

pub(super) fn recorded(frame: &Frame) -> wire::Frame {
    let head = match &frame.head {
        Head::Mpp(head) => wire::frame::Head::MppHead(mpp::recorded_head(head)),
        Head::Rmp(head) => wire::frame::Head::RmpHead(rmp::recorded_head(head)),
        Head::Macp(head) => wire::frame::Head::MacpHead(macp::recorded_head(head)),
    };
    let verdict = match &frame.verdict {
        Verdict::Sent => wire::frame::Verdict::Sent(wire::Nothing {}),
        Verdict::Mpp(verdict) => wire::frame::Verdict::MppVerdict(mpp::recorded_verdict(verdict)),
        Verdict::Rmp(verdict) => wire::frame::Verdict::RmpVerdict(rmp::recorded_verdict(verdict)),
        Verdict::Macp(verdict) => wire::frame::Verdict::MacpVerdict(macp::recorded_verdict(*verdict)),
    };
    wire::Frame {
        direction: plain::to_direction(frame.direction),
        peer: frame.peer.as_str().to_owned(),
        wire_bytes: frame.wire_bytes,
        redaction: recorded_redaction(&frame.redaction),
        head: Some(head),
        verdict: Some(verdict),
    }
}

pub(super) fn live(frame: wire::Frame) -> Result<Frame, DecodeError> {
    let head = match frame.head.ok_or(DecodeError::Missing("head"))? {
        wire::frame::Head::MppHead(head) => Head::Mpp(mpp::live_head(&head)?),
        wire::frame::Head::RmpHead(head) => Head::Rmp(rmp::live_head(&head)?),
        wire::frame::Head::MacpHead(head) => Head::Macp(macp::live_head(head)?),
    };
    let verdict = match frame.verdict.ok_or(DecodeError::Missing("verdict"))? {
        wire::frame::Verdict::Sent(wire::Nothing {}) => Verdict::Sent,
        wire::frame::Verdict::MppVerdict(verdict) => Verdict::Mpp(mpp::live_verdict(verdict)?),
        wire::frame::Verdict::RmpVerdict(verdict) => Verdict::Rmp(rmp::live_verdict(verdict)?),
        wire::frame::Verdict::MacpVerdict(verdict) => Verdict::Macp(macp::live_verdict(verdict)?),
    };
    Ok(Frame {
        direction: plain::direction(frame.direction, "direction")?,
        peer: Peer::new(&frame.peer),
        head,
        verdict,
        wire_bytes: frame.wire_bytes,
        redaction: frame.redaction.map_or(Ok(Redaction::None), live_redaction)?,
    })
}

fn recorded_redaction(redaction: &Redaction) -> Option<wire::Redaction> {
    let how = match redaction {
        Redaction::None => return None,
        Redaction::Masked(ranges) => {
            let ranges =
                ranges.iter().map(|range| wire::Range { start: range.start, end: range.end }).collect();
            wire::redaction::How::Masked(wire::Masked { ranges })
        }
        Redaction::Withheld => wire::redaction::How::Withheld(wire::Nothing {}),
    };
    Some(wire::Redaction { how: Some(how) })
}

fn live_redaction(redaction: wire::Redaction) -> Result<Redaction, DecodeError> {
    Ok(match redaction.how.ok_or(DecodeError::Missing("redaction"))? {
        wire::redaction::How::Masked(masked) => {
            Redaction::Masked(masked.ranges.iter().map(|range| range.start..range.end).collect())
        }
        wire::redaction::How::Withheld(wire::Nothing {}) => Redaction::Withheld,
    })
}
