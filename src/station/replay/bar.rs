//! The time bar of a recording, from its index and its tallies alone.

use crate::{
    port::{BarPart, ReplayBar},
    recording::{RecordingSet, Tally},
    tap::entry::Link,
};

/// Parts of it: more than a screen has columns.
const PARTS: usize = 1_024;

pub(super) fn bar(set: &RecordingSet) -> ReplayBar {
    let (first, last) = set.span_ns();
    let of = last.saturating_sub(first).max(1);
    let since = |ns: u64| ns.saturating_sub(first);
    let mut bar = ReplayBar::with_parts(PARTS);
    for number in 0..set.len() {
        let Some(chunk) = set.chunk(number).filter(|chunk| !chunk.place.has_keyframe) else { continue };
        bar.add_weight(chunk.place.len, (since(chunk.place.start_ns), since(chunk.place.end_ns)), of);
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
        recording::{RecordingInfo, Tallied, test_files::TestFile},
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
        let parts = bar(&RecordingSet::open(&[path]).unwrap()).columns(PARTS);
        for (at, part) in parts.iter().enumerate() {
            let noted = u64::from(at <= 256);
            assert_eq!((part.faults, part.marks), (noted, noted), "part {at}");
            assert_eq!(part.lost, if (256..=512).contains(&at) { 7 } else { 0 }, "part {at}");
            let has_entries = [128..=256, 384..=512, 1_023..=1_023].iter().any(|of| of.contains(&at));
            assert_eq!(part.weight > 0, has_entries, "part {at}: of entries, not of keyframes");
        }
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
            let bar = bar(&RecordingSet::open(&paths).unwrap());
            let faults: Vec<u64> = bar.columns(4).iter().map(|part| part.faults).collect();
            assert_eq!(faults, [2, 0, 1, 0], "follows: {follows}");
        }
    }
}
