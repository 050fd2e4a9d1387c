//! What is done behind the work: expired sessions are ended, the log and rows go into the store, segments are sorted, ended sessions leave
//! memory and, later, the store; what could not be written is written again.

use std::{sync::Arc, time::Duration};

use tokio::sync::oneshot;

use super::shared::Shared;
use crate::{
    macp::kernel::Input,
    store::{
        macp::{MacpDone, MacpOp, SessionRow},
        op::{Class, CommitError, Done, Op},
    },
};

/// How often rows are written and segments sorted.
const EVERY: Duration = Duration::from_secs(1);
/// How long what could not be written waits for the next attempt.
const AGAIN: Duration = Duration::from_millis(100);
/// The shortest rest between two rounds.
const REST: Duration = Duration::from_millis(5);
/// Rows of one operation.
const ROWS_MAX: usize = 1_024;

/// Keeps house until the runtime ends.
pub(super) async fn keep(shared: Arc<Shared>) {
    let mut rows_at = shared.clock.now().mono;
    loop {
        let now = shared.clock.now();
        let (timeout, is_failing, is_full) = {
            let Some(mut state) = shared.lock() else { return };
            if state.kernel.timeout().is_some_and(|at| at <= now.mono) {
                state.kernel.handle(now, &Input::Timeout);
                shared.drain(&mut state, now, None);
            }
            let is_full = state.journal.is_much() || state.journal.segments >= shared.limits.segments_max;
            (state.kernel.timeout(), state.journal.failing.is_some(), is_full)
        };
        if is_failing {
            tokio::time::sleep(AGAIN).await;
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
            is_left = done.sorted > 0 && done.segments > 0;
        }
        while self.evict(ticket).await {}
        while self.retire().await {}
    }

    /// Writes into the store what is in the log, and the rows of sessions that had changed by then; whether all is there.
    pub(super) async fn rows(&self) -> bool {
        let _turn = self.rows_turn.lock().await;
        let Some((through, mut left)) = self.lock().map(|state| (state.journal.last(), state.kernel.dirty())) else { return false };
        if !self.segments(through).await {
            return false;
        }
        while left > 0 {
            let Some(rows) = self.lock().map(|mut state| state.kernel.take_rows(left.min(ROWS_MAX))) else { return false };
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
            let Some(next) = self.lock().map(|mut state| state.journal.to_store(through)) else { return false };
            let Some((number, at, bytes)) = next else { return true };
            let why = self.commit(MacpOp::Segment { number, at, bytes }).await.err().map(|error| Arc::from(error.to_string()));
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

    /// Notes that the segment that was taken is in the store, or why it is not; whether there is a state to note it in.
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
        let Some(rows) = self.lock().map(|mut state| state.kernel.evict(now, through, ROWS_MAX / 4)) else { return false };
        if rows.is_empty() {
            return false;
        }
        let numbers: Vec<u64> = rows.iter().map(|row: &SessionRow| row.number).collect();
        let is_there = self.commit(MacpOp::Sessions(rows)).await.is_ok();
        let Some(mut state) = self.lock() else { return false };
        if is_there {
            let now = self.clock.now();
            state.kernel.handle(now, &Input::Evicted { numbers: &numbers });
            self.drain(&mut state, now, None);
        } else {
            state.kernel.keep_leaving(numbers.into_iter().rev());
        }
        is_there
    }

    /// Has sessions leave the store; whether there may be more of them.
    async fn retire(&self) -> bool {
        let is_over = self.lock().is_some_and(|state| state.kernel.gone() > self.ended_sessions_max);
        if !is_over {
            return false;
        }
        let Ok(done) = self.commit(MacpOp::Retire { keep: self.ended_sessions_max }).await else { return false };
        let now = self.clock.now();
        if let Some(mut state) = self.lock() {
            state.kernel.handle(now, &Input::Retired { numbers: &done.retired });
        }
        !done.retired.is_empty()
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
