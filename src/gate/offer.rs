//! A frame before the gate, and what comes of it.

use std::sync::Arc;

use bytes::Bytes;

use super::handle::Held;
use crate::{
    ids::{Peer, Seq},
    tap::entry::{
        Direction, Door, FrameOrigin, Head, Link, Verdict, What,
        gate::{Intercepted, Passed, Passing},
        station::OperatedBy,
    },
};

/// A frame that is about to be taken by a core, or to leave.
#[derive(Clone, Debug)]
pub struct Offer<'a> {
    /// Whose host has it.
    pub link: Link,
    /// Which way it goes.
    pub direction: Direction,
    /// Who is at the other end.
    pub peer: &'a Peer,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Who made it by hand, and how.
    pub origin: Option<Arc<FrameOrigin>>,
}

/// What a host knows of a frame that it offers, each asked for when a rule needs it.
pub trait Look {
    /// What kind of frame it is, by its bytes alone; nothing where that costs as much as a judgement.
    fn head(&self) -> Option<Head>;

    /// What it is, and what its core would make of it.
    fn judged(&self) -> (Head, Verdict);

    /// Whether it belongs to a handshake or carries a token: then no rule takes it, as it would be shown.
    /// It is asked of what a rule matches.
    fn is_secret(&self) -> bool;
}

/// What became of a frame that was offered.
#[derive(Debug)]
pub enum Offered {
    /// It was stopped.
    Taken(Box<Taken>),
    /// It goes its way.
    Passes,
    /// It goes its way, and so does every other of its class until rules are armed: [`Cleared`] remembers it.
    ///
    /// [`Cleared`]: super::Cleared
    ClassPasses {
        /// The rules for which that holds.
        version: u64,
    },
}

impl Offered {
    /// The frame, where it was stopped.
    #[must_use]
    pub fn taken(self) -> Option<Box<Taken>> {
        match self {
            Self::Taken(taken) => Some(taken),
            Self::Passes | Self::ClassPasses { .. } => None,
        }
    }
}

/// A frame that was stopped. The host tells the tap of it first.
#[derive(Debug)]
pub struct Taken {
    /// What it tells.
    pub notice: Intercepted,
    /// What it waits for.
    pub waits: Waits,
}

impl Taken {
    /// Has the host tell the tap of it.
    pub fn tell(self, emit: impl FnOnce(What) -> Seq) -> (Notice, Waits) {
        let number = self.notice.number;
        let seq = emit(What::Intercepted(Box::new(self.notice)));
        (Notice { seq, number }, self.waits)
    }
}

/// The entry that says that a frame was stopped, for what the host tells next.
#[derive(Clone, Copy, Debug)]
pub struct Notice {
    /// The entry.
    pub seq: Seq,
    /// The frame's number at the gate.
    pub number: u64,
}

impl Notice {
    /// What the tap is told when the frame leaves.
    #[must_use]
    pub fn passed(self, release: &Release) -> What {
        What::Passed(Passed { number: self.number, how: release.how, by: release.by.clone() })
    }

    /// Whose the bytes are that take its place, where it was edited.
    #[must_use]
    pub fn origin(self, release: &Release) -> Option<FrameOrigin> {
        let by = release.by.clone().filter(|_| release.bytes.is_some())?;
        Some(FrameOrigin { by, door: Door::Gate, number: self.number, of: Some(self.seq) })
    }
}

/// How long a frame that was stopped waits.
#[derive(Debug)]
pub enum Waits {
    /// Until it is released.
    Held(Held),
    /// Not at all: a rule has decided.
    Not(Release),
}

/// How a frame leaves the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// How.
    pub how: Passing,
    /// Who decided.
    pub by: Option<OperatedBy>,
    /// What takes its place.
    pub bytes: Option<Bytes>,
}

impl Release {
    /// As it was, decided by nobody.
    #[must_use]
    pub const fn as_it_was() -> Self {
        Self { how: Passing::AsItWas, by: None, bytes: None }
    }

    /// Not at all, decided by nobody: it is lost.
    #[must_use]
    pub const fn dropped() -> Self {
        Self { how: Passing::Dropped, by: None, bytes: None }
    }
}
