//! Places that are gone to: where more happened than may wait to be folded, and by the wall clock.

use std::{path::Path, sync::Arc, time::Duration};

use super::{
    ReplayPort,
    test_recordings::block_on,
    tests::{act, open, read, sample},
};
use crate::{
    ids::Seq,
    limits::Limits,
    port::{ReplayAct, ReplayPlace, Snapshot, Speed, StationPort as _},
    recording::{
        PlacedItem, RecordedItem, RecordingInfo, RecordingSet, SetCursor, SetReader, test_files::TestFile,
    },
    tap::{
        EntryRef,
        entry::{Entry, Link, Transition, What, station},
    },
    time::{Mono, Now, Wall},
};

const ENTRIES: u64 = 20_000;
/// Time between them.
const EVERY: Duration = Duration::from_micros(100);
/// A place behind so many of them.
const GONE: u64 = 15_000;

fn marked(seq: u64, at: Now) -> Entry {
    let what = What::Transition(Transition::Station(station::Transition::Marked { by: None, entry: None }));
    Entry { seq: Seq(seq), at, link: Link::Station, trace: None, cause: None, what }
}

/// Entries in quick succession between two keyframes; the first state, and the number of the first entry.
fn dense(path: &Path) -> (Arc<RecordingSet>, Snapshot, u64) {
    let first = sample().0;
    let begin = first.as_of.0.iter().max().copied().unwrap_or_default().next().0;
    let info = RecordingInfo { station_started: Now::at_ms(0), ..RecordingInfo::default() };
    let mut file = TestFile::begin(path, &info, 16_384);
    file.keyframe(first.at, &first.encode());
    let mut at = first.at;
    for seq in begin..begin + ENTRIES {
        at = Now { mono: at.mono + EVERY, ..at };
        file.entry(EntryRef { entry: &marked(seq, at), bytes: b"mark" }, None);
    }
    file.keyframe(at, &first.encode());
    file.finish();
    (Arc::new(RecordingSet::open(&[path.to_owned()]).unwrap()), first, begin)
}

#[test]
fn a_step_forward_comes_to_its_place_whenever_what_lies_before_it_is_folded() {
    let folder = tempfile::tempdir().unwrap();
    let (set, first, begin) = dense(&folder.path().join("dense.mcap"));
    let port = open(&set, ReplayPlace::Start, Speed::ONE, true);
    let gone_ns = i64::try_from((EVERY * u32::try_from(GONE).unwrap()).as_nanos()).unwrap();
    let there = first.at.mono + Duration::from_nanos(gone_ns.unsigned_abs());
    block_on(async {
        let mut reader = port.entries().unwrap();
        act(&port, ReplayAct::Seek(ReplayPlace::By(gone_ns)), |view| view.at.mono == there).await;
        let waiting = (Limits::default().tap.ring_entries_max / 4).min(8_192);
        let mut count = 0;
        while count < waiting {
            reader.ready().await;
            while let Some(batch) = reader.read() {
                count += batch.iter().count() as u64;
            }
        }
        // As many as may wait do, when the second act is done.
        act(&port, ReplayAct::Faster, |view| view.speed != Speed::ONE).await;
        let waits = act(&port, ReplayAct::Slower, |view| view.speed == Speed::ONE).await;
        assert_eq!((count, waits.at.mono, waits.is_held), (waiting, there, true));
        count += read(&port, &mut reader).len() as u64;
        while count < GONE {
            reader.ready().await;
            count += read(&port, &mut reader).len() as u64;
        }
        assert_eq!((count, reader.next()), (GONE, Seq(begin + GONE)));
        let view = act(&port, ReplayAct::Hold, |view| view.is_held).await;
        assert_eq!((view.at.mono, view.generation), (there, 1));
        let last = port.snapshot().await.unwrap().as_of.0[Link::Station.index()];
        assert_eq!(last, Seq(begin + GONE - 1));
        // And no further.
        assert!(read(&port, &mut reader).is_empty());
    });
}

#[test]
fn while_it_plays_a_place_ahead_is_gone_to_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (set, first, begin) = dense(&folder.path().join("dense.mcap"));
    let port = open(&set, ReplayPlace::Start, Speed::parse("1/4").unwrap(), false);
    let after = EVERY * u32::try_from(GONE).unwrap();
    block_on(async {
        let seek = ReplayAct::Seek(ReplayPlace::After(after));
        let gone = act(&port, seek, |view| view.generation > 1).await;
        assert!(gone.at.mono >= first.at.mono + after && !gone.is_held, "{:?}", gone.at);
        let last = port.snapshot().await.unwrap().as_of.0[Link::Station.index()];
        assert!(last >= Seq(begin + GONE - 1), "{last:?}");
    });
}

#[test]
fn a_moment_of_the_wall_clock_has_all_that_bears_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("night.mcap");
    let started = Now::at_ms(0);
    let first = Snapshot { at: started, ..sample().0 };
    let begin = first.as_of.0.iter().max().copied().unwrap_or_default().next().0;
    let info = RecordingInfo { station_started: started, ..RecordingInfo::default() };
    let mut file = TestFile::begin(&path, &info, 16_384);
    file.keyframe(first.at, &first.encode());
    // Whole milliseconds are noted of the wall clock: at the start it was 0.9 ms further.
    let at = |us: u64| Now { mono: Mono(us * 1_000), wall: Wall(started.wall.0 + (us + 900) / 1_000) };
    let moments = [50, 150, 1_050, 1_150, 1_950, 2_150].map(at);
    for (seq, at) in (begin..).zip(moments) {
        file.entry(EntryRef { entry: &marked(seq, at), bytes: b"mark" }, None);
    }
    file.finish();
    let mut reader = SetReader::new(Arc::new(RecordingSet::open(&[path]).unwrap()));
    for wall in (0..4).map(|ms| Wall(started.wall.0 + ms)) {
        let (from_ns, to_ns) = ReplayPort::times_of(&mut reader, wall, &Limits::default()).unwrap();
        let mut cursor = SetCursor::at(&Arc::clone(reader.set()), 0);
        while let Some(item) = cursor.next(&mut reader) {
            let PlacedItem { log_ns, item } = item.unwrap();
            let RecordedItem::Entry(entry) = item else { continue };
            let is_of_it = entry.entry.at.wall == wall;
            assert_eq!((from_ns..=to_ns).contains(&log_ns), is_of_it, "{wall:?}: {:?}", entry.entry.at);
        }
    }
}

/// Entries of every second of a minute in whose middle the wall clock was set back by so many seconds.
fn set_back(path: &Path, by_s: u64) -> Arc<RecordingSet> {
    let started = Now::at_ms(0);
    let first = Snapshot { at: started, ..sample().0 };
    let begin = first.as_of.0.iter().max().copied().unwrap_or_default().next().0;
    let info = RecordingInfo { station_started: started, ..RecordingInfo::default() };
    let mut file = TestFile::begin(path, &info, 16_384);
    file.keyframe(first.at, &first.encode());
    for s in 0..60 {
        let at = Now::at_ms(s * 1_000);
        let back_ms = if s < 30 { 0 } else { by_s * 1_000 };
        let at = Now { wall: Wall(at.wall.0 - back_ms), ..at };
        file.entry(EntryRef { entry: &marked(begin + s, at), bytes: b"mark" }, None);
        file.flush();
    }
    file.finish();
    Arc::new(RecordingSet::open(&[path.to_owned()]).unwrap())
}

#[test]
fn where_the_wall_clock_was_set_back_each_time_that_it_showed_is_gone_to() {
    let folder = tempfile::tempdir().unwrap();
    let set = set_back(&folder.path().join("night.mcap"), 40);
    let wall = |s: i64| Wall(Now::at_ms(0).wall.0.saturating_add_signed(s * 1_000));
    let span = ReplayPort::span(&set).unwrap();
    assert_eq!((span.first, span.last, span.lasts.as_secs()), (wall(-10), wall(29), 59));
    let zone = jiff::tz::TimeZone::UTC;
    // The second that the recording has, by its own time and by the wall clock.
    for (shown, after) in [(-10, 30), (-5, 35), (3, 3), (19, 19), (29, 29)] {
        let place = ReplayPlace::Wall(wall(shown));
        assert_eq!(place.check(&span, &zone), Ok(()), "{shown}");
        let port = open(&set, place, Speed::ONE, true);
        let view = port.replay().unwrap().view.borrow().clone();
        assert_eq!((view.passed.as_secs(), view.at.wall), (after, wall(shown)), "{shown}");
        let gone =
            block_on(act(&port, ReplayAct::Seek(ReplayPlace::Wall(wall(0))), |view| view.generation > 1));
        assert_eq!((gone.passed.as_secs(), gone.at.wall), (0, wall(0)));
    }
    let outside = ReplayPlace::Wall(wall(-11));
    assert!(outside.check(&span, &zone).is_err());
    let (from_ns, to_ns) =
        ReplayPort::times_of(&mut SetReader::new(set), wall(-10), &Limits::default()).unwrap();
    let log_ns = |s: u64| wall(0).0 * 1_000_000 + s * 1_000_000_000;
    assert!(from_ns > log_ns(29) && from_ns <= log_ns(30) && to_ns == log_ns(30), "{from_ns} {to_ns}");
}

#[test]
fn a_keyframe_with_later_entries_in_it_is_not_begun_with_before_these() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("night.mcap");
    let first = Snapshot { at: Now::at_ms(0), ..sample().0 };
    let begin = first.as_of.0.iter().max().copied().unwrap_or_default().next().0;
    let mut ahead = first.clone();
    ahead.as_of.0[Link::Station.index()] = Seq(begin + 7);
    let info = RecordingInfo { station_started: Now::at_ms(0), ..RecordingInfo::default() };
    let mut file = TestFile::begin(&path, &info, 16_384);
    file.keyframe(first.at, &first.encode());
    for number in 0..10 {
        let at = Now::at_ms(number * 1_000);
        if number == 5 {
            file.keyframe(at, &ahead.encode());
        }
        file.entry(EntryRef { entry: &marked(begin + number, at), bytes: b"mark" }, None);
    }
    file.finish();
    let set = Arc::new(RecordingSet::open(&[path]).unwrap());
    for seq in (begin..begin + 10).map(Seq) {
        let port = open(&set, ReplayPlace::Seq(seq), Speed::ONE, true);
        let state = block_on(port.snapshot()).unwrap();
        assert_eq!(state.as_of.0[Link::Station.index()], seq);
    }
}

#[test]
fn an_entry_that_is_not_there_is_refused_and_the_replay_stays_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (set, _, begin) = dense(&folder.path().join("night.mcap"));
    let port = open(&set, ReplayPlace::Seq(Seq(begin + GONE)), Speed::ONE, true);
    block_on(async {
        let before = port.snapshot().await.unwrap();
        let at = port.replay().unwrap().view.borrow().at;
        let beyond = ReplayAct::Seek(ReplayPlace::Seq(Seq(begin + ENTRIES)));
        let view =
            act(&port, beyond, |view| view.refused.is_some() && !view.is_seeking && view.at == at).await;
        let last = begin + ENTRIES - 1;
        let expected = format!("entry {} is not in the recording: its last is {last}", begin + ENTRIES);
        assert_eq!(*view.refused.unwrap().1, expected);
        assert!(port.snapshot().await.unwrap() == before);
    });
}
