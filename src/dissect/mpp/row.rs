//! The bridge's row of the table.

use std::borrow::Cow;

use super::{close_cause::breach_of, frame::MppFrame, preview, summary, transitions, verdict};
use crate::{
    dissect::{
        breach::Breach,
        decoder::{Decoder, Subject},
        summary::EntrySummary,
        table::{DissectHead, DissectTransition},
        transitions::TransitionDetails,
        verdict::VerdictLine,
    },
    tap::entry::{
        Frame,
        mpp::{FrameType, Head, Transition},
    },
};

impl DissectHead for Head {
    fn name(&self) -> &'static str {
        self.kind.map_or("unknown frame", FrameType::name)
    }

    fn decoder(&self) -> &'static dyn Decoder {
        &MppFrame
    }

    fn summary<'a>(&'a self, frame: &'a Frame) -> EntrySummary<'a> {
        summary::frame_summary(frame, self)
    }

    fn line(&self, frame: &Frame) -> Cow<'static, str> {
        summary::frame_line(frame, self)
    }

    fn preview<'a>(&self, frame: &Frame, bytes: &'a [u8]) -> Cow<'a, str> {
        preview::frame_preview(frame, self, bytes)
    }

    fn verdict(&self, subject: &Subject, frame: &Frame) -> Vec<VerdictLine> {
        verdict::frame_verdict(subject, frame, self)
    }

    fn is_routine(&self) -> bool {
        false
    }
}

impl DissectTransition for Transition {
    fn summary(&self) -> EntrySummary<'_> {
        summary::summary(self)
    }

    fn line(&self) -> Cow<'static, str> {
        summary::line(self)
    }

    fn details(&self) -> TransitionDetails {
        transitions::details(self)
    }

    fn breach(&self) -> Option<Breach> {
        if let Self::Disconnected { cause, .. } = self { breach_of(*cause) } else { None }
    }

    fn is_routine(&self) -> bool {
        false
    }
}
