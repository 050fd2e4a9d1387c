//! The links, a row for each: what every one of them says of its frames and of its changes of state. A
//! further protocol adds a folder that implements the two traits, and its rows here.

use std::borrow::Cow;

use super::{
    breach::Breach,
    decoder::{Decoder, Subject},
    mpp, rmp,
    summary::EntrySummary,
    transitions::TransitionDetails,
    verdict::VerdictLine,
};
use crate::tap::entry::{Frame, Head, Transition};

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

/// The row of a frame's link.
pub(super) const fn of_head(head: &Head) -> &dyn DissectHead {
    match head {
        Head::Mpp(head) => head,
        Head::Rmp(head) => head,
        Head::Macp(head) => head,
    }
}

/// The row of a transition's link.
pub(super) const fn of_transition(transition: &Transition) -> &dyn DissectTransition {
    match transition {
        Transition::Station(transition) => transition,
        Transition::Mpp(transition) => transition,
        Transition::Rmp(transition) => transition,
        Transition::Runs(transition) => transition,
        Transition::Macp(transition) => transition,
    }
}

/// The texts of a link's clauses, by the clause.
type ClauseText = fn(&str) -> Option<&'static str>;

/// The links whose peers break clauses.
pub(super) const CLAUSES: [ClauseText; 2] = [mpp::clause_text, rmp::clause_text];
