//! Frames: their heads, verdicts and redaction.

use std::{ops::Range, sync::Arc};

use super::{
    error::DecodeError,
    form::{Recorded, recorded},
    wire,
};
use crate::{
    tap::entry::{
        Direction, Door, Frame, FrameOrigin, Head, Redaction, Verdict,
        gate::{Intercepted, Passed, Passing},
    },
    time::ClockShift,
};

recorded! {
    codes Direction = Direction { Inbound, Outbound }
    codes Door = Door { Own, AsPeer, AsStation, Gate }
    codes Passing = Passing { AsItWas, Edited, Dropped, TimedOut, Delayed, Duplicated, Cut }
    struct FrameOrigin = FrameOrigin "frame origin" { by, door, number, of }
    struct Frame = Frame "frame" { direction, peer, wire_bytes, redaction, origin, head, verdict }
    struct Intercepted = Intercepted "intercepted" { number, rule, hold_ms, frame }
    struct Passed = Passed "passed" { number, how, by }
    enum Head = frame::Head, "head" {
        Mpp(head) = MppHead(head),
        Rmp(head) = RmpHead(head),
        Macp(head) = MacpHead(head),
        Plugin(head) = PluginHead(head),
    }
    enum Verdict = frame::Verdict, "verdict" {
        Sent = Sent,
        Mpp(verdict) = MppVerdict(verdict),
        Rmp(verdict) = RmpVerdict(verdict),
        Macp(verdict) = MacpVerdict(verdict),
        Plugin(verdict) = PluginVerdict(verdict),
    }
    struct Range<u32> = Range "range" { start, end }
}

impl Recorded<Option<wire::Redaction>> for Redaction {
    fn recorded(&self) -> Option<wire::Redaction> {
        let how = match self {
            Self::None => return None,
            Self::Masked(ranges) => wire::redaction::How::Masked(wire::Masked { ranges: ranges.recorded() }),
            Self::Withheld => wire::redaction::How::Withheld(wire::Nothing {}),
        };
        Some(wire::Redaction { how: Some(how) })
    }

    fn live(
        it: Option<wire::Redaction>,
        field: &'static str,
        shift: ClockShift,
    ) -> Result<Self, DecodeError> {
        let Some(it) = it else { return Ok(Self::None) };
        Ok(match it.how.ok_or(DecodeError::Missing(field))? {
            wire::redaction::How::Masked(it) => Self::Masked(Recorded::live(it.ranges, field, shift)?),
            wire::redaction::How::Withheld(_) => Self::Withheld,
        })
    }
}

impl Recorded<wire::FrameOrigin> for Arc<FrameOrigin> {
    fn recorded(&self) -> wire::FrameOrigin {
        (**self).recorded()
    }

    fn live(it: wire::FrameOrigin, field: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        Ok(Self::new(FrameOrigin::live(it, field, shift)?))
    }
}
