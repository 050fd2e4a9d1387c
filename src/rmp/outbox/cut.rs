//! What is taken out of a queue before it left: it expired, or others need its room.

use std::mem;

use super::{
    Outbox,
    delivery::TakenOut,
    front::Visited,
    queue_stats::{Budget, QueueStats},
    segments::{Cursor, Segments},
    unit::{Recipient, Unit, UnitKind},
};

/// What was taken out is kept in its place until it is so much: units, or copied bytes.
const REMOVED_MIN: (usize, usize) = (256, 64 << 10);

/// A place in a queue, whatever left in front of it since.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutMark {
    /// Units before it, those that were popped included.
    units: u64,
    /// Segments before its own, those that were taken included.
    segments: u64,
    at: usize,
}

impl<T> Outbox<T> {
    /// Takes out all that expired before it began to leave, however far behind it stands, and gives it to
    /// `expired`: also where nothing of the queue leaves.
    pub fn expire(&mut self, now_ms: u64, budget: &mut Budget, mut expired: impl FnMut(TakenOut<'_, T>)) {
        let mut cursor = self.copied.start();
        for index in 0..self.units.len() {
            let Some(Visited { from, end, .. }) =
                self.visit_expired(index, cursor, now_ms, budget, &mut expired)
            else {
                break;
            };
            cursor = Cursor { at: end, ..from };
        }
        self.drop_removed(budget);
        self.compact(budget);
        self.rank(budget);
    }

    /// Takes out the oldest message that has not begun to leave, as others need its room (ruling RMP 8), and
    /// gives it to `lost`, for each of its subscriptions. False where there is none.
    pub fn cut(&mut self, budget: &mut Budget, mut lost: impl FnMut(TakenOut<'_, T>)) -> bool {
        let (mut index, mut cursor) = self.cut_start();
        let mut was_cut = false;
        while !was_cut {
            let Some(visited) = self.visit(index, cursor) else { break };
            if visited.begun == 0 && self.units.get(index).is_some_and(Unit::is_delivery) {
                self.take_out(index, &visited, budget, |account| account.refused += 1, &mut lost);
                was_cut = true;
            }
            cursor = Cursor { at: visited.end, ..visited.from };
            index += 1;
        }
        self.cut_mark = Some(CutMark {
            units: self.popped + index as u64,
            segments: self.copied.taken() + cursor.segment as u64,
            at: cursor.at,
        });
        self.drop_removed(budget);
        self.compact(budget);
        self.rank(budget);
        was_cut
    }

    /// Where it is looked for the oldest message first.
    fn cut_start(&self) -> (usize, Cursor) {
        let start = self.copied.start();
        let Some(mark) = self.cut_mark else { return (0, start) };
        let index = mark.units.checked_sub(self.popped).and_then(|index| usize::try_from(index).ok());
        let segment = mark.segments.checked_sub(self.copied.taken()).map(usize::try_from);
        match (index, segment) {
            (Some(index @ 1..), Some(Ok(segment))) => (index, Cursor { segment, at: mark.at }),
            (Some(index @ 1..), None) => (index, start),
            _ => (0, start),
        }
    }

    /// Where a unit's copied bytes lie that stand behind a cursor.
    #[inline]
    fn visit(&self, index: usize, cursor: Cursor) -> Option<Visited> {
        let begun = if index == 0 { self.begun } else { 0 };
        let unit = self.units.get(index)?;
        let copied = unit.copied - unit.consumed(begun);
        let from = if copied > 0 { self.copied.run_at(cursor) } else { cursor };
        Some(Visited { begun, from, end: from.at + copied })
    }

    /// Looks at a unit whose copied bytes stand behind a cursor, and takes it out if it expired before it
    /// began to leave.
    #[inline]
    pub(super) fn visit_expired(
        &mut self,
        index: usize,
        cursor: Cursor,
        now_ms: u64,
        budget: &mut Budget,
        expired: &mut impl FnMut(TakenOut<'_, T>),
    ) -> Option<Visited> {
        let visited = self.visit(index, cursor)?;
        if visited.begun == 0 && self.units.get(index).is_some_and(|unit| unit.is_expired(now_ms)) {
            self.take_out(index, &visited, budget, |account| account.expired += 1, expired);
        }
        Some(visited)
    }

    /// Takes out a delivery whose copied bytes lie there.
    fn take_out(
        &mut self,
        index: usize,
        visited: &Visited,
        budget: &mut Budget,
        note: fn(&mut QueueStats),
        taken_out: &mut impl FnMut(TakenOut<'_, T>),
    ) {
        let Some(unit) = self.units.get_mut(index) else { return };
        let (bytes, run) = (unit.bytes() as u64, unit.copied);
        let shared = unit.shared.take();
        let copied = self.copied.bytes(visited.from, visited.end);
        match mem::replace(&mut unit.kind, UnitKind::Removed) {
            UnitKind::Delivery { slot, head, expires_at_ms, tag } => {
                let (head, behind) = copied.split_at_checked(head as usize).unwrap_or_default();
                let message = shared.as_ref().map_or(behind, |shared| &shared[..]);
                taken_out(TakenOut { slot, head, message, expires_at_ms, tag });
                self.stats.record_taken(slot, bytes, note);
                self.messages -= 1;
            }
            UnitKind::FanOut(fan_out) => {
                let (heads, behind) = copied.split_at_checked(fan_out.heads).unwrap_or_default();
                let message = shared.as_ref().map_or(behind, |shared| &shared[..]);
                let mut heads = heads.get(fan_out.heads_sent..).unwrap_or_default();
                for Recipient { slot, head, tag } in fan_out.recipients {
                    let head = heads.split_off(..head).unwrap_or_default();
                    let bytes = (head.len() + message.len()) as u64;
                    taken_out(TakenOut { slot, head, message, expires_at_ms: fan_out.expires_at_ms, tag });
                    self.stats.record_taken(slot, bytes, note);
                    self.messages -= 1;
                }
            }
            UnitKind::Answer | UnitKind::Removed => return,
        }
        self.bytes -= bytes;
        budget.give_back(bytes);
        self.removed = (self.removed.0 + 1, self.removed.1 + run);
        if !self.units.range(index + 1..).any(Unit::is_delivery) {
            let newest = self.units.range(..index).rev().find(|unit| unit.is_delivery());
            self.last_bytes = newest.map_or(0, |unit| unit.bytes() as u64);
        }
    }

    /// Gives back the places and the memory of what was taken out, once it is half of what is there.
    fn compact(&mut self, budget: &mut Budget) {
        let (units, bytes) = self.removed;
        let is_much = |removed: usize, min: usize, all: usize| removed >= min && removed * 2 > all;
        if !is_much(units, REMOVED_MIN.0, self.units.len())
            && !is_much(bytes, REMOVED_MIN.1, self.copied.len())
        {
            return;
        }
        let mut kept = Segments::default();
        let mut cursor = self.copied.start();
        for index in 0..self.units.len() {
            let Some(Visited { from, end, .. }) = self.visit(index, cursor) else { break };
            if end > from.at && self.units.get(index).is_some_and(|unit| !unit.is_removed()) {
                kept.push(self.copied.bytes(from, end), &[], Some(&mut budget.segment_pool));
            }
            cursor = Cursor { at: end, ..from };
        }
        self.units.retain(|unit| !unit.is_removed());
        mem::replace(&mut self.copied, kept).release(&mut budget.segment_pool);
        (self.removed, self.cut_mark) = ((0, 0), None);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Budget, Outbox,
        tests::{Tagged, bytes, delivery, offered, setup},
    };
    use crate::limits;

    #[test]
    fn of_those_that_hold_as_much_the_one_that_has_not_read_for_longest_loses_first() {
        let limits = limits::Rmp { queued_bytes_max: 10_000, connections_max: 8, ..limits::Rmp::default() };
        let mut budget = Budget::new(&limits);
        budget.set_connections(3);
        let mut outboxes: Vec<Tagged> = (0..3).map(|_| Outbox::new(&limits)).collect();
        let slots: Vec<_> = outboxes.iter_mut().map(Outbox::open).collect();
        for (at, outbox) in outboxes.iter_mut().enumerate() {
            outbox.set_owner(at as u64, &mut budget);
            for _ in 0..2 {
                let message = bytes(1_996, 0);
                outbox.queue_delivery(slots[at], delivery(&message, 9, 0), &mut budget);
            }
        }
        assert_eq!((budget.bytes(), budget.holds_most()), (12_000, None), "none holds more than its third");
        for at in [0, 1] {
            let message = bytes(1_496, 0);
            outboxes[at].queue_delivery(slots[at], delivery(&message, 9, 0), &mut budget);
        }
        assert_eq!(budget.holds_most(), Some(0));
        outboxes[0].advance(1, &mut budget);
        assert_eq!(budget.holds_most(), Some(1), "the other one has read since");
        for _ in 0..2 {
            let message = bytes(4_996, 0);
            outboxes[2].queue_delivery(slots[2], delivery(&message, 9, 0), &mut budget);
        }
        assert_eq!(budget.holds_most(), Some(2), "but who holds more loses before");
        outboxes[2].lose_last(&mut budget);
        assert_eq!(budget.holds_most(), Some(1), "and one that loses last holds less than any other");
        outboxes[1].clear(&mut budget);
        assert!(outboxes[0].cut(&mut budget, |_| {}));
        assert_eq!(budget.holds_most(), Some(2), "the third of another is left to it");
    }

    #[test]
    fn what_is_cut_leaves_no_memory_behind_it_whatever_stands_in_front() {
        let (mut outbox, mut budget) =
            setup(&limits::Rmp { queue_messages_max: 1 << 20, ..limits::Rmp::default() });
        let slot = outbox.open();
        outbox.push_delivery(slot, delivery(&bytes(1_000, 1), 9, 0), &mut budget).unwrap();
        offered(&mut outbox, &mut budget, 0);
        outbox.advance(1, &mut budget);
        for tag in 1..20_000 {
            if tag % 10 == 0 {
                outbox.push_answer(b"a").unwrap();
            }
            outbox.push_delivery(slot, delivery(&bytes(1_000, 1), 9, tag), &mut budget).unwrap();
            if tag > 100 {
                let mut gone = Vec::new();
                assert!(outbox.cut(&mut budget, |it| gone.push(it.tag)));
                assert_eq!(gone, [tag - 100], "the oldest that has not begun to leave");
            }
        }
        assert!(outbox.held_bytes() < 1 << 20, "{}", outbox.held_bytes());
        assert_eq!((outbox.messages(), outbox.queue_stats(slot).refused), (101, 19_899));
        let mut wire = Vec::new();
        while !outbox.is_empty() {
            let (bytes, _) = offered(&mut outbox, &mut budget, 0);
            wire.extend_from_slice(&bytes);
            outbox.advance(bytes.len(), &mut budget);
        }
        assert_eq!(wire.len(), 1_003 + 100 * 1_004 + 1_999, "and what is left leaves whole");
    }
}
