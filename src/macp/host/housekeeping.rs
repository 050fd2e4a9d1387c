//! Housekeeping behind the work: expired sessions are ended, the log and rows go into the store, segments are
//! sorted, ended sessions leave memory and, later, the store; what could not be written is written again.

use std::{sync::Arc, time::Duration};

use tokio::sync::oneshot;

use super::shared::Shared;
use crate::{
    macp::kernel::{Eviction, Input},
    store::{
        macp::{MacpDone, MacpOp, SEEN_PART_BYTES},
        op::{Class, CommitError, Done, Op},
    },
};

/// How often rows are written and segments sorted.
const EVERY: Duration = Duration::from_secs(1);
/// How long what could not be written waits for the next attempt.
const RETRY_AFTER: Duration = Duration::from_millis(100);
/// The shortest rest between two rounds.
const REST: Duration = Duration::from_millis(5);
/// Rows of one operation.
const ROWS_MAX: usize = 1_024;

/// Digests of ids that are made without a thread of their own.
const DIGESTS_AT_ONCE: usize = 1_024;

/// The regular work of the runtime, until it ends.
pub(super) async fn run(shared: Arc<Shared>) {
    let mut rows_at = shared.clock.now().mono;
    loop {
        let now = shared.clock.now();
        let (timeout, is_failing, is_full) = {
            let Some(mut state) = shared.lock() else { return };
            if state.kernel.timeout().is_some_and(|at| at <= now.mono) {
                state.kernel.handle(now, &Input::Timeout);
                shared.drain(&mut state, now, None);
            }
            let is_full = state.journal.is_much()
                || state.journal.segments >= shared.limits.segments_max
                || state.kernel.is_pressed();
            (state.kernel.timeout(), state.journal.failing.is_some(), is_full)
        };
        if is_failing {
            tokio::time::sleep(RETRY_AFTER).await;
        }
        // What nobody waits for, and what could not be written.
        let _ = shared.write_out().await;
        if is_full || now.mono >= rows_at {
            shared.tidy().await;
            rows_at = shared.clock.now().after(EVERY).mono;
        }
        let due = timeout.map_or(rows_at, |at| at.min(rows_at));
        tokio::select! {
            () = shared.wake.notified() => {}
            () = tokio::time::sleep(shared.clock.until(due).max(REST)) => {}
        }
    }
}

impl Shared {
    /// Has log and rows in the store, sorts segments, has sessions leave.
    async fn tidy(&self) {
        if !self.rows().await {
            return;
        }
        // Segments that come meanwhile are the next round's.
        let Some((segment, ticket)) = self.lock().map(|state| state.journal.stored_through()) else { return };
        let Some(mut is_left) = self.lock().map(|state| state.journal.segments > 0) else { return };
        while is_left {
            let Ok(done) = self.commit(MacpOp::Sort { through: segment }).await else { return };
            let Some(mut state) = self.lock() else { return };
            state.journal.segments = state.journal.segments.saturating_sub(done.sorted);
            is_left = done.sorted > 0 && state.journal.segments > 0;
        }
        while self.evict(ticket).await {}
        while self.retire().await {}
    }

    /// Writes into the store what is in the log, and the rows of sessions that had changed by then; whether
    /// all is there.
    pub(super) async fn rows(&self) -> bool {
        let _turn = self.rows_turn.lock().await;
        let Some((through, mut left)) = self.lock().map(|state| (state.journal.last(), state.kernel.dirty()))
        else {
            return false;
        };
        if !self.segments(through).await || !self.noticed().await {
            return false;
        }
        while left > 0 {
            let Some(rows) = self.lock().map(|mut state| state.kernel.take_rows(left.min(ROWS_MAX))) else {
                return false;
            };
            if rows.is_empty() {
                break;
            }
            left = left.saturating_sub(rows.len());
            let numbers: Vec<u64> = rows.iter().map(|row| row.number).collect();
            if self.commit(MacpOp::Sessions(rows)).await.is_err() {
                if let Some(mut state) = self.lock() {
                    state.kernel.put_back(numbers.into_iter());
                }
                return false;
            }
        }
        true
    }

    /// Writes into the store what was in the log; whether all is there.
    async fn segments(&self, through: u64) -> bool {
        loop {
            let Some(next) = self.lock().map(|mut state| state.journal.next_segment(through)) else {
                return false;
            };
            let Some((number, at, bytes)) = next else { return true };
            let why = self
                .commit(MacpOp::Segment { number, at, bytes })
                .await
                .err()
                .map(|error| Arc::from(error.to_string()));
            let is_there = why.is_none();
            if !self.on_stored(why) {
                return false;
            }
            if is_there {
                self.log.lock().await.stored(number, self.clock.now().wall);
            }
            self.stored.notify_waiters();
            if !is_there {
                return false;
            }
        }
    }

    /// Writes which sessions in the store alone are known to be expired; whether all are.
    async fn noticed(&self) -> bool {
        let Some(noticed) = self.lock().map(|mut state| state.kernel.take_noticed()) else { return false };
        if noticed.is_empty() || self.commit(MacpOp::Noticed(noticed.clone())).await.is_ok() {
            return true;
        }
        if let Some(mut state) = self.lock() {
            state.kernel.put_back_noticed(noticed);
        }
        false
    }

    /// Notes that the segment that was taken is in the store, or why it is not; whether there is a state to
    /// note it in.
    fn on_stored(&self, why: Option<Arc<str>>) -> bool {
        let Some(mut state) = self.lock() else { return false };
        if why.is_none() {
            state.journal.stored();
        }
        state.journal.behind = why;
        true
    }

    /// Has sessions leave memory; whether there may be more of them.
    async fn evict(&self, through: crate::ids::Ticket) -> bool {
        let now = self.clock.now();
        let Some(leaving) = self.lock().map(|mut state| state.kernel.evict(now, through, ROWS_MAX / 4))
        else {
            return false;
        };
        if leaving.is_empty() {
            return false;
        }
        let numbers: Vec<u64> = leaving.iter().map(|it| it.row.number).collect();
        let is_there = self.move_out(leaving).await.is_ok();
        let Some(mut state) = self.lock() else { return false };
        if is_there {
            let now = self.clock.now();
            state.kernel.handle(now, &Input::Evicted { numbers: &numbers });
            self.drain(&mut state, now, None);
        } else {
            state.kernel.cancel_eviction(numbers.into_iter().rev());
        }
        let left = state.kernel.take_evicted();
        drop(state);
        drop(left);
        is_there
    }

    /// Writes which messages sessions accepted, then their rows.
    async fn move_out(&self, leaving: Vec<Eviction>) -> Result<(), CommitError> {
        let mut rows = Vec::with_capacity(leaving.len());
        let (mut parts, mut bytes) = (Vec::new(), 0);
        for Eviction { row, ids } in leaving {
            let digests = if ids.count() > DIGESTS_AT_ONCE {
                let digests = tokio::task::spawn_blocking(move || ids.digests()).await;
                digests.map_err(|_| CommitError::Failed("the runtime is stopping".to_owned()))?
            } else {
                ids.digests()
            };
            for part in digests.parts(row.number) {
                if bytes + part.items.len() > SEEN_PART_BYTES {
                    bytes = 0;
                    self.commit(MacpOp::Seen(std::mem::take(&mut parts))).await?;
                }
                bytes += part.items.len();
                parts.push(part);
            }
            rows.push(row);
        }
        self.commit(MacpOp::Seen(parts)).await?;
        self.commit(MacpOp::Sessions(rows)).await.map(drop)
    }

    /// Has sessions leave the store; whether there may be more of them.
    async fn retire(&self) -> bool {
        let evicted = self.lock().map_or(0, |state| state.kernel.evicted_count());
        let bytes = (self.store)().map_or(0, |store| store.counters().session_log_bytes());
        let sessions = evicted.saturating_sub(self.ended_sessions_max);
        let log_bytes = bytes.saturating_sub(self.ended_sessions_bytes_max);
        if evicted == 0 || sessions == 0 && log_bytes == 0 {
            return false;
        }
        let Ok(done) = self.commit(MacpOp::Retire { sessions, log_bytes }).await else { return false };
        let now = self.clock.now();
        if let Some(mut state) = self.lock() {
            state.kernel.handle(now, &Input::Retired { numbers: &done.retired });
        }
        done.is_more || !done.retired.is_empty()
    }

    async fn commit(&self, op: MacpOp) -> Result<MacpDone, CommitError> {
        let closed = || CommitError::Failed("the store is closed".to_owned());
        let (tell, told) = oneshot::channel();
        let store = (self.store)().ok_or_else(closed)?;
        store.commit(Op::Macp(op), Class::Process, Box::new(move |done| drop(tell.send(done))))?;
        match told.await.unwrap_or_else(|_| Err(closed()))? {
            Done::Macp(done) => Ok(done),
            _ => Ok(MacpDone::default()),
        }
    }
}
