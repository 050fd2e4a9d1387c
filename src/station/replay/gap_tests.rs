//! What is missing in a recording: parts that are damaged, and times that are between files.

use std::{fs, sync::Arc, time::Duration};

use super::{
    ReplayPort,
    reach::{Target, reach},
    test_recordings::block_on,
    tests::{act, info, night, open, sample},
};
use crate::{
    ids::Seq,
    limits::Limits,
    port::{ReplayAct, ReplayPlace, Snapshot, Speed, StationPort as _},
    recording::{self, Cut, RecordedItem, RecordingSet, SetCursor, SetReader, test_files::TestFile},
    tap::{
        Batch, EntryRef,
        entry::{Entry, What},
        recorded::OwnedEntry,
    },
    time::Wall,
};

/// A night with one keyframe and a chunk that cannot be read.
fn damaged_night() -> (tempfile::TempDir, Arc<RecordingSet>) {
    let night = night(1, usize::MAX);
    let path = night.folder.path().join("night.1.mcap");
    let chunks = recording::index(&path).unwrap().chunks;
    let chunk = chunks[chunks.len() / 2];
    let mut bytes = fs::read(&path).unwrap();
    let middle = usize::try_from(chunk.at + chunk.len / 2).unwrap();
    bytes[middle..middle + 5].iter_mut().for_each(|byte| *byte ^= 0x55);
    fs::write(&path, bytes).unwrap();
    let set = Arc::new(RecordingSet::open(&[path]).unwrap());
    (night.folder, set)
}

#[test]
fn entries_of_a_damaged_part_are_lost_and_that_is_said() {
    let (_folder, set) = damaged_night();
    let mut reader = SetReader::new(Arc::clone(&set));
    let mut cursor = SetCursor::at(&set, 0);
    let (mut before, mut lost, mut unread) = (None, 0, 0);
    while let Some(item) = cursor.next(&mut reader) {
        let Ok(item) = item else {
            unread += 1;
            continue;
        };
        let RecordedItem::Entry(entry) = item.item else { continue };
        let seq = entry.entry.seq;
        match (before, &entry.entry.what) {
            (Some(before), What::Loss { count }) => {
                assert_eq!(seq.0, before + count, "the number of the last that was lost");
                lost += count;
            }
            (Some(before), _) => assert_eq!(seq.0, before + 1, "nothing is missing without a loss"),
            _ => {}
        }
        before = Some(seq.0);
    }
    assert!(lost > 0 && unread == 1, "{lost} {unread}");

    // Gone to, and played.
    let port = open(&set, ReplayPlace::End, Speed::ONE, true);
    let view = port.replay().unwrap().view.borrow().clone();
    assert_eq!(view.lost, lost);
    assert!(view.refused.is_some_and(|(_, why)| {
        why.contains("damaged at byte") && why.contains("; `rl-console recording verify ")
    }));
    let port = open(&set, ReplayPlace::Start, Speed::MAX, true);
    assert_eq!(port.replay().unwrap().view.borrow().lost, 0);
    let told = block_on(async {
        let mut reader = port.entries().unwrap();
        let mut replay = port.replay().unwrap();
        replay.control.act(ReplayAct::Toggle);
        let mut told = 0;
        while told == 0 {
            reader.ready().await;
            let count = |what: &What| if let What::Loss { count } = what { *count } else { 0 };
            while let Some(batch) = reader.read() {
                told += batch.iter().map(|it| count(&it.entry.what)).sum::<u64>();
            }
            let generation = replay.view.borrow().generation;
            replay.control.folded(generation, reader.next());
        }
        replay.view.wait_for(|view| view.lost == told).await.unwrap();
        told
    });
    assert_eq!(told, lost);
}

#[test]
fn damage_names_the_file_that_has_it() {
    let night = night(2, usize::MAX);
    let path = &night.files[0];
    let chunk = *recording::index(path).unwrap().chunks.last().unwrap();
    let mut bytes = fs::read(path).unwrap();
    bytes[usize::try_from(chunk.at + chunk.len - 8).unwrap()] ^= 0xff;
    fs::write(path, bytes).unwrap();
    let set = Arc::new(RecordingSet::open(&night.files).unwrap());
    // The end of the first file is on the way to the beginning of the second.
    let chunks = (0..set.len()).filter_map(|number| set.chunk(number));
    let from_ns = chunks.filter(|chunk| chunk.file == 0).map(|chunk| chunk.place.end_ns).max().unwrap();
    let after = Duration::from_nanos(from_ns - set.span_ns().0);
    let port = open(&set, ReplayPlace::After(after), Speed::ONE, true);
    let (_, why) = port.replay().unwrap().view.borrow().refused.clone().unwrap();
    let verify = format!("; `rl-console recording verify {}` lists all damage", path.display());
    assert!(why.contains(&verify), "{why}");
}

#[test]
fn between_files_it_is_said_that_nothing_is_recorded() {
    let (first, entries) = sample();
    let folder = tempfile::tempdir().unwrap();
    let mut ends = Vec::new();
    for (number, started_ms) in [(1, 0), (2, 10_000_000)] {
        let path = folder.path().join(format!("start.{number}.mcap"));
        let mut file = TestFile::begin(&path, &info(started_ms, None), 16_384);
        let shift = Duration::from_millis(started_ms);
        let snapshot = Snapshot { at: first.at.after(shift), ..first.clone() };
        file.keyframe(snapshot.at, &snapshot.encode());
        for it in &entries[..50] {
            let entry = Entry { at: it.entry.at.after(shift), ..it.entry.clone() };
            file.entry(crate::tap::EntryRef { entry: &entry, bytes: &it.bytes }, None);
        }
        file.finish();
        ends.push((snapshot.at.wall, entries[49].entry.at.after(shift).wall));
    }
    let set = Arc::new(RecordingSet::open(&[folder.path().to_owned()]).unwrap());
    let between = ReplayPlace::After(Duration::from_hours(1));
    let port = open(&set, between, Speed::ONE, true);
    let (from, to) = port.replay().unwrap().view.borrow().unrecorded.unwrap();
    let is_near = |one: Wall, other: Wall| one.0.abs_diff(other.0) <= 1_000;
    assert!(is_near(from, ends[0].1) && is_near(to, ends[1].0), "{from:?} {to:?} {ends:?}");
    block_on(async {
        let at_end = act(&port, ReplayAct::Seek(ReplayPlace::End), |view| view.generation > 1).await;
        assert_eq!(at_end.unrecorded, None);
        let in_first = ReplayAct::Seek(ReplayPlace::Start);
        let at_start = act(&port, in_first, |view| view.generation > 2).await;
        assert_eq!(at_start.unrecorded, None);
        // What plays there goes on with what is recorded next.
        drop(act(&port, ReplayAct::Seek(between), |view| view.unrecorded.is_some()).await);
        let next = act(&port, ReplayAct::Toggle, |view| !view.is_held && view.unrecorded.is_none()).await;
        assert!(next.at.wall >= ends[1].0, "{:?} {ends:?}", next.at);
    });
}

#[test]
fn where_entries_were_left_out_none_is_lost_and_keyframes_say_what_they_changed() {
    let night = night(1, 97);
    let set = Arc::new(RecordingSet::open(&night.files).unwrap());
    let mut reader = SetReader::new(Arc::clone(&set));
    let (limits, path) = (Limits::default(), night.folder.path().join("part.mcap"));
    let (head, from) = ReplayPort::part_from(&mut reader, set.span_ns().0, &limits).unwrap();
    let is_kept = |seq: Seq| seq.0.is_multiple_of(5);
    let keeps = &mut |entry: EntryRef<'_>| is_kept(entry.entry.seq);
    let cut = Cut { head, from, to_ns: u64::MAX, keeps, is_filtered: true, tallied: |_| None };
    recording::cut(&mut reader, cut, &path, limits.recording).unwrap();
    let of_part = Arc::new(RecordingSet::open(&[path]).unwrap());
    assert!(of_part.notes().iter().any(|note| note.contains("entries were left out")));

    // Its keyframes have their own times.
    let starts = |set: &RecordingSet| -> Vec<u64> {
        let chunks = (0..set.len()).filter_map(|number| Some(set.chunk(number)?.place));
        chunks.filter(|place| place.has_keyframe).map(|place| place.start_ns).collect()
    };
    assert_eq!(starts(&of_part)[1..], starts(&set)[1..]);
    let mut reader = SetReader::new(Arc::clone(&of_part));
    for (number, at_ns) in starts(&of_part).into_iter().enumerate().skip(1) {
        let at = reach(&mut reader, Target::Time(at_ns), &limits).unwrap().state;
        assert!(at.snapshot() == night.state(number * 97 - 1), "keyframe {number}");
    }

    let kept: Vec<OwnedEntry> = night.entries.iter().filter(|it| is_kept(it.entry.seq)).cloned().collect();
    let port = open(&of_part, ReplayPlace::Start, Speed::MAX, true);
    let played = block_on(async {
        let (mut reader, mut replay) = (port.entries().unwrap(), port.replay().unwrap());
        replay.control.act(ReplayAct::Toggle);
        let mut all = Vec::new();
        while all.len() < kept.len() {
            reader.ready().await;
            while let Some(batch) = reader.read() {
                assert_eq!(batch.len(), 1);
                all.extend(
                    batch.iter().map(|it| OwnedEntry { entry: it.entry.clone(), bytes: it.bytes.to_vec() }),
                );
            }
            let generation = replay.view.borrow().generation;
            replay.control.folded(generation, reader.next());
        }
        let at_end = replay.view.wait_for(|view| view.is_held).await.unwrap().clone();
        assert!(at_end.renewed > 0 && at_end.lost == 0, "{at_end:?}");
        assert!(all == kept);
        port.snapshot().await.unwrap()
    });
    let end = reach(&mut reader, Target::Time(u64::MAX), &limits).unwrap().state;
    assert_eq!((end.lost(), end.last()), (0, kept.last().map(|last| last.entry.seq)));
    let end = end.snapshot();
    assert!((played.as_of, &played.mpp, &played.rmp) == (end.as_of, &end.mpp, &end.rmp));
    // Its past was not lost either.
    let page = block_on(open(&of_part, ReplayPlace::End, Speed::ONE, true).past(Seq(u64::MAX))).unwrap();
    assert!(page.batches.iter().all(|batch| batch.lost == 0));
    assert_eq!(page.batches.iter().map(Batch::len).sum::<usize>(), kept.len());
}
