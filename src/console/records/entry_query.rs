//! What the entries of the tap that tell of a record are found by.

use std::fmt;

use crate::{
    ids::{InvocationId, Seq},
    tap::{
        EntryRef,
        entry::{Transition, What},
    },
};

/// What the entries of a place are found by.
pub(crate) enum EntryQuery {
    Invocation(InvocationId),
    /// The entry that told of it.
    Entry(Seq),
    /// An entry itself: its cause, and what it caused.
    Itself(Seq),
    /// Those that tell of a record of a system.
    Telling(Box<dyn Fn(EntryRef<'_>) -> bool>),
}

impl EntryQuery {
    /// The entries of which this holds.
    pub(crate) fn telling(tells: impl Fn(EntryRef<'_>) -> bool + 'static) -> Self {
        Self::Telling(Box::new(tells))
    }

    /// The changes of state of which this holds.
    pub(crate) fn changing(tells: impl Fn(EntryRef<'_>, &Transition) -> bool + 'static) -> Self {
        Self::telling(move |found| match &found.entry.what {
            What::Transition(transition) => tells(found, transition),
            _ => false,
        })
    }
}

impl fmt::Debug for EntryQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invocation(id) => f.debug_tuple("Invocation").field(id).finish(),
            Self::Entry(seq) => f.debug_tuple("Entry").field(seq).finish(),
            Self::Itself(seq) => f.debug_tuple("Itself").field(seq).finish(),
            Self::Telling(_) => f.debug_tuple("Telling").finish_non_exhaustive(),
        }
    }
}
