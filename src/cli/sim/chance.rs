//! What becomes of an invocation: drawn from the seed and its id alone, so that neither timing nor order
//! changes it.

use std::time::Duration;

use crate::ids::InvocationId;

/// The chances of one of a kind: neighbouring seeds and numbers start far apart.
pub(super) fn rng_of(seed: u64, number: u64) -> fastrand::Rng {
    /// 2⁶⁴ over the golden ratio.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    fastrand::Rng::with_seed(
        seed.wrapping_mul(SPREAD) ^ number.wrapping_add(1).wrapping_mul(SPREAD.rotate_left(32)),
    )
}

/// How a simulated adapter behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Manner {
    /// From an invocation to its `done`; half of it until `applied`.
    pub(crate) latency: Duration,
    /// The share of invocations that fail.
    pub(crate) fail_rate: f64,
    /// The share of invocations that fail with a refund.
    pub(crate) refund_rate: f64,
    /// What chances are drawn from.
    pub(crate) seed: u64,
    /// Log frames a second, for rehearsing what a flood does.
    pub(crate) logs_per_s: Option<u32>,
}

/// What becomes of one invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// `applied`, then `done`.
    Done,
    /// `failed`.
    Failed,
    /// `failed` with `refund: true`.
    Refunded,
}

impl Manner {
    /// The fate of an invocation.
    pub(super) fn fate(&self, id: InvocationId) -> Fate {
        let drawn = rng_of(self.seed, id.0).f64();
        if drawn < self.refund_rate {
            Fate::Refunded
        } else if drawn < self.refund_rate + self.fail_rate {
            Fate::Failed
        } else {
            Fate::Done
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manner(fail_rate: f64, refund_rate: f64, seed: u64) -> Manner {
        Manner { latency: Duration::ZERO, fail_rate, refund_rate, seed, logs_per_s: None }
    }

    fn count(manner: &Manner, fate: Fate) -> usize {
        (0..10_000).filter(|id| manner.fate(InvocationId(*id)) == fate).count()
    }

    #[test]
    fn shares_are_kept_and_a_seed_repeats() {
        let half = manner(0.25, 0.25, 7);
        assert!((2_200..2_800).contains(&count(&half, Fate::Failed)));
        assert!((2_200..2_800).contains(&count(&half, Fate::Refunded)));
        assert_eq!(count(&manner(0.0, 0.0, 7), Fate::Done), 10_000);
        assert_eq!(count(&manner(0.0, 1.0, 7), Fate::Refunded), 10_000);
        assert_eq!(count(&manner(1.0, 0.0, 7), Fate::Failed), 10_000);
        let fates =
            |seed| (0..64).map(|id| manner(0.5, 0.0, seed).fate(InvocationId(id))).collect::<Vec<_>>();
        assert_eq!(fates(1), fates(1));
        assert_ne!(fates(1), fates(2));
    }
}
