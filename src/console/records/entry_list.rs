//! Which of the kept entries are shown: all, or those that a filter admits.
//!
//! A filter's result is kept and carried on: of what is new only the new is tested, what is evicted leaves at
//! the front. Another filter is tested from the newest entry backwards, some entries at a time, while the
//! result before it is still shown.
//!
//! ```text
//!  kept:      first ···················· end
//!  tested:            from ───── to             backwards until `first`, and onwards as entries come
//! ```

use std::{collections::VecDeque, ops::Range};

use crate::{console::model::EntryBuffer, dissect::EntryRecord, filter::Filter, time::Now};

/// What a filter admits of the entries that it was tested on.
#[derive(Clone, Debug)]
struct Matches {
    filter: Filter,
    /// The indexes of those that it admits, in order.
    found: VecDeque<u64>,
    /// The indexes that it was tested on.
    tested: Range<u64>,
    /// When the tests were begun, for filters that ask how old something is.
    since: Now,
}

impl Matches {
    /// Nothing was tested yet.
    fn new(filter: Filter, end: u64, now: Now) -> Self {
        Self { filter, found: VecDeque::new(), tested: end..end, since: now }
    }

    /// Lets go what is kept no longer.
    fn trim(&mut self, first: u64) {
        while self.found.front().is_some_and(|index| *index < first) {
            self.found.pop_front();
        }
        self.tested.end = self.tested.end.max(first);
        self.tested.start = self.tested.start.clamp(first, self.tested.end);
    }

    /// Tests what is new, then what is old, at most so many entries; returns how many it did not need.
    fn test(&mut self, kept: &EntryBuffer, now: Now, entries: u64) -> u64 {
        self.trim(kept.first());
        let new = self.tested.end..kept.end().min(self.tested.end.saturating_add(entries));
        let left = entries - (new.end - new.start);
        for (index, entry) in kept.range(new.clone()) {
            if self.filter.admits(&EntryRecord(entry), now) {
                self.found.push_back(index);
            }
        }
        self.tested.end = new.end;
        let old = kept.first().max(self.tested.start.saturating_sub(left))..self.tested.start;
        let left = left - (old.end - old.start);
        for (index, entry) in kept.range(old.clone()).rev() {
            if self.filter.admits(&EntryRecord(entry), now) {
                self.found.push_front(index);
            }
        }
        self.tested.start = old.start;
        left
    }

    /// How many entries are still to be tested.
    fn untested(&self, kept: &EntryBuffer) -> u64 {
        self.untested_until(kept, kept.end())
    }

    /// How many of those found are kept no longer: the list may be asked before it was carried on.
    fn gone(&self, kept: &EntryBuffer) -> usize {
        self.found.partition_point(|index| *index < kept.first())
    }

    fn untested_until(&self, kept: &EntryBuffer, end: u64) -> u64 {
        let tested = self.tested.start.max(kept.first())..self.tested.end.clamp(kept.first(), end);
        (end - kept.first()).saturating_sub(tested.end.saturating_sub(tested.start))
    }
}

/// How many entries are shown of those that are kept: kept = shown + filtered + untested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// That there are.
    pub(crate) kept: u64,
    /// That have a row.
    pub(crate) visible: u64,
    /// That the filter does not admit.
    pub(crate) filtered: u64,
    /// That the filter in force was not tested on yet.
    pub(crate) untested: u64,
}

/// Which of the kept entries are shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntryList {
    /// The entries that are shown; all where no filter is in force.
    visible: Option<Matches>,
    /// What will be, once it was tested on all.
    next: Option<Matches>,
    /// The last index of which rows are made, and the one behind it: where time stands still, what came
    /// since is not shown.
    until: Option<u64>,
}

impl EntryList {
    /// Puts a filter in force, or none. What was shown stays until the filter was tested on every kept entry.
    pub(crate) fn set_filter(&mut self, filter: Option<&Filter>, kept: &EntryBuffer, now: Now) {
        match filter {
            None => (self.visible, self.next) = (None, None),
            Some(filter) if self.filter() == Some(filter) => {}
            // Back to the one that is shown still.
            Some(filter) if self.visible.as_ref().is_some_and(|shown| shown.filter == *filter) => {
                self.next = None;
            }
            Some(filter) => self.next = Some(Matches::new(filter.clone(), kept.end(), now)),
        }
    }

    /// The filter in force.
    pub(crate) fn filter(&self) -> Option<&Filter> {
        self.next.as_ref().or(self.visible.as_ref()).map(|matches| &matches.filter)
    }

    /// Ends the list before this index, where time stands still.
    pub(crate) fn end_at(&mut self, until: Option<u64>) {
        self.until = until;
    }

    /// Tests anew what depends on how late it is. To be called once a second.
    pub(crate) fn retest_aged(&mut self, kept: &EntryBuffer, now: Now) {
        if self.next.is_none()
            && let Some(shown) = &self.visible
            && shown.filter.depends_on_now()
            && shown.since != now
        {
            self.next = Some(Matches::new(shown.filter.clone(), kept.end(), now));
        }
    }

    /// Carries on with what is new and with a filter that is not in force yet: tests at most so many entries.
    pub(crate) fn advance(&mut self, kept: &EntryBuffer, now: Now, entries: u64) {
        let mut left = entries;
        if let Some(shown) = &mut self.visible {
            if self.next.is_none() {
                left = shown.test(kept, now, left);
            } else {
                shown.trim(kept.first());
            }
        }
        if let Some(next) = &mut self.next {
            next.test(kept, now, left);
            if next.untested(kept) == 0 {
                self.visible = self.next.take();
            }
        }
    }

    /// Whether there are entries that were not tested.
    pub(crate) fn is_behind(&self, kept: &EntryBuffer) -> bool {
        self.next.as_ref().or(self.visible.as_ref()).is_some_and(|matches| matches.untested(kept) > 0)
    }

    /// The index behind the last that can have a row.
    fn end(&self, kept: &EntryBuffer) -> u64 {
        self.until.map_or(kept.end(), |until| until.clamp(kept.first(), kept.end()))
    }

    /// How many rows there are.
    pub(crate) fn len(&self, kept: &EntryBuffer) -> usize {
        let end = self.end(kept);
        match &self.visible {
            None => usize::try_from(end - kept.first()).unwrap_or(usize::MAX),
            Some(shown) => shown.found.partition_point(|index| *index < end) - shown.gone(kept),
        }
    }

    /// The index of the entry of a row, counted from the top.
    pub(crate) fn index(&self, row: usize, kept: &EntryBuffer) -> Option<u64> {
        if row >= self.len(kept) {
            return None;
        }
        match &self.visible {
            None => Some(kept.first() + row as u64),
            Some(shown) => shown.found.get(row + shown.gone(kept)).copied(),
        }
    }

    /// The row of the first entry at or behind an index; the number of rows when there is none.
    pub(crate) fn row_from(&self, index: u64, kept: &EntryBuffer) -> usize {
        let row = match &self.visible {
            None => usize::try_from(index.saturating_sub(kept.first())).unwrap_or(usize::MAX),
            Some(shown) => {
                shown.found.partition_point(|found| *found < index).saturating_sub(shown.gone(kept))
            }
        };
        row.min(self.len(kept))
    }

    /// How many are kept, shown and held back. Where time stands still, of what was kept until then.
    pub(crate) fn counts(&self, kept: &EntryBuffer) -> Counts {
        let (all, shown) = (self.end(kept) - kept.first(), self.len(kept) as u64);
        let untested =
            self.visible.as_ref().map_or(0, |matches| matches.untested_until(kept, self.end(kept)));
        Counts {
            kept: all,
            visible: shown,
            filtered: all - shown - untested.min(all - shown),
            untested: untested.min(all - shown),
        }
    }

    /// How many of a hundred parts of the kept entries the next filter was tested on.
    pub(crate) fn progress(&self, kept: &EntryBuffer) -> Option<u64> {
        let next = self.next.as_ref()?;
        let all = (kept.end() - kept.first()).max(1);
        Some(100 * (all - next.untested(kept).min(all)) / all)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        field::Fields,
        limits::{self, Limits},
        tap::{
            Draft, Reader, Tap,
            entry::{Link, Transition, What, station},
        },
    };

    /// A tap with what is kept of it.
    struct Fixture {
        tap: Tap,
        reader: Reader,
        kept: EntryBuffer,
        ms: u64,
    }

    impl Fixture {
        fn new(entries_max: u64) -> Self {
            let tap = Tap::new(Limits::default().tap);
            let reader = tap.reader().unwrap();
            let kept = EntryBuffer::new(&limits::Console {
                kept_entries_max: entries_max,
                ..Limits::default().console
            });
            Self { tap, reader, kept, ms: 0 }
        }

        fn say(&mut self, words: &str) {
            self.ms += 10;
            let what = What::Transition(Transition::Station(station::Transition::Operated {
                by: None,
                command: None,
            }));
            let at = Now::at_ms(self.ms);
            self.tap.emit(Draft {
                at,
                link: Link::Station,
                trace: None,
                cause: None,
                what,
                bytes: words.as_bytes(),
            });
            while let Some(batch) = self.reader.read() {
                self.kept.push(batch);
            }
        }

        fn now(&self) -> Now {
            Now::at_ms(self.ms)
        }
    }

    fn filter(text: &str) -> Filter {
        Filter::parse(text, EntryRecord::SPECS).unwrap()
    }

    /// What a list shows, from the top.
    fn visible(list: &EntryList, kept: &EntryBuffer) -> Vec<u64> {
        (0..list.len(kept)).map(|row| list.index(row, kept).unwrap()).collect()
    }

    #[test]
    fn without_a_filter_every_kept_entry_has_a_row() {
        let mut line = Fixture::new(4_096);
        let list = EntryList::default();
        assert_eq!((list.len(&line.kept), list.index(0, &line.kept)), (0, None));
        (0..10_000).for_each(|at| line.say(&at.to_string()));
        let kept = &line.kept;
        assert!(kept.first() > 0);
        assert_eq!(visible(&list, kept), (kept.first()..kept.end()).collect::<Vec<_>>());
        assert_eq!(list.row_from(kept.first() + 7, kept), 7);
        assert_eq!((list.row_from(0, kept), list.row_from(u64::MAX, kept)), (0, list.len(kept)));
    }

    #[test]
    fn what_was_shown_stays_until_a_new_filter_was_tested_on_all() {
        let mut line = Fixture::new(100_000);
        (0..1_000).for_each(|at| line.say(if at % 4 == 0 { "boss" } else { "chest" }));
        let (mut list, now) = (EntryList::default(), line.now());
        list.set_filter(Some(&filter("boss")), &line.kept, now);
        assert!(list.is_behind(&line.kept));
        list.advance(&line.kept, now, 999);
        assert_eq!((list.len(&line.kept), list.progress(&line.kept)), (1_000, Some(99)));
        list.advance(&line.kept, now, 999);
        assert_eq!((list.len(&line.kept), list.progress(&line.kept)), (250, None));
        assert_eq!(list.counts(&line.kept), Counts { kept: 1_000, visible: 250, filtered: 750, untested: 0 });
        // Another is typed, and given up again: what was there is there at once.
        list.set_filter(Some(&filter("boss chest")), &line.kept, now);
        list.advance(&line.kept, now, 10);
        list.set_filter(Some(&filter("boss")), &line.kept, now);
        assert_eq!((list.len(&line.kept), list.is_behind(&line.kept)), (250, false));
        list.set_filter(None, &line.kept, now);
        assert_eq!(list.len(&line.kept), 1_000);
    }

    #[test]
    fn only_new_entries_are_tested_and_those_that_are_gone_leave() {
        let mut line = Fixture::new(4_096);
        let mut list = EntryList::default();
        list.set_filter(Some(&filter("boss")), &line.kept, line.now());
        list.advance(&line.kept, line.now(), 1);
        for at in 0..12_000 {
            line.say(if at % 10 == 0 { "boss" } else { "chest" });
            if at % 50 == 49 {
                assert!(list.is_behind(&line.kept));
                list.advance(&line.kept, line.now(), 50);
                assert!(!list.is_behind(&line.kept));
            }
        }
        let counts = list.counts(&line.kept);
        assert_eq!((counts.kept, counts.untested), (line.kept.len() as u64, 0));
        assert_eq!(
            counts.visible,
            line.kept.iter().filter(|(_, entry)| entry.text() == "boss").count() as u64
        );
    }

    #[test]
    fn where_time_stands_still_the_list_ends() {
        let mut line = Fixture::new(4_096);
        (0..100).for_each(|_| line.say("boss"));
        let mut list = EntryList::default();
        list.end_at(Some(40));
        assert_eq!(
            (list.len(&line.kept), list.index(39, &line.kept), list.index(40, &line.kept)),
            (40, Some(39), None)
        );
        list.set_filter(Some(&filter("boss")), &line.kept, line.now());
        list.advance(&line.kept, line.now(), 1_000);
        assert_eq!(list.counts(&line.kept), Counts { kept: 40, visible: 40, filtered: 0, untested: 0 });
        list.end_at(None);
        assert_eq!(list.len(&line.kept), 100);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn it_agrees_with_a_naive_evaluation_whatever_comes(
            steps in prop::collection::vec((0..6_u8, 1..300_u64), 1..20),
        ) {
            let mut line = Fixture::new(4_096);
            let mut list = EntryList::default();
            let mut wanted: Option<Filter> = None;
            for (what, count) in steps {
                match what {
                    0 | 1 => (0..count * 5).for_each(|at| {
                        line.say(if at % 3 == 0 {
                            "boss"
                        } else if at % 3 == 1 {
                            "chest"
                        } else {
                            "boss chest"
                        });
                    }),
                    2 => wanted = Some(filter("boss")),
                    3 => wanted = Some(filter("chest boss")),
                    4 => wanted = None,
                    _ => {}
                }
                let now = line.now();
                list.set_filter(wanted.as_ref(), &line.kept, now);
                list.advance(&line.kept, now, count);
                let counts = list.counts(&line.kept);
                prop_assert_eq!(counts.kept, counts.visible + counts.filtered + counts.untested);
                for row in 0..list.len(&line.kept) {
                    let index = list.index(row, &line.kept).unwrap();
                    prop_assert!(line.kept.entry(index).is_some());
                    prop_assert_eq!(list.row_from(index, &line.kept), row);
                }
                while list.is_behind(&line.kept) {
                    list.advance(&line.kept, now, count);
                }
                let naive =
                    |entry: &EntryRecord<'_>| wanted.as_ref().is_none_or(|filter| filter.admits(entry, now));
                let all =
                    line.kept.iter().filter(|(_, entry)| naive(&EntryRecord(*entry))).map(|(index, _)| index);
                prop_assert_eq!(visible(&list, &line.kept), all.collect::<Vec<_>>());
            }
        }
    }
}
