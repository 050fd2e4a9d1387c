//! The queue of one connection.

use std::{collections::VecDeque, mem};

use bytes::Bytes;

use super::{
    delivery::{Delivery, Expired, NotReading, Payload, Sent},
    queue_stats::{Budget, Full, QueueStats, QueueStatsTable, QueuedBytes, Slot},
    segments::{Cursor, Segments},
};
use crate::{limits, rmp::is_expired};

/// Bytes of a message from which on it is shared, not copied.
pub const SHARED_BYTES_MIN: usize = 16 << 10;
/// Bytes after which no further unit is offered for one write.
const FRONT_BYTES: usize = 256 << 10;
/// Slices offered for one write.
const SLICES_MAX: usize = 16;

/// What may be written now, in order.
#[derive(Debug)]
pub struct Front<'a> {
    slices: [&'a [u8]; SLICES_MAX],
    len: usize,
}

impl<'a> Front<'a> {
    /// The slices; none where nothing waits.
    #[must_use]
    pub fn slices(&self) -> &[&'a [u8]] {
        self.slices.get(..self.len).unwrap_or_default()
    }
}

/// The queue of one connection.
#[derive(Debug)]
pub struct Outbox<T> {
    units: VecDeque<Unit<T>>,
    copied: Segments,
    /// Bytes of the first unit that have left.
    begun: usize,
    stats: QueueStatsTable,
    messages: u64,
    bytes: u64,
    answer_bytes: u64,
    messages_max: u64,
    bytes_max: u64,
    answer_bytes_max: u64,
}

#[derive(Debug)]
struct Unit<T> {
    /// Bytes copied, the head's included; never 0.
    copied: usize,
    /// What follows them.
    shared: Option<Box<Bytes>>,
    kind: UnitKind<T>,
}

#[derive(Debug)]
enum UnitKind<T> {
    Answer,
    Delivery {
        slot: Slot,
        head: u32,
        expires_at_ms: u64,
        tag: T,
    },
    /// Taken out; its copied bytes are passed over when their turn comes.
    Removed,
}

impl<T> Unit<T> {
    fn bytes(&self) -> usize {
        self.copied + self.shared.as_ref().map_or(0, |shared| shared.len())
    }

    fn is_expired(&self, now_ms: u64) -> bool {
        matches!(self.kind, UnitKind::Delivery { expires_at_ms, .. } if is_expired(now_ms, expires_at_ms))
    }
}

/// Where a unit's copied bytes lie that have not left.
struct Visited {
    /// Bytes of the unit that have left.
    begun: usize,
    /// Copied bytes that have not.
    copied: usize,
    from: Cursor,
    end: usize,
}

/// Where a slice lies, until it can be borrowed.
#[derive(Clone, Copy)]
enum Piece {
    None,
    Copied { from: Cursor, end: usize },
    Shared { unit: usize, from: usize },
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
            answer_bytes: 0,
            messages_max: limits.queue_messages_max,
            bytes_max: limits.queue_bytes_max,
            answer_bytes_max: limits.answer_bytes_max,
        }
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

    /// Their bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of answers queued.
    #[must_use]
    pub fn answer_bytes(&self) -> u64 {
        self.answer_bytes
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
        let bytes = self.answer_bytes + answer.len() as u64;
        if self.answer_bytes > 0 && bytes > self.answer_bytes_max {
            return Err(NotReading { bytes: self.answer_bytes, bytes_max: self.answer_bytes_max });
        }
        if !answer.is_empty() {
            self.copied.push(answer, &[], None);
            self.units.push_back(Unit { copied: answer.len(), shared: None, kind: UnitKind::Answer });
            self.answer_bytes = bytes;
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
        if let Some(full) = self.full(slot, bytes, &budget.queued()) {
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
        if let Some(account) = self.stats.stats_mut(slot) {
            account.messages += 1;
            account.bytes += bytes;
        }
        let (behind, shared) = match message {
            Payload::Shared(shared) if shared.len() >= SHARED_BYTES_MIN => {
                (&[][..], Some(Box::new(shared.clone())))
            }
            Payload::Shared(bytes) => (&bytes[..], None),
            Payload::Copied(bytes) => (bytes, None),
        };
        self.copied.push(head, behind, Some(&mut budget.segment_pool));
        // A head that long is shown as a part of the message.
        let head_len = u32::try_from(head.len()).unwrap_or(0);
        let what = UnitKind::Delivery { slot, head: head_len, expires_at_ms, tag };
        self.units.push_back(Unit { copied: head.len() + behind.len(), shared, kind: what });
        self.messages += 1;
        self.bytes += bytes;
        budget.add(bytes);
    }

    /// The bound that a delivery of so many bytes would break, if any.
    #[must_use]
    pub fn full(&self, slot: Slot, bytes: u64, queued: &QueuedBytes) -> Option<Full> {
        let account = self.stats.read(slot);
        if account.messages >= self.messages_max.max(1) {
            Some(Full::Messages { messages_max: self.messages_max })
        } else if account.messages > 0 && account.bytes + bytes > self.bytes_max {
            Some(Full::Bytes { bytes: account.bytes, bytes_max: self.bytes_max })
        } else if account.messages > 0 && !queued.has_room(bytes) {
            Some(Full::Broker { bytes: queued.bytes() })
        } else {
            None
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

    /// What may be written now: about 256 KiB at most, and never less than a unit. What expired before it
    /// began to leave is taken out first and given to `expired`. Tell what was written by
    /// [`advance`](Self::advance) before the next call.
    pub fn front(
        &mut self,
        now_ms: u64,
        budget: &mut Budget,
        mut expired: impl FnMut(Expired<'_, T>),
    ) -> Front<'_> {
        self.drop_gone(budget);
        let mut pieces = [Piece::None; SLICES_MAX];
        let (mut len, mut offered) = (0, 0);
        let mut cursor = self.copied.start();
        for index in 0..self.units.len() {
            // A unit takes two slices at most.
            if offered >= FRONT_BYTES || len + 2 > SLICES_MAX {
                break;
            }
            let Some(Visited { begun, copied, from, end }) =
                self.visit(index, cursor, now_ms, budget, &mut expired)
            else {
                break;
            };
            cursor = from;
            let Some(unit) = self.units.get(index) else { break };
            if !matches!(unit.kind, UnitKind::Removed) {
                if copied > 0 {
                    len += usize::from(!lengthen(&mut pieces, len, cursor, end));
                }
                if let Some(shared) = &unit.shared {
                    pieces[len] = Piece::Shared { unit: index, from: begun.saturating_sub(unit.copied) };
                    len += 1;
                    offered += shared.len();
                }
                offered += copied;
            }
            cursor.at = end;
        }
        if len == 0 {
            self.drop_gone(budget);
        }
        let mut slices: [&[u8]; SLICES_MAX] = [&[]; SLICES_MAX];
        for (slice, piece) in slices.iter_mut().zip(pieces.into_iter().take(len)) {
            *slice = self.slice(piece);
        }
        Front { slices, len }
    }

    /// Takes out all that expired before it began to leave, however far behind it stands, and gives it to
    /// `expired`: also where nothing of the queue leaves.
    pub fn expire(&mut self, now_ms: u64, budget: &mut Budget, mut expired: impl FnMut(Expired<'_, T>)) {
        let mut cursor = self.copied.start();
        for index in 0..self.units.len() {
            let Some(Visited { from, end, .. }) = self.visit(index, cursor, now_ms, budget, &mut expired)
            else {
                break;
            };
            cursor = Cursor { at: end, ..from };
        }
        self.drop_gone(budget);
    }

    /// Looks at a unit whose copied bytes lie behind a cursor, and takes it out if it expired before it began
    /// to leave.
    fn visit(
        &mut self,
        index: usize,
        cursor: Cursor,
        now_ms: u64,
        budget: &mut Budget,
        expired: &mut impl FnMut(Expired<'_, T>),
    ) -> Option<Visited> {
        let begun = if index == 0 { self.begun } else { 0 };
        let unit = self.units.get(index)?;
        let copied = unit.copied.saturating_sub(begun);
        let from = if copied > 0 { self.copied.run_at(cursor) } else { cursor };
        let end = from.at + copied;
        if begun == 0 && unit.is_expired(now_ms) {
            self.take_out(index, (from, end), budget, expired);
        }
        Some(Visited { begun, copied, from, end })
    }

    /// Takes out a delivery whose copied bytes lie there.
    fn take_out(
        &mut self,
        index: usize,
        (from, end): (Cursor, usize),
        budget: &mut Budget,
        expired: &mut impl FnMut(Expired<'_, T>),
    ) {
        let Some(unit) = self.units.get_mut(index) else { return };
        let bytes = unit.bytes() as u64;
        let shared = unit.shared.take();
        let UnitKind::Delivery { slot, head, expires_at_ms, tag } =
            mem::replace(&mut unit.kind, UnitKind::Removed)
        else {
            return;
        };
        let copied = self.copied.bytes(from, end);
        let (head, behind) = copied.split_at_checked(head as usize).unwrap_or_default();
        let message = shared.as_ref().map_or(behind, |shared| &shared[..]);
        expired(Expired { slot, head, message, expires_at_ms, tag });
        self.stats.record_taken(slot, bytes, |account| account.expired += 1);
        self.messages -= 1;
        self.bytes -= bytes;
        budget.give_back(bytes);
    }

    /// Takes off what was written, of what [`front`](Self::front) offered last.
    pub fn advance(&mut self, written: usize, budget: &mut Budget) -> Sent {
        let mut sent = Sent::default();
        let mut written = written;
        loop {
            self.drop_gone(budget);
            let Some(unit) = self.units.front().filter(|_| written > 0) else { return sent };
            let left = unit.bytes() - self.begun;
            let copied_left = unit.copied.saturating_sub(self.begun);
            let leaves = written.min(left);
            self.copied.take(leaves.min(copied_left), &mut budget.segment_pool);
            self.begun += leaves;
            written -= leaves;
            if leaves == left {
                self.begun = 0;
                if let Some(unit) = self.units.pop_front() {
                    self.record_sent(&unit, budget, &mut sent);
                }
            }
        }
    }

    fn record_sent(&mut self, unit: &Unit<T>, budget: &mut Budget, sent: &mut Sent) {
        let bytes = unit.bytes() as u64;
        match unit.kind {
            UnitKind::Answer => {
                self.answer_bytes -= bytes;
                sent.answers += 1;
            }
            UnitKind::Delivery { slot, .. } => {
                self.stats.record_taken(slot, bytes, |account| {
                    account.delivered += 1;
                    account.delivered_bytes += bytes;
                });
                self.messages -= 1;
                self.bytes -= bytes;
                budget.give_back(bytes);
                sent.messages += 1;
                sent.bytes += bytes;
            }
            UnitKind::Removed => {}
        }
    }

    /// Passes over what was taken out, as far as it stands first.
    fn drop_gone(&mut self, budget: &mut Budget) {
        while let Some(Unit { copied, kind: UnitKind::Removed, .. }) = self.units.front() {
            self.copied.take(*copied, &mut budget.segment_pool);
            self.units.pop_front();
        }
    }

    fn slice(&self, piece: Piece) -> &[u8] {
        match piece {
            Piece::None => &[],
            Piece::Copied { from, end } => self.copied.bytes(from, end),
            Piece::Shared { unit, from } => {
                let shared = self.units.get(unit).and_then(|unit| unit.shared.as_ref());
                shared.and_then(|shared| shared.get(from..)).unwrap_or_default()
            }
        }
    }

    /// Forgets all that is queued, as its connection is gone.
    pub fn clear(&mut self, budget: &mut Budget) {
        budget.give_back(self.bytes);
        self.units = VecDeque::new();
        self.copied = Segments::default();
        self.stats = QueueStatsTable::default();
        (self.begun, self.messages, self.bytes, self.answer_bytes) = (0, 0, 0, 0);
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

/// Adds copied bytes to the last slice where they follow it; otherwise they become the next one, and that is
/// told by false.
fn lengthen(pieces: &mut [Piece; SLICES_MAX], len: usize, from: Cursor, to: usize) -> bool {
    if let Some(Piece::Copied { from: first, end }) = len.checked_sub(1).and_then(|last| pieces.get_mut(last))
        && (first.segment, *end) == (from.segment, from.at)
    {
        *end = to;
        return true;
    }
    if let Some(next) = pieces.get_mut(len) {
        *next = Piece::Copied { from, end: to };
    }
    false
}
