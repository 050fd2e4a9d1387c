//! Notices that may still grow.

use std::{collections::VecDeque, time::Duration};

use crate::time::Now;

/// How long the same text is one notice.
const COALESCE_WITHIN: Duration = Duration::from_secs(10);
/// Things that are told together at one time.
const COALESCED_MAX: usize = 64;

/// Notices that may still grow: what they are of, the notice's number, when it was begun, how many it tells
/// of.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoalescedNotices(VecDeque<(String, u64, Now, u64)>);

impl CoalescedNotices {
    /// Gives the notices the numbers that they have now; those that are there no more grow no further.
    pub(crate) fn renumber(&mut self, now: impl Fn(u64) -> Option<u64>) {
        self.0.retain_mut(|(_, number, ..)| now(*number).map(|now| *number = now).is_some());
    }

    /// One more at this moment: the number of the notice that it belongs to, and how many that tells of then.
    /// Without one, `next` is begun.
    pub(crate) fn count(&mut self, of: &str, at: Now, next: u64) -> (Option<u64>, u64) {
        self.0.retain(|(_, _, from, _)| at.mono.since(from.mono) < COALESCE_WITHIN);
        if let Some((_, number, _, count)) = self.0.iter_mut().find(|(known, ..)| known == of) {
            *count = count.saturating_add(1);
            return (Some(*number), *count);
        }
        if self.0.len() >= COALESCED_MAX {
            self.0.pop_front();
        }
        self.0.push_back((of.to_owned(), next, at, 1));
        (None, 1)
    }
}
