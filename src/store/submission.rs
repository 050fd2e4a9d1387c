//! The one ordered, bounded line in front of the writer: operations to fold and requests, in the order in
//! which they were made.
//!
//! A request wakes the writer. Operations to fold do not, unless it sleeps or many wait: it looks after a
//! short while by itself, so that a host that journals 50,000 moves a second wakes it 50 times and not
//! 50,000.

use std::{
    collections::VecDeque,
    path::PathBuf,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{
    Answer, batch,
    op::{Class, CommitError, Done, Fetched, Op},
    pending_writes::JournalledOp,
    read::{InvocationsById, OthersPage},
};
use crate::ids::{InvocationId, QueueName};

/// How long operations to fold may wait for company.
pub(super) const LINGER: Duration = Duration::from_millis(20);

/// So many operations to fold do not wait.
const FOLD_AT_ONCE: usize = 4_096;

/// A request to the writer, with where its answer goes.
pub(super) enum Request {
    Commit {
        op: Op,
        class: Class,
        done: Answer<Done>,
    },
    Fetch {
        ask: FetchRequest,
        done: Answer<Fetched>,
    },
    FetchInvocations {
        ids: Vec<InvocationId>,
        done: Answer<InvocationsById>,
    },
    FetchOthers {
        after: InvocationId,
        limit: u64,
        done: Answer<OthersPage>,
    },
    Flush {
        done: Answer<()>,
    },
    Backup {
        path: PathBuf,
        done: Answer<u64>,
    },
    #[cfg(test)]
    Touch {
        with: Box<dyn FnOnce(&rusqlite::Connection) + Send>,
    },
}

impl Request {
    /// Answers that it did not happen.
    pub(super) fn refuse(self, error: CommitError) {
        match self {
            Self::Commit { done, .. } => done(Err(error)),
            Self::Fetch { done, .. } => done(Err(error)),
            Self::FetchInvocations { done, .. } => done(Err(error)),
            Self::FetchOthers { done, .. } => done(Err(error)),
            Self::Flush { done } => done(Err(error)),
            Self::Backup { done, .. } => done(Err(error)),
            #[cfg(test)]
            Self::Touch { .. } => {}
        }
    }
}

/// Which pending rows to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FetchRequest {
    pub(super) queue: QueueName,
    pub(super) after: InvocationId,
    pub(super) limit: u64,
    pub(super) settled: bool,
}

/// One thing in the line.
pub(super) enum Item {
    Fold(Vec<JournalledOp>),
    Request(Request),
}

/// Why the writer goes to work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WakeReason {
    /// Requests came.
    Requests,
    /// Operations have waited long enough, or are many, or the time it wanted to rest is over.
    FoldDue,
    /// The store closes; what is here now is the last.
    Closing,
    /// The store is to be left as it is.
    #[cfg(test)]
    Killed,
}

#[derive(Default)]
struct QueueState {
    items: VecDeque<Item>,
    requests: usize,
    unapplied: usize,
    /// Operations that the writer took and has not accounted for yet.
    taken: usize,
    /// Rows that the writer holds back.
    held: usize,
    asleep: bool,
    closed: bool,
    #[cfg(test)]
    killed: bool,
}

impl QueueState {
    fn urgent(&self) -> bool {
        self.requests > 0 || self.unapplied >= FOLD_AT_ONCE || self.closed
    }

    /// Takes one transaction's part; the bytes that it writes, about.
    fn take(&mut self, into: &mut Vec<Item>) -> usize {
        if self.closed {
            return self.take_all(into);
        }
        let from = into.len();
        let bytes = batch::take(&mut self.items, into);
        for item in &into[from..] {
            match item {
                Item::Fold(ops) => {
                    self.unapplied -= ops.len();
                    self.taken += ops.len();
                }
                Item::Request(_) => self.requests -= 1,
            }
        }
        bytes
    }

    /// Takes all, for the last time.
    fn take_all(&mut self, into: &mut Vec<Item>) -> usize {
        into.extend(self.items.drain(..));
        self.requests = 0;
        self.taken += self.unapplied;
        self.unapplied = 0;
        0
    }
}

/// The line.
pub(super) struct SubmissionQueue {
    queue: Mutex<QueueState>,
    ready: Condvar,
    requests_max: usize,
    /// Why there never was a writer, where there was none.
    unopened: Option<String>,
}

impl SubmissionQueue {
    pub(super) fn new(requests_max: u64) -> Self {
        let requests_max = usize::try_from(requests_max).unwrap_or(usize::MAX);
        Self { queue: Mutex::default(), ready: Condvar::new(), requests_max, unopened: None }
    }

    /// The line of a store that could not be opened: closed from the first, with why.
    pub(super) fn unopened(why: String) -> Self {
        let queue = Mutex::new(QueueState { closed: true, ..QueueState::default() });
        Self { queue, ready: Condvar::new(), requests_max: 0, unopened: Some(why) }
    }

    /// What is answered once nothing is taken any more.
    pub(super) fn closed(&self) -> CommitError {
        closed(self.unopened.as_ref())
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts operations at the end of the line. Their number is bounded by who journals them
    /// ([`Self::unapplied`]).
    ///
    /// # Errors
    /// The store is closed.
    pub(super) fn fold(&self, ops: Vec<JournalledOp>) -> Result<(), CommitError> {
        let mut line = self.lock();
        if line.closed {
            return Err(self.closed());
        }
        line.unapplied += ops.len();
        if let Some(Item::Fold(last)) = line.items.back_mut() {
            last.extend(ops);
        } else {
            line.items.push_back(Item::Fold(ops));
        }
        if line.asleep || line.unapplied >= FOLD_AT_ONCE {
            line.asleep = false;
            self.ready.notify_one();
        }
        Ok(())
    }

    /// Puts a request at the end of the line.
    ///
    /// # Errors
    /// Too many requests wait, or the store is closed.
    pub(super) fn request(&self, request: Request) -> Result<(), CommitError> {
        let mut line = self.lock();
        if line.closed {
            return Err(self.closed());
        }
        if line.requests >= self.requests_max {
            return Err(CommitError::Busy { waiting: u64::try_from(line.requests).unwrap_or(u64::MAX) });
        }
        line.requests += 1;
        line.items.push_back(Item::Request(request));
        line.asleep = false;
        self.ready.notify_one();
        Ok(())
    }

    /// Takes one transaction's part of what waits, once there is reason to work, and about how many bytes it
    /// writes. The writer rests at most for `patience`, for ever without one.
    pub(super) fn take(&self, patience: Option<Duration>, into: &mut Vec<Item>) -> (WakeReason, usize) {
        let mut line = self.lock();
        let mut elapsed = false;
        while !line.urgent() && !elapsed {
            let patience = if line.unapplied > 0 {
                Some(patience.map_or(LINGER, |patience| patience.min(LINGER)))
            } else {
                patience
            };
            match patience {
                None => {
                    line.asleep = true;
                    line = self.ready.wait(line).unwrap_or_else(PoisonError::into_inner);
                    line.asleep = false;
                }
                Some(patience) => {
                    let waited = self.ready.wait_timeout_while(line, patience, |line| !line.urgent());
                    let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
                    line = guard;
                    elapsed = timeout.timed_out();
                }
            }
        }
        #[cfg(test)]
        if line.killed {
            return (WakeReason::Killed, 0);
        }
        let woken = match (line.closed, line.requests > 0) {
            (true, _) => WakeReason::Closing,
            (false, true) => WakeReason::Requests,
            (false, false) => WakeReason::FoldDue,
        };
        let bytes = line.take(into);
        (woken, bytes)
    }

    /// How many operations wait to be folded, here and with the writer.
    pub(super) fn unapplied(&self) -> u64 {
        let line = self.lock();
        u64::try_from(line.unapplied + line.taken + line.held).unwrap_or(u64::MAX)
    }

    /// The writer accounts for all it took: it is in its tables but for `held` rows.
    pub(super) fn account(&self, held: usize) {
        let mut line = self.lock();
        line.taken = 0;
        line.held = held;
    }

    /// Whether nothing waits here.
    pub(super) fn is_idle(&self) -> bool {
        self.lock().items.is_empty()
    }

    /// How many requests wait.
    pub(super) fn requests(&self) -> usize {
        self.lock().requests
    }

    /// Whether nothing is taken any more.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Takes nothing any more; what waits is still done.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.ready.notify_one();
    }

    /// Ends the writer as SIGKILL would: nothing that waits is done.
    #[cfg(test)]
    pub(super) fn kill(&self) {
        let mut line = self.lock();
        line.closed = true;
        line.killed = true;
        line.items.clear();
        self.ready.notify_one();
    }

    /// Closes and refuses what still waits; for when the writer is gone.
    pub(super) fn abandon(&self, error: &CommitError) {
        let mut left = Vec::new();
        {
            let mut line = self.lock();
            line.closed = true;
            line.take_all(&mut left);
        }
        for item in left {
            if let Item::Request(request) = item {
                request.refuse(error.clone());
            }
        }
    }
}

/// What a closed store answers; `unopened` is why it never was open.
pub(super) fn closed(unopened: Option<&String>) -> CommitError {
    CommitError::Failed(unopened.map_or_else(|| "the store is closed".to_owned(), String::clone))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flush() -> Request {
        Request::Flush { done: Box::new(|_| {}) }
    }

    #[test]
    fn one_request_too_many_is_refused_at_once() {
        let intake = SubmissionQueue::new(2);
        intake.request(flush()).unwrap();
        intake.request(flush()).unwrap();
        assert_eq!(intake.request(flush()), Err(CommitError::Busy { waiting: 2 }));
        let mut items = Vec::new();
        assert_eq!(intake.take(None, &mut items).0, WakeReason::Requests);
        assert_eq!(items.len(), 2);
        intake.request(flush()).unwrap();
    }

    #[test]
    fn what_waits_at_a_close_is_handed_out_and_nothing_after_it() {
        let intake = SubmissionQueue::new(2);
        intake.request(flush()).unwrap();
        intake.close();
        assert!(intake.request(flush()).is_err());
        assert!(intake.fold(Vec::new()).is_err());
        let mut items = Vec::new();
        assert_eq!(intake.take(None, &mut items).0, WakeReason::Closing);
        assert_eq!(items.len(), 1);
    }
}
