//! The wire's entries and its list by themselves, for `benches/filter.rs`.

use crate::{
    console::{model::EntryBuffer, records::EntryList},
    dissect::EntryRecord,
    field::{Fields as _, Spec},
    filter::Filter,
    limits,
    tap::Batch,
    time::Now,
};

/// Kept entries, with the list that shows those of them that a filter admits.
#[derive(Debug)]
pub struct Rescan {
    entries: EntryBuffer,
    list: EntryList,
}

impl Rescan {
    /// Nothing kept yet.
    #[must_use]
    pub fn new(limits: &limits::Console) -> Self {
        Self { entries: EntryBuffer::new(limits), list: EntryList::default() }
    }

    /// The fields of an entry.
    #[must_use]
    pub fn specs() -> &'static [Spec] {
        EntryRecord::SPECS
    }

    /// Keeps a batch.
    pub fn push(&mut self, batch: Batch) {
        self.entries.push(batch);
    }

    /// How many entries are kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.entries.len()
    }

    /// How many of them a filter admits.
    #[must_use]
    pub fn admitted(&self, filter: &Filter, now: Now) -> usize {
        self.entries.iter().filter(|(_, entry)| filter.admits(&EntryRecord(*entry), now)).count()
    }

    /// The same by the list, as the wire has it once the filter is in force: in slices, from the newest
    /// backwards.
    pub fn rescan(&mut self, filter: &Filter, now: Now) -> usize {
        self.list = EntryList::default();
        self.list.set_filter(Some(filter), &self.entries, now);
        while self.list.is_behind(&self.entries) {
            self.list.advance(&self.entries, now, 256);
        }
        self.list.len(&self.entries)
    }
}
