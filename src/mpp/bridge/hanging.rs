//! What hangs on the adapter's connection, in words.

use super::core::Bridge;
use crate::words::counted;

/// The rows of the active adapter's connection that have not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hanging {
    /// Those that its end would make pending again.
    pub(super) in_flight: u64,
    /// Those that its end would leave in applied.
    pub(super) applied: u64,
}

impl Bridge {
    /// What the end of the active adapter's connection would reach (mpp-v2 §8). It looks at each queue once:
    /// a row that could be requeued is in flight on its own.
    pub(super) fn hanging(&self) -> Hanging {
        if self.active.is_none() {
            return Hanging::default();
        }
        let can_be_requeued = |id| self.live.get(id).is_some_and(|live| !live.orphaned && live.row.is_some());
        let held = self.queues.values().filter_map(|queue| queue.in_flight.as_ref());
        let in_flight = held.filter(|id| can_be_requeued(id)).count() as u64;
        let all = (self.live.len() - self.orphaned.len()) as u64;
        Hanging { in_flight, applied: all.saturating_sub(in_flight) }
    }
}

impl Hanging {
    /// What becomes of them with the connection.
    pub(super) fn words(self) -> String {
        match self {
            Self { in_flight: 0, applied: 0 } => "nothing in flight".to_owned(),
            Self { in_flight, applied: 0 } => format!("{in_flight} in flight would be requeued"),
            Self { in_flight: 0, applied } => format!("{} would stay applied", counted_rows(applied)),
            Self { in_flight, applied } => {
                format!("{in_flight} in flight would be requeued, {applied} would stay applied")
            }
        }
    }
}

fn counted_rows(rows: u64) -> String {
    counted(rows, "row")
}
