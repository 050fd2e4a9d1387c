//! Recordings: what is in them, how they end, and what is read of damaged ones.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
};

use proptest::prelude::*;
use rl_console::{
    ids::Seq,
    limits,
    port::Snapshot,
    recording::{
        Damage, EncodedSnapshot, OpenError, RecordedItem, Recorder, RecorderEvent, RecordingInfo,
        SnapshotFuture, Sources, Summary, read,
    },
    tap::{
        Reader, Tap,
        entry::{Redaction, What},
        recorded::OwnedEntry,
    },
    time::{Clock, Now},
};

use crate::{
    fixtures,
    recorded_snapshot::bare,
    tap::{NARROW, TOKEN, contains, draft, frame, hello, notice},
};

pub(crate) fn about() -> RecordingInfo {
    RecordingInfo {
        host_version: "0.1.0".to_owned(),
        station_started: Now::at_ms(0),
        ..RecordingInfo::default()
    }
}

pub(crate) fn snapshot() -> EncodedSnapshot {
    EncodedSnapshot { at: Now::at_ms(3), bytes: bare().encode() }
}

/// What takes the snapshots of a recording.
pub(crate) type Taker = Box<dyn FnMut() -> SnapshotFuture + Send>;

pub(crate) fn ready_snapshots() -> Taker {
    Box::new(|| Box::pin(async { Ok(snapshot()) }))
}

pub(crate) fn sources(reader: Reader, snapshot: Taker) -> Sources {
    Sources::new(reader, snapshot, Clock::ahead(), about())
}

pub(crate) fn start(path: &Path, reader: Reader, limits: limits::Recording) -> Recorder {
    let sources = sources(reader, ready_snapshots());
    Recorder::start(path, sources, limits, Box::new(|_| {})).unwrap()
}

pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

pub(crate) fn stop(recorder: Recorder) -> Summary {
    block_on(recorder.stop())
}

pub(crate) fn file(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("out.mcap")
}

/// What a recording holds when all of it is well.
pub(crate) fn well(path: &Path) -> (Vec<EncodedSnapshot>, Vec<OwnedEntry>) {
    let mut all = (Vec::new(), Vec::new());
    for recorded in read(path).unwrap() {
        match recorded.unwrap() {
            RecordedItem::Snapshot { at, bytes } => {
                all.0.push(EncodedSnapshot { at: Now { wall: at, ..snapshot().at }, bytes });
            }
            RecordedItem::Entry(entry) => all.1.push(entry),
        }
    }
    all
}

/// Records these notices and reads the file's bytes.
fn recorded_file(folder: &tempfile::TempDir, texts: impl Iterator<Item = String>) -> Vec<u8> {
    let tap = Tap::new(limits::Tap::default());
    let limits = limits::Recording { chunk_bytes_max: 65_536, ..limits::Recording::default() };
    let recorder = start(&file(folder), tap.reader().unwrap(), limits);
    for text in texts {
        tap.emit(notice(&text));
    }
    let summary = stop(recorder);
    assert_eq!((summary.why, summary.lost), (None, 0));
    fs::read(file(folder)).unwrap()
}

#[test]
fn a_recording_reads_back_what_was_emitted() {
    let folder = tempfile::tempdir().unwrap();
    let tap = Tap::new(limits::Tap::default());
    let mut beside = tap.reader().unwrap();
    let recorder = start(&file(&folder), tap.reader().unwrap(), limits::Recording::default());
    assert_eq!(recorder.path(), file(&folder));
    for (n, what) in fixtures::whats().into_iter().enumerate() {
        tap.emit(draft(what, format!("text {n}").as_bytes()));
    }
    let summary = stop(recorder);
    let mut emitted = Vec::new();
    while let Some(batch) = beside.read() {
        emitted.extend(
            batch.iter().map(|entry| OwnedEntry { entry: entry.entry.clone(), bytes: entry.bytes.to_vec() }),
        );
    }
    assert_eq!(summary.entries, emitted.len() as u64);
    assert_eq!(summary.bytes, fs::metadata(file(&folder)).unwrap().len());
    let whole = Summary {
        path: file(&folder),
        lost: 0,
        why: None,
        files: 1,
        file_bytes: summary.bytes,
        ..summary.clone()
    };
    assert_eq!(summary, whole);
    assert_eq!(read(&file(&folder)).unwrap().info(), &about());
    assert_eq!(well(&file(&folder)).1, emitted);
}

#[test]
fn a_host_that_begins_anew_is_followed_by_a_new_snapshot() {
    use rl_console::tap::entry::{Link, Transition, station};
    let folder = tempfile::tempdir().unwrap();
    let tap = Tap::new(NARROW);
    let (ask, asked) = sync_channel(8);
    let snapshot = Box::new(move || -> SnapshotFuture {
        ask.send(()).unwrap();
        Box::pin(async { Ok(snapshot()) })
    });
    let sources = sources(tap.reader().unwrap(), snapshot);
    let recorder =
        Recorder::start(&file(&folder), sources, limits::Recording::default(), Box::new(|_| {})).unwrap();
    asked.recv().unwrap();
    let link = Link::Mpp;
    for transition in [
        station::Transition::HostUp { link },
        station::Transition::HostDown { link },
        station::Transition::HostUp { link },
    ] {
        tap.emit(draft(What::Transition(Transition::Station(transition)), b""));
    }
    asked.recv().unwrap();
    stop(recorder);
    assert!(asked.try_recv().is_err(), "one is enough");
}

#[test]
fn a_recording_begins_with_a_snapshot_and_is_its_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let tap = Tap::new(NARROW);
    let (event, events) = sync_channel(8);
    let sources = sources(tap.reader().unwrap(), ready_snapshots());
    let on_event = Box::new(move |it| event.send(it).unwrap());
    let recorder = Recorder::start(&file(&folder), sources, limits::Recording::default(), on_event).unwrap();
    // By now the snapshot is written.
    assert!(matches!(events.recv().unwrap(), RecorderEvent::Grew { .. }));
    tap.emit(notice("x"));
    let summary = stop(recorder);
    assert_eq!(events.into_iter().last(), Some(RecorderEvent::Stopped(summary)));
    assert_eq!(fs::metadata(file(&folder)).unwrap().permissions().mode() & 0o777, 0o600);
    let Some(Ok(RecordedItem::Snapshot { at, bytes })) = read(&file(&folder)).unwrap().next() else {
        panic!("no snapshot first")
    };
    assert_eq!((at, Snapshot::decode(&bytes)), (snapshot().at.wall, Ok(bare())));
}

#[test]
fn a_file_that_exists_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(file(&folder), "mine").unwrap();
    let sources = sources(Tap::new(NARROW).reader().unwrap(), ready_snapshots());
    let error =
        Recorder::start(&file(&folder), sources, limits::Recording::default(), Box::new(|_| {})).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(file(&folder)).unwrap(), b"mine");
}

#[test]
fn other_tools_can_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = recorded_file(&folder, (0..2_000).map(|n| format!("notice {n}")));
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    assert!(summary.chunk_indexes.len() > 1);
    let mut topics: BTreeMap<String, u64> = BTreeMap::new();
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        let message = message.unwrap();
        let schema = message.channel.schema.as_ref().unwrap();
        assert_eq!(
            (message.channel.message_encoding.as_str(), schema.encoding.as_str()),
            ("protobuf", "protobuf")
        );
        *topics.entry(message.channel.topic.clone()).or_default() += 1;
    }
    assert_eq!(topics.get("commands"), Some(&2_000));
    assert_eq!(
        summary
            .channels
            .values()
            .map(|channel| channel.topic.as_str())
            .collect::<std::collections::BTreeSet<_>>(),
        ["commands", "macp", "marks", "mplp", "mpp", "plugin", "rmp", "runs", "snapshot", "station"].into()
    );
}

/// Snapshots that wait to be let go, and that say when they are asked for.
fn gated() -> (Taker, SyncSender<Result<EncodedSnapshot, String>>, Receiver<()>) {
    let (give, given) = sync_channel(8);
    let (ask, asked) = sync_channel(8);
    let given = Arc::new(Mutex::new(given));
    let snapshot = move || {
        ask.send(()).unwrap();
        let given = Arc::clone(&given);
        Box::pin(async move { given.lock().unwrap().recv().unwrap() }) as SnapshotFuture
    };
    (Box::new(snapshot), give, asked)
}

#[test]
fn a_recorder_that_fell_behind_says_so_and_takes_a_new_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let tap = Tap::new(NARROW);
    let (snapshots, give, asked) = gated();
    let (event, events) = sync_channel(64);
    let sources = sources(tap.reader().unwrap(), snapshots);
    let on_event = Box::new(move |it| event.send(it).unwrap());
    let recorder = Recorder::start(&file(&folder), sources, limits::Recording::default(), on_event).unwrap();
    asked.recv().unwrap();
    for n in 0..5_000 {
        tap.emit(notice(&n.to_string()));
    }
    give.send(Ok(snapshot())).unwrap();
    // Asked for again because of the loss. It fails, and is asked for again.
    asked.recv().unwrap();
    give.send(Err("busy".to_owned())).unwrap();
    asked.recv().unwrap();
    let mut large = bare();
    large.station.data = PathBuf::from(noise(65_536));
    give.send(Ok(EncodedSnapshot { bytes: large.encode(), ..snapshot() })).unwrap();
    // Told when it is on disk.
    while !matches!(events.recv().unwrap(), RecorderEvent::Grew { bytes } if bytes > 40_000) {}
    tap.emit(notice("after"));
    let summary = stop(recorder);
    let (snapshots, entries) = well(&file(&folder));
    assert_eq!(snapshots.len(), 2);
    let losses: Vec<_> = entries.iter().filter(|it| matches!(it.entry.what, What::Loss { .. })).collect();
    assert_eq!(losses.len(), 1);
    assert_eq!(losses[0].entry.what, What::Loss { count: summary.lost });
    assert_eq!(losses[0].entry.seq, Seq(summary.lost));
    assert_eq!(summary.entries + summary.lost, 5_001);
    assert_eq!(entries.len() as u64, summary.entries + 1);
}

#[test]
fn one_that_is_stopped_behind_a_loss_has_the_state_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let tap = Tap::new(NARROW);
    let (snapshots, give, asked) = gated();
    let sources = sources(tap.reader().unwrap(), snapshots);
    let limits = limits::Recording::default();
    let recorder = Recorder::start(&file(&folder), sources, limits, Box::new(|_| {})).unwrap();
    asked.recv().unwrap();
    for n in 0..5_000 {
        tap.emit(notice(&n.to_string()));
    }
    give.send(Ok(snapshot())).unwrap();
    let stopped = std::thread::spawn(|| stop(recorder));
    asked.recv().unwrap();
    give.send(Ok(snapshot())).unwrap();
    assert!(stopped.join().unwrap().lost > 0);
    let last = read(&file(&folder)).unwrap().last().unwrap().unwrap();
    assert!(matches!(last, RecordedItem::Snapshot { .. }), "{last:?}");
}

/// A text that compresses badly.
pub(crate) fn noise(len: usize) -> String {
    let mut state = 7_u64;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b' ' + (state >> 58) as u8)
    };
    (0..len).map(next).collect()
}

#[test]
fn without_a_snapshot_there_is_no_recording() {
    let folder = tempfile::tempdir().unwrap();
    let (snapshots, give, _asked) = gated();
    let (event, events) = sync_channel(8);
    give.send(Err("the station is stopping".to_owned())).unwrap();
    let sources = sources(Tap::new(NARROW).reader().unwrap(), snapshots);
    let on_event = Box::new(move |it| event.send(it).unwrap());
    let recorder = Recorder::start(&file(&folder), sources, limits::Recording::default(), on_event).unwrap();
    let RecorderEvent::Stopped(summary) = events.recv().unwrap() else { panic!("it went on") };
    assert_eq!(summary.why.as_deref(), Some("cannot take a snapshot: the station is stopping"));
    assert_eq!(stop(recorder), summary);
}

#[test]
fn a_recording_cut_in_many_places_reads_up_to_the_cut() {
    reads_up_to_a_cut_every(971);
}

#[test]
#[ignore = "ten times the test above"]
fn a_recording_cut_anywhere_reads_up_to_the_cut() {
    reads_up_to_a_cut_every(97);
}

fn reads_up_to_a_cut_every(bytes_between: usize) {
    let folder = tempfile::tempdir().unwrap();
    let bytes = recorded_file(&folder, (0..1_500).map(|n| format!("a notice of some length, number {n}")));
    let whole = well(&file(&folder)).1;
    let cut = folder.path().join("cut.mcap");
    let mut most = 0;
    for len in (0..bytes.len()).step_by(bytes_between) {
        fs::write(&cut, &bytes[..len]).unwrap();
        let Ok(reading) = read(&cut) else {
            assert!(len < 400, "{len}");
            continue;
        };
        let mut entries = Vec::new();
        let mut damage = Vec::new();
        for recorded in reading {
            match recorded {
                Ok(RecordedItem::Entry(entry)) => entries.push(entry),
                Ok(RecordedItem::Snapshot { .. }) => {}
                Err(it) => damage.push(it),
            }
        }
        assert_eq!(entries, whole[..entries.len()]);
        assert!(entries.len() >= most, "{len}");
        most = entries.len();
        assert!(most == whole.len() || matches!(damage[..], [Damage::Truncated { .. }]), "{len}: {damage:?}");
    }
    assert_eq!(most, whole.len());
}

#[test]
fn what_a_killed_process_leaves_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let tap = Tap::new(limits::Tap::default());
    let (event, events) = sync_channel(64);
    let sources = sources(tap.reader().unwrap(), ready_snapshots());
    let limits = limits::Recording { chunk_bytes_max: 65_536, ..limits::Recording::default() };
    for n in 0..3_000 {
        tap.emit(notice(&n.to_string()));
    }
    let on_event = Box::new(move |it| event.send(it).unwrap());
    let recorder = Recorder::start(&file(&folder), sources, limits, on_event).unwrap();
    assert!(matches!(events.recv().unwrap(), RecorderEvent::Grew { .. }));
    let left = folder.path().join("left.mcap");
    fs::copy(file(&folder), &left).unwrap();
    let all: Vec<_> = read(&left).unwrap().collect();
    assert!(matches!(all.first(), Some(Ok(RecordedItem::Snapshot { .. }))));
    assert!(matches!(all.last(), Some(Err(Damage::Truncated { .. }))));
    stop(recorder);
}

#[test]
fn a_damaged_chunk_is_told_and_the_rest_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes =
        recorded_file(&folder, (0..3_000).map(|n| format!("a notice of some length, number {n}")));
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let chunk = &summary.chunk_indexes[2];
    let middle = usize::try_from(chunk.chunk_start_offset + chunk.chunk_length / 2).unwrap();
    bytes[middle] ^= 0xff;
    fs::write(file(&folder), &bytes).unwrap();
    let all: Vec<_> = read(&file(&folder)).unwrap().collect();
    let damage: Vec<_> = all.iter().filter_map(|it| it.as_ref().err()).collect();
    assert!(matches!(damage[..], [Damage::Part { at, .. }] if *at == chunk.chunk_start_offset), "{damage:?}");
    let Some(Ok(RecordedItem::Entry(last))) = all.last() else { panic!("nothing behind the damage") };
    assert_eq!(last.entry.seq, Seq(3_000));
}

#[test]
fn what_is_no_recording_or_a_newer_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(file(&folder), "hello").unwrap();
    assert!(matches!(read(&file(&folder)), Err(OpenError::NotOurs(_))));
    let mut writer = mcap::Writer::new(fs::File::create(file(&folder)).unwrap()).unwrap();
    let said = [("form", "3"), ("host_version", "9.0.0"), ("station_started_wall_ms", "1")];
    let metadata = said.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    writer.write_metadata(&mcap::records::Metadata { name: "rl-console".to_owned(), metadata }).unwrap();
    writer.finish().unwrap();
    let error = read(&file(&folder)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the recording has format 3; this rl-console reads formats up to 2: use version 9.0.0 or newer"
    );
}

#[test]
fn a_token_is_in_no_part_of_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let tap = Tap::new(NARROW);
    let recorder = start(&file(&folder), tap.reader().unwrap(), limits::Recording::default());
    let (wire, range) = hello("", "");
    tap.emit(frame(wire.as_bytes(), Redaction::Masked(Arc::from([range]))));
    tap.emit(frame(wire.as_bytes(), Redaction::Withheld));
    assert_eq!(stop(recorder).entries, 2);
    let bytes = fs::read(file(&folder)).unwrap();
    let token = &TOKEN.as_bytes()[..8];
    assert!(!contains(&bytes, token));
    let mut messages = 0;
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        assert!(!contains(&message.unwrap().data, token));
        messages += 1;
    }
    assert!(messages >= 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_mutated_recording_reads_without_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        static WHOLE: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let folder = tempfile::tempdir().unwrap();
        let whole = WHOLE.get_or_init(|| {
            recorded_file(&folder, (0..1_000).map(|n| format!("a notice of some length, number {n}")))
        });
        let mut bytes = whole.clone();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let path = folder.path().join("mutated.mcap");
        fs::write(&path, &bytes).unwrap();
        if let Ok(reading) = read(&path) {
            for recorded in reading {
                drop(recorded);
            }
        }
    }
}
