//! The bridge under random schedules: connects, frames good and bad, commands, commits that come late or
//! never, reads that are stale, time, restarts. What must hold at every step is checked at every step; at the
//! end everything that was accepted has come to its end.

use proptest::prelude::*;

use act::{Act, Line, act};
use schedule::Schedule;

mod act;
mod check;
mod regressions;
mod schedule;

/// `PROPTEST_CASES`, or few enough for every run.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(96)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        max_shrink_iters: 4_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_is_lost_doubled_or_out_of_order(acts in prop::collection::vec(act(), 1..250)) {
        run(&acts);
    }
}

/// A schedule from a fresh bridge to the end of all that it took.
fn run(acts: &[Act]) {
    let mut schedule = Schedule::new();
    for act in acts {
        schedule.step(act);
    }
    schedule.finish();
}
