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
pub(crate) struct AdapterProfile {
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
pub(super) enum SimOutcome {
    /// `applied`, then `done`.
    Done,
    /// `failed`.
    Failed,
    /// `failed` with `refund: true`.
    Refunded,
}

impl AdapterProfile {
    /// The fate of an invocation.
    pub(super) fn outcome(&self, id: InvocationId) -> SimOutcome {
        let drawn = rng_of(self.seed, id.0).f64();
        if drawn < self.refund_rate {
            SimOutcome::Refunded
        } else if drawn < self.refund_rate + self.fail_rate {
            SimOutcome::Failed
        } else {
            SimOutcome::Done
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manner(fail_rate: f64, refund_rate: f64, seed: u64) -> AdapterProfile {
        AdapterProfile { latency: Duration::ZERO, fail_rate, refund_rate, seed, logs_per_s: None }
    }

    fn count(manner: &AdapterProfile, fate: SimOutcome) -> usize {
        (0..10_000).filter(|id| manner.outcome(InvocationId(*id)) == fate).count()
    }

    #[test]
    fn shares_are_kept_and_a_seed_repeats() {
        let half = manner(0.25, 0.25, 7);
        assert!((2_200..2_800).contains(&count(&half, SimOutcome::Failed)));
        assert!((2_200..2_800).contains(&count(&half, SimOutcome::Refunded)));
        assert_eq!(count(&manner(0.0, 0.0, 7), SimOutcome::Done), 10_000);
        assert_eq!(count(&manner(0.0, 1.0, 7), SimOutcome::Refunded), 10_000);
        assert_eq!(count(&manner(1.0, 0.0, 7), SimOutcome::Failed), 10_000);
        let fates =
            |seed| (0..64).map(|id| manner(0.5, 0.0, seed).outcome(InvocationId(id))).collect::<Vec<_>>();
        assert_eq!(fates(1), fates(1));
        assert_ne!(fates(1), fates(2));
    }
}
