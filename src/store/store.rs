//! A store with its threads, from its start to its end.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, sync_channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use super::{
    Handle, Journal, StoreError, append,
    counters::Shared,
    journal::Begin,
    lock::Lock,
    op::Restored,
    open::{self, DATABASE, LOG, RecoveredDatabase},
    read::Reads,
    retention::Retention,
    submission::SubmissionQueue,
    writer::{Parts, Writer},
};
use crate::{
    ids::{ManifestHash, PackId, SessionId},
    limits,
    time::Clock,
};

/// How long the end of a store may take.
const CLOSE_MAX: Duration = Duration::from_millis(2_500);

/// What outlives the process, open. It owns the data folder's lock and the store's threads.
///
/// Dropping it closes it and says nothing of how that went; [`close`](Self::close) does.
pub struct Store {
    handle: Handle,
    journal: Option<Journal>,
    ended: Receiver<Result<(), String>>,
    threads: Vec<JoinHandle<()>>,
    closed: bool,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("handle", &self.handle).finish_non_exhaustive()
    }
}

/// What a start found.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenedStore {
    /// What a core starts from. `left_applied` has at most the default of `limits.mpp.recent_rows_max`.
    pub restored: Restored,
    /// How often a station was started on this data folder, this time included (ruling MPP 14).
    pub session_id: SessionId,
    /// What a person should read of damage: what was set aside or cannot be read.
    pub notices: Vec<String>,
    /// Unfinished writes that were left out; nothing of them was acknowledged.
    pub torn: Vec<String>,
}

impl Store {
    /// Opens the data folder's store for the manifest in force, and makes folder and database where they are
    /// missing (0700, 0600).
    ///
    /// All that was acknowledged before the process died is in its tables when this returns, and rows that
    /// were dispatched are pending again.
    ///
    /// # Errors
    /// [`StoreError::Held`] when another process has the folder, [`StoreError::NewerSchema`] for the database
    /// of a later program, [`StoreError::NotAStore`] for that of another, and what the disk refuses. A
    /// damaged database is no error: it is set aside.
    pub fn open(
        data: &Path,
        pack_id: &PackId,
        manifest_hash: &ManifestHash,
        limits: limits::Store,
        clock: Clock,
    ) -> Result<(Self, OpenedStore), StoreError> {
        Self::open_locked(Arc::new(Lock::take(data)?), data, pack_id, manifest_hash, limits, clock)
    }

    /// As [`open`](Self::open), for a caller that has taken the folder's lock already, and may keep it over a
    /// store's end to open the next.
    ///
    /// # Errors
    /// As [`open`](Self::open), [`StoreError::Held`] apart.
    pub fn open_locked(
        lock: Arc<Lock>,
        data: &Path,
        pack_id: &PackId,
        manifest_hash: &ManifestHash,
        limits: limits::Store,
        clock: Clock,
    ) -> Result<(Self, OpenedStore), StoreError> {
        let RecoveredDatabase { conn, found, ended_bytes, marks, next_segment, next_seq } =
            open::recover(data, pack_id, manifest_hash, clock.now().wall)?;
        let retention =
            Retention::count(&conn, ended_bytes).map_err(StoreError::database("counting rows"))?;
        let (reads, mut threads) = Reads::start(&data.join(DATABASE), limits.read_requests_max)?;
        let intake = Arc::new(SubmissionQueue::new(limits.writer_requests_max));
        let watch = lock.watch();
        watch.keep([DATABASE, LOG].map(|file| data.join(file)));
        let shared = Arc::new(Shared::new(Arc::clone(&watch)));
        shared.set_retained(retention.retained());
        let begin = Begin {
            segment: next_segment,
            seq: next_seq,
            segment_bytes_max: limits.journal_segment_bytes_max,
            unfolded_rows_max: limits.unfolded_rows_max,
        };
        let (queue, figures) = (Arc::clone(&intake), Arc::clone(&shared));
        let journal = Journal::new(data, append::on_watched_disk(watch), begin, queue, figures);
        let handle = Handle {
            submission: Arc::clone(&intake),
            reads: Arc::clone(&reads),
            shared: Arc::clone(&shared),
            unfolded_rows_max: limits.unfolded_rows_max,
        };
        let writer = Writer::new(Parts {
            conn,
            clock,
            limits,
            data: PathBuf::from(data),
            pack_id: pack_id.clone(),
            manifest_hash: manifest_hash.clone(),
            retention,
            marks,
            submission: intake,
            reads: Arc::clone(&reads),
            shared,
        });
        let (tell, ended) = sync_channel(1);
        let spawned = thread::Builder::new().name("store-writer".to_owned()).spawn(move || {
            let outcome = writer.run();
            drop(lock);
            // Nobody listens when the close timed out.
            let _ = tell.send(outcome);
        });
        match spawned {
            Ok(writer) => threads.push(writer),
            Err(error) => {
                reads.close();
                return Err(StoreError::io("starting the store's writer")(error));
            }
        }
        let store = Self { handle, journal: Some(journal), ended, threads, closed: false };
        Ok((store, found))
    }

    /// A store that could not be opened: it has nothing, refuses everything with why, and touches no file.
    #[must_use]
    pub fn unopened(lock: &Lock, data: &Path, limits: &limits::Store, why: &str) -> (Self, OpenedStore) {
        let submission = Arc::new(SubmissionQueue::unopened(why.to_owned()));
        let shared = Arc::new(Shared::new(lock.watch()));
        shared.set_rows_failing(Some(why.to_owned()));
        let begin = Begin {
            segment: 1,
            seq: 1,
            segment_bytes_max: limits.journal_segment_bytes_max,
            unfolded_rows_max: 0,
        };
        let (intake, figures) = (Arc::clone(&submission), Arc::clone(&shared));
        let handle = Handle {
            submission,
            reads: Arc::new(Reads::unopened(why.to_owned())),
            shared,
            unfolded_rows_max: 0,
        };
        let journal = Some(Journal::new(data, append::on_disk(), begin, intake, figures));
        let (tell, ended) = sync_channel(1);
        // Nothing is left to be folded at its end.
        let _ = tell.send(Ok(()));
        let opened = OpenedStore {
            restored: Restored { failing: Some(why.to_owned()), ..Restored::default() },
            session_id: SessionId(0),
            notices: Vec::new(),
            torn: Vec::new(),
        };
        (Self { handle, journal, ended, threads: Vec::new(), closed: false }, opened)
    }

    /// The journal, once: it belongs to the one thread that runs the core. Nothing when it was taken already.
    pub fn journal(&mut self) -> Option<Journal> {
        self.journal.take()
    }

    /// A handle to ask it with.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Does what waits, folds the journal, checkpoints and ends the threads, within 2.5 s. End the host that
    /// journals first.
    ///
    /// # Errors
    /// [`StoreError::CloseTimedOut`] or [`StoreError::Unfolded`]: nothing acknowledged is lost, the next
    /// start takes it up from the journal.
    pub fn close(mut self) -> Result<(), StoreError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), StoreError> {
        if self.closed {
            return Ok(());
        }
        self.closed = true;
        self.handle.submission.close();
        let outcome = match self.ended.recv_timeout(CLOSE_MAX) {
            Ok(outcome) => outcome.map_err(StoreError::Unfolded),
            Err(RecvTimeoutError::Disconnected) => Err(StoreError::Unfolded("the writer failed".to_owned())),
            Err(RecvTimeoutError::Timeout) => {
                self.handle.reads.close();
                return Err(StoreError::CloseTimedOut {
                    ms: u64::try_from(CLOSE_MAX.as_millis()).unwrap_or(u64::MAX),
                });
            }
        };
        self.handle.reads.close();
        // A long read, a backup say, is left to end by itself.
        for thread in self.threads.drain(..) {
            if thread.is_finished() || thread.thread().name() == Some("store-writer") {
                let _ = thread.join();
            }
        }
        outcome
    }

    /// Ends it as SIGKILL would: what was acknowledged is on disk, nothing else is done.
    #[cfg(test)]
    pub(super) fn kill(mut self) {
        self.closed = true;
        self.handle.submission.kill();
        self.handle.reads.close();
        for thread in self.threads.drain(..) {
            thread.join().unwrap();
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
