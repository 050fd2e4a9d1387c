//! Reads that nothing waits for behind them: two threads with connections of their own, short transactions, a
//! bounded line.

use std::{
    collections::VecDeque,
    path::Path,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use rusqlite::Connection;

use super::{
    StoreError,
    invocations::{Pending, Row},
    op::CommitError,
    open,
    submission::closed,
};
use crate::{
    ids::{InvocationId, ManifestHash, PackId, QueueName, RefundId},
    tap::entry::mpp::{RefundStatus, RowState},
};

/// How many threads read.
const THREADS: usize = 2;

/// Rows of one answer, whatever was asked for.
pub(super) const PAGE_ROWS_MAX: u64 = 10_000;

/// Which invocations to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvocationFilter {
    /// Only those in this state.
    pub state: Option<RowState>,
    /// Only those of this queue.
    pub queue: Option<QueueName>,
    /// Only those beyond this id, in the direction of the order.
    pub beyond: Option<InvocationId>,
    /// Oldest first; else newest first.
    pub oldest_first: bool,
    /// Only those of another manifest than this one. Pending ones are found by an index, others by looking
    /// through the rows.
    pub not_of: Option<(PackId, ManifestHash)>,
    /// At most so many; cut to 10,000.
    pub limit: u64,
}

/// Which refund records to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefundFilter {
    /// Only those with this status.
    pub status: Option<RefundStatus>,
    /// Only those beyond this id, in the direction of the order.
    pub beyond: Option<RefundId>,
    /// Oldest first; else newest first.
    pub oldest_first: bool,
    /// At most so many; cut to 10,000.
    pub limit: u64,
}

/// Some rows in the order asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Whether there are more beyond the last.
    pub more: bool,
}

/// One item an id, in order; nothing where no row has it.
pub type InvocationsById = Vec<Option<Row>>;

/// Pending rows of other manifests, with their queues.
pub type OthersPage = Rows<(QueueName, Pending)>;

impl<T> Rows<T> {
    /// The first `limit` rows of a reading that asked for one more.
    pub(super) fn cut(mut rows: Vec<T>, limit: u64) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        Self { rows, more }
    }
}

/// One read; it answers by itself.
pub(super) type Job = Box<dyn FnOnce(&Connection) + Send>;

#[derive(Default)]
struct QueueState {
    jobs: VecDeque<Job>,
    closed: bool,
}

/// The line in front of the readers.
pub(super) struct Reads {
    line: Mutex<QueueState>,
    ready: Condvar,
    jobs_max: usize,
    /// Why there never was a reader, where there was none.
    unopened: Option<String>,
}

impl Reads {
    /// The line of a store that could not be opened: closed from the first, with why.
    pub(super) fn unopened(why: String) -> Self {
        let line = Mutex::new(QueueState { closed: true, ..QueueState::default() });
        Self { line, ready: Condvar::new(), jobs_max: 0, unopened: Some(why) }
    }

    /// Starts the threads.
    ///
    /// # Errors
    /// A connection or a thread could not be made.
    pub(super) fn start(
        database: &Path,
        jobs_max: u64,
    ) -> Result<(Arc<Self>, Vec<JoinHandle<()>>), StoreError> {
        let jobs_max = usize::try_from(jobs_max).unwrap_or(usize::MAX);
        let reads =
            Arc::new(Self { line: Mutex::default(), ready: Condvar::new(), jobs_max, unopened: None });
        let mut threads = Vec::with_capacity(THREADS);
        for number in 1..=THREADS {
            let started = connect(database)
                .map_err(StoreError::database("opening a read connection"))
                .and_then(|conn| {
                    let reads = Arc::clone(&reads);
                    let thread = thread::Builder::new().name(format!("store-read-{number}"));
                    thread
                        .spawn(move || reads.run(&conn))
                        .map_err(StoreError::io("starting a reader of the store"))
                });
            match started {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    reads.close();
                    return Err(error);
                }
            }
        }
        Ok((reads, threads))
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a read at the end of the line.
    ///
    /// # Errors
    /// Too many wait, or the store is closed; the read comes back.
    pub(super) fn push(&self, job: Job) -> Result<(), (Job, CommitError)> {
        let mut line = self.lock();
        if line.closed {
            return Err((job, closed(self.unopened.as_ref())));
        }
        if line.jobs.len() >= self.jobs_max {
            let waiting = u64::try_from(line.jobs.len()).unwrap_or(u64::MAX);
            return Err((job, CommitError::Busy { waiting }));
        }
        line.jobs.push_back(job);
        self.ready.notify_one();
        Ok(())
    }

    /// Ends the threads once the line is empty.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.ready.notify_all();
    }

    fn run(&self, conn: &Connection) {
        loop {
            let job = {
                let mut line = self.lock();
                loop {
                    if let Some(job) = line.jobs.pop_front() {
                        break job;
                    }
                    if line.closed {
                        return;
                    }
                    line = self.ready.wait(line).unwrap_or_else(PoisonError::into_inner);
                }
            };
            job(conn);
        }
    }
}

fn connect(database: &Path) -> rusqlite::Result<Connection> {
    let conn = open::connect(database)?;
    conn.busy_timeout(Duration::from_secs(1))?;
    conn.pragma_update(None, "query_only", true)?;
    conn.set_prepared_statement_cache_capacity(32);
    Ok(conn)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;

    #[test]
    fn one_read_too_many_is_refused_and_those_in_line_are_done() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("x.db");
        Connection::open(&database).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
        let (reads, threads) = Reads::start(&database, 2).unwrap();
        let (release, gate) = sync_channel::<()>(0);
        let gate = Arc::new(Mutex::new(gate));
        let (begun, begins) = sync_channel(THREADS);
        for _ in 0..THREADS {
            let (gate, begun) = (Arc::clone(&gate), begun.clone());
            let job = move |_: &Connection| {
                begun.send(()).unwrap();
                gate.lock().unwrap().recv().unwrap();
            };
            assert!(reads.push(Box::new(job)).is_ok());
            begins.recv().unwrap();
        }
        let (tell, told) = sync_channel(2);
        for _ in 0..2 {
            let tell = tell.clone();
            assert!(
                reads
                    .push(Box::new(move |conn| tell
                        .send(conn.execute("DELETE FROM t", []).is_err())
                        .unwrap()))
                    .is_ok()
            );
        }
        assert_eq!(
            reads.push(Box::new(|_| {})).err().map(|(_, error)| error),
            Some(CommitError::Busy { waiting: 2 })
        );
        for _ in 0..THREADS {
            release.send(()).unwrap();
        }
        reads.close();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(told.try_iter().collect::<Vec<_>>(), [true, true], "a read connection does not write");
    }
}
