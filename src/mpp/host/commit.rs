//! The end of a turn: what it decided is made durable.

use std::time::Duration;

use super::run::Host;
use crate::{mpp::Input, store::op::Done, tap::entry::What, time::Now};

/// How long a pack-state value that could not be journalled waits for the next try.
const STATE_RETRY: Duration = Duration::from_secs(1);

impl Host {
    /// Makes durable what this turn decided, feeds the commits back, and repeats until nothing is left to do.
    pub(super) fn settle(&mut self, now: Now) {
        loop {
            self.write_journal(now);
            if self.written.is_empty() {
                break;
            }
            let written = std::mem::take(&mut self.written);
            if let Some((through, ..)) = written.iter().rfind(|(_, _, result)| result.is_ok()) {
                self.cause = None;
                self.emit(now, None, What::Committed { through: *through }, &[]);
            }
            for (ticket, cause, result) in written {
                self.cause = cause;
                match result {
                    Ok(()) => self.bridge.handle(now, Input::Committed { ticket, done: Done::Plain }),
                    Err(error) => self.bridge.handle(now, Input::CommitFailed { ticket, error }),
                }
                self.drain(now);
            }
        }
        self.reap_answers();
    }

    /// Hands over what nobody waits for, then one write for all that this turn journalled. A row's operations
    /// that nobody waits for come before those of the same turn that are journalled: a row is dispatched
    /// before it is applied.
    pub(super) fn write_journal(&mut self, now: Now) {
        for op in self.write_behind.drain(..) {
            // A move that finds no room is left out: the row's next move, or a restart, makes up for it.
            let _ = self.store.write_behind(op);
        }
        let due = self.state_retry_at.is_none_or(|at| now.mono >= at);
        let states = if due {
            self.state_writes.values().cloned().filter_map(|op| self.journal.append(op).ok()).count()
        } else {
            0
        };
        if self.journal.waiting() == 0 {
            return;
        }
        let result = self.journal.commit();
        if states > 0 {
            self.state_retry_at = if result.is_ok() && states == self.state_writes.len() {
                None
            } else {
                Some(now.mono + STATE_RETRY)
            };
            if self.state_retry_at.is_none() {
                self.state_writes.clear();
            }
        }
        self.written.extend(self.unwritten.drain(..).map(|(ticket, cause)| (ticket, cause, result.clone())));
    }

    /// Drops the answers of commands whose caller has gone.
    fn reap_answers(&mut self) {
        if self.answers.len() > 64 {
            self.answers.retain(|_, answer| !answer.is_closed());
        }
    }
}
