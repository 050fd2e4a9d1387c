//! The kept entries that tell of an invocation, below its details.

use std::{cell::Cell as Noted, collections::VecDeque};

use crate::{
    console::{
        inspect::{InvocationEntry, invocation_entries},
        model::EntryBuffer,
    },
    ids::{InvocationId, Seq},
};

/// Entries that are listed; the newest are.
const ENTRIES_MAX: usize = 500;

/// The list and what is selected of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RelatedEntries {
    pub(crate) entries: VecDeque<InvocationEntry>,
    pub(crate) selected: usize,
    /// The index up to which entries were looked for.
    scanned: Option<u64>,
    /// Its first line and the first and last line on the screen, as they were drawn.
    pub(crate) drawn: Noted<(usize, usize, usize)>,
}

impl RelatedEntries {
    /// Takes in what came since the last time; what is not kept any more goes.
    pub(crate) fn follow(&mut self, kept: &EntryBuffer, id: InvocationId) {
        let from = self.scanned.unwrap_or(0).max(kept.first());
        self.entries.extend(invocation_entries(kept, id, from..kept.end()));
        self.scanned = Some(kept.end());
        let first = kept.first_seq().unwrap_or(Seq(u64::MAX));
        while self.entries.len() > ENTRIES_MAX || self.entries.front().is_some_and(|(seq, ..)| *seq < first) {
            self.entries.pop_front();
            self.selected = self.selected.saturating_sub(1);
        }
    }

    /// The selected entry.
    pub(crate) fn selected(&self) -> Option<Seq> {
        self.entries.get(self.selected).map(|(seq, ..)| *seq)
    }

    /// Moves among the entries while they are on the screen; how far the text is to be moved instead.
    pub(crate) fn step(&mut self, by: isize) -> isize {
        let (first, top, bottom) = self.drawn.get();
        let line = first + self.selected;
        if self.entries.is_empty() || (by > 0 && line > bottom) {
            return by;
        }
        let last = self.entries.len() - 1;
        let next = self.selected.saturating_add_signed(by).min(last);
        if next == self.selected {
            return if by < 0 { by } else { 0 };
        }
        self.selected = next;
        let line = isize::try_from(first + next).unwrap_or(isize::MAX);
        let (top, bottom) =
            (isize::try_from(top).unwrap_or(0), isize::try_from(bottom).unwrap_or(isize::MAX));
        (line - bottom).max(0) + (line - top).min(0)
    }
}
