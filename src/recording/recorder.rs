//! Records the tap on a thread of its own.

use std::{
    fs::File,
    future::Future,
    io,
    path::{Path, PathBuf},
    pin::Pin,
    time::Duration,
};

use tokio::{sync::oneshot, time::MissedTickBehavior};

use super::{
    format::RecordingInfo,
    writer::{WriteError, Writer},
};
use crate::{
    ids::Seq,
    limits, private_files,
    tap::{
        Batch, EntryRef, Reader,
        entry::{Entry, Link, Transition, What, station},
    },
    time::Now,
};

/// How long the recorder lets entries gather before it reads again, so that a busy tap need not wake it for
/// each.
const GATHER: Duration = Duration::from_millis(20);

/// How often what was recorded is made to outlive the process, and its length is told.
const FLUSH: Duration = Duration::from_secs(1);

/// How long a snapshot may take.
const SNAPSHOT_TIMEOUT: Duration = Duration::from_secs(10);

/// Growth that is worth telling. More than what the telling itself adds, or an idle recording would grow for
/// ever.
const GREW_BYTES: u64 = 4_096;

/// A snapshot in its recorded form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedSnapshot {
    /// When it was taken.
    pub at: Now,
    /// The message.
    pub bytes: Vec<u8>,
}

/// A snapshot that is being taken, or why there is none.
pub type SnapshotFuture = Pin<Box<dyn Future<Output = Result<EncodedSnapshot, String>> + Send>>;

/// The sources of a recording.
pub struct Sources {
    /// The entries. Take the reader before the first snapshot can be taken.
    pub reader: Reader,
    /// Takes a snapshot: at the start, and after each loss.
    pub snapshot: Box<dyn FnMut() -> SnapshotFuture + Send>,
    /// What the recording says about itself.
    pub info: RecordingInfo,
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sources")
            .field("reader", &self.reader)
            .field("about", &self.info)
            .finish_non_exhaustive()
    }
}

/// What becomes of a recording. Told on the recorder's thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecorderEvent {
    /// It has grown; told at most once a second.
    Grew {
        /// Bytes of the file.
        bytes: u64,
    },
    /// It has ended, asked for or not. The last event.
    Stopped(Summary),
}

/// A recording that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Its file.
    pub path: PathBuf,
    /// The file's length in bytes.
    pub bytes: u64,
    /// Entries in it, those of losses not counted.
    pub entries: u64,
    /// Entries that were evicted before they could be recorded.
    pub lost: u64,
    /// Why it ended, when nobody asked for it.
    pub why: Option<String>,
}

/// A recording that runs. Dropping it ends the recording too, without waiting for its end.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    stop: oneshot::Sender<()>,
    ended: oneshot::Receiver<Summary>,
}

impl Recorder {
    /// Makes the file, readable by its owner alone, and begins to record.
    ///
    /// # Errors
    /// The file cannot be made or written; one that exists is refused ([`io::ErrorKind::AlreadyExists`]).
    pub fn start(
        path: &Path,
        sources: Sources,
        limits: limits::Recording,
        on_event: Box<dyn FnMut(RecorderEvent) + Send>,
    ) -> io::Result<Self> {
        let file = private_files::create_new(path)?;
        let writer = Writer::begin(file, &sources.info, limits).map_err(|error| match error {
            WriteError::Io(error) => error,
            full @ WriteError::Full { .. } => io::Error::other(full),
        })?;
        let (stop, stopped) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let summary = Summary { path: path.to_owned(), bytes: 0, entries: 0, lost: 0, why: None };
        let recording = Recording {
            writer,
            sources,
            on_event,
            summary,
            reported_bytes: 0,
            taking: None,
            needs_snapshot: false,
            was_down: false,
        };
        // Made last, and moved at once: a runtime must not be dropped where another one is driven.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        std::thread::Builder::new().name("recorder".to_owned()).spawn(move || {
            let summary = runtime.block_on(recording.run(stopped));
            let _ = end.send(summary);
        })?;
        Ok(Self { path: path.to_owned(), stop, ended })
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Ends it with all that the tap had until now. It is asked for at once; the answer comes when the file
    /// is whole. One that has ended already answers with its summary.
    pub fn stop(self) -> impl Future<Output = Summary> + Send {
        let Self { path, stop, ended } = self;
        let _ = stop.send(());
        async move {
            let gone =
                Summary { path, bytes: 0, entries: 0, lost: 0, why: Some("the recorder failed".to_owned()) };
            ended.await.unwrap_or(gone)
        }
    }
}

/// What the thread works with.
struct Recording {
    writer: Writer<File>,
    sources: Sources,
    on_event: Box<dyn FnMut(RecorderEvent) + Send>,
    summary: Summary,
    reported_bytes: u64,
    taking: Option<SnapshotFuture>,
    needs_snapshot: bool,
    was_down: bool,
}

/// Why the loop went on.
enum Next {
    Stop,
    Snapshot(Result<EncodedSnapshot, String>),
    Ready,
    Tick,
}

impl Recording {
    async fn run(mut self, mut stop: oneshot::Receiver<()>) -> Summary {
        if let Err(end) = self.record(&mut stop).await {
            self.summary.why = Some(end.to_string());
        }
        // A writer that has failed fails again: the first reason stays.
        if let Err(error) = self.writer.finish() {
            self.summary.why.get_or_insert_with(|| error.to_string());
        }
        self.summary.bytes = self.writer.bytes();
        (self.on_event)(RecorderEvent::Stopped(self.summary.clone()));
        self.summary
    }

    async fn record(&mut self, stop: &mut oneshot::Receiver<()>) -> Result<(), StopReason> {
        let first = self.take_snapshot();
        let first = tokio::select! {
            biased;
            _ = &mut *stop => return self.drain(),
            first = first => first.map_err(StopReason::NoSnapshot)?,
        };
        self.writer.snapshot(first.at.wall, &first.bytes)?;
        let mut ticks = tokio::time::interval(FLUSH);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let next = tokio::select! {
                biased;
                _ = &mut *stop => Next::Stop,
                taken = poll_snapshot(&mut self.taking) => Next::Snapshot(taken),
                _ = ticks.tick() => Next::Tick,
                () = self.sources.reader.ready() => Next::Ready,
            };
            match next {
                Next::Stop => return self.drain(),
                Next::Snapshot(taken) => self.resync(taken)?,
                Next::Tick => self.tick()?,
                Next::Ready => {
                    self.drain()?;
                    if tokio::time::timeout(GATHER, &mut *stop).await.is_ok() {
                        return self.drain();
                    }
                }
            }
        }
    }

    fn take_snapshot(&mut self) -> SnapshotFuture {
        let snapshot = (self.sources.snapshot)();
        Box::pin(async move {
            tokio::time::timeout(SNAPSHOT_TIMEOUT, snapshot)
                .await
                .unwrap_or_else(|_| Err("it took longer than 10 s".to_owned()))
        })
    }

    /// Writes the snapshot that was due after a loss. One that failed is tried again at the next tick.
    fn resync(&mut self, taken: Result<EncodedSnapshot, String>) -> Result<(), StopReason> {
        self.taking = None;
        if let Ok(snapshot) = taken {
            self.writer.snapshot(snapshot.at.wall, &snapshot.bytes)?;
            self.needs_snapshot = false;
        }
        Ok(())
    }

    fn tick(&mut self) -> Result<(), StopReason> {
        self.writer.flush()?;
        let bytes = self.writer.bytes();
        if bytes >= self.reported_bytes + GREW_BYTES {
            self.reported_bytes = bytes;
            (self.on_event)(RecorderEvent::Grew { bytes });
        }
        if self.needs_snapshot && self.taking.is_none() {
            self.taking = Some(self.take_snapshot());
        }
        Ok(())
    }

    /// Writes what the tap has now, and no more, so that this ends while entries keep coming.
    fn drain(&mut self) -> Result<(), StopReason> {
        let until = self.sources.reader.received() + self.sources.reader.lost() + self.sources.reader.lag();
        while self.sources.reader.received() + self.sources.reader.lost() < until {
            let Some(batch) = self.sources.reader.read() else { break };
            self.write(&batch)?;
        }
        Ok(())
    }

    fn write(&mut self, batch: &Batch) -> Result<(), StopReason> {
        if batch.lost > 0 {
            self.summary.lost += batch.lost;
            // A snapshot that is being taken may be older than what was lost.
            self.taking = None;
            self.needs_snapshot = true;
            if let Some(first) = batch.iter().next() {
                let loss = Entry {
                    seq: Seq(first.entry.seq.0.saturating_sub(1)),
                    at: first.entry.at,
                    link: Link::Station,
                    trace: None,
                    cause: None,
                    what: What::Loss { count: batch.lost },
                };
                self.writer.entry(EntryRef { entry: &loss, bytes: &[] })?;
            }
        }
        for entry in batch.iter() {
            self.writer.entry(entry)?;
            self.summary.entries += 1;
            self.watch_hosts(&entry.entry.what);
        }
        Ok(())
    }
}

impl Recording {
    /// A host that is up again after it was down has begun anew, and so does the state of its link.
    fn watch_hosts(&mut self, what: &What) {
        match what {
            What::Transition(Transition::Station(station::Transition::HostDown { .. })) => {
                self.was_down = true;
            }
            What::Transition(Transition::Station(station::Transition::HostUp { .. })) if self.was_down => {
                self.was_down = false;
                self.taking = None;
                self.needs_snapshot = true;
            }
            _ => {}
        }
    }
}

/// Why a recording ended that nobody ended.
#[derive(Debug, thiserror::Error)]
enum StopReason {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("cannot take a snapshot: {0}")]
    NoSnapshot(String),
}

/// The snapshot that is being taken; never when none is.
async fn poll_snapshot(taking: &mut Option<SnapshotFuture>) -> Result<EncodedSnapshot, String> {
    match taking {
        Some(taking) => taking.await,
        None => std::future::pending().await,
    }
}
