//! The links, a row for each: what every one of them says of its frames and of its changes of state. A
//! further protocol adds a folder that implements the two traits, and here the texts of its clauses.

use std::borrow::Cow;

use super::{
    breach::Breach,
    decoder::{Decoder, Subject},
    mpp, plugin, rmp,
    summary::EntrySummary,
    transitions::TransitionDetails,
    verdict::VerdictLine,
};
use crate::tap::entry::{Frame, Head, Transition, links};

/// What the frames of a link mean, by what the tap knows of each.
pub(super) trait DissectHead {
    /// The type of the frame.
    fn name(&self) -> &'static str;

    /// What reads its bytes.
    fn decoder(&self) -> &'static dyn Decoder;

    /// What it tells of.
    fn summary<'a>(&'a self, frame: &'a Frame) -> EntrySummary<'a>;

    /// What it says, in one line without what peers wrote. A refused one says what is wrong with it.
    fn line(&self, frame: &Frame) -> Cow<'static, str>;

    /// The part of its bytes that is worth a line.
    fn preview<'a>(&self, frame: &Frame, bytes: &'a [u8]) -> Cow<'a, str>;

    /// What was made of it.
    fn verdict(&self, subject: &Subject, frame: &Frame) -> Vec<VerdictLine>;

    /// Whether one comes every second whatever happens.
    fn is_routine(&self) -> bool;
}

/// The type of a frame; `?` where that could not be read.
pub(crate) fn kind_of(head: &Head) -> &'static str {
    of_head(head).name()
}

/// What a frame says, in one line without what peers wrote.
pub(crate) fn frame_line(frame: &Frame) -> Cow<'static, str> {
    of_head(&frame.head).line(frame)
}

/// What the changes of a link's state mean.
pub(super) trait DissectTransition {
    /// What it tells of.
    fn summary(&self) -> EntrySummary<'_>;

    /// What happened, in one line without what peers wrote.
    fn line(&self) -> Cow<'static, str>;

    /// Its name, its fields, and what the text beside it is.
    fn details(&self) -> TransitionDetails;

    /// The breach by a peer that it tells of.
    fn breach(&self) -> Option<Breach>;

    /// Whether one comes every second whatever happens.
    fn is_routine(&self) -> bool;
}

/// A link's rows, written in its folder, whose `summary`, `preview`, `verdict` and `transitions` they name.
macro_rules! dissects {
    (
        $Head:ty { name: $name:expr, decoder: $decoder:expr, is_routine: $head_is_routine:expr $(,)? }
        $($transition:tt)+
    ) => {
        impl $crate::dissect::table::DissectHead for $Head {
            fn name(&self) -> &'static str {
                let name: fn(&Self) -> &'static str = $name;
                name(self)
            }

            fn decoder(&self) -> &'static dyn $crate::dissect::decoder::Decoder {
                &$decoder
            }

            fn summary<'a>(
                &'a self,
                frame: &'a $crate::tap::entry::Frame,
            ) -> $crate::dissect::summary::EntrySummary<'a> {
                summary::frame_summary(frame, self)
            }

            fn line(&self, frame: &$crate::tap::entry::Frame) -> std::borrow::Cow<'static, str> {
                summary::frame_line(frame, self)
            }

            fn preview<'a>(
                &self,
                frame: &$crate::tap::entry::Frame,
                bytes: &'a [u8],
            ) -> std::borrow::Cow<'a, str> {
                preview::frame_preview(frame, self, bytes)
            }

            fn verdict(
                &self,
                subject: &$crate::dissect::decoder::Subject,
                frame: &$crate::tap::entry::Frame,
            ) -> Vec<$crate::dissect::verdict::VerdictLine> {
                verdict::frame_verdict(subject, frame, self)
            }

            fn is_routine(&self) -> bool {
                let is_routine: fn(&Self) -> bool = $head_is_routine;
                is_routine(self)
            }
        }

        $crate::dissect::table::dissects! { $($transition)+ }
    };
    ($Transition:ty { breach: $breach:expr, is_routine: $is_routine:expr $(,)? }) => {
        impl $crate::dissect::table::DissectTransition for $Transition {
            fn summary(&self) -> $crate::dissect::summary::EntrySummary<'_> {
                summary::summary(self)
            }

            fn line(&self) -> std::borrow::Cow<'static, str> {
                summary::line(self)
            }

            fn details(&self) -> $crate::dissect::transitions::TransitionDetails {
                transitions::details(self)
            }

            fn breach(&self) -> Option<$crate::dissect::Breach> {
                let breach: fn(&Self) -> Option<$crate::dissect::Breach> = $breach;
                breach(self)
            }

            fn is_routine(&self) -> bool {
                let is_routine: fn(&Self) -> bool = $is_routine;
                is_routine(self)
            }
        }
    };
}

pub(super) use dissects;

macro_rules! declare {
    ($( $(#[$doc:meta])* $Link:ident $module:ident $title:literal $($Head:ident $Verdict:ident)?; )*) => {
        /// The row of a frame's link.
        pub(super) const fn of_head(head: &Head) -> &dyn DissectHead {
            match head { $( $( $Head::$Link(head) => head, )? )* }
        }

        /// The row of a transition's link.
        pub(super) const fn of_transition(transition: &Transition) -> &dyn DissectTransition {
            match transition { $( Transition::$Link(transition) => transition, )* }
        }
    };
}

links!(declare);

/// The texts of a link's clauses, by the clause.
type ClauseText = fn(&str) -> Option<&'static str>;

/// The links whose peers break clauses.
pub(super) const CLAUSES: [ClauseText; 3] = [mpp::clause_text, rmp::clause_text, plugin::clause_text];
