//! Records the tap on a thread of its own.

use std::{
    borrow::Cow,
    fs::File,
    future::Future,
    io,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    time::Duration,
};

use tokio::{sync::oneshot, time::MissedTickBehavior};

use super::{
    attachment::Attachment,
    format::{RecordingInfo, loss_before},
    rotation,
    sources::{EncodedSnapshot, Redact, Sources},
    stop_reason::StopReason,
    sync::Syncing,
    unlink_on_drop::UnlinkOnDrop,
    writer::{WriteError, Writer},
};
use crate::{
    limits, private_files,
    tap::{
        Batch, EntryRef,
        entry::{Entry, Transition, What, station},
        recorded,
    },
    time::Mono,
};

/// How long the recorder lets entries gather before it reads again, so that a busy tap need not wake it for
/// each.
const GATHER: Duration = Duration::from_millis(20);

/// How often what was recorded is made to outlive the process, and its length is told.
const FLUSH: Duration = Duration::from_secs(1);

/// How long the first snapshot of a file may take.
const SNAPSHOT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a later one may take, while entries wait in the tap; it is tried again then.
const KEYFRAME_TIMEOUT: Duration = Duration::from_millis(500);

/// How long the report is waited for at the end of a recording.
const REPORT_AT_END: Duration = Duration::from_secs(1);

/// Files that are looked for at most until there is a name that is free.
const NAMES_MAX: u32 = 10_000;

/// Growth that is worth telling. More than what the telling itself adds, or an idle recording would grow for
/// ever.
const GREW_BYTES: u64 = 4_096;

/// What becomes of a recording. Told on the recorder's thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecorderEvent {
    /// It has grown; told at most once a second.
    Grew {
        /// Bytes of the file.
        bytes: u64,
    },
    /// A file was full, and the next one was begun.
    Rotated {
        /// The file that is finished.
        finished: PathBuf,
        /// Its length in bytes.
        bytes: u64,
        /// The next one.
        next: PathBuf,
    },
    /// It has ended, asked for or not. The last event.
    Stopped(Summary),
}

/// A recording that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Its last file.
    pub path: PathBuf,
    /// The length of all its files in bytes.
    pub bytes: u64,
    /// That of the last one.
    pub file_bytes: u64,
    /// How many there are.
    pub files: u64,
    /// Entries in them, those of losses not counted.
    pub entries: u64,
    /// Entries that were evicted before they could be recorded.
    pub lost: u64,
    /// Why it ended, when nobody asked for it.
    pub why: Option<String>,
    /// Whether that is a full disk.
    pub is_disk_full: bool,
    /// Whether its last file is removed, which it failed to write an entry to.
    pub is_removed: bool,
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
        // The first file is within the limit of all of them, too.
        let file_bytes_max = limits.file_bytes_max.min(limits.bytes_max);
        let limits = limits::Recording { file_bytes_max, ..limits };
        let file = private_files::create_new(path)?;
        let made = UnlinkOnDrop::at(path);
        let (syncing, writer) = begin(path, file, &sources.info, limits)?;
        let (stop, stopped) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let summary = Summary { path: path.to_owned(), files: 1, ..Summary::default() };
        let recording = Recording {
            writer,
            syncing,
            sources,
            limits,
            on_event,
            summary,
            finished_bytes: 0,
            reported_bytes: 0,
            was_down: false,
            is_reported: false,
            file_since: Mono(0),
            entries_before: 0,
        };
        // Made last, and moved at once: a runtime must not be dropped where another one is driven.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        std::thread::Builder::new().name("recorder".to_owned()).spawn(move || {
            let summary = runtime.block_on(recording.run(stopped));
            let _ = end.send(summary);
        })?;
        made.keep();
        Ok(Self { path: path.to_owned(), stop, ended })
    }

    /// Its first file.
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
            let gone = Summary { path, why: Some("the recorder failed".to_owned()), ..Summary::default() };
            ended.await.unwrap_or(gone)
        }
    }
}

/// What the thread works with.
struct Recording {
    writer: Writer<File>,
    syncing: Syncing,
    sources: Sources,
    limits: limits::Recording,
    on_event: Box<dyn FnMut(RecorderEvent) + Send>,
    summary: Summary,
    /// Bytes of the files before this one.
    finished_bytes: u64,
    reported_bytes: u64,
    was_down: bool,
    /// Whether the report is there.
    is_reported: bool,
    /// Since when it writes to this file.
    file_since: Mono,
    /// Entries in the files before this one.
    entries_before: u64,
}

/// Why the loop went on.
enum Next {
    Stop,
    Ready,
    Tick,
    Report(Vec<Attachment>),
}

impl Recording {
    async fn run(mut self, mut stop: oneshot::Receiver<()>) -> Summary {
        let ended = self.record(&mut stop).await;
        let is_of_file = ended.as_ref().is_err_and(StopReason::is_of_file);
        ended.unwrap_or_else(|end| self.note_end(&end));
        // What would follow a part that was cut would be taken for the rest of it.
        if !is_of_file && let Err(error) = self.finish().await {
            self.note_end(&StopReason::Write(error));
        }
        if let Err(error) = self.syncing.end() {
            self.note_end(&StopReason::Sync(error));
        }
        if self.syncing.is_removed() {
            self.note_end(&StopReason::Removed);
        }
        if self.summary.why.is_some() && self.writer.is_empty() {
            // Where it is tried again there would be ever more of them.
            self.summary.is_removed = self.syncing.remove(&self.summary.path);
        }
        self.summary.file_bytes = self.writer.bytes();
        self.summary.bytes = self.finished_bytes + self.summary.file_bytes;
        (self.on_event)(RecorderEvent::Stopped(self.summary.clone()));
        self.summary
    }

    /// Makes the file whole, with the report where that is there soon, and with the state behind a loss.
    async fn finish(&mut self) -> Result<(), WriteError> {
        if self.writer.is_keyframe_needed()
            && let Some(snapshot) = self.take_snapshot().await
        {
            match self.keyframe(&snapshot) {
                Ok(()) | Err(WriteError::Full { .. }) => {}
                failed => return failed,
            }
        }
        if !self.is_reported
            && let Ok(all) = tokio::time::timeout(REPORT_AT_END, &mut self.sources.report).await
        {
            self.attach(all)?;
        }
        self.writer.finish()
    }

    /// Notes why it ended; the first reason stays.
    fn note_end(&mut self, end: &StopReason) {
        if self.summary.why.is_none() {
            self.summary.why = Some(end.to_string());
            self.summary.is_disk_full = end.is_disk_full();
        }
    }

    async fn record(&mut self, stop: &mut oneshot::Receiver<()>) -> Result<(), StopReason> {
        let first = tokio::time::timeout(SNAPSHOT_TIMEOUT, (self.sources.snapshot)());
        let first = tokio::select! {
            biased;
            first = first => first.unwrap_or_else(|_| Err("it took longer than 10 s".to_owned())),
            _ = &mut *stop => return self.drain().await,
        };
        self.file_since = self.sources.clock.now().mono;
        self.keyframe(&first.map_err(StopReason::NoSnapshot)?)?;
        self.write_attachments(&self.sources.attachments.clone())?;
        let mut ticks = tokio::time::interval(FLUSH);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let next = tokio::select! {
                biased;
                _ = &mut *stop => Next::Stop,
                _ = ticks.tick() => Next::Tick,
                report = &mut self.sources.report, if !self.is_reported => Next::Report(report),
                () = self.sources.reader.ready() => Next::Ready,
            };
            match next {
                Next::Stop => return self.drain().await,
                Next::Tick => self.tick().await?,
                Next::Report(report) => self.attach(report)?,
                Next::Ready => {
                    self.drain().await?;
                    if tokio::time::timeout(GATHER, &mut *stop).await.is_ok() {
                        return self.drain().await;
                    }
                }
            }
        }
    }

    /// Takes the report, which is in each further file too.
    fn attach(&mut self, report: Vec<Attachment>) -> Result<(), WriteError> {
        self.write_attachments(&report)?;
        self.sources.attachments.extend(report);
        self.is_reported = true;
        Ok(())
    }

    fn write_attachments(&mut self, all: &[Attachment]) -> Result<(), WriteError> {
        self.writer.attach(self.sources.clock.now(), &masked(all, &mut self.sources.redact))
    }

    fn keyframe(&mut self, snapshot: &EncodedSnapshot) -> Result<(), WriteError> {
        let now = self.sources.clock.now().mono;
        let mut bytes = Cow::Borrowed(snapshot.bytes.as_slice());
        if let Some(redact) = &mut self.sources.redact {
            redact.snapshot(bytes.to_mut()).map_err(|why| WriteError::Io(io::Error::other(why)))?;
        }
        self.writer.keyframe(now, snapshot.at, &bytes)
    }

    /// Writes a keyframe where one is due. No entry is written until it is there, so that it has all that is
    /// in front of it. One that does not come is tried again at the next tick.
    async fn keyframe_if_due(&mut self) -> Result<(), StopReason> {
        if !self.writer.is_keyframe_due(self.sources.clock.now().mono) {
            return Ok(());
        }
        let Some(snapshot) = self.take_snapshot().await else {
            self.writer.keyframe_failed(self.sources.clock.now().mono);
            return Ok(());
        };
        match self.keyframe(&snapshot) {
            Err(WriteError::Full { .. }) => self.rotate(Some(snapshot)).await,
            written => Ok(written?),
        }
    }

    /// A snapshot, where there is one in time.
    async fn take_snapshot(&mut self) -> Option<EncodedSnapshot> {
        tokio::time::timeout(KEYFRAME_TIMEOUT, (self.sources.snapshot)()).await.ok()?.ok()
    }

    async fn tick(&mut self) -> Result<(), StopReason> {
        self.writer.flush()?;
        self.keyframe_if_due().await?;
        let now = self.sources.clock.now().mono;
        self.syncing.tick(now).map_err(StopReason::Sync)?;
        if self.syncing.is_removed() {
            return Err(StopReason::Removed);
        }
        let has_entries = self.summary.entries > self.entries_before;
        if rotation::is_due(self.sources.rotate_after, now.since(self.file_since), has_entries) {
            self.rotate(None).await?;
        }
        let bytes = self.writer.bytes();
        if bytes >= self.reported_bytes + GREW_BYTES {
            self.reported_bytes = bytes;
            (self.on_event)(RecorderEvent::Grew { bytes });
        }
        Ok(())
    }

    /// Writes what the tap has now, and no more, so that this ends while entries keep coming.
    async fn drain(&mut self) -> Result<(), StopReason> {
        let until = self.sources.reader.received() + self.sources.reader.lost() + self.sources.reader.lag();
        while self.sources.reader.received() + self.sources.reader.lost() < until {
            let Some(batch) = self.sources.reader.read() else { break };
            self.write(&batch).await?;
        }
        Ok(())
    }

    async fn write(&mut self, batch: &Batch) -> Result<(), StopReason> {
        if batch.lost > 0 {
            self.summary.lost += batch.lost;
            if let Some(first) = batch.iter().next() {
                let loss = loss_before(first.entry, batch.lost);
                let loss = EntryRef { entry: &loss, bytes: &[] };
                self.entry(loss.entry, &recorded::encode(loss)).await?;
            }
            self.writer.need_keyframe();
        }
        let masked =
            self.sources.redact.as_mut().map(|redact| redact.entries(&batch.iter().collect::<Vec<_>>()));
        let mut masked = masked.map(Vec::into_iter);
        for entry in batch.iter() {
            let encoded = match &mut masked {
                Some(masked) => masked.next().unwrap_or_default(),
                None => recorded::encode(entry),
            };
            self.entry(entry.entry, &encoded).await?;
            self.summary.entries += 1;
            self.watch_hosts(&entry.entry.what);
        }
        Ok(())
    }

    /// Writes an entry, into another file where this one is full.
    async fn entry(&mut self, entry: &Entry, encoded: &[u8]) -> Result<(), StopReason> {
        let as_what = (self.sources.tallied)(entry);
        match self.writer.encoded_entry(entry, encoded, as_what) {
            Err(WriteError::Full { .. }) => {
                self.rotate(None).await?;
                Ok(self.writer.encoded_entry(entry, encoded, as_what)?)
            }
            written => Ok(written?),
        }
    }

    /// Finishes the file, and begins the next one. That begins with a keyframe, unless none can be taken now,
    /// as while a host is down.
    async fn rotate(&mut self, snapshot: Option<EncodedSnapshot>) -> Result<(), StopReason> {
        let total = self.finished_bytes + self.writer.bytes();
        if total + self.limits.file_bytes_max > self.limits.bytes_max {
            return Err(StopReason::TooLong { limit: self.limits.bytes_max });
        }
        if self.sources.disk_low.load(Ordering::Relaxed) {
            return Err(StopReason::DiskLow);
        }
        self.writer.finish()?;
        self.syncing.finish();
        let (finished, bytes) = (self.summary.path.clone(), self.writer.bytes());
        let next = match &mut self.sources.next_path {
            Some(next_path) => next_path(&finished),
            None => rotation::next(&finished),
        };
        let (path, file) = next_file(next).map_err(StopReason::NextFile)?;
        let begun = self.begin_after(&finished, &path, file);
        if begun.is_err() {
            // What is left of it holds nothing.
            let _ = std::fs::remove_file(&path);
        }
        begun?;
        self.finished_bytes += bytes;
        self.reported_bytes = 0;
        self.file_since = self.sources.clock.now().mono;
        self.entries_before = self.summary.entries;
        self.summary.files += 1;
        self.summary.path.clone_from(&path);
        (self.on_event)(RecorderEvent::Rotated { finished, bytes, next: path });
        let snapshot = match snapshot {
            Some(snapshot) => Some(snapshot),
            None => self.take_snapshot().await,
        };
        let Some(snapshot) = snapshot else {
            self.writer.need_keyframe();
            return Ok(());
        };
        Ok(self.keyframe(&snapshot)?)
    }

    /// Writes into this file from now on.
    fn begin_after(&mut self, finished: &Path, path: &Path, file: File) -> Result<(), StopReason> {
        let name = finished.file_name().map(|name| name.to_string_lossy().into_owned());
        let info = RecordingInfo { previous: name, ..self.sources.info.clone() };
        let syncing = Syncing::of(path, &file).map_err(StopReason::NextFile)?;
        let mut writer = Writer::begin(file, &info, self.limits)?;
        writer.follow(&self.writer);
        let attachments = masked(&self.sources.attachments, &mut self.sources.redact);
        writer.attach(self.sources.clock.now(), &attachments)?;
        self.syncing = syncing.follow(&self.syncing);
        self.writer = writer;
        Ok(())
    }

    /// A host that is up again after it was down has begun anew, and so does the state of its link.
    fn watch_hosts(&mut self, what: &What) {
        match what {
            What::Transition(Transition::Station(station::Transition::HostDown { .. })) => {
                self.was_down = true;
            }
            What::Transition(Transition::Station(station::Transition::HostUp { .. })) if self.was_down => {
                self.was_down = false;
                self.writer.need_keyframe();
            }
            _ => {}
        }
    }
}

/// What is kept with it, masked.
fn masked<'a>(all: &'a [Attachment], redact: &mut Option<Box<dyn Redact>>) -> Cow<'a, [Attachment]> {
    let mut all = Cow::Borrowed(all);
    if let Some(redact) = redact {
        all.to_mut().iter_mut().for_each(|it| redact.attachment(&mut it.bytes));
    }
    all
}

/// Writes what comes before all else.
fn begin(
    path: &Path,
    file: File,
    info: &RecordingInfo,
    limits: limits::Recording,
) -> io::Result<(Syncing, Writer<File>)> {
    let syncing = Syncing::of(path, &file)?;
    Ok((syncing, Writer::begin(file, info, limits)?))
}

/// The next file, which is made: of this name, or of the next number that is free.
fn next_file(mut next: PathBuf) -> io::Result<(PathBuf, File)> {
    for _ in 0..NAMES_MAX {
        match private_files::create_new(&next) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => next = rotation::next(&next),
            made => return made.map(|file| (next, file)),
        }
    }
    Err(io::Error::from(io::ErrorKind::AlreadyExists))
}
