//! Recordings of one start of a station that have the same entries: a part, a clip, what was recorded twice.

use std::{ops::Range, path::Path, sync::Arc, time::Duration};

use super::{
    reach::{Reached, Target, reach},
    state::ReplayState,
    tests::{Night, info, night},
};
use crate::{
    ids::Seq,
    limits::Limits,
    recording::{PlacedItem, RecordedItem, RecordingSet, SetCursor, SetReader, test_files::TestFile},
};

/// The first entry from here on that is later than all before it by more than a millisecond.
fn pause_from(night: &Night, from: usize) -> usize {
    let at = |index: usize| night.entries[index].entry.at.mono;
    let is_pause = |index: &usize| {
        let before = (0..*index).map(at).max().unwrap_or_default();
        at(*index).since(before) > Duration::from_millis(1)
    };
    (from..night.entries.len()).find(is_pause).unwrap_or(night.entries.len())
}

/// Writes a part of a night, with keyframes where a recording of all of it has them, too.
fn write_part(night: &Night, path: &Path, part: Range<usize>) {
    let mut file = TestFile::begin(path, &info(0, None), 4_096);
    let mut state = ReplayState::of(night.first.clone());
    for (at, entry) in night.entries.iter().enumerate().take(part.end) {
        if at == part.start || (part.contains(&at) && at % 97 == 0) {
            let snapshot = state.snapshot();
            file.keyframe(snapshot.at, &snapshot.encode());
        }
        if part.contains(&at) {
            file.entry(entry.as_ref(), None);
        }
        state.take(entry.as_ref(), &Limits::default());
    }
    file.finish();
}

/// The numbers of all entries of a set, as its cursor gives them.
fn all_seqs(reader: &mut SetReader) -> Vec<Seq> {
    let mut cursor = SetCursor::at(&Arc::clone(reader.set()), 0);
    let mut seqs = Vec::new();
    while let Some(item) = cursor.next(reader) {
        if let PlacedItem { item: RecordedItem::Entry(entry), .. } = item.unwrap() {
            seqs.push(entry.entry.seq);
        }
    }
    seqs
}

/// Opens a folder of parts that are a whole night together, and compares it with that.
fn compare(night: &Night, parts: &[Range<usize>]) {
    let folder = tempfile::tempdir().unwrap();
    for (number, part) in parts.iter().enumerate() {
        write_part(night, &folder.path().join(format!("part.{number}.mcap")), part.clone());
    }
    let set = Arc::new(RecordingSet::open(&[folder.path().to_owned()]).unwrap());
    assert!(set.notes().is_empty(), "{parts:?}: that is as it should be: {:?}", set.notes());
    let starts: Vec<u64> = (0..set.len()).map(|at| set.chunk(at).unwrap().place.start_ns).collect();
    assert!(starts.is_sorted(), "{parts:?}");
    let mut reader = SetReader::new(set);
    let expected: Vec<Seq> = night.entries.iter().map(|it| it.entry.seq).collect();
    assert!(all_seqs(&mut reader) == expected, "{parts:?}: each entry once, in order");
    let count = night.entries.len();
    let edges = parts.iter().flat_map(|part| [part.start, part.end]);
    let edges = edges.flat_map(|edge| [edge.saturating_sub(1), edge]).filter(|index| *index < count);
    for index in (0..count).step_by(count / 29).chain(edges) {
        let target = Target::Entry { seq: expected[index], near: 0 };
        let Reached { state, log_ns, .. } = reach(&mut reader, target, &Limits::default()).unwrap();
        assert_eq!(state.last(), Some(expected[index]), "{parts:?}");
        let whole = night.state(index);
        assert!(state.snapshot() == whole, "{parts:?}: entry {index}");
        let at_time = reach(&mut reader, Target::Time(log_ns), &Limits::default()).unwrap().state;
        assert_eq!(at_time.last(), Some(expected[index]), "{parts:?}: its own moment");
        assert!(at_time.snapshot() == whole, "{parts:?}: the moment of entry {index}");
    }
}

#[test]
fn what_another_file_of_the_same_start_has_too_is_left_out() {
    let night = night(1, 97);
    let count = night.entries.len();
    let [quarter, half, most] = [count / 4, count / 2, count * 3 / 4].map(|at| pause_from(&night, at));
    assert!(quarter < half && half < most && most < count, "{quarter} {half} {most} {count}");
    // One within another; twice the same; one that overlaps; one over the end of one and the next.
    compare(&night, &[0..count, quarter..half]);
    compare(&night, &[0..count, 0..count]);
    compare(&night, &[0..most, quarter..count]);
    compare(&night, &[0..half, quarter..most, half..count]);
}

#[test]
fn counts_of_what_is_left_out_are_not_counted_twice() {
    let night = night(1, 97);
    let count = night.entries.len();
    let [quarter, half, most] = [count / 4, count / 2, count * 3 / 4].map(|at| pause_from(&night, at));
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.mcap", "b.mcap", "c.mcap"].map(|name| folder.path().join(name));
    write_part(&night, &paths[0], 0..most);
    write_part(&night, &paths[1], quarter..half);
    write_part(&night, &paths[2], half..count);
    let tallies = |paths: &[std::path::PathBuf]| {
        let set = RecordingSet::open(paths).unwrap();
        set.counted()
            .into_iter()
            .flat_map(|it| it.tallies)
            .map(|(at, tally)| (at, tally.entries()))
            .collect::<Vec<_>>()
    };
    let (alone, all) = (tallies(&paths[..1]), tallies(&paths));
    assert!(all.starts_with(&alone) && all.is_sorted_by_key(|(at, _)| *at), "{alone:?} {all:?}");
    let of_last = &all[alone.len()..];
    assert!(of_last.is_sorted_by_key(|(_, entries)| *entries), "{of_last:?}");
    assert!(of_last[0].1 > 0 && of_last[0].1 <= (most - half) as u64, "since its own beginning: {of_last:?}");
}
