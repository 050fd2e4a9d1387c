//! A flood over a station in a process of its own, and what another process sees of its tap meanwhile: what
//! its recordings are held against.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::sync_channel,
    },
    thread::JoinHandle,
    time::Duration,
};

use rl_console::{
    ids::Seq,
    limits::Limits,
    port::StationPort as _,
    recording::{Damage, PlacedItem, RecordedItem, RecordingSet, SetCursor, SetReader},
    station::{Address, RemotePort},
    tap::{
        entry::{Entry, What},
        recorded::OwnedEntry,
    },
    time::{Clock, Now},
};

use crate::{
    real::{Station, command, pair},
    rmp_bus::{Peer, frames::message},
};

/// A simulated adapter that sends log frames, so many a second. Each is two entries.
pub(crate) struct Flood(Child);

impl Flood {
    /// Of a data folder that is paired; its token is in the file of [`token_file`].
    pub(crate) fn start(data: &Path, station: &Station, logs_per_s: u32) -> Self {
        let (addr, token) = (station.mpp.to_string(), token_file(data));
        let mut command = command(data);
        command.args(["sim", "adapter", "--addr", &addr, "--token-file", token.to_str().unwrap()]);
        command.args(["--logs-per-s", &logs_per_s.to_string()]);
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Flood {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn token_file(data: &Path) -> PathBuf {
    data.join("flood.token")
}

/// Makes a token for the floods of a data folder.
pub(crate) fn pair_flood(data: &Path) {
    let path = token_file(data);
    fs::write(&path, pair(data)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
}

/// A peer of the bus that publishes what zstd cannot make much smaller, 20 kB at a time.
pub(crate) struct Noise {
    peer: Peer,
    text: String,
    count: usize,
}

impl Noise {
    pub(crate) fn of(station: &Station) -> Self {
        let socket = PathBuf::from(station.ready["rmp"].as_str().unwrap());
        let peer = Peer::greeted(&socket, "agent", None);
        Self { peer, text: crate::recording::noise(4_000_000), count: 0 }
    }

    /// One of them; it has crossed the tap when this is done.
    pub(crate) fn publish(&mut self) {
        let from = self.count % 200 * 20_000;
        self.count += 1;
        let number = u64::try_from(self.count).unwrap();
        self.peer.publish("a/b", true, &message(number, &self.text[from..from + 20_000]));
        self.peer.hear();
    }
}

/// Another process that watches the tap of a station, as a console does that is attached.
pub(crate) struct Watcher {
    seen: Arc<Mutex<Vec<OwnedEntry>>>,
    is_over: Arc<AtomicBool>,
    watching: JoinHandle<()>,
}

impl Watcher {
    pub(crate) fn attach(data: &Path) -> Self {
        let seen: Arc<Mutex<Vec<OwnedEntry>>> = Arc::default();
        let is_over: Arc<AtomicBool> = Arc::default();
        let (data, to, until) = (data.to_owned(), Arc::clone(&seen), Arc::clone(&is_over));
        let (attached, is_attached) = sync_channel(1);
        let watching = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let find = Box::new(move || Address::of_data(&data));
                let port = RemotePort::attach(find, Clock::ahead(), Limits::default()).await.unwrap();
                let mut reader = port.entries().unwrap();
                attached.send(()).unwrap();
                while !until.load(Ordering::Relaxed) {
                    let _ = tokio::time::timeout(Duration::from_millis(20), reader.ready()).await;
                    while let Some(batch) = reader.read() {
                        let entries = batch
                            .iter()
                            .map(|it| OwnedEntry { entry: it.entry.clone(), bytes: it.bytes.into() });
                        to.lock().unwrap().extend(entries);
                    }
                }
            });
        });
        is_attached.recv().unwrap();
        Self { seen, is_over, watching }
    }

    pub(crate) fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    /// What it has seen, by the station's places.
    pub(crate) fn end(self) -> Vec<OwnedEntry> {
        self.is_over.store(true, Ordering::Relaxed);
        self.watching.join().unwrap();
        let seen = std::mem::take(&mut *self.seen.lock().unwrap());
        // Each loss that it has had is an entry here: what follows is one place further.
        let mut further = BTreeMap::from([(Seq(0), 0)]);
        for it in seen.iter().filter(|it| matches!(it.entry.what, What::Loss { .. })) {
            further.insert(it.entry.seq.next(), further.len() as u64);
        }
        let place = |here: Seq| Seq(here.0 - further.range(..=here).next_back().unwrap().1);
        let of_station = |OwnedEntry { entry, bytes }: OwnedEntry| {
            let (seq, cause) = (place(entry.seq), entry.cause.map(place));
            OwnedEntry { entry: Entry { seq, cause, ..entry }, bytes }
        };
        seen.into_iter().filter(|it| !matches!(it.entry.what, What::Loss { .. })).map(of_station).collect()
    }
}

/// What is in recordings of one start of a station.
pub(crate) struct Recorded {
    pub(crate) entries: Vec<OwnedEntry>,
    pub(crate) damages: Vec<Damage>,
}

impl Recorded {
    /// Reads files, or those of folders, as one.
    pub(crate) fn of(paths: &[PathBuf]) -> Self {
        let set = Arc::new(RecordingSet::open(paths).unwrap());
        assert_eq!(set.start_of(0), 0..set.len(), "one start");
        let (mut cursor, mut reader) = (SetCursor::at(&set, 0), SetReader::new(set));
        let mut recorded = Self { entries: Vec::new(), damages: Vec::new() };
        while let Some(item) = cursor.next(&mut reader) {
            match item {
                Ok(PlacedItem { item: RecordedItem::Entry(entry), .. }) => recorded.entries.push(entry),
                Ok(_) => {}
                Err(damage) => recorded.damages.push(damage),
            }
        }
        recorded
    }

    /// The moment of its last entry by the wall clock, in milliseconds.
    pub(crate) fn last_ms(&self) -> u64 {
        last_ms(&self.entries)
    }

    /// Entries that were lost before they could be recorded, as it says.
    pub(crate) fn lost(&self) -> u64 {
        let lost =
            self.entries.iter().map(|it| if let What::Loss { count } = it.entry.what { count } else { 0 });
        lost.sum()
    }

    /// Checks that it has what was, in its order, each entry once, and none is missing but those that it
    /// says.
    pub(crate) fn assert_is_of(&self, seen: &[OwnedEntry]) {
        self.assert_has_no_gap();
        let seen: BTreeMap<Seq, &OwnedEntry> = seen.iter().map(|it| (it.entry.seq, it)).collect();
        let Some((first, _)) = seen.first_key_value() else { panic!("nothing was seen") };
        let is_loss = |it: &&OwnedEntry| matches!(it.entry.what, What::Loss { .. });
        // What came before is in the recording alone.
        let all = self.entries.iter().filter(|it| !is_loss(it) && it.entry.seq >= *first);
        let (mut both, mut count) = (0, 0);
        for entry in all {
            count += 1;
            if let Some(other) = seen.get(&entry.entry.seq) {
                assert_eq!(timeless(entry), timeless(other));
                both += 1;
            }
        }
        assert!(both * 2 >= count, "{both} of {count} can be compared");
    }

    /// Checks that each entry follows the one before it, or a loss that is said.
    pub(crate) fn assert_has_no_gap(&self) {
        let mut before: Option<Seq> = None;
        for OwnedEntry { entry, .. } in &self.entries {
            if let Some(before) = before {
                let expected = match entry.what {
                    What::Loss { count } => Seq(before.0 + count),
                    _ => before.next(),
                };
                assert_eq!(entry.seq, expected, "behind {before:?}: {:?}", entry.what);
            }
            before = Some(entry.seq);
        }
    }
}

/// The moment of the last of them by the wall clock, in milliseconds.
pub(crate) fn last_ms(entries: &[OwnedEntry]) -> u64 {
    entries.last().map_or(0, |last| last.entry.at.wall.0)
}

/// Without its moment, which another process has by a clock of its own.
fn timeless(of: &OwnedEntry) -> OwnedEntry {
    OwnedEntry { entry: Entry { at: Now::default(), ..of.entry.clone() }, bytes: of.bytes.clone() }
}
