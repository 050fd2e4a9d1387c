//! Retention, what is kept and what goes: ended invocations, refund records, ended runs, answers of the
//! control plane and resolved alerts beyond their limits in rows and bytes, the oldest first, in small
//! slices of their own. Sessions leave at their runtime's word, which goes by the bytes that are counted
//! here.

use std::{
    iter::Sum,
    ops::{AddAssign, SubAssign},
};

use rusqlite::{Connection, Row};

use super::{
    counters::Retained,
    tables::{alerts, int, invocations, macp, manifests, refunds, runs},
};
use crate::{ids::InvocationId, limits};

/// Rows of one slice: few enough that a commit in wait does not notice.
const SLICE_ROWS: u64 = 256;
/// Rows of one slice where there are too many bytes, and not too many rows.
const LONG_ROWS: u64 = 16;

/// So much of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) rows: i64,
    /// Of their texts and values; what the database needs beside them is not counted.
    pub(super) bytes: i64,
}

impl Size {
    /// One row.
    pub(super) const fn one(bytes: i64) -> Self {
        Self { rows: 1, bytes }
    }

    /// Two columns.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { rows: row.get(0)?, bytes: row.get(1)? })
    }

    /// How many rows of one slice are to go.
    fn over(self, rows_max: u64, bytes_max: u64) -> u64 {
        let rows = u64::try_from(self.rows.saturating_sub(int(rows_max))).unwrap_or(0).min(SLICE_ROWS);
        if self.bytes > int(bytes_max) { rows.max(LONG_ROWS) } else { rows }
    }
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.rows = self.rows.saturating_add(other.rows);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

impl SubAssign for Size {
    fn sub_assign(&mut self, other: Self) {
        self.rows = self.rows.saturating_sub(other.rows);
        self.bytes = self.bytes.saturating_sub(other.bytes);
    }
}

impl Sum for Size {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), |mut sum, size| {
            sum += size;
            sum
        })
    }
}

/// How much there is of what retention bounds, and where the oldest lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Retention {
    pub(super) ended: Size,
    pub(super) refunds: Size,
    pub(super) runs: Size,
    pub(super) answers: Size,
    pub(super) alerts: Size,
    /// The logs of sessions, in bytes alone.
    pub(super) sessions: Size,
    /// No ended row that retention knows of lies at or below this id.
    swept: InvocationId,
}

impl Retention {
    /// Counts what there is; `ended_bytes` is what ended invocations have.
    pub(super) fn count(conn: &Connection, ended_bytes: i64) -> rusqlite::Result<Self> {
        let rows = manifests::rows(conn)?.saturating_sub(invocations::open_rows(conn)?);
        let runs::RunCounts { ended: runs, answers } = runs::counts(conn)?;
        Ok(Self {
            ended: Size { rows, bytes: ended_bytes },
            refunds: refunds::count(conn)?,
            runs,
            answers,
            alerts: alerts::count(conn)?,
            sessions: Size { rows: 0, bytes: macp::log_bytes(conn)? },
            swept: InvocationId(0),
        })
    }

    /// What is shown of it.
    pub(super) fn retained(&self) -> [Retained; Retained::WHAT.len()] {
        let count = |count: i64| u64::try_from(count).unwrap_or(0);
        [self.ended, self.refunds, self.runs, self.answers, self.alerts, self.sessions]
            .map(|size| Retained { rows: count(size.rows), bytes: count(size.bytes) })
    }

    /// Whether a slice is due.
    pub(super) fn is_due(&self, limits: &limits::Store) -> bool {
        let due = self.due(limits);
        due.ended > 0 || due.refunds > 0 || due.runs > 0 || due.answers > 0 || due.alerts > 0
    }

    fn due(&self, limits: &limits::Store) -> Due {
        Due {
            ended: self.ended.over(limits.ended_rows_max, limits.ended_rows_bytes_max),
            refunds: self.refunds.over(limits.refund_rows_max, limits.refund_bytes_max),
            runs: self.runs.over(limits.ended_runs_max, limits.ended_runs_bytes_max),
            answers: self.answers.over(limits.control_answers_max, limits.control_answers_bytes_max),
            alerts: self.alerts.over(limits.alert_rows_max, limits.alert_bytes_max),
        }
    }

    /// Deletes one slice within the open transaction; what holds once it is committed, and how many rows
    /// went.
    pub(super) fn slice(
        mut self,
        conn: &Connection,
        limits: &limits::Store,
        keep: Option<i64>,
    ) -> rusqlite::Result<(Self, u64)> {
        let due = self.due(limits);
        let mut gone = 0;
        if due.ended > 0 {
            gone += self.delete_ended(conn, due.ended, keep)?;
        }
        if due.refunds > 0 {
            gone += take(&mut self.refunds, refunds::delete_oldest(conn, due.refunds)?);
        }
        if due.runs > 0 {
            let (rows, deleted) = runs::delete_oldest(conn, SLICE_ROWS)?;
            if rows == 0 {
                self.runs = Size::default();
            } else {
                self.runs -= deleted;
            }
            gone += rows;
        }
        if due.answers > 0 {
            gone += take(&mut self.answers, runs::delete_answers(conn, due.answers)?);
        }
        if due.alerts > 0 {
            gone += take(&mut self.alerts, alerts::delete_oldest(conn, due.alerts)?);
        }
        Ok((self, gone))
    }

    fn delete_ended(&mut self, conn: &Connection, limit: u64, keep: Option<i64>) -> rusqlite::Result<u64> {
        let deleted = invocations::delete_ended(conn, self.swept, limit)?;
        let mut of_manifests = std::collections::BTreeMap::<i64, i64>::new();
        for (_, manifest, bytes) in &deleted {
            *of_manifests.entry(*manifest).or_default() += 1;
            self.ended -= Size::one(*bytes);
        }
        for (manifest, rows) in of_manifests {
            manifests::count(conn, manifest, -rows)?;
        }
        manifests::forget_empty(conn, keep)?;
        let count = u64::try_from(deleted.len()).unwrap_or(0);
        let from_start = self.swept == InvocationId(0);
        if count < limit {
            // Rows at or below may have ended since; the next slice looks from the start. Found none from
            // there, the count was wrong.
            self.swept = InvocationId(0);
            if from_start && count == 0 {
                self.ended = Size::default();
            }
        } else {
            self.swept = deleted.iter().map(|(id, ..)| *id).max().unwrap_or_default();
        }
        Ok(count)
    }
}

/// How many rows of each kind are to go.
struct Due {
    ended: u64,
    refunds: u64,
    runs: u64,
    answers: u64,
    alerts: u64,
}

/// Counts out what was deleted; where nothing was, the count was wrong. How many rows went.
fn take(size: &mut Size, deleted: Size) -> u64 {
    if deleted.rows == 0 {
        *size = Size::default();
    } else {
        *size -= deleted;
    }
    u64::try_from(deleted.rows).unwrap_or(0)
}
