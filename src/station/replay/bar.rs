//! The time bar of a recording, from its index and its tallies, and from as many chunks as tell where what
//! matters is.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use crate::{
    port::{BarPart, ReplayBar},
    recording::{FileCounts, RecordedItem, RecordingSet, SetChunk, SetReader, Tallied, Tally},
    station::tallied,
    tap::entry::{Link, What},
};

/// Parts of it: more than a screen has columns.
const PARTS: usize = 1_024;
/// How long a chunk lasts whose entries are taken for even, in nanoseconds: it is written once a second.
const EVEN_NS: u64 = 2_000_000_000;
/// Longer ones that are read: what was kept before the recording began is in such. Further ones are taken for
/// even.
const LONG_READ_MAX: usize = 16;
/// Chunks that are read for where faults, losses and marks are, and messages in them: the first screen waits
/// for it. Further ones are in the time from one keyframe to the next, or in the chunks that have marks.
const READ_MAX: usize = 64;
const MESSAGES_READ_MAX: u64 = 16_384;

pub(super) fn bar(reader: &mut SetReader) -> ReplayBar {
    let set = Arc::clone(reader.set());
    let mut builder = BarBuilder::of(&set);
    let mut read = 0;
    for number in 0..set.len() {
        let Some(chunk) = set.chunk(number) else { continue };
        let span = builder.span_of(chunk);
        let is_long = span.1.saturating_sub(span.0) > EVEN_NS && builder.bar.parts_of(span, builder.of) > 1;
        if is_long && read < LONG_READ_MAX {
            read += 1;
            builder.read(reader, number, true);
            continue;
        }
        // A keyframe is none of what happened.
        builder.bar.add_weight(entries_of(chunk), span, builder.of);
    }
    let (mut chunks_left, mut messages_left) = (READ_MAX, MESSAGES_READ_MAX);
    for span in counted_spans(&set) {
        let unread: Vec<usize> = span
            .chunks(&set)
            .filter(|number| !builder.read.contains_key(number))
            .filter(|number| set.chunk(*number).is_some_and(|chunk| span.may_have(chunk)))
            .collect();
        let messages = |number: &usize| set.chunk(*number).map_or(0, entries_of);
        let messages = unread.iter().map(messages).fold(0, u64::saturating_add);
        if unread.len() <= chunks_left && messages <= messages_left {
            (chunks_left, messages_left) = (chunks_left - unread.len(), messages_left - messages);
            for number in unread {
                builder.read(reader, number, false);
            }
        }
        builder.note_rest(&set, &span);
    }
    builder.bar
}

/// A bar that is being made.
struct BarBuilder {
    bar: ReplayBar,
    first_ns: u64,
    of: u64,
    /// The chunks that were read: what they have is where it is.
    read: BTreeMap<usize, ReadChunk>,
}

/// A chunk that was read.
#[derive(Clone, Copy, Default)]
struct ReadChunk {
    found: BarPart,
    /// Whether not all of it could be.
    is_damaged: bool,
}

impl BarBuilder {
    fn of(set: &RecordingSet) -> Self {
        let (first_ns, last_ns) = set.span_ns();
        let of = last_ns.saturating_sub(first_ns).max(1);
        Self { bar: ReplayBar::with_parts(PARTS), first_ns, of, read: BTreeMap::new() }
    }

    const fn since(&self, log_ns: u64) -> u64 {
        log_ns.saturating_sub(self.first_ns)
    }

    const fn span_of(&self, chunk: &SetChunk) -> (u64, u64) {
        (self.since(chunk.place.start_ns), self.since(chunk.place.end_ns))
    }

    /// Reads a chunk, and notes what is in it where that is.
    fn read(&mut self, reader: &mut SetReader, number: usize, with_weight: bool) {
        let mut chunk = ReadChunk::default();
        for item in reader.chunk(number) {
            let Ok(item) = item else {
                chunk.is_damaged = true;
                continue;
            };
            let RecordedItem::Entry(entry) = &item.item else { continue };
            let at = self.since(item.log_ns);
            if with_weight {
                self.bar.add_weight(1, (at, at), self.of);
            }
            let part = match (&entry.entry.what, tallied(&entry.entry)) {
                (What::Loss { count }, _) => BarPart { lost: *count, ..BarPart::default() },
                (_, Some(Tallied::Fault | Tallied::Failure)) => BarPart { faults: 1, ..BarPart::default() },
                (_, Some(Tallied::Mark)) => BarPart { marks: 1, ..BarPart::default() },
                (_, Some(Tallied::Drop) | None) => continue,
            };
            self.bar.note(part, (at, at), self.of);
            chunk.found = chunk.found.plus(part);
        }
        self.read.insert(number, chunk);
    }

    /// Notes what was counted from one keyframe to the next and was not found in chunks that were read.
    fn note_rest(&mut self, set: &RecordingSet, span: &CountedSpan) {
        let read = span.chunks(set).filter_map(|number| self.read.get(&number));
        let found = read.fold(BarPart::default(), |all, chunk| all.plus(chunk.found));
        let rest = span.counts.unwrap_or_default().less(found);
        let marked = self.unread(set, span, |chunk| chunk.place.has_marks == Some(true));
        for within in &marked {
            self.bar.note(BarPart { marks: rest.marks.max(1), ..BarPart::default() }, *within, self.of);
        }
        let rest = BarPart { marks: if marked.is_empty() { rest.marks } else { 0 }, ..rest };
        if rest != BarPart::default() {
            for within in self.spans_of_rest(set, span) {
                self.bar.note(rest, within, self.of);
            }
        }
    }

    /// The times of chunks that were not read, or in which a part could not be.
    fn unread(
        &self,
        set: &RecordingSet,
        span: &CountedSpan,
        is_meant: impl Fn(&SetChunk) -> bool,
    ) -> Vec<(u64, u64)> {
        let is_unread = |number: &usize| self.read.get(number).is_none_or(|chunk| chunk.is_damaged);
        let unread = span.chunks(set).filter(is_unread).filter_map(|number| set.chunk(number));
        unread.filter(|chunk| is_meant(chunk)).map(|chunk| self.span_of(chunk)).collect()
    }

    /// The times in which what was not found may be: those of damaged chunks where all others were read,
    /// otherwise all of it.
    fn spans_of_rest(&self, set: &RecordingSet, span: &CountedSpan) -> Vec<(u64, u64)> {
        let may_have = |number: &usize| set.chunk(*number).is_some_and(|chunk| span.may_have(chunk));
        let is_all_read = span.chunks(set).filter(may_have).all(|number| self.read.contains_key(&number));
        let damaged =
            if is_all_read { self.unread(set, span, |chunk| span.may_have(chunk)) } else { Vec::new() };
        if !damaged.is_empty() {
            return damaged;
        }
        let to_ns = self.since(span.to_ns).saturating_sub(1);
        vec![(self.since(span.from_ns), to_ns)]
    }
}

/// What was counted from one keyframe to the next.
struct CountedSpan {
    from_ns: u64,
    to_ns: u64,
    /// Nothing behind the last counts.
    counts: Option<BarPart>,
}

impl CountedSpan {
    /// The chunks of that time.
    fn chunks(&self, set: &RecordingSet) -> Range<usize> {
        let begin = set.chunk_at(self.from_ns);
        let is_before = |number: &usize| {
            // What is last has the moment of the last counts.
            let is_last = |chunk: &SetChunk| chunk.place.start_ns == self.to_ns && !chunk.place.has_keyframe;
            set.chunk(*number).is_some_and(|chunk| chunk.place.start_ns < self.to_ns || is_last(chunk))
        };
        begin..begin + (begin..set.len()).take_while(is_before).count()
    }

    /// Whether any of it may be in a chunk.
    fn may_have(&self, chunk: &SetChunk) -> bool {
        let is_marks_alone = self.counts.is_some_and(|counts| counts.faults == 0 && counts.lost == 0);
        entries_of(chunk) > 0 && !(is_marks_alone && chunk.place.has_marks == Some(false))
    }
}

/// Entries of a chunk.
fn entries_of(chunk: &SetChunk) -> u64 {
    chunk.place.messages.saturating_sub(u64::from(chunk.place.has_keyframe))
}

/// The times in which anything was counted, or is not: in front of a file's first counts, and behind its last
/// ones.
fn counted_spans(set: &RecordingSet) -> Vec<CountedSpan> {
    let mut all = Vec::new();
    for FileCounts { first_ns, last_ns, tallies } in set.counted() {
        let mut before = (first_ns, None);
        for (at, tally) in tallies {
            let now = counts(&tally);
            all.push(CountedSpan {
                from_ns: before.0,
                to_ns: at,
                counts: before.1.map(|known| now.less(known)),
            });
            before = (at, Some(now));
        }
        if before.0 < last_ns {
            all.push(CountedSpan { from_ns: before.0, to_ns: last_ns.saturating_add(1), counts: None });
        }
    }
    all.retain(|it| it.counts.map_or(it.from_ns < it.to_ns, |counts| counts != BarPart::default()));
    all
}

fn counts(tally: &Tally) -> BarPart {
    let links = || Link::ALL.into_iter().map(|link| tally.link(link));
    BarPart {
        weight: 0,
        faults: links().map(|link| link.faults + link.failures).sum(),
        lost: tally.lost,
        marks: links().map(|link| link.marks).sum(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::{
        ids::Seq,
        recording::{RecordingInfo, test_files::TestFile},
        tap::{
            EntryRef,
            entry::{
                Direction, Entry, Frame, Head, Redaction, Transition, Verdict,
                mpp::{self, ErrorCode, Fault, Violation},
                station::{self, Level},
            },
        },
        time::Now,
    };

    /// What is written one after the other. Keyframes are right behind what is in front of them.
    enum Item {
        Keyframe(u64),
        Entry(u64, Option<Tallied>),
        Loss(u64, u64),
        /// What comes is in a chunk of its own.
        Flush,
    }

    fn of_files(paths: &[PathBuf]) -> ReplayBar {
        bar(&mut SetReader::new(Arc::new(RecordingSet::open(paths).unwrap())))
    }

    fn begin(path: &std::path::Path, started_ms: u64) -> TestFile {
        let info = RecordingInfo { station_started: Now::at_ms(started_ms), ..RecordingInfo::default() };
        TestFile::begin(path, &info, 16_384)
    }

    /// What is counted so.
    fn what(as_what: Option<Tallied>) -> What {
        let of_station = |of| What::Transition(Transition::Station(of));
        match as_what {
            Some(Tallied::Failure) => of_station(station::Transition::HostDown { link: Link::Mpp }),
            Some(Tallied::Mark) => of_station(station::Transition::Marked { by: None, entry: None }),
            Some(Tallied::Fault) => What::Frame(Frame {
                direction: Direction::Inbound,
                peer: "127.0.0.1:1".into(),
                head: Head::Mpp(mpp::Head { kind: None, id: None, queue: None, event: None }),
                verdict: Verdict::Mpp(mpp::Verdict::Refused(Fault::Protocol {
                    code: ErrorCode::InvalidFrame,
                    violation: Violation::NotJson,
                })),
                wire_bytes: 0,
                redaction: Redaction::None,
                origin: None,
            }),
            Some(Tallied::Drop) | None => of_station(station::Transition::Notice { level: Level::Info }),
        }
    }

    fn write(file: &mut TestFile, items: &[Item]) {
        put(file, items);
        file.finish();
    }

    fn put(file: &mut TestFile, items: &[Item]) {
        for (seq, item) in (1..).map(Seq).zip(items) {
            let (ms, as_what, what) = match item {
                Item::Keyframe(ms) => {
                    file.keyframe(Now::at_ms(*ms), b"state");
                    continue;
                }
                Item::Flush => {
                    file.flush();
                    continue;
                }
                Item::Entry(ms, as_what) => (*ms, *as_what, what(*as_what)),
                Item::Loss(ms, count) => (*ms, None, What::Loss { count: *count }),
            };
            let link = if matches!(what, What::Frame(_)) { Link::Mpp } else { Link::Station };
            let entry = Entry { seq, at: Now::at_ms(ms), link, trace: None, cause: None, what };
            file.entry(EntryRef { entry: &entry, bytes: b"" }, as_what);
        }
    }

    #[test]
    fn faults_losses_and_marks_are_where_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("night.mcap");
        let items = [
            Item::Keyframe(0),
            Item::Entry(512, Some(Tallied::Fault)),
            Item::Entry(1_024, Some(Tallied::Mark)),
            Item::Keyframe(1_024),
            Item::Entry(1_536, Some(Tallied::Drop)),
            Item::Loss(2_048, 7),
            Item::Entry(2_560, Some(Tallied::Failure)),
            Item::Keyframe(2_560),
            Item::Entry(4_096, Some(Tallied::Mark)),
            Item::Flush,
        ];
        let mut file = begin(&path, 0);
        put(&mut file, &items);
        // Nothing is counted yet behind the last keyframe.
        let unfinished = of_files(std::slice::from_ref(&path));
        file.finish();
        for bar in [unfinished, of_files(&[path])] {
            // A part of it has 4 ms.
            let parts = bar.columns(PARTS);
            let entries: u64 = parts.iter().map(|part| part.weight).sum();
            assert_eq!(entries, 6, "of entries, not of keyframes");
            let at = |is: fn(&BarPart) -> u64| -> Vec<(usize, u64)> {
                parts.iter().map(is).enumerate().filter(|(_, count)| *count > 0).collect()
            };
            assert_eq!(at(|part| part.faults), [(128, 1), (640, 1)]);
            assert_eq!(at(|part| part.marks), [(256, 1), (1_023, 1)]);
            assert_eq!(at(|part| part.lost), [(512, 7)]);
        }
    }

    /// Two entries a second, each second in a chunk of its own: the first so long after its beginning, and
    /// counted so.
    fn seconds(count: u64, after_ms: u64, as_what: impl Fn(u64) -> Option<Tallied>) -> Vec<Item> {
        let of = |s| {
            let first = Item::Entry(s * 1_000 + after_ms, as_what(s));
            [first, Item::Entry(s * 1_000 + 500, None), Item::Flush]
        };
        (0..count).flat_map(of).collect()
    }

    /// Damages the chunk of a second.
    fn damage(path: &PathBuf, s: u64) {
        let set = RecordingSet::open(std::slice::from_ref(path)).unwrap();
        let places = (0..set.len()).filter_map(|number| set.chunk(number)).map(|chunk| chunk.place);
        let from_ns = set.span_ns().0 + s * 1_000_000_000;
        let place = places.filter(|it| !it.has_keyframe).find(|it| it.start_ns >= from_ns).unwrap();
        let mut bytes = std::fs::read(path).unwrap();
        bytes[usize::try_from(place.at + place.len - 8).unwrap()] ^= 0xff;
        std::fs::write(path, bytes).unwrap();
    }

    #[test]
    fn what_was_counted_and_cannot_be_read_any_more_is_where_that_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("night.mcap");
        let mut items = vec![Item::Keyframe(0)];
        items.extend(seconds(10, 150, |s| match s {
            4 => Some(Tallied::Mark),
            6 => Some(Tallied::Fault),
            _ => None,
        }));
        items.push(Item::Keyframe(9_500));
        write(&mut begin(&path, 0), &items);
        // A column has 100 ms.
        let columns = |is: fn(&BarPart) -> u64| -> Vec<usize> {
            let parts = of_files(std::slice::from_ref(&path)).columns(95);
            (0..95).filter(|column| is(&parts[*column]) > 0).collect()
        };
        let (faults, marks) = (|| columns(|part| part.faults), || columns(|part| part.marks));
        assert_eq!((faults(), marks()), (vec![61], vec![41]));
        damage(&path, 2);
        assert_eq!((faults(), marks()), (vec![61], vec![41]), "what could not be read had none of it");
        damage(&path, 4);
        assert_eq!(faults(), [61]);
        let marked = marks();
        assert!(marked.contains(&41) && marked.iter().all(|at| (41..=45).contains(at)), "{marked:?}");
        damage(&path, 6);
        let failed = faults();
        assert!([21, 41, 61].iter().all(|at| failed.contains(at)), "any of them may have had it: {failed:?}");
        assert!(failed.iter().all(|at| matches!(at, 21..=25 | 41..=45 | 61..=65)), "{failed:?}");
        assert_eq!(marks(), marked);
    }

    #[test]
    fn what_each_of_several_files_did_not_count_is_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let paths: [PathBuf; 2] = ["first.mcap", "second.mcap"].map(|name| folder.path().join(name));
        for (path, started_ms) in paths.iter().zip([0, 2_048]) {
            let items = [
                Item::Keyframe(started_ms),
                Item::Entry(started_ms + 600, Some(Tallied::Mark)),
                Item::Entry(started_ms + 1_024, None),
                Item::Flush,
            ];
            // Neither is finished: only at their beginning they have counts.
            put(&mut begin(path, started_ms), &items);
        }
        let bar = of_files(&paths);
        let marked: Vec<usize> =
            (0..).zip(bar.columns(6)).filter(|(_, it)| it.marks > 0).map(|it| it.0).collect();
        assert_eq!(marked, [1, 5]);
    }

    #[test]
    fn where_too_much_would_be_read_marks_are_in_their_chunks_and_faults_from_keyframe_to_keyframe() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("night.mcap");
        let mut items = vec![Item::Keyframe(0)];
        items.extend(seconds(100, 0, |s| match s {
            30 => Some(Tallied::Fault),
            70 => Some(Tallied::Mark),
            _ => None,
        }));
        items.extend([Item::Keyframe(99_500), Item::Entry(200_000, None)]);
        write(&mut begin(&path, 0), &items);
        let parts = of_files(&[path]).columns(PARTS);
        let at = |is: fn(&BarPart) -> u64| -> Vec<usize> {
            (0..PARTS).filter(|column| is(&parts[*column]) > 0).collect()
        };
        // A part of it has 195 ms.
        assert_eq!(at(|part| part.marks), [358, 359, 360]);
        assert_eq!(at(|part| part.faults), (0..=509).collect::<Vec<_>>());
    }

    #[test]
    fn it_is_high_where_much_happened_whether_that_is_in_one_chunk_or_in_many() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("night.mcap");
        // What was before the recording is in one chunk: much in the second second, little behind that.
        let mut items = vec![Item::Keyframe(0), Item::Entry(1, None)];
        items.extend((0..79).map(|at| Item::Entry(1_000 + at * 10, None)));
        items.extend([Item::Entry(4_500, None), Item::Keyframe(5_000)]);
        // One in a chunk of its own, then many.
        items.extend([Item::Entry(6_000, None), Item::Keyframe(6_001)]);
        items.extend((0..40).map(|at| Item::Entry(7_000 + at * 20, None)));
        items.push(Item::Entry(10_000, None));
        write(&mut begin(&path, 0), &items);
        let weights: Vec<u64> = of_files(&[path]).columns(10).iter().map(|part| part.weight).collect();
        assert!(weights[1] >= 78 && weights[7] >= 39, "{weights:?}");
        assert!([0, 2, 3, 4, 5, 6, 8].iter().all(|at| weights[*at] <= 2), "{weights:?}");
    }

    #[test]
    fn each_start_counts_from_its_own_beginning_and_a_file_that_follows_from_the_one_before() {
        for follows in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let paths: [PathBuf; 2] = ["first.mcap", "second.mcap"].map(|name| folder.path().join(name));
            let fault = |ms| Item::Entry(ms, Some(Tallied::Fault));
            let mut first = begin(&paths[0], 0);
            let items =
                [Item::Keyframe(0), fault(100), fault(200), Item::Keyframe(200), Item::Entry(1_000, None)];
            write(&mut first, &items);
            let mut second = begin(&paths[1], if follows { 0 } else { 10_000 });
            if follows {
                second.follow(&first);
            }
            let items = [
                Item::Entry(10_000, None),
                Item::Keyframe(10_000),
                fault(10_100),
                Item::Keyframe(10_100),
                Item::Entry(20_000, None),
            ];
            write(&mut second, &items);
            let parts = of_files(&paths).columns(PARTS);
            let quarters = parts.chunks(PARTS / 4);
            let faults: Vec<u64> = quarters.map(|of| of.iter().map(|part| part.faults).sum()).collect();
            assert_eq!(faults, [2, 0, 1, 0], "follows: {follows}");
        }
    }
}
