//! Which connections hold most of what the queues of all may hold: over the bound they lose first (ruling
//! RMP 8).

use std::{cmp::Reverse, collections::BTreeSet};

use slab::Slab;

use crate::limits;

/// Bytes that a connection keeps whatever others queue, or its part of the bound where that is less.
const FLOOR_BYTES: u64 = 256 << 10;

/// The connections that hold more than the least that one keeps.
#[derive(Debug)]
pub(super) struct Shares {
    bytes_max: u64,
    /// Bytes of one that holds less than any floor there may be: it is not ranked.
    unranked_max: u64,
    /// Bytes that each connection keeps.
    floor: u64,
    ranked: Slab<Share>,
    ranks: BTreeSet<Rank>,
}

/// A connection as one that may lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) name: u64,
    /// It loses only where nobody else can.
    pub(super) loses_last: bool,
}

/// A place among those that hold most.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShareRef(usize);

#[derive(Debug)]
struct Share {
    name: u64,
    /// Bytes that it can lose.
    bytes: u64,
    rank: Rank,
}

/// Who loses first is last: of those that hold as much, to a factor of two, the one that nothing was written
/// to for longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    loses_last: Reverse<bool>,
    log2: u32,
    written_at: Reverse<u64>,
    at: usize,
}

impl Shares {
    pub(super) fn new(limits: &limits::Rmp) -> Self {
        let limits::Rmp { connections_max, operator_connections_max, leaving_max, .. } = limits;
        // The one that is about to be told that there is no place for it has one while it is.
        let connections_max = connections_max.saturating_add(operator_connections_max + leaving_max + 1);
        Self {
            bytes_max: limits.queued_bytes_max,
            unranked_max: FLOOR_BYTES.min(limits.queued_bytes_max / connections_max),
            floor: FLOOR_BYTES.min(limits.queued_bytes_max),
            ranked: Slab::new(),
            ranks: BTreeSet::new(),
        }
    }

    pub(super) fn set_connections(&mut self, connections: u64) {
        self.floor = FLOOR_BYTES.min(self.bytes_max / connections.max(1));
    }

    /// Bytes that each connection keeps.
    pub(super) fn floor(&self) -> u64 {
        self.floor
    }

    /// Notes how much a connection can lose, and when it read last.
    #[inline]
    pub(super) fn update(&mut self, owner: Owner, held: &mut Option<ShareRef>, bytes: u64, written_at: u64) {
        if held.is_some() || bytes > self.unranked_max {
            self.rank(owner, held, bytes, written_at);
        }
    }

    fn rank(&mut self, owner: Owner, held: &mut Option<ShareRef>, bytes: u64, written_at: u64) {
        if bytes <= self.unranked_max {
            return self.remove(held);
        }
        let Owner { name, loses_last } = owner;
        let at = held.map_or_else(|| self.ranked.vacant_key(), |ShareRef(at)| at);
        let rank = Rank {
            loses_last: Reverse(loses_last),
            log2: bytes.ilog2(),
            written_at: Reverse(written_at),
            at,
        };
        if let Some(share) = self.ranked.get_mut(at) {
            share.bytes = bytes;
            if share.rank != rank {
                self.ranks.remove(&share.rank);
                self.ranks.insert(rank);
                share.rank = rank;
            }
        } else {
            *held = Some(ShareRef(self.ranked.insert(Share { name, bytes, rank })));
            self.ranks.insert(rank);
        }
    }

    pub(super) fn remove(&mut self, held: &mut Option<ShareRef>) {
        if let Some(share) = held.take().and_then(|ShareRef(at)| self.ranked.try_remove(at)) {
            self.ranks.remove(&share.rank);
        }
    }

    /// The connection that loses first, if any holds more than its floor.
    #[inline]
    pub(super) fn first(&self) -> Option<u64> {
        if self.ranked.is_empty() { None } else { self.first_ranked() }
    }

    fn first_ranked(&self) -> Option<u64> {
        self.over_floor().next().map(|share| share.name)
    }

    /// Bytes that those who hold more than their floor can lose: all of them, or as many as are `lacking`.
    pub(super) fn cuttable(&self, lacking: u64) -> u64 {
        if lacking == 0 {
            return 0;
        }
        let mut cuttable = 0;
        self.over_floor().map(|share| share.bytes - self.floor).any(|more| {
            cuttable += more;
            cuttable >= lacking
        });
        cuttable
    }

    /// The connections that hold more than their floor, the one first that loses first.
    fn over_floor(&self) -> impl Iterator<Item = &Share> {
        // Only those of the floor's own rank are to be looked at one by one.
        let log2 = self.floor.max(1).ilog2();
        let of = move |loses_last| {
            let least =
                |log2| Rank { loses_last: Reverse(loses_last), log2, written_at: Reverse(u64::MAX), at: 0 };
            self.ranks.range(least(log2)..least(u32::MAX)).rev()
        };
        let ranks = of(false).chain(of(true));
        ranks.filter_map(|rank| self.ranked.get(rank.at)).filter(|share| share.bytes > self.floor)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn agrees_with_looking_at_all(
            ops in proptest::collection::vec((0_usize..12, 0_u64..5_000, any::<bool>()), 1..200),
            connections in 12_u64..40,
            last in 0_usize..13,
        ) {
            let limits = limits::Rmp {
                queued_bytes_max: 20_000,
                connections_max: 40,
                leaving_max: 8,
                ..limits::Rmp::default()
            };
            let mut shares = Shares::new(&limits);
            shares.set_connections(connections);
            let floor = 20_000 / connections;
            let mut all: Vec<(u64, u64)> = vec![(0, 0); 12];
            let mut held: [Option<ShareRef>; 12] = [None; 12];
            for (stamp, (at, bytes, is_read)) in ops.into_iter().enumerate() {
                let (stamp, log2_max) = (stamp as u64 + 1, floor.ilog2());
                all[at] = (bytes, if is_read { stamp } else { all[at].1 });
                let owner = Owner { name: at as u64, loses_last: at >= last };
                shares.update(owner, &mut held[at], bytes, all[at].1);
                let over = (0..all.len()).filter(|at| all[*at].0 > floor);
                let rank = |at: usize| (at < last, all[at].0.ilog2(), Reverse(all[at].1));
                let most = over.map(rank).max();
                let first = shares.first().map(|at| rank(usize::try_from(at).unwrap()));
                prop_assert_eq!(first, most);
                let more: u64 = all.iter().map(|(bytes, _)| bytes.saturating_sub(floor)).sum();
                prop_assert_eq!(shares.cuttable(u64::MAX), more);
                prop_assert!((more.min(bytes)..=more).contains(&shares.cuttable(bytes)));
                prop_assert!(most.is_none_or(|(_, log2, _)| log2 >= log2_max));
            }
        }
    }
}
