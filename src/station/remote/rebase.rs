//! Carries a station's places and moments over into those of this process, and keeps its entries in a mirror.
//!
//! ```text
//! station   1 … 40   41   42 ┆ 45 …        ┆ 1 … 7   (started again)
//! here      1 … 40   41   42 ┆ 46 …        ┆ 90 …
//!                            └ 45: 2 lost  └ 89: attached again
//! ```
//!
//! While one station runs, a place differs from its own by what was put in here. A station that was started
//! again begins behind all that the one before had. Whatever is not in the mirror is a gap with an entry of
//! this process behind it, so that every reader learns of its loss at once and takes a new snapshot; that
//! snapshot's places are carried over like the entries'.

use std::{collections::VecDeque, sync::Arc};

use crate::{
    ids::Seq,
    limits,
    port::{RESTARTED_NOTICE, Snapshot},
    tap::{
        Mirror,
        entry::{Entry, Frame, Link, Transition, What, station},
        recorded::OwnedEntry,
    },
    time::{ClockShift, Now},
};

/// Gaps of which it is still known what lay before them.
const SPANS_MAX: usize = 64;

/// From this place of the station's on, so much is to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    from: Seq,
    ahead: u64,
}

/// The mirror and how to get there.
#[derive(Debug)]
pub(super) struct RebasedMirror {
    mirror: Mirror,
    /// Never none; of the present start of the station.
    spans: VecDeque<Span>,
    /// The station's next entry, if none is lost.
    expected: Seq,
    shift: ClockShift,
}

impl RebasedMirror {
    /// Begins with a station's entry at `first`.
    pub(super) fn new(limits: limits::Tap, first: Seq, shift: ClockShift) -> Self {
        let spans = VecDeque::from([Span { from: Seq(0), ahead: 0 }]);
        Self { mirror: Mirror::new(limits, first), spans, expected: first, shift }
    }

    /// What readers read.
    pub(super) fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// The station's next entry, if none is lost.
    #[cfg(test)]
    pub(super) fn expected(&self) -> Seq {
        self.expected
    }

    /// The station was started again: what was known of it is void. Its next entry is at `first`.
    pub(super) fn reset(&mut self, first: Seq, shift: ClockShift, now: Now) {
        self.shift = shift;
        self.spans = VecDeque::from([Span { from: Seq(0), ahead: self.mirror.next().0 }]);
        let what = What::Transition(Transition::Station(station::Transition::Restarted));
        self.insert(first, what, RESTARTED_NOTICE, now);
    }

    /// Takes entries that the station sent, the first of them being at `first` unless there is none.
    pub(super) fn take(&mut self, first: Seq, entries: impl Iterator<Item = OwnedEntry>, now: Now) {
        self.note_gap(first, now);
        let mut carried = Vec::new();
        for OwnedEntry { mut entry, bytes } in entries {
            self.expected = self.expected.max(entry.seq.next());
            self.carry_over(&mut entry);
            carried.push(OwnedEntry { entry, bytes });
        }
        self.mirror.push(carried);
    }

    /// The station's next entry is at `next`: what lies before and has not come is lost.
    fn note_gap(&mut self, next: Seq, now: Now) {
        let lost = next.0.saturating_sub(self.expected.0);
        if lost > 0 {
            self.insert(next, What::Loss { count: lost }, "", now);
        }
    }

    /// Puts an entry of this process in before the station's entry at `before`.
    fn insert(&mut self, before: Seq, what: What, text: &str, now: Now) {
        let seq = self.rebase_seq(before);
        let entry = Entry { seq, at: now, link: Link::Station, trace: None, cause: None, what };
        self.mirror.push([OwnedEntry { entry, bytes: text.as_bytes().to_vec() }]);
        self.expected = before;
        self.spans.push_back(Span { from: before, ahead: seq.next().0.saturating_sub(before.0) });
        if self.spans.len() > SPANS_MAX {
            self.spans.pop_front();
        }
    }

    /// A place of the station's, here.
    fn rebase_seq(&self, seq: Seq) -> Seq {
        let span = self.spans.iter().rev().find(|span| span.from <= seq).or(self.spans.front());
        Seq(seq.0.saturating_add(span.map_or(0, |span| span.ahead)))
    }

    /// A place here, as the station has it; nothing where it is of an earlier start.
    pub(super) fn station_seq(&self, seq: Seq) -> Option<Seq> {
        let begins = |span: &&Span| span.from.0.saturating_add(span.ahead) <= seq.0;
        let span = self.spans.iter().rev().find(begins)?;
        Some(Seq(seq.0 - span.ahead)).filter(|seq| seq.0 > 0)
    }

    /// A place of the station's, here.
    pub(super) fn local_seq(&self, seq: Seq) -> Seq {
        self.rebase_seq(seq)
    }

    /// Entries that the station had before the mirror began, in the places and on the clock of this process.
    pub(super) fn past(&self, entries: &mut [OwnedEntry]) {
        for OwnedEntry { entry, .. } in entries {
            self.carry_over(entry);
        }
    }

    fn carry_over(&self, entry: &mut Entry) {
        entry.cause = entry.cause.map(|cause| self.rebase_seq(cause));
        entry.seq = self.rebase_seq(entry.seq);
        if let What::Frame(Frame { origin: Some(origin), .. }) = &mut entry.what {
            let origin = Arc::make_mut(origin);
            origin.of = origin.of.map(|of| self.rebase_seq(of));
        }
        entry.at = self.shift.apply(entry.at);
    }

    /// The clock of the station on this process's.
    pub(super) fn shift(&self) -> ClockShift {
        self.shift
    }

    /// A snapshot of the station, read on the clock of this process, in its places too.
    pub(super) fn snapshot(&self, mut snapshot: Snapshot) -> Snapshot {
        for seq in &mut snapshot.as_of.0 {
            *seq = self.rebase_seq(*seq);
        }
        snapshot
    }
}
