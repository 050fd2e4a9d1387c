//! One thing that happened.

use super::{
    Link,
    gate::{Intercepted, Passed},
    link::links,
    texts::Texts,
};
use crate::{
    ids::{InvocationId, Peer, Seq, Ticket, TraceId},
    time::Now,
};

/// One thing that happened, in the order of `seq`.
///
/// Texts and frames that peers chose lie beside the entry (see [`EntryRef`](crate::tap::EntryRef)), so that
/// an entry's own size is bounded.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its place in the tap.
    pub seq: Seq,
    /// When it was emitted.
    pub at: Now,
    /// Whose it is.
    pub link: Link,
    /// The piece of work that it belongs to.
    pub trace: Option<TraceId>,
    /// The received frame or command that caused it.
    pub cause: Option<Seq>,
    /// What happened.
    pub what: What,
}

impl Entry {
    /// The invocation that it speaks of, where it speaks of one.
    #[must_use]
    pub fn invocation(&self) -> Option<InvocationId> {
        match &self.what {
            What::Frame(Frame { head: Head::Mpp(head), .. }) => head.id,
            What::Transition(Transition::Mpp(transition)) => transition.invocation(),
            _ => None,
        }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A frame crossed a boundary. Its exact bytes lie beside the entry, cut at `limits.tap.frame_bytes_max`.
    Frame(Frame),
    /// A state changed. A text that belongs to it (a reason, a log line) lies beside the entry.
    Transition(Transition),
    /// The gate stopped a frame. Its exact bytes lie beside the entry, cut as those of any frame.
    Intercepted(Box<Intercepted>),
    /// A frame left the gate. Where it was changed, the bytes that took its place lie beside the entry.
    Passed(Passed),
    /// Everything up to this ticket of the link is durable.
    Committed {
        /// The highest durable ticket.
        through: Ticket,
    },
    /// A connection closed with these still in its write buffer.
    Unsent {
        /// Whole or partial frames that did not leave.
        frames: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// For this reader alone: so many entries were evicted before it read them. Take a new snapshot.
    Loss {
        /// Entries lost.
        count: u64,
    },
}

/// A frame that crossed a boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Into the station or out of it.
    pub direction: Direction,
    /// Who is at the other end.
    pub peer: Peer,
    /// What kind of frame it is, and of what it speaks.
    pub head: Head,
    /// What the core made of it.
    pub verdict: Verdict,
    /// Its length on the wire in bytes, before any cut.
    pub wire_bytes: u32,
    /// Where secrets were overwritten by `*`.
    pub redaction: Redaction,
    /// Who made it by hand; nothing of a frame that a peer or the station sent by itself.
    pub origin: Option<std::sync::Arc<super::FrameOrigin>>,
}

/// The way a frame went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From a peer to the station.
    Inbound,
    /// From the station to a peer.
    Outbound,
}

/// What was withheld of a frame's bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Redaction {
    /// Nothing.
    #[default]
    None,
    /// The bytes of these ranges are `*`, byte for byte; where a recording masks values as well, also the
    /// digits of numbers.
    Masked(std::sync::Arc<[std::ops::Range<u32>]>),
    /// The bytes are replaced by a note of their length and SHA-256: a handshake that could not be parsed
    /// (DESIGN 4).
    Withheld,
}

/// Declares what differs by link: heads and verdicts of those that frames cross, and transitions.
macro_rules! declare {
    ($( $(#[$doc:meta])* $Link:ident $module:ident $title:literal $($Head:ident $Verdict:ident)?; )*) => {
        /// A frame's kind and subject, by link.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Head {
            $( $( #[doc = concat!("Of ", $title, ".")] $Link(super::$module::$Head), )? )*
        }

        /// What the core made of a frame, by link.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Verdict {
            /// It is ours and went into the write buffer.
            Sent,
            $( $( #[doc = concat!("Of ", $title, ".")] $Link(super::$module::$Verdict), )? )*
        }

        /// A change of state, by link.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Transition {
            $( #[doc = concat!("Of ", $title, ".")] $Link(super::$module::Transition), )*
        }

        impl Texts for Head {
            #[inline]
            fn has_text(&self, is: impl Fn(&str) -> bool + Copy) -> bool {
                match self { $( $(
                    Self::$Link(head) => <super::$module::$Head as Texts>::has_text(head, is),
                )? )* }
            }

            #[inline]
            fn mask_texts(&mut self, mask: &mut impl FnMut(&str) -> Option<String>) {
                match self { $( $(
                    Self::$Link(head) => <super::$module::$Head as Texts>::mask_texts(head, mask),
                )? )* }
            }
        }

        impl Texts for Transition {
            #[inline]
            fn has_text(&self, is: impl Fn(&str) -> bool + Copy) -> bool {
                match self { $( Self::$Link(transition) => transition.has_text(is), )* }
            }

            #[inline]
            fn mask_texts(&mut self, mask: &mut impl FnMut(&str) -> Option<String>) {
                match self { $( Self::$Link(transition) => transition.mask_texts(mask), )* }
            }
        }
    };
}

links!(declare);
