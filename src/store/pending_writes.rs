//! Journalled operations that are not in their tables yet, at most one a row: many moves of one row become
//! one `UPDATE`.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::{
    invocations::Move,
    record::Record,
    retention::Size,
    tables::{brakes, invocations, meta, runs::RunCounts, state},
};
use crate::{
    ids::{InvocationId, PackId, QueueName, StateKey},
    schema::JsonText,
    tap::entry::mpp::Brake,
    time::Wall,
};

/// An operation on its way from the journal to the tables.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JournalledOp {
    /// Where it is in the journal; nothing for one that was not journalled.
    pub(super) position: Option<JournalPosition>,
    /// The operation.
    pub(super) record: Record,
}

/// A record's place in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JournalPosition {
    /// The segment's number.
    pub(super) segment: u64,
    /// The record's number; numbers rise without gaps over all segments.
    pub(super) seq: u64,
}

/// What the open transaction changed, to be believed once it is committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    /// Invocations that ended.
    pub(super) ended: Size,
    /// Refund records made.
    pub(super) refunds: Size,
    /// Runs that ended, with all that they told and kept.
    pub(super) runs: Size,
    /// Answers of the control plane that were kept.
    pub(super) answers: Size,
    /// Alerts that were raised, and by how much their texts grew.
    pub(super) alerts: Size,
    /// By how much the logs of sessions grew.
    pub(super) sessions: Size,
}

impl Effects {
    /// A row was moved, which ended it where there are its bytes.
    pub(super) fn moved(&mut self, ended: Option<i64>) {
        self.ended += ended.map_or(Size::default(), Size::one);
    }

    /// Something of runs was kept.
    pub(super) fn ran(&mut self, counted: RunCounts) {
        self.runs += counted.ended;
        self.answers += counted.answers;
    }
}

#[derive(Debug, Default)]
struct Coalesced {
    moves: BTreeMap<InvocationId, Move>,
    brakes: BTreeMap<QueueName, Brake>,
    values: BTreeMap<(PackId, StateKey), (JsonText, Option<String>, Wall)>,
    through: u64,
}

impl Coalesced {
    fn absorb(&mut self, record: Record) {
        match record {
            Record::Move(moved) => self.absorb_move(moved),
            Record::SetBrake { queue, brake } => {
                self.brakes.insert(queue, brake);
            }
            Record::WriteState { pack_id, key, value, scope, at } => {
                self.values.insert((pack_id, key), (value, scope, at));
            }
        }
    }

    fn absorb_move(&mut self, moved: Move) {
        match self.moves.get_mut(&moved.id) {
            None => {
                self.moves.insert(moved.id, moved);
            }
            Some(earlier) => {
                earlier.state = moved.state;
                earlier.at = moved.at;
                earlier.result = moved.result.or(earlier.result.take());
                earlier.reason = moved.reason.or(earlier.reason.take());
            }
        }
    }

    fn followed_by(mut self, later: Self) -> Self {
        later.moves.into_values().for_each(|moved| self.absorb_move(moved));
        self.brakes.extend(later.brakes);
        self.values.extend(later.values);
        self.through = self.through.max(later.through);
        self
    }

    fn rows(&self) -> usize {
        self.moves.len() + self.brakes.len() + self.values.len()
    }
}

/// Operations held back from the tables. What the open transaction has written stays here until it is
/// committed, so that a failed commit loses nothing and the order of operations outlives it.
#[derive(Debug, Default)]
pub(super) struct PendingWrites {
    unwritten: Coalesced,
    written: Coalesced,
}

impl PendingWrites {
    /// Takes operations in, in their order.
    pub(super) fn absorb(&mut self, ops: Vec<JournalledOp>) {
        for op in ops {
            if let Some(place) = op.position {
                self.unwritten.through = self.unwritten.through.max(place.seq);
            }
            self.unwritten.absorb(op.record);
        }
    }

    /// Writes what the open transaction has not yet, and how far the journal is applied thereby.
    pub(super) fn write_out(&mut self, conn: &Connection, effects: &mut Effects) -> rusqlite::Result<()> {
        for moved in self.unwritten.moves.values() {
            effects.moved(invocations::apply(conn, moved)?);
        }
        for (queue, brake) in &self.unwritten.brakes {
            brakes::set(conn, queue, *brake)?;
        }
        for ((pack_id, key), (value, scope, at)) in &self.unwritten.values {
            state::write(conn, pack_id, key, value, scope.as_deref(), *at)?;
        }
        if self.unwritten.through > 0 {
            meta::raise(conn, meta::APPLIED_THROUGH, self.unwritten.through)?;
        }
        self.written = std::mem::take(&mut self.written).followed_by(std::mem::take(&mut self.unwritten));
        Ok(())
    }

    /// The transaction is committed. The last record it applied, if it applied any.
    pub(super) fn committed(&mut self) -> Option<u64> {
        Some(std::mem::take(&mut self.written).through).filter(|through| *through > 0)
    }

    /// The transaction is gone; what it wrote is to be written again.
    pub(super) fn rolled_back(&mut self) {
        let unwritten = std::mem::take(&mut self.unwritten);
        self.unwritten = std::mem::take(&mut self.written).followed_by(unwritten);
    }

    /// How many rows are held.
    pub(super) fn rows(&self) -> usize {
        self.unwritten.rows() + self.written.rows()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{store::migrations, tap::entry::mpp::RowState};

    fn moved(seq: u64, state: RowState, result: Option<&str>, reason: Option<&str>) -> JournalledOp {
        let result = result.map(|text| JsonText::parse(text).unwrap());
        let reason = reason.map(str::to_owned);
        JournalledOp {
            position: Some(JournalPosition { segment: 1, seq }),
            record: Record::Move(Move { id: InvocationId(1), state, result, reason, at: Wall(seq) }),
        }
    }

    #[test]
    fn many_moves_of_a_row_become_one_that_keeps_what_each_reported() {
        let mut held = PendingWrites::default();
        held.absorb(vec![
            moved(1, RowState::Dispatched, None, None),
            moved(2, RowState::Applied, Some("1"), None),
            moved(3, RowState::Failed, None, Some("x")),
        ]);
        assert_eq!(held.rows(), 1);
        let kept = held.unwritten.moves.get(&InvocationId(1)).unwrap();
        assert_eq!(
            (kept.state, kept.result.as_ref().map(JsonText::as_str), kept.at),
            (RowState::Failed, Some("1"), Wall(3))
        );
        assert_eq!(kept.reason.as_deref(), Some("x"));
    }

    #[test]
    fn a_rollback_brings_back_what_was_written_in_its_order() {
        let conn = Connection::open_in_memory().unwrap();
        migrations::run(&conn).unwrap();
        let mut held = PendingWrites::default();
        held.absorb(vec![moved(1, RowState::Applied, Some("1"), None)]);
        held.write_out(&conn, &mut Effects::default()).unwrap();
        held.absorb(vec![moved(2, RowState::Done, None, None)]);
        held.rolled_back();
        assert_eq!(held.rows(), 1);
        held.write_out(&conn, &mut Effects::default()).unwrap();
        assert_eq!(held.committed(), Some(2));
        assert_eq!(held.rows(), 0);
    }
}
