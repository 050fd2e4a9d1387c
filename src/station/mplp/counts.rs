//! What was told on the bus since the station started.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::mplp::lifecycle::FINDING_FAMILIES;

/// Counters of what is told; they outlive the thread that tells.
#[derive(Debug, Default)]
pub(in crate::station) struct Counts {
    objects: AtomicU64,
    events: AtomicU64,
    batches: AtomicU64,
    bytes: AtomicU64,
    too_large: AtomicU64,
    bus_down: AtomicU64,
    not_taken: AtomicU64,
    open: AtomicU64,
    findings: [AtomicU64; FINDING_FAMILIES.len()],
}

/// What they are at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::station) struct Counted {
    /// Objects that gathered for the bus.
    pub(super) objects: u64,
    /// Events that did.
    pub(super) events: u64,
    /// Messages that the bus took.
    pub(super) batches: u64,
    /// Bytes of those.
    pub(super) bytes: u64,
    /// Items that were withheld because they are larger than a message may be.
    pub(super) too_large: u64,
    /// Items that nobody got because the bus was down.
    pub(super) bus_down: u64,
    /// Parts of runs and of their sessions that no record has: the records were down, or could not read them.
    pub(super) not_taken: u64,
    /// Records of open runs.
    pub(super) open: u64,
    /// Findings of items that were withheld, by family.
    pub(super) findings: [u64; FINDING_FAMILIES.len()],
}

fn add(count: &AtomicU64, more: usize) {
    count.fetch_add(more as u64, Ordering::Relaxed);
}

impl Counts {
    pub(super) fn count_object(&self) {
        add(&self.objects, 1);
    }

    pub(super) fn count_event(&self) {
        add(&self.events, 1);
    }

    pub(super) fn count_batch(&self, bytes: usize) {
        add(&self.batches, 1);
        add(&self.bytes, bytes);
    }

    pub(super) fn count_too_large(&self) {
        add(&self.too_large, 1);
    }

    pub(super) fn count_bus_down(&self, items: usize) {
        add(&self.bus_down, items);
    }

    pub(super) fn count_not_taken(&self, parts: usize) {
        add(&self.not_taken, parts);
    }

    pub(super) fn count_findings(&self, by_family: [u32; FINDING_FAMILIES.len()]) {
        for (count, more) in self.findings.iter().zip(by_family) {
            add(count, more as usize);
        }
    }

    pub(super) fn set_open(&self, open: usize) {
        self.open.store(open as u64, Ordering::Relaxed);
    }

    pub(super) fn counted(&self) -> Counted {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Counted {
            objects: of(&self.objects),
            events: of(&self.events),
            batches: of(&self.batches),
            bytes: of(&self.bytes),
            too_large: of(&self.too_large),
            bus_down: of(&self.bus_down),
            not_taken: of(&self.not_taken),
            open: of(&self.open),
            findings: std::array::from_fn(|family| of(&self.findings[family])),
        }
    }
}
