//! One alert.

use std::{sync::Arc, time::Duration};

use super::cause::Cause;
use crate::time::Now;

/// Where an alert stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AlertStatus {
    /// It waits to be seen.
    Active,
    /// It was put away, and its cause holds on.
    Acknowledged,
    /// Its cause is gone.
    Resolved {
        /// Since when.
        at: Now,
    },
}

/// One alert.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alert {
    /// Its number in this process, from 1.
    pub(crate) number: u64,
    pub(crate) cause: Cause,
    /// Since when its cause holds: before the rule was met.
    pub(crate) since: Now,
    /// The fault, in a sentence. It is kept up to date while the cause holds.
    pub(crate) text: Arc<str>,
    pub(crate) status: AlertStatus,
    /// What the last of several things is told by that it tells of: it grows with each further one.
    pub(crate) last: Option<u64>,
}

impl Alert {
    /// One made by hand.
    #[cfg(test)]
    pub(crate) fn for_test(cause: Cause, since: Now, text: &str, status: AlertStatus) -> Self {
        Self { number: 1, cause, since, text: text.into(), status, last: None }
    }

    /// Whether its cause holds.
    pub(crate) const fn holds(&self) -> bool {
        !matches!(self.status, AlertStatus::Resolved { .. })
    }

    /// How long its cause has held, or did.
    pub(crate) fn duration(&self, now: Now) -> Duration {
        let until = match self.status {
            AlertStatus::Resolved { at } => at,
            AlertStatus::Active | AlertStatus::Acknowledged => now,
        };
        // What an earlier start of the station left has the wall clock's time alone.
        if self.since.mono.0 == 0 {
            until.wall.since(self.since.wall)
        } else {
            until.mono.since(self.since.mono)
        }
    }
}
