//! The store's figures, shared by its threads.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use super::FolderWatch;

/// The store's figures at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Commits that changed something.
    pub commits: u64,
    /// Commits and requests that the disk or the database refused, and journal writes likewise.
    pub commit_failures: u64,
    /// Rows whose latest transitions are journalled but not in their tables.
    pub unfolded_rows: u64,
    /// Bytes of the journal on disk.
    pub journal_bytes: u64,
    /// Requests that wait for the writer.
    pub requests_waiting: u64,
    /// How long the last commit took, in microseconds.
    pub last_commit_us: u64,
    /// Rows that retention deleted.
    pub retired_rows: u64,
    /// What retention bounds, and how much of it is kept.
    pub retained: [Retained; Retained::WHAT.len()],
    /// Why the last commit failed, while none has succeeded since.
    pub failing: Option<String>,
}

/// How much is kept of what retention bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retained {
    /// Rows; of sessions' logs none are counted.
    pub rows: u64,
    /// Bytes of their texts and values.
    pub bytes: u64,
}

impl Retained {
    /// What each is of, in their order.
    pub const WHAT: [&str; 6] =
        ["ended_rows", "refunds", "ended_runs", "control_answers", "alerts", "session_logs"];
}

impl Counters {
    /// Bytes of the logs of sessions in the database.
    #[must_use]
    pub const fn session_log_bytes(&self) -> u64 {
        let [.., sessions] = &self.retained;
        sessions.bytes
    }
}

/// Where the threads keep the figures.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) watch: Arc<FolderWatch>,
    pub(super) commits: AtomicU64,
    pub(super) commit_failures: AtomicU64,
    pub(super) journal_bytes: AtomicU64,
    pub(super) last_commit_us: AtomicU64,
    pub(super) retired_rows: AtomicU64,
    retained: Mutex<[Retained; Retained::WHAT.len()]>,
    rows_failing: Mutex<Option<String>>,
    journal_failing: Mutex<Option<String>>,
}

impl Shared {
    pub(super) fn new(watch: Arc<FolderWatch>) -> Self {
        Self {
            watch,
            commits: AtomicU64::default(),
            commit_failures: AtomicU64::default(),
            journal_bytes: AtomicU64::default(),
            last_commit_us: AtomicU64::default(),
            retired_rows: AtomicU64::default(),
            retained: Mutex::default(),
            rows_failing: Mutex::default(),
            journal_failing: Mutex::default(),
        }
    }

    /// What the rows' last commit said.
    pub(super) fn set_rows_failing(&self, why: Option<String>) {
        if why.is_some() {
            self.commit_failures.fetch_add(1, Ordering::Relaxed);
        }
        *self.rows_failing.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// What the journal's last write said.
    pub(super) fn set_journal_failing(&self, why: Option<String>) {
        if why.is_some() {
            self.commit_failures.fetch_add(1, Ordering::Relaxed);
        }
        *self.journal_failing.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// What is kept once a transaction is committed.
    pub(super) fn set_retained(&self, retained: [Retained; Retained::WHAT.len()]) {
        *self.retained.lock().unwrap_or_else(PoisonError::into_inner) = retained;
    }

    pub(super) fn rows_failing(&self) -> Option<String> {
        self.rows_failing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn read(&self, unfolded_rows: u64, requests: usize) -> Counters {
        let of = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        let journal_failing = self.journal_failing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Counters {
            commits: of(&self.commits),
            commit_failures: of(&self.commit_failures),
            unfolded_rows,
            journal_bytes: of(&self.journal_bytes),
            requests_waiting: u64::try_from(requests).unwrap_or(u64::MAX),
            last_commit_us: of(&self.last_commit_us),
            retired_rows: of(&self.retired_rows),
            retained: *self.retained.lock().unwrap_or_else(PoisonError::into_inner),
            failing: self.watch.blocked().or(journal_failing).or_else(|| self.rows_failing()),
        }
    }
}
