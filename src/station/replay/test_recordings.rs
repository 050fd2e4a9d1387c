//! Recordings that tests of screens make and replay: of states, and of what crossed a tap.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{ReplayPort, ReplayStart};
use crate::{
    limits::{self, Limits},
    port::{ReplayPlace, Snapshot, Speed},
    recording::{
        self, Cut, EncodedSnapshot, RecordedItem, Recorder, RecordingInfo, RecordingSet, SetReader,
        SnapshotFuture, Sources, read, test_files::TestFile,
    },
    station::tallied,
    tap::{Batch, EntryRef, Reader, entry::Entry, recorded::OwnedEntry},
    time::{Clock, Now},
};

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(60);

/// The answer of something that is asked for, which must come.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.unwrap() })
}

/// Of a station that was started at 0 ms.
fn info() -> RecordingInfo {
    RecordingInfo { host_version: "0.0.0".to_owned(), station_started: Now::at_ms(0), ..Default::default() }
}

/// A file that has keyframes where a test wants them.
pub(crate) struct KeyedFile(TestFile);

impl KeyedFile {
    /// Begins one with a state, and with chunks of this length.
    pub(crate) fn begin(path: &Path, first: &Snapshot, chunk_bytes_max: u64) -> Self {
        let mut file = Self(TestFile::begin(path, &info(), chunk_bytes_max));
        file.keyframe(first);
        file
    }

    pub(crate) fn keyframe(&mut self, state: &Snapshot) {
        self.0.keyframe(state.at, &state.encode());
    }

    pub(crate) fn entries(&mut self, batch: &Batch) {
        batch.iter().for_each(|entry| self.0.entry(entry, tallied(entry.entry)));
    }

    /// Makes the file whole.
    pub(crate) fn finish(&mut self) {
        self.0.finish();
    }
}

/// Has the recorder itself write what a reader has, behind this state.
pub(crate) fn record(path: &Path, first: &Snapshot, reader: Reader) {
    let (first, count) = (EncodedSnapshot { at: first.at, bytes: first.encode() }, reader.lag());
    let snapshot = move || -> SnapshotFuture { Box::pin(std::future::ready(Ok(first.clone()))) };
    let sources = Sources { tallied, ..Sources::new(reader, Box::new(snapshot), Clock::start(), info()) };
    let limits = limits::Recording::default();
    let recorder = Recorder::start(path, sources, limits, Box::new(|_| {})).unwrap();
    let summary = block_on(recorder.stop());
    assert_eq!((summary.entries, summary.lost, summary.why), (count, 0, None));
}

/// A recording that is shipped: its file, the state that it begins with, and its entries.
pub(crate) fn shipped(name: &str) -> (PathBuf, Snapshot, Vec<OwnedEntry>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(name);
    let (mut first, mut entries) = (None, Vec::new());
    for item in read(&path).unwrap() {
        match item.unwrap() {
            RecordedItem::Entry(entry) => entries.push(entry),
            RecordedItem::Snapshot { bytes, .. } if first.is_none() => first = Some(bytes),
            RecordedItem::Snapshot { .. } => {}
        }
    }
    (path, Snapshot::decode(&first.unwrap()).unwrap(), entries)
}

/// Cuts a part of a recording with the entries that are kept; how many those are.
pub(crate) fn cut(path: &Path, part: &Path, keeps: &mut dyn FnMut(&Entry) -> bool) -> u64 {
    let mut reader = SetReader::new(Arc::new(RecordingSet::open(&[path.to_owned()]).unwrap()));
    let (first_ns, to_ns) = reader.set().span_ns();
    let (head, from) = ReplayPort::part_from(&mut reader, first_ns, &Limits::default()).unwrap();
    let keeps = &mut |of: EntryRef<'_>| keeps(of.entry);
    let cut = Cut { head, from, to_ns, keeps, is_filtered: true, tallied: |_| None };
    recording::cut(&mut reader, cut, part, limits::Recording::default()).unwrap().entries
}

/// Damages the chunk in the middle of a recording.
pub(crate) fn damage(path: &Path) {
    let chunks = recording::index(path).unwrap().chunks;
    let chunk = chunks[chunks.len() / 2];
    let mut bytes = fs::read(path).unwrap();
    bytes[usize::try_from(chunk.at + chunk.len / 2).unwrap()] ^= 0x55;
    fs::write(path, bytes).unwrap();
}

/// A replay that holds at a place.
pub(crate) fn held(path: &Path, place: ReplayPlace, speed: Speed) -> ReplayPort {
    let set = Arc::new(RecordingSet::open(&[path.to_owned()]).unwrap());
    let start = ReplayStart { place, speed, is_held: true };
    ReplayPort::open(set, start, Clock::start(), Limits::default()).unwrap()
}
