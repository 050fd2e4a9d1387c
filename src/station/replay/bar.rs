//! The time bar of a recording, from its index and its tallies, and from the few chunks that last long.

use std::sync::Arc;

use crate::{
    port::{BarPart, ReplayBar},
    recording::{PlacedItem, RecordedItem, SetReader, Tally},
    tap::entry::Link,
};

/// Parts of it: more than a screen has columns.
const PARTS: usize = 1_024;
/// How long a chunk lasts whose entries are taken for even, in nanoseconds: it is written once a second.
const EVEN_NS: u64 = 2_000_000_000;
/// Longer ones that are read: what was kept before the recording began is in such. Further ones are taken for
/// even.
const READ_MAX: usize = 16;

pub(super) fn bar(reader: &mut SetReader) -> ReplayBar {
    let set = Arc::clone(reader.set());
    let (first, last) = set.span_ns();
    let of = last.saturating_sub(first).max(1);
    let since = |ns: u64| ns.saturating_sub(first);
    let mut bar = ReplayBar::with_parts(PARTS);
    let mut read = 0;
    for number in 0..set.len() {
        let Some(chunk) = set.chunk(number) else { continue };
        let span = (since(chunk.place.start_ns), since(chunk.place.end_ns));
        let is_long = span.1.saturating_sub(span.0) > EVEN_NS && bar.parts_of(span, of) > 1;
        if is_long && read < READ_MAX {
            read += 1;
            let is_entry = |item: &PlacedItem| matches!(item.item, RecordedItem::Entry(_));
            for item in reader.chunk(number).into_iter().flatten().filter(is_entry) {
                bar.add_weight(1, (since(item.log_ns), since(item.log_ns)), of);
            }
            continue;
        }
        // A keyframe is none of what happened.
        let entries = chunk.place.messages.saturating_sub(chunk.place.has_keyframe.into());
        bar.add_weight(entries, span, of);
    }
    let mut before: Option<(u64, BarPart)> = None;
    for (at, tally) in set.tallies() {
        let now = counts(tally);
        if let Some((from, known)) = before {
            // Another recording begins with none.
            let more = BarPart {
                weight: 0,
                faults: now.faults.saturating_sub(known.faults),
                lost: now.lost.saturating_sub(known.lost),
                marks: now.marks.saturating_sub(known.marks),
            };
            bar.note(more, (since(from), since(at).saturating_sub(1)), of);
        }
        before = Some((at, now));
    }
    bar
}

fn counts(tally: &Tally) -> BarPart {
    let links = || Link::ALL.into_iter().map(|link| tally.link(link));
    BarPart {
        weight: 0,
        faults: links().map(|link| link.faults).sum(),
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
        recording::{RecordingInfo, RecordingSet, Tallied, test_files::TestFile},
        tap::{
            EntryRef,
            entry::{Entry, Transition, What, station},
        },
        time::Now,
    };

    /// What is written one after the other. Keyframes are right behind what is in front of them.
    enum Item {
        Keyframe(u64),
        Entry(u64, Option<Tallied>),
        Loss(u64, u64),
    }

    fn of_files(paths: &[PathBuf]) -> ReplayBar {
        bar(&mut SetReader::new(Arc::new(RecordingSet::open(paths).unwrap())))
    }

    fn begin(path: &std::path::Path, started_ms: u64) -> TestFile {
        let info = RecordingInfo { station_started: Now::at_ms(started_ms), ..RecordingInfo::default() };
        TestFile::begin(path, &info, 16_384)
    }

    fn write(file: &mut TestFile, items: &[Item]) {
        let marked = station::Transition::Marked { by: None, entry: None };
        for (seq, item) in (1..).map(Seq).zip(items) {
            let (ms, as_what, what) = match item {
                Item::Keyframe(ms) => {
                    file.keyframe(Now::at_ms(*ms), b"state");
                    continue;
                }
                Item::Entry(ms, as_what) => {
                    (*ms, *as_what, What::Transition(Transition::Station(marked.clone())))
                }
                Item::Loss(ms, count) => (*ms, None, What::Loss { count: *count }),
            };
            let at = Now::at_ms(ms);
            let entry = Entry { seq, at, link: Link::Station, trace: None, cause: None, what };
            file.entry(EntryRef { entry: &entry, bytes: b"" }, as_what);
        }
        file.finish();
    }

    #[test]
    fn faults_losses_and_marks_are_in_the_time_since_the_keyframe_before_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("night.mcap");
        let items = [
            Item::Keyframe(0),
            Item::Entry(512, Some(Tallied::Fault)),
            Item::Entry(1_024, Some(Tallied::Mark)),
            Item::Keyframe(1_024),
            Item::Entry(1_536, Some(Tallied::Drop)),
            Item::Loss(2_048, 7),
            Item::Keyframe(2_048),
            Item::Entry(4_096, None),
        ];
        write(&mut begin(&path, 0), &items);
        // A part of it has 4 ms.
        let parts = of_files(&[path]).columns(PARTS);
        let entries: u64 = parts.iter().map(|part| part.weight).sum();
        assert_eq!(entries, 5, "of entries, not of keyframes");
        for (at, part) in parts.iter().enumerate() {
            let noted = u64::from(at <= 256);
            assert_eq!((part.faults, part.marks), (noted, noted), "part {at}");
            assert_eq!(part.lost, if (256..=512).contains(&at) { 7 } else { 0 }, "part {at}");
            let has_entries = [128..=256, 384..=512, 1_023..=1_023].iter().any(|of| of.contains(&at));
            assert!(part.weight == 0 || has_entries, "part {at}");
        }
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
            let bar = of_files(&paths);
            let faults: Vec<u64> = bar.columns(4).iter().map(|part| part.faults).collect();
            assert_eq!(faults, [2, 0, 1, 0], "follows: {follows}");
        }
    }
}
