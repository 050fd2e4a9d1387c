//! The queue of one connection.

use std::collections::VecDeque;

use super::{
    cut::CutMark,
    delivery::{Delivery, NotReading, Payload, Sent, TakenOut},
    front::{Front, Pieces},
    queue_stats::{Budget, Full, QueueStats, QueueStatsTable, QueuedBytes, Slot},
    segments::{Cursor, Segments},
    shares::{Owner, ShareRef},
    unit::{FanOut, Recipient, Unit, UnitKind},
};
use crate::limits;

/// Bytes of a message from which on it is shared, not copied.
pub const SHARED_BYTES_MIN: usize = 16 << 10;

/// The queue of one connection.
#[derive(Debug)]
pub struct Outbox<T> {
    pub(super) units: VecDeque<Unit<T>>,
    pub(super) copied: Segments,
    /// Bytes of the first unit that have left; of a fan-out for its next subscription.
    pub(super) begun: usize,
    pub(super) stats: QueueStatsTable,
    pub(super) messages: u64,
    pub(super) bytes: u64,
    /// Bytes of the newest delivery.
    pub(super) last_bytes: u64,
    /// Units that were popped.
    pub(super) popped: u64,
    /// What was taken out and not passed over yet: units, and their copied bytes.
    pub(super) removed: (usize, usize),
    /// Before this, nothing is to be cut.
    pub(super) cut_mark: Option<CutMark>,
    /// Who it is where it loses to others.
    owner: Option<Owner>,
    share: Option<ShareRef>,
    /// When something of it left last, or the first unit came, by the budget's stamps.
    written_at: u64,
    writes: u64,
    answer_bytes: u64,
    messages_max: u64,
    bytes_max: u64,
    answer_bytes_max: u64,
}

impl<T> Outbox<T> {
    /// An empty queue; it holds no memory.
    #[must_use]
    pub fn new(limits: &limits::Rmp) -> Self {
        Self {
            units: VecDeque::new(),
            copied: Segments::default(),
            begun: 0,
            stats: QueueStatsTable::default(),
            messages: 0,
            bytes: 0,
            last_bytes: 0,
            popped: 0,
            removed: (0, 0),
            cut_mark: None,
            owner: None,
            share: None,
            written_at: 0,
            writes: 0,
            answer_bytes: 0,
            messages_max: limits.queue_messages_max,
            bytes_max: limits.queue_bytes_max,
            answer_bytes_max: limits.answer_bytes_max,
        }
    }

    /// Has it lose messages to others where it holds most ([`Budget::holds_most`]), under this name.
    pub fn set_owner(&mut self, name: u64, budget: &mut Budget) {
        self.owner = Some(Owner { name, loses_last: false });
        self.rank(budget);
    }

    /// Has it lose messages to others only where nobody else holds more than is kept to each.
    pub fn lose_last(&mut self, budget: &mut Budget) {
        if let Some(owner) = &mut self.owner {
            owner.loses_last = true;
        }
        self.rank(budget);
    }

    /// A place for a new subscription.
    pub fn open(&mut self) -> Slot {
        self.stats.open()
    }

    /// Ends a subscription's account. What is queued for it still leaves; the slot is not to be used again.
    pub fn close(&mut self, slot: Slot) {
        self.stats.close(slot);
    }

    /// What a subscription has queued and had.
    #[must_use]
    pub fn queue_stats(&self, slot: Slot) -> QueueStats {
        self.stats.read(slot)
    }

    /// Messages queued for all subscriptions of the connection.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Their bytes, a message for several subscriptions counted once.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of answers queued.
    #[must_use]
    pub fn answer_bytes(&self) -> u64 {
        self.answer_bytes
    }

    /// How often something left.
    #[must_use]
    pub fn writes(&self) -> u64 {
        self.writes
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// Queues a control answer. One is always taken where none waits.
    ///
    /// # Errors
    /// [`NotReading`] where too many wait; nothing is queued.
    pub fn push_answer(&mut self, answer: &[u8]) -> Result<(), NotReading> {
        self.check_answer(answer.len())?;
        if !answer.is_empty() {
            self.copied.push(answer, &[], None);
            self.units.push_back(Unit { copied: answer.len(), shared: None, kind: UnitKind::Answer });
            self.answer_bytes += answer.len() as u64;
        }
        Ok(())
    }

    /// Whether an answer of so many bytes would be taken.
    ///
    /// # Errors
    /// [`NotReading`], as [`push_answer`](Self::push_answer) has it.
    pub fn check_answer(&self, bytes: usize) -> Result<(), NotReading> {
        if self.answer_bytes > 0 && self.answer_bytes + bytes as u64 > self.answer_bytes_max {
            return Err(NotReading { bytes: self.answer_bytes, bytes_max: self.answer_bytes_max });
        }
        Ok(())
    }

    /// Queues a message for a subscription. A subscription with an empty queue always takes one (ruling RMP
    /// 8).
    ///
    /// # Errors
    /// [`Full`]; nothing is queued and the loss is in the account.
    pub fn push_delivery(
        &mut self,
        slot: Slot,
        delivery: Delivery<'_, T>,
        budget: &mut Budget,
    ) -> Result<(), Full> {
        let bytes = (delivery.head.len() + delivery.message.bytes().len()) as u64;
        if let Some(full) = self.full(slot, bytes, (bytes, bytes), &budget.queued(bytes)) {
            self.refuse(slot);
            return Err(full);
        }
        self.queue_delivery(slot, delivery, budget);
        Ok(())
    }

    /// Queues a message for a subscription that is not [`full`](Self::full).
    pub fn queue_delivery(&mut self, slot: Slot, delivery: Delivery<'_, T>, budget: &mut Budget) {
        let Delivery { head, message, expires_at_ms, tag } = delivery;
        let bytes = (head.len() + message.bytes().len()) as u64;
        self.stats.record_queued(slot, bytes);
        let (behind, shared) = message.split();
        self.copied.push(head, behind, Some(&mut budget.segment_pool));
        // A head that long is shown as a part of the message.
        let head_len = u32::try_from(head.len()).unwrap_or(0);
        let kind = UnitKind::Delivery { slot, head: head_len, expires_at_ms, tag };
        let was_empty = self.units.is_empty();
        self.units.push_back(Unit { copied: head.len() + behind.len(), shared, kind });
        self.record_queued((1, bytes), was_empty, budget);
    }

    /// Queues a message once for several subscriptions that are not [`full`](Self::full): each with its head.
    pub fn queue_fan_out<H: AsRef<[u8]>>(
        &mut self,
        to: impl Iterator<Item = (Slot, H, T)>,
        message: Payload<'_>,
        expires_at_ms: u64,
        budget: &mut Budget,
    ) {
        let message_bytes = message.bytes().len();
        let (mut heads, mut recipients) = (std::mem::take(&mut budget.heads), VecDeque::new());
        heads.clear();
        for (slot, head, tag) in to {
            let head = head.as_ref();
            heads.extend_from_slice(head);
            self.stats.record_queued(slot, (head.len() + message_bytes) as u64);
            recipients.push_back(Recipient { slot, head: head.len(), tag });
        }
        if recipients.is_empty() {
            return;
        }
        let messages = recipients.len() as u64;
        let (behind, shared) = message.split();
        let bytes = (heads.len() + message_bytes) as u64;
        let fan_out = FanOut { expires_at_ms, recipients, heads: heads.len(), heads_sent: 0 };
        let kind = UnitKind::FanOut(Box::new(fan_out));
        self.copied.push(&heads, behind, Some(&mut budget.segment_pool));
        let was_empty = self.units.is_empty();
        self.units.push_back(Unit { copied: heads.len() + behind.len(), shared, kind });
        self.record_queued((messages, bytes), was_empty, budget);
        budget.heads = heads;
    }

    #[inline]
    fn record_queued(&mut self, (messages, bytes): (u64, u64), was_empty: bool, budget: &mut Budget) {
        if was_empty {
            self.written_at = budget.stamp();
        }
        self.messages += messages;
        self.bytes += bytes;
        self.last_bytes = bytes;
        budget.add(bytes);
        self.rank(budget);
    }

    /// The bound that a delivery of so many bytes would break, if any. `more` of them are not queued for
    /// another subscription of the connection already; with them the connection holds `held` more for this
    /// message.
    #[must_use]
    pub fn full(
        &self,
        slot: Slot,
        bytes: u64,
        (more, held): (u64, u64),
        queued: &QueuedBytes,
    ) -> Option<Full> {
        let account = self.stats.read(slot);
        if account.messages >= self.messages_max.max(1) {
            Some(Full::Messages { messages_max: self.messages_max })
        } else if account.messages > 0 && account.bytes + bytes > self.bytes_max {
            Some(Full::Bytes { bytes: account.bytes, bytes_max: self.bytes_max })
        } else if account.messages > 0 && !queued.has_room(more, self.bytes + held) {
            Some(Full::Broker { bytes: queued.bytes() })
        } else {
            None
        }
    }

    /// Bytes that it can lose: not those of what has begun to leave, else not those of the newest message,
    /// since an empty queue always takes one (ruling RMP 8).
    fn cuttable_bytes(&self) -> u64 {
        let begun = self.units.front().filter(|unit| self.begun > 0 && unit.is_delivery());
        self.bytes.saturating_sub(begun.map_or(self.last_bytes, |unit| unit.bytes() as u64))
    }

    #[inline]
    pub(super) fn rank(&mut self, budget: &mut Budget) {
        if let Some(owner) = self.owner {
            let bytes = self.cuttable_bytes();
            budget.shares.update(owner, &mut self.share, bytes, self.written_at);
        }
    }

    /// Counts a message that cannot be queued for this subscription, whatever room there is.
    pub fn refuse(&mut self, slot: Slot) {
        if let Some(account) = self.stats.stats_mut(slot) {
            account.refused += 1;
        }
    }

    /// Answers and messages queued, what was taken out included.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.units.len() as u64
    }

    /// What may be written now: about 256 KiB at most, and never less than a delivery. What expired before it
    /// began to leave is taken out first and given to `expired`. Tell what was written by
    /// [`advance`](Self::advance) before the next call.
    pub fn front<'a>(
        &'a mut self,
        now_ms: u64,
        budget: &'a mut Budget,
        mut expired: impl FnMut(TakenOut<'_, T>),
    ) -> Front<'a> {
        self.drop_removed(budget);
        budget.spread.clear();
        let mut pieces = Pieces::new();
        let mut cursor = self.copied.start();
        for index in 0..self.units.len() {
            if pieces.is_full() {
                break;
            }
            let Some(visited) = self.visit_expired(index, cursor, now_ms, budget, &mut expired) else {
                break;
            };
            if let Some(unit) = self.units.get(index) {
                pieces.offer((unit, index), &visited, &self.copied, &mut budget.spread);
            }
            cursor = Cursor { at: visited.end, ..visited.from };
        }
        if pieces.is_empty() {
            self.drop_removed(budget);
        }
        self.rank(budget);
        self.borrow_front(&pieces, &budget.spread)
    }

    /// Takes off what was written, of what [`front`](Self::front) offered last.
    pub fn advance(&mut self, written: usize, budget: &mut Budget) -> Sent {
        let mut sent = Sent::default();
        if written > 0 {
            self.writes += 1;
            self.written_at = budget.stamp();
        }
        let mut written = written;
        loop {
            self.drop_removed(budget);
            let Some(unit) = self.units.front().filter(|_| written > 0) else { break };
            let left = unit.wire_bytes() - self.begun;
            let leaves = written.min(left);
            // The copied bytes of a fan-out leave again for the next subscription.
            if !matches!(unit.kind, UnitKind::FanOut(_)) {
                let copied_left = unit.copied.saturating_sub(self.begun);
                self.copied.take(leaves.min(copied_left), &mut budget.segment_pool);
            }
            self.begun += leaves;
            written -= leaves;
            if leaves == left {
                self.begun = 0;
                self.record_sent(budget, &mut sent);
            }
        }
        self.rank(budget);
        sent
    }

    /// The first unit has left, or its message for the next subscription.
    #[inline]
    fn record_sent(&mut self, budget: &mut Budget, sent: &mut Sent) {
        if self.units.front().is_some_and(|unit| matches!(unit.kind, UnitKind::FanOut(_))) {
            return self.record_fan_out(budget, sent);
        }
        let Some(unit) = self.units.pop_front() else { return };
        self.popped += 1;
        let bytes = unit.bytes() as u64;
        match unit.kind {
            UnitKind::Answer => {
                self.answer_bytes -= bytes;
                sent.answers += 1;
            }
            UnitKind::Delivery { slot, .. } => {
                self.record_delivered(slot, bytes, sent);
                self.bytes -= bytes;
                budget.give_back(bytes);
            }
            UnitKind::FanOut(_) | UnitKind::Removed => {}
        }
    }

    fn record_fan_out(&mut self, budget: &mut Budget, sent: &mut Sent) {
        let Some(unit) = self.units.front_mut() else { return };
        let (wire_bytes, bytes, copied) = (unit.wire_bytes() as u64, unit.bytes() as u64, unit.copied);
        let UnitKind::FanOut(fan_out) = &mut unit.kind else { return };
        let Some(Recipient { slot, head, .. }) = fan_out.recipients.pop_front() else { return };
        fan_out.heads_sent += head;
        let is_last = fan_out.recipients.is_empty();
        self.record_delivered(slot, wire_bytes, sent);
        // What is left of it has not begun to leave any more.
        self.cut_mark = None;
        if is_last {
            self.copied.take(copied, &mut budget.segment_pool);
            self.units.pop_front();
            self.popped += 1;
            self.bytes -= bytes;
            budget.give_back(bytes);
        }
    }

    #[inline]
    fn record_delivered(&mut self, slot: Slot, bytes: u64, sent: &mut Sent) {
        self.stats.record_taken(slot, bytes, |account| {
            account.delivered += 1;
            account.delivered_bytes += bytes;
        });
        self.messages -= 1;
        sent.messages += 1;
        sent.bytes += bytes;
    }

    /// Passes over what was taken out, as far as it stands first.
    #[inline]
    pub(super) fn drop_removed(&mut self, budget: &mut Budget) {
        if self.removed.0 > 0 {
            self.drop_removed_front(budget);
        }
    }

    fn drop_removed_front(&mut self, budget: &mut Budget) {
        while let Some(Unit { copied, kind: UnitKind::Removed, .. }) = self.units.front() {
            self.copied.take(*copied, &mut budget.segment_pool);
            self.removed = (self.removed.0 - 1, self.removed.1 - *copied);
            self.units.pop_front();
            self.popped += 1;
        }
    }

    /// Forgets all that is queued, as its connection is gone.
    pub fn clear(&mut self, budget: &mut Budget) {
        budget.give_back(self.bytes);
        budget.shares.remove(&mut self.share);
        self.units = VecDeque::new();
        self.copied = Segments::default();
        self.stats = QueueStatsTable::default();
        (self.begun, self.messages, self.bytes, self.answer_bytes) = (0, 0, 0, 0);
        (self.last_bytes, self.removed, self.cut_mark) = (0, (0, 0), None);
    }

    /// Has other queues use what an empty one does not need at once.
    pub fn release_spare(&mut self, budget: &mut Budget) {
        if self.is_empty() {
            self.copied.release_spare(&mut budget.segment_pool);
        }
    }

    /// Gives memory back that an empty queue keeps for what comes next; for connections that have been idle a
    /// while.
    pub fn release_memory(&mut self) {
        if self.is_empty() {
            self.units = VecDeque::new();
            self.copied.release_memory();
        }
    }

    /// Bytes of memory held, shared messages aside.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.units.capacity() * size_of::<Unit<T>>() + self.copied.held_bytes() + self.stats.held_bytes()
    }
}
