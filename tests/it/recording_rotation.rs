//! Recordings of several files.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{Arc, mpsc::sync_channel},
};

use rl_console::{
    limits,
    recording::{
        EncodedSnapshot, RecordedItem, Recorder, RecorderEvent, SnapshotFuture, Sources, Summary, index, read,
    },
    tap::Tap,
};

use crate::{
    recorded_snapshot::bare,
    recording::{file, noise, ready_snapshots, snapshot, sources, start, stop, well},
    tap::notice,
};

#[test]
fn a_recording_continues_in_a_new_file_when_one_is_full_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let tap = Tap::new(limits::Tap::default());
    let limits = limits::Recording { file_bytes_max: 1_048_576, ..limits::Recording::default() };
    let (event, events) = sync_channel(64);
    let sources = sources(tap.reader().unwrap(), ready_snapshots());
    let on_event = Box::new(move |it| event.send(it).unwrap());
    // One of these names is taken.
    let taken = folder.path().join("out.2.mcap");
    fs::write(&taken, "mine").unwrap();
    let recorder = Recorder::start(&file(&folder), sources, limits, on_event).unwrap();
    let text = noise(4_000_000);
    for at in (0..text.len()).step_by(400) {
        tap.emit(notice(&text[at..at + 400]));
    }
    let summary = stop(recorder);
    let mut files = vec![file(&folder)];
    let mut bytes_of_finished = 0;
    for it in events {
        if let RecorderEvent::Rotated { finished, bytes, next } = it {
            assert_eq!((Some(&finished), fs::metadata(&finished).unwrap().len()), (files.last(), bytes));
            bytes_of_finished += bytes;
            files.push(next);
        }
    }
    assert!(files.len() > 3, "{files:?}");
    assert_eq!(files[1..3], ["out.3.mcap", "out.4.mcap"].map(|name| folder.path().join(name)));
    assert_eq!(fs::read(&taken).unwrap(), b"mine");
    assert_eq!((summary.why, &summary.path, summary.entries), (None, files.last().unwrap(), 10_000));
    let mut seqs = Vec::new();
    let mut last_ns = 0;
    for (at, path) in files.iter().enumerate() {
        let length = fs::metadata(path).unwrap().len();
        assert!(length <= 1_048_576, "{length}");
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        let before =
            at.checked_sub(1).map(|at| files[at].file_name().unwrap().to_string_lossy().into_owned());
        let index = index(path).unwrap();
        assert_eq!(index.tallies[0].1.entries(), seqs.len() as u64, "counted from the first file on");
        assert!(index.chunks[0].has_keyframe && index.chunks[0].start_ns > last_ns, "as times rise");
        last_ns = index.chunks.last().unwrap().end_ns;
        let reading = read(path).unwrap();
        assert_eq!(reading.info().previous, before);
        let all: Vec<_> = reading.map(Result::unwrap).collect();
        assert!(matches!(all[0], RecordedItem::Snapshot { .. }), "it begins with a keyframe");
        seqs.extend(all.iter().filter_map(|it| match it {
            RecordedItem::Entry(entry) => Some(entry.entry.seq.0),
            RecordedItem::Snapshot { .. } => None,
        }));
    }
    assert_eq!(seqs, (1..=10_000).collect::<Vec<_>>());
    assert_eq!(summary.bytes, bytes_of_finished + fs::metadata(&summary.path).unwrap().len());
}

/// How a recording ends that is given more than these limits let it have.
fn overrun(path: &Path, limits: limits::Recording, is_disk_low: bool) -> (Summary, Vec<RecorderEvent>) {
    let tap = Tap::new(limits::Tap::default());
    let (event, events) = sync_channel(64);
    let on_event = Box::new(move |it| event.send(it).unwrap());
    let disk_low = Arc::new(is_disk_low.into());
    let sources = Sources { disk_low, ..sources(tap.reader().unwrap(), ready_snapshots()) };
    let recorder = Recorder::start(path, sources, limits, on_event).unwrap();
    let text = noise(4_000_000);
    for at in (0..text.len()).step_by(400) {
        tap.emit(notice(&text[at..at + 400]));
    }
    let summary = stop(recorder);
    assert_eq!(tap.counters().readers, 0, "the tap is no longer read");
    (summary, events.into_iter().collect())
}

#[test]
fn a_recording_ends_before_its_files_exceed_their_limit() {
    let folder = tempfile::tempdir().unwrap();
    let limits =
        limits::Recording { file_bytes_max: 1_048_576, bytes_max: 2_500_000, ..limits::Recording::default() };
    let (summary, _) = overrun(&file(&folder), limits, false);
    let why = "its files have reached 2500000 bytes (limits.recording.bytes_max)";
    assert_eq!((summary.why.as_deref(), summary.files), (Some(why), 2));
    assert!(summary.bytes <= 2_500_000 && summary.path.ends_with("out.2.mcap"), "{summary:?}");
    let entries = well(&file(&folder)).1.len() + well(&summary.path).1.len();
    assert_eq!(entries as u64, summary.entries, "what was recorded is whole");
}

#[test]
fn no_further_file_is_begun_while_the_disk_is_low() {
    let folder = tempfile::tempdir().unwrap();
    let limits = limits::Recording { file_bytes_max: 1_048_576, ..limits::Recording::default() };
    let (summary, events) = overrun(&file(&folder), limits, true);
    assert!(summary.why.as_ref().is_some_and(|why| why.contains("disk is too low")), "{summary:?}");
    assert!(!events.iter().any(|it| matches!(it, RecorderEvent::Rotated { .. })));
    assert_eq!(well(&file(&folder)).1.len() as u64, summary.entries);
}

#[test]
fn a_next_file_that_cannot_be_made_ends_the_recording_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    fs::create_dir(&gone).unwrap();
    let tap = Tap::new(limits::Tap::default());
    let limits = limits::Recording { file_bytes_max: 1_048_576, ..limits::Recording::default() };
    let recorder = start(&gone.join("out.mcap"), tap.reader().unwrap(), limits);
    fs::rename(&gone, folder.path().join("elsewhere")).unwrap();
    let text = noise(2_000_000);
    for at in (0..text.len()).step_by(400) {
        tap.emit(notice(&text[at..at + 400]));
    }
    let summary = stop(recorder);
    assert!(
        summary.why.as_ref().is_some_and(|why| why.starts_with("cannot make the next file")),
        "{summary:?}"
    );
    assert_eq!(well(&folder.path().join("elsewhere/out.mcap")).1.len() as u64, summary.entries);
}

#[test]
fn a_snapshot_that_no_file_takes_ends_the_recording_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let tap = Tap::new(limits::Tap::default());
    let limits = limits::Recording { file_bytes_max: 1_048_576, ..limits::Recording::default() };
    let mut large = bare();
    large.station.data = PathBuf::from(noise(2_000_000));
    let snapshot = EncodedSnapshot { bytes: large.encode(), ..snapshot() };
    let snapshots = Box::new(move || -> SnapshotFuture {
        let snapshot = snapshot.clone();
        Box::pin(async move { Ok(snapshot) })
    });
    let (event, events) = sync_channel(64);
    let on_event = Box::new(move |it| event.send(it).unwrap());
    let sources = sources(tap.reader().unwrap(), snapshots);
    let recorder = Recorder::start(&file(&folder), sources, limits, on_event).unwrap();
    let stopped = events
        .into_iter()
        .find_map(|it| if let RecorderEvent::Stopped(summary) = it { Some(summary) } else { None })
        .unwrap();
    let why = "a message does not fit a file of 1048576 bytes (limits.recording.file_bytes_max)";
    assert_eq!(stopped.why.as_deref(), Some(why));
    assert_eq!(stop(recorder), stopped);
    // The tap is no longer read.
    tap.emit(notice("after"));
    assert_eq!(tap.counters().readers, 0);
}

#[test]
fn the_first_file_is_within_the_limit_of_all_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let limits = limits::Recording { bytes_max: 1_500_000, ..limits::Recording::default() };
    let (summary, _) = overrun(&file(&folder), limits, false);
    let why = "its files have reached 1500000 bytes (limits.recording.bytes_max)";
    assert_eq!((summary.why.as_deref(), summary.files), (Some(why), 1));
    assert!(summary.bytes <= 1_500_000, "{summary:?}");
}

#[test]
fn a_recording_continues_in_a_new_file_after_its_time_where_anything_came() {
    let folder = tempfile::tempdir().unwrap();
    let tap = Tap::new(limits::Tap::default());
    let (event, events) = sync_channel(64);
    let on_event = Box::new(move |it| event.send(it).unwrap());
    let rotate_after = Some(std::time::Duration::from_millis(1));
    let sources = Sources { rotate_after, ..sources(tap.reader().unwrap(), ready_snapshots()) };
    let recorder = Recorder::start(&file(&folder), sources, limits::Recording::default(), on_event).unwrap();
    let next = |text: &str| {
        tap.emit(notice(text));
        let rotated = events.iter().find_map(|it| match it {
            RecorderEvent::Rotated { finished, next, .. } => Some((finished, next)),
            _ => None,
        });
        rotated.unwrap()
    };
    let (first, second) = next("one");
    let (again, third) = next("two");
    assert_eq!((first, &again), (file(&folder), &second));
    let summary = stop(recorder);
    assert_eq!((summary.files, summary.entries, summary.path), (3, 2, third), "none is begun for nothing");
    for (path, text) in [(file(&folder), "one"), (second, "two")] {
        assert_eq!(well(&path).1.iter().map(|it| it.bytes.as_slice()).collect::<Vec<_>>(), [text.as_bytes()]);
        assert!(index(&path).unwrap().is_finished());
    }
}
