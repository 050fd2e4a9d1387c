//! Chances: drawn from the seed, the node, the attempt and how many such requests came before, so that timing
//! changes nothing.

use std::collections::HashMap;

/// Nodes and attempts whose requests are counted; those of further ones all count as the first.
const COUNTED_MAX: usize = 65_536;

/// Draws for one request after the other.
#[derive(Debug)]
pub(super) struct Draws {
    seed: u64,
    counts: HashMap<(Box<str>, u64), u64>,
}

impl Draws {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, counts: HashMap::new() }
    }

    /// The chances of the next request for this node and attempt.
    pub(super) fn next(&mut self, node: &str, attempt: u64) -> fastrand::Rng {
        let key = (Box::from(node), attempt);
        let nth = if self.counts.len() < COUNTED_MAX || self.counts.contains_key(&key) {
            let count = self.counts.entry(key).or_default();
            *count += 1;
            *count
        } else {
            1
        };
        fastrand::Rng::with_seed(seed_of(self.seed, node, attempt, nth))
    }
}

/// FNV-1a over all of it, then spread, so that neighbours start far apart.
fn seed_of(seed: u64, node: &str, attempt: u64, nth: u64) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    /// 2⁶⁴ over the golden ratio.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let numbers = [seed, attempt, nth].map(u64::to_be_bytes).concat();
    let hash = numbers
        .iter()
        .chain(node.as_bytes())
        .fold(BASIS, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
    hash.wrapping_mul(SPREAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_draws_the_same_whatever_comes_between() {
        let drawn = |seed, between: bool| {
            let mut draws = Draws::new(seed);
            let mut all = Vec::new();
            for _ in 0..8 {
                all.push(draws.next("write", 1).u64(..));
                if between {
                    draws.next("read", 1);
                    draws.next("write", 2);
                }
            }
            all
        };
        assert_eq!(drawn(1, false), drawn(1, true));
        assert_ne!(drawn(1, false), drawn(2, false));
        assert_eq!(drawn(1, false).iter().collect::<std::collections::BTreeSet<_>>().len(), 8);
    }
}
