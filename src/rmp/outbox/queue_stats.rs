//! Statistics of a queue: how much is queued, for whom, and how much may be.

use super::{segments::SegmentPool, shares::Shares};
use crate::limits;

/// What the queues of all connections of a broker share: how many bytes of messages they may hold together,
/// who holds most of them, and memory for them.
#[derive(Debug)]
pub struct Budget {
    bytes: u64,
    bytes_max: u64,
    pub(super) shares: Shares,
    pub(super) segment_pool: SegmentPool,
    /// What one write takes of messages for several subscriptions; and what their heads are put together in.
    pub(super) spread: Vec<u8>,
    pub(super) heads: Vec<u8>,
    stamp: u64,
}

/// Bytes of messages that the queues of all connections hold together, and how many they may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedBytes {
    bytes: u64,
    bytes_max: u64,
    /// Bytes that each connection may have whatever others hold.
    floor: u64,
    /// Bytes that those who hold more can lose, as far as they are asked for.
    cuttable: u64,
}

impl QueuedBytes {
    /// How many there are.
    pub(super) fn bytes(self) -> u64 {
        self.bytes
    }

    /// Whether a connection that would hold `share` with them may have so many more.
    pub(super) fn has_room(self, bytes: u64, share: u64) -> bool {
        self.bytes.saturating_add(bytes) <= self.bytes_max.saturating_add(self.cuttable)
            || share <= self.floor
    }

    /// Counts so many more.
    pub fn add(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

impl Budget {
    /// Nothing queued, and as much allowed as `limits.rmp.queued_bytes_max` says.
    #[must_use]
    pub fn new(limits: &limits::Rmp) -> Self {
        Self {
            bytes: 0,
            bytes_max: limits.queued_bytes_max,
            shares: Shares::new(limits),
            segment_pool: SegmentPool::default(),
            spread: Vec::new(),
            heads: Vec::new(),
            stamp: 0,
        }
    }

    /// The bytes that are queued, and that may be, for a message that takes about so `many` more: what does
    /// not fit beside what is queued fits where those who hold most lose as much.
    #[must_use]
    pub fn queued(&self, many: u64) -> QueuedBytes {
        let Self { bytes, bytes_max, shares, .. } = self;
        let lacking = bytes.saturating_add(many).saturating_sub(*bytes_max);
        QueuedBytes {
            bytes: *bytes,
            bytes_max: *bytes_max,
            floor: shares.floor(),
            cuttable: shares.cuttable(lacking),
        }
    }

    /// Bytes queued.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Among how many connections the bytes are shared.
    pub fn set_connections(&mut self, connections: u64) {
        self.shares.set_connections(connections);
    }

    /// The connection that is to lose its oldest message, by the name that its queue was given: one while
    /// more is queued than may be.
    #[must_use]
    pub fn holds_most(&self) -> Option<u64> {
        if self.is_over() { self.shares.first() } else { None }
    }

    /// Whether more is queued than may be.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.bytes > self.bytes_max
    }

    /// Bytes that each connection keeps whatever others queue.
    #[must_use]
    pub fn floor(&self) -> u64 {
        self.shares.floor()
    }

    /// Gives back half of the memory that is kept for the next burst, 8 MiB at most; to be called every
    /// second or so.
    pub fn release_memory(&mut self) {
        self.segment_pool.release_half();
        (self.spread, self.heads) = (Vec::new(), Vec::new());
    }

    /// A number that is larger than all before.
    pub(super) fn stamp(&mut self) -> u64 {
        self.stamp += 1;
        self.stamp
    }

    pub(super) fn add(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    pub(super) fn give_back(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

/// Which bound a delivery would break. It is dropped, with the reason `backpressure_timeout` (ruling RMP 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Full {
    /// The subscription's messages.
    #[error("{messages_max} messages are queued for this subscription")]
    Messages {
        /// The limit in force.
        messages_max: u64,
    },
    /// The subscription's bytes.
    #[error("{bytes} bytes are queued for this subscription; the limit is {bytes_max}")]
    Bytes {
        /// How many are queued.
        bytes: u64,
        /// The limit in force.
        bytes_max: u64,
    },
    /// The bytes of all.
    #[error("{bytes} bytes are queued on all connections, over the limit")]
    Broker {
        /// How many are queued.
        bytes: u64,
    },
}

/// A subscription's place in its connection's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub(super) u32);

/// What one subscription has queued and had so far. Bytes are those of the Deliver and of the message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueStats {
    /// Messages queued.
    pub messages: u64,
    /// Bytes queued.
    pub bytes: u64,
    /// Messages that left.
    pub delivered: u64,
    /// Bytes that left.
    pub delivered_bytes: u64,
    /// Messages that expired in the queue.
    pub expired: u64,
    /// Messages that did not fit, or had to make room.
    pub refused: u64,
}

/// The accounts of a connection's subscriptions.
#[derive(Debug, Default)]
pub(super) struct QueueStatsTable {
    slots: Vec<SlotStats>,
    free: Vec<u32>,
}

#[derive(Debug, Default)]
struct SlotStats {
    stats: QueueStats,
    /// Given back as soon as nothing of it is queued.
    is_closed: bool,
}

impl QueueStatsTable {
    pub(super) fn open(&mut self) -> Slot {
        if let Some(slot) = self.free.pop() {
            if let Some(held) = self.slot_mut(Slot(slot)) {
                *held = SlotStats::default();
            }
            return Slot(slot);
        }
        self.slots.push(SlotStats::default());
        Slot(u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX))
    }

    pub(super) fn close(&mut self, slot: Slot) {
        let Some(held) = self.slot_mut(slot).filter(|held| !held.is_closed) else { return };
        held.is_closed = true;
        if held.stats.messages == 0 {
            self.free.push(slot.0);
        }
    }

    pub(super) fn stats_mut(&mut self, slot: Slot) -> Option<&mut QueueStats> {
        self.slot_mut(slot).map(|held| &mut held.stats)
    }

    pub(super) fn read(&self, slot: Slot) -> QueueStats {
        self.slots.get(slot.0 as usize).map(|held| held.stats).unwrap_or_default()
    }

    /// Puts one message to what is queued.
    #[inline]
    pub(super) fn record_queued(&mut self, slot: Slot, bytes: u64) {
        if let Some(account) = self.stats_mut(slot) {
            account.messages += 1;
            account.bytes += bytes;
        }
    }

    /// Takes one message off what is queued.
    pub(super) fn record_taken(&mut self, slot: Slot, bytes: u64, note: impl FnOnce(&mut QueueStats)) {
        let Some(held) = self.slot_mut(slot) else { return };
        held.stats.messages = held.stats.messages.saturating_sub(1);
        held.stats.bytes = held.stats.bytes.saturating_sub(bytes);
        note(&mut held.stats);
        if held.is_closed && held.stats.messages == 0 {
            self.free.push(slot.0);
        }
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<SlotStats>() + self.free.capacity() * size_of::<u32>()
    }

    fn slot_mut(&mut self, slot: Slot) -> Option<&mut SlotStats> {
        self.slots.get_mut(slot.0 as usize)
    }
}
