//! A night in a file, as the recorder writes it, by the time of its entries.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rl_console::{
    ids::{QueueName, Seq},
    limits::{self, Limits},
    mpp::{QueueView, ReadyAfter},
    port::{HostState, Snapshot, StationView},
    recording::{self, EncodedSnapshot, RecordingInfo, TimedFile},
    tap::{
        EntryRef,
        entry::{Entry, Link, mpp::Brake},
    },
    time::Now,
};

use crate::{
    Result,
    traffic::{Made, Mix, Traffic},
};

pub(crate) const MB: u64 = 1_000_000;
/// Entries of a millisecond.
const PER_MS: u64 = 10;
/// Entries between two looks whether a keyframe is due, as many as are read at once.
const BATCH: u64 = 256;
/// The topic of what is no entry.
const SNAPSHOTS: &str = "snapshot";

/// A file with the entries from number 1 on.
#[derive(Clone, Debug)]
pub(crate) struct Night {
    pub(crate) path: PathBuf,
    pub(crate) entries: u64,
}

/// What a recording says about itself.
pub(crate) fn info(station_started: Now) -> RecordingInfo {
    RecordingInfo {
        host_version: env!("CARGO_PKG_VERSION").to_owned(),
        station_started,
        previous: None,
        is_always: false,
        is_filtered: false,
        redact_rules: 0,
    }
}

/// A station that has just been started, with one queue.
fn begun() -> Snapshot {
    let now = Now::at_ms(0);
    let station = StationView {
        hosts: [const { HostState::Up }; Link::ALL.len()],
        ..StationView::starting("bench".into(), now, 200)
    };
    let mut state = Snapshot::without_hosts(station, now);
    let queue = QueueView {
        ready_after: Some(ReadyAfter::Applied),
        pending: 0,
        other_manifest: 0,
        in_flight: None,
        parked: false,
        brake: Brake::default(),
        done: 0,
        failed: 0,
    };
    state.mpp.queues.insert(QueueName::new("default"), queue);
    state
}

/// Entries with their places and times, and the state behind the last one.
struct Told {
    traffic: Traffic,
    limits: Limits,
    state: Snapshot,
    last: u64,
}

impl Told {
    fn new() -> Self {
        Self { traffic: Traffic::new(Mix::Night), limits: Limits::default(), state: begun(), last: 0 }
    }

    /// Hands on the next one.
    fn next<T>(&mut self, take: impl FnOnce(EntryRef<'_>) -> T) -> T {
        let Made { link, trace, what, bytes } = self.traffic.next();
        let at = Now::at_ms(1 + self.last / PER_MS);
        self.last += 1;
        let entry = Entry { seq: Seq(self.last), at, link, trace, cause: None, what };
        let entry = EntryRef { entry: &entry, bytes };
        self.state.carry(entry, &self.limits);
        self.state.at = at;
        take(entry)
    }

    fn snapshot(&self) -> EncodedSnapshot {
        EncodedSnapshot { at: self.state.at, bytes: self.state.encode() }
    }
}

/// The state after so many entries.
pub(crate) fn state_after(entries: u64) -> Snapshot {
    let mut told = Told::new();
    (0..entries).for_each(|_| told.next(|_| ()));
    told.state
}

impl Night {
    /// Makes the file, of so many bytes at least; one that is there already is taken.
    pub(crate) fn make(path: &Path, bytes_min: u64) -> Result<Self> {
        if path.exists() {
            return Self::open(path);
        }
        let part = path.with_extension("part");
        if part.exists() {
            fs::remove_file(&part)?;
        }
        let all = limits::Recording::default();
        let limits = limits::Recording { file_bytes_max: all.file_bytes_max.max(2 * bytes_min), ..all };
        let mut told = Told::new();
        let mut file = TimedFile::begin(&part, &info(Now::at_ms(0)), limits)?;
        file.keyframe(&told.snapshot())?;
        while file.bytes() < bytes_min {
            for _ in 0..BATCH {
                told.next(|entry| file.entry(entry, None))?;
            }
            if file.is_keyframe_due(told.state.at.mono) {
                file.keyframe(&told.snapshot())?;
            }
        }
        file.finish()?;
        fs::rename(&part, path)?;
        Ok(Self { path: path.to_owned(), entries: told.last })
    }

    /// One that was made before: its index says how many entries it has.
    fn open(path: &Path) -> Result<Self> {
        let index = recording::index(path)?;
        let messages = index.messages.ok_or_else(|| format!("{} was not finished", path.display()))?;
        let entries = messages.iter().filter(|(topic, _)| *topic != SNAPSHOTS).map(|(_, count)| count).sum();
        Ok(Self { path: path.to_owned(), entries })
    }
}
