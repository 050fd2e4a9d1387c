//! The bus's row of the table.

use std::borrow::Cow;

use super::{frame::RmpFrames, preview, summary, transitions, verdict};
use crate::{
    dissect::{
        breach::Breach,
        decoder::{Decoder, Subject},
        summary::EntrySummary,
        table::{DissectHead, DissectTransition},
        transitions::TransitionDetails,
        verdict::VerdictLine,
    },
    rmp::{CloseCause, FrameKind, Head, Transition, topic::METRICS},
    tap::entry::Frame,
};

impl DissectHead for Head {
    fn name(&self) -> &'static str {
        self.kind.map_or("unknown frame", FrameKind::name)
    }

    fn decoder(&self) -> &'static dyn Decoder {
        &RmpFrames
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
        self.topic.as_ref().is_some_and(|topic| topic.as_str() == METRICS)
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
        match self {
            Self::Disconnected { cause: CloseCause::Refused(refusal), .. } => Some(Breach::Bus(*refusal)),
            Self::Disconnected { cause: CloseCause::HelloTimeout, .. } => Some(Breach::BusHelloTimeout),
            _ => None,
        }
    }

    fn is_routine(&self) -> bool {
        matches!(self, Self::QueueStats { .. } | Self::SessionStats { .. } | Self::DedupeStats { .. })
    }
}
