//! What the runtime counts, at little cost.

use std::sync::Arc;

use super::shared::State;
use crate::{
    admission::{Origin, Tally},
    macp::{Code, Listener, Rpc, Status, Totals, TurnAwayCause, TurnAwaySpan, TurnAways, Verdict},
    time::Now,
};

/// What the runtime counts at one moment; counts since it started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// What sessions and messages became.
    pub totals: Totals,
    /// Sessions in memory, those that ended included.
    pub in_memory: u64,
    /// Bytes of the messages of sessions in memory.
    pub message_bytes: u64,
    /// Calls by kind, in the order of [`Rpc::ALL`]; of streams their messages.
    pub calls: [u64; Rpc::ALL.len()],
    /// Messages that were refused, in the order of [`Code::ALL`].
    pub refused: [u64; Code::ALL.len()],
    /// Calls that ended with a status, in the order of [`Status::ALL`].
    pub declined: [u64; Status::ALL.len()],
    /// Connections and calls that were turned away for a bound, in the order of [`TurnAwayCause::ALL`].
    pub turned_away: [u64; TurnAwayCause::ALL.len()],
    /// Those of them lately.
    pub turn_aways: Vec<TurnAwaySpan>,
    /// Connections that are open.
    pub connections: u64,
    /// Calls that are open.
    pub open_calls: u64,
    /// Sessions that were looked up in the store.
    pub store_reads: u64,
    /// Writes of the log.
    pub log_commits: u64,
    /// Writes of the log that failed.
    pub log_commit_failures: u64,
    /// Bytes of records that were written.
    pub log_bytes: u64,
    /// Bytes of records that are accepted and not durable.
    pub log_unsaved_bytes: u64,
    /// Bytes that are in the log and not in the database.
    pub log_unstored_bytes: u64,
    /// Segments in the database that wait to be sorted.
    pub log_segments: u64,
    /// Why no connection is accepted, while that is so.
    pub not_listening: Option<Arc<str>>,
    /// Why the log cannot be written, or does not get into the database, while that is so.
    pub log_failing: Option<Arc<str>>,
}

/// Counts that the kernel and the snapshot do not have.
#[derive(Debug, Default)]
pub(super) struct Counters {
    calls: [u64; Rpc::ALL.len()],
    refused: [u64; Code::ALL.len()],
    declined: [u64; Status::ALL.len()],
    turned_away: [u64; TurnAwayCause::ALL.len()],
    turn_aways: TurnAways,
    store_reads: u64,
    log_commits: u64,
    log_commit_failures: u64,
    log_bytes: u64,
}

impl Counters {
    /// A call came, and this was made of it.
    pub(super) fn count_call(&mut self, rpc: Rpc, verdict: Verdict) {
        self.calls[rpc.index()] += 1;
        match verdict {
            Verdict::Refused(fault) => self.refused[fault.code().index()] += 1,
            Verdict::Declined(status) => self.declined[status.index()] += 1,
            Verdict::Accepted | Verdict::Duplicate => {}
        }
    }

    /// A connection or a call is turned away.
    pub(super) fn count_turned_away(&mut self, now: Now, cause: TurnAwayCause, origin: Origin) {
        self.turned_away[cause.index()] += 1;
        self.turn_aways.record(now, cause, 1, origin.peer().map(|peer| (peer, 1)));
    }

    /// A session is looked up in the store.
    pub(super) const fn count_read(&mut self) {
        self.store_reads += 1;
    }

    /// Records of so many bytes were written.
    pub(super) const fn count_write(&mut self, bytes: u64) {
        self.log_commits += 1;
        self.log_bytes += bytes;
    }

    /// A write failed.
    pub(super) const fn count_failure(&mut self) {
        self.log_commit_failures += 1;
    }
}

impl State {
    /// The metrics as of now.
    pub(super) fn metrics(&self, now: Now, tally: &Tally, open_calls: u64) -> Metrics {
        let Counters {
            calls,
            refused,
            declined,
            turned_away,
            ref turn_aways,
            store_reads,
            log_commits,
            log_commit_failures,
            log_bytes,
        } = self.counters;
        Metrics {
            totals: self.snapshot.totals,
            in_memory: self.kernel.in_memory(),
            message_bytes: self.kernel.message_bytes(),
            calls,
            refused,
            declined,
            turned_away,
            turn_aways: turn_aways.current(now).cloned().collect(),
            connections: tally.open(),
            open_calls,
            store_reads,
            log_commits,
            log_commit_failures,
            log_bytes,
            log_unsaved_bytes: self.kernel.unsaved_bytes(),
            log_unstored_bytes: self.journal.unstored_bytes(),
            log_segments: self.journal.segments,
            not_listening: match &self.snapshot.listener {
                Listener::Down(why) => Some(Arc::clone(why)),
                Listener::Starting | Listener::Listening(_) => None,
            },
            log_failing: self.journal.failing.clone().or_else(|| self.journal.behind.clone()),
        }
    }
}
