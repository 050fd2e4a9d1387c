//! A frame as the rules see it.

use super::{
    offer::{Look, Offer},
    rule::Matcher,
};
use crate::{
    ids::Seq,
    tap::{
        EntryRef,
        entry::{Entry, Frame, Head, Redaction, Verdict, What},
    },
    time::Now,
};

/// A frame before the rules, each thing of it made when a rule asks for it.
pub(super) struct Sight<'a> {
    now: Now,
    offer: &'a Offer<'a>,
    look: &'a dyn Look,
    /// It as an entry, by its head alone.
    known: Known,
    /// It as an entry with what its core would make of it.
    judged: Option<Entry>,
}

/// What is known of a frame without a judgement.
enum Known {
    NotAsked,
    /// Its host knows nothing.
    Nothing,
    Entry(Box<Entry>),
}

impl<'a> Sight<'a> {
    pub(super) const fn new(now: Now, offer: &'a Offer<'a>, look: &'a dyn Look) -> Self {
        Self { now, offer, look, known: Known::NotAsked, judged: None }
    }

    /// Whether a matcher finds it.
    pub(super) fn fits(&mut self, matcher: &Matcher, asks_verdict: bool) -> bool {
        let (now, bytes) = (self.now, self.offer.bytes);
        let known = if asks_verdict { None } else { self.known() };
        if let Some(entry) = known {
            return matcher(EntryRef { entry, bytes }, now);
        }
        matcher(EntryRef { entry: self.judged(), bytes }, now)
    }

    fn known(&mut self) -> Option<&Entry> {
        if matches!(self.known, Known::NotAsked) {
            let made = |head| Known::Entry(Box::new(entry(self.now, self.offer, head, Verdict::Sent)));
            self.known = self.look.head().map_or(Known::Nothing, made);
        }
        match &self.known {
            Known::Entry(entry) => Some(entry),
            Known::NotAsked | Known::Nothing => None,
        }
    }

    fn judged(&mut self) -> &Entry {
        let Self { now, offer, look, judged, .. } = self;
        judged.get_or_insert_with(|| {
            let (head, verdict) = look.judged();
            entry(*now, offer, head, verdict)
        })
    }

    /// The frame, judged.
    pub(super) fn frame(&mut self) -> Frame {
        match &self.judged().what {
            What::Frame(frame) => frame.clone(),
            _ => unreachable!("it is made as a frame"),
        }
    }
}

fn entry(now: Now, offer: &Offer<'_>, head: Head, verdict: Verdict) -> Entry {
    let frame = Frame {
        direction: offer.direction,
        peer: offer.peer.clone(),
        head,
        verdict,
        wire_bytes: u32::try_from(offer.bytes.len()).unwrap_or(u32::MAX),
        redaction: Redaction::None,
        origin: offer.origin.clone(),
    };
    Entry { seq: Seq(0), at: now, link: offer.link, trace: None, cause: None, what: What::Frame(frame) }
}
