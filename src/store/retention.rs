//! Retention, what is kept and what goes: ended invocations, refund records, ended runs and answers of the
//! control plane beyond their limits, the oldest first, in small slices of their own.

use rusqlite::Connection;

use super::tables::{int, invocations, manifests, refunds, runs};
use crate::{ids::InvocationId, limits};

/// Rows of one slice: few enough that a commit in wait does not notice.
const SLICE_ROWS: u64 = 256;

/// How many rows there are of what retention bounds, and where the oldest lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Retention {
    pub(super) ended: i64,
    pub(super) refunds: i64,
    pub(super) runs: i64,
    pub(super) answers: i64,
    /// No ended row that retention knows of lies at or below this id.
    swept: InvocationId,
}

impl Retention {
    /// Counts what there is.
    pub(super) fn count(conn: &Connection) -> rusqlite::Result<Self> {
        let ended = manifests::rows(conn)?.saturating_sub(invocations::open_rows(conn)?);
        let runs::RunCounts { ended: runs, answers } = runs::counts(conn)?;
        Ok(Self { ended, refunds: refunds::count(conn)?, runs, answers, swept: InvocationId(0) })
    }

    /// Whether a slice is due.
    pub(super) fn is_due(&self, limits: &limits::Store) -> bool {
        self.ended > int(limits.ended_rows_max)
            || self.refunds > int(limits.refund_rows_max)
            || self.runs > int(limits.ended_runs_max)
            || self.answers > int(limits.control_answers_max)
    }

    /// Deletes one slice within the open transaction; what holds once it is committed, and how many rows
    /// went.
    pub(super) fn slice(
        mut self,
        conn: &Connection,
        limits: &limits::Store,
        keep: Option<i64>,
    ) -> rusqlite::Result<(Self, u64)> {
        let mut gone = 0;
        let over =
            u64::try_from(self.ended.saturating_sub(int(limits.ended_rows_max))).unwrap_or(0).min(SLICE_ROWS);
        if over > 0 {
            gone += self.delete_ended(conn, over, keep)?;
        }
        let over = u64::try_from(self.refunds.saturating_sub(int(limits.refund_rows_max)))
            .unwrap_or(0)
            .min(SLICE_ROWS);
        if over > 0 {
            let deleted = refunds::delete_oldest(conn, over)?;
            self.refunds = if deleted == 0 { 0 } else { self.refunds.saturating_sub(int(deleted)) };
            gone += deleted;
        }
        if self.runs > int(limits.ended_runs_max) {
            let (deleted, is_whole) = runs::delete_oldest(conn, SLICE_ROWS)?;
            self.runs = if deleted == 0 { 0 } else { self.runs - i64::from(is_whole) };
            gone += deleted;
        }
        let over = u64::try_from(self.answers.saturating_sub(int(limits.control_answers_max)))
            .unwrap_or(0)
            .min(SLICE_ROWS);
        if over > 0 {
            let deleted = runs::delete_answers(conn, over)?;
            self.answers = if deleted == 0 { 0 } else { self.answers.saturating_sub(int(deleted)) };
            gone += deleted;
        }
        Ok((self, gone))
    }

    fn delete_ended(&mut self, conn: &Connection, limit: u64, keep: Option<i64>) -> rusqlite::Result<u64> {
        let deleted = invocations::delete_ended(conn, self.swept, limit)?;
        let mut of_manifests = std::collections::BTreeMap::<i64, i64>::new();
        for (_, manifest) in &deleted {
            *of_manifests.entry(*manifest).or_default() += 1;
        }
        for (manifest, rows) in of_manifests {
            manifests::count(conn, manifest, -rows)?;
        }
        manifests::forget_empty(conn, keep)?;
        let count = u64::try_from(deleted.len()).unwrap_or(0);
        self.ended = self.ended.saturating_sub(int(count));
        let from_start = self.swept == InvocationId(0);
        if count < limit {
            // Rows at or below may have ended since; the next slice looks from the start. Found none from
            // there, the count was wrong.
            self.swept = InvocationId(0);
            if from_start && count == 0 {
                self.ended = 0;
            }
        } else {
            self.swept = deleted.iter().map(|(id, _)| *id).max().unwrap_or_default();
        }
        Ok(count)
    }
}
