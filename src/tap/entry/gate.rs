//! Frames that the gate stopped on their way, and what became of them.

use super::{
    Frame,
    names::names,
    station::OperatedBy,
    texts::{Texts, texts},
};

/// A frame that the gate stopped. Its exact bytes lie beside the entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Intercepted {
    /// Its number since the station's start.
    pub number: u64,
    /// The rule that it matched.
    pub rule: u64,
    /// Milliseconds after which it goes on by itself; none of one that goes on at once.
    pub hold_ms: Option<u64>,
    /// The frame, with the verdict that its core would have given at this moment.
    pub frame: Frame,
}

/// What became of a frame that the gate stopped. Its cause is the entry that says it was stopped, and it is
/// the cause of the frame's own entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Its number.
    pub number: u64,
    /// What.
    pub how: Passing,
    /// The operator that decided; none where a rule or the time did.
    pub by: Option<OperatedBy>,
}

names! {
    /// How a frame leaves the gate.
    Passing {
        /// As it was.
        AsItWas = "as_it_was",
        /// As an operator changed it.
        Edited = "edited",
        /// Not at all.
        Dropped = "dropped",
        /// As it was, after all the time that it may be held.
        TimedOut = "timed_out",
        /// As it was, late on purpose.
        Delayed = "delayed",
        /// Twice, on purpose.
        Duplicated = "duplicated",
        /// A part of it, and then the connection ends, on purpose.
        Cut = "cut",
    }
}

texts! {
    Passed {
        Self { number: _, how: _, by } => [by],
    }
}

impl Texts for Intercepted {
    #[inline]
    fn has_text(&self, is: impl Fn(&str) -> bool + Copy) -> bool {
        self.frame.has_text(is)
    }

    fn mask_texts(&mut self, mask: &mut impl FnMut(&str) -> Option<String>) {
        self.frame.mask_texts(mask);
    }
}
