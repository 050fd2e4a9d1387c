//! Entries of note that are far away: they are looked for a part of the files at a time.

use std::{path::Path, sync::Arc};

use super::{
    test_recordings::block_on,
    tests::{open, sample},
};
use crate::{
    ids::Seq,
    port::{ReplayAct, ReplayPlace, Speed, StationPort as _},
    recording::{RecordingInfo, RecordingSet, test_files::TestFile},
    tap::{
        EntryRef,
        entry::{Entry, Link, Transition, What, station},
    },
    time::Now,
};

const ENTRIES: u64 = 40_000;

/// A recording of many small chunks in which nothing is of note; the number of its first entry.
fn quiet(path: &Path) -> (Arc<RecordingSet>, u64) {
    let first = sample().0;
    let begin = first.as_of.0.iter().max().copied().unwrap_or_default().next().0;
    let info = RecordingInfo { station_started: Now::at_ms(0), ..RecordingInfo::default() };
    let mut file = TestFile::begin(path, &info, 256);
    file.keyframe(first.at, &first.encode());
    for seq in begin..begin + ENTRIES {
        let what = What::Transition(Transition::Station(station::Transition::RecordingGrew { bytes: seq }));
        let entry =
            Entry { seq: Seq(seq), at: first.at, link: Link::Station, trace: None, cause: None, what };
        file.entry(EntryRef { entry: &entry, bytes: b"" }, None);
    }
    file.finish();
    let set = Arc::new(RecordingSet::open(&[path.to_owned()]).unwrap());
    assert!(set.len() > 1_000, "{} chunks", set.len());
    (set, begin)
}

#[test]
fn a_look_for_an_entry_of_note_says_that_it_goes_on_and_ends_with_any_other_act() {
    let folder = tempfile::tempdir().unwrap();
    let (set, begin) = quiet(&folder.path().join("quiet.mcap"));
    let port = open(&set, ReplayPlace::Start, Speed::ONE, true);
    let mut replay = port.replay().unwrap();
    let next = ReplayAct::Seek(ReplayPlace::NextNote(Some(Seq(begin))));
    block_on(async {
        replay.control.act(next);
        let looks = replay.view.wait_for(|view| view.is_seeking).await.unwrap().clone();
        replay.control.act(ReplayAct::Faster);
        let ended = replay.view.wait_for(|view| !view.is_seeking).await.unwrap().clone();
        assert_eq!((ended.generation, ended.refused), (looks.generation, None), "it found nothing yet");
        assert_ne!(ended.speed, Speed::ONE);
        // Looked for to its end, there is none; who looked twice is told twice.
        replay.control.act(next);
        replay.control.act(next);
        let twice =
            |view: &crate::port::ReplayView| view.refused.as_ref().is_some_and(|(count, _)| *count == 2);
        let none = replay.view.wait_for(twice).await.unwrap().clone();
        assert!(none.refused.unwrap().1.starts_with("no further failure") && !none.is_seeking);
    });
}
