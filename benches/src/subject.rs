//! A subject of the measurement: a server with one or more ways to run the cycle against it.

use std::time::Duration;

use color_eyre::eyre::{Result, bail};
use rl_console_benches::server::Tree;

use crate::figures::Laps;

/// How long one read may take before the round is given up.
pub(crate) const READ_MAX: Duration = Duration::from_secs(10);
/// How long one round, and one filling, may take before it is given up.
pub(crate) const ROUND_MAX: Duration = Duration::from_secs(180);

/// What the client sends for one item, and in how many pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Settling one item and asking for the next leave in one write.
    Together,
    /// Each frame or request leaves by itself.
    Apart,
    /// Only the settling leaves: the server has been told once to send the next item whenever none is in
    /// flight.
    Standing,
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// Its name, as `--only` takes it.
    pub(crate) name: &'static str,
    /// How many queues are served at once.
    pub(crate) queues: usize,
    /// How the client speaks.
    pub(crate) manner: Manner,
}

/// How many cycles one round has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Cycles before the clock starts.
    pub(crate) warm: usize,
    /// Cycles under the clock.
    pub(crate) cycles: usize,
}

impl Plan {
    /// How many items each queue holds at the start. With several queues a tenth more, so that none runs dry
    /// before the last measured cycle.
    pub(crate) fn per_queue(self, queues: usize) -> usize {
        let each = (self.warm + self.cycles).div_ceil(queues.max(1));
        if queues > 1 { each + each / 10 + 1 } else { each }
    }
}

/// A server and its client.
pub(crate) trait Subject {
    /// The ways in which the cycle is run against it.
    fn variants(&self) -> &'static [Variant];

    /// The server's processes.
    fn tree(&self) -> Tree;

    /// Puts the items of one round in, as durably as the server offers, and returns when they are.
    ///
    /// # Errors
    /// The server refuses, or it takes longer than [`ROUND_MAX`].
    fn fill(&mut self, variant: &Variant, plan: Plan) -> Result<()>;

    /// Takes and settles every item that [`fill`](Self::fill) put in, and tells `laps` whenever one arrives.
    ///
    /// # Errors
    /// The server refuses, an item does not come within [`READ_MAX`], or all takes longer than [`ROUND_MAX`].
    fn run(&mut self, variant: &Variant, plan: Plan, laps: &mut Laps) -> Result<()>;
}

/// Waits for `work` on `runtime`, at most [`ROUND_MAX`].
///
/// # Errors
/// Its own, or the time ran out.
pub(crate) fn within<T>(
    runtime: &tokio::runtime::Runtime,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    runtime.block_on(async {
        match tokio::time::timeout(ROUND_MAX, work).await {
            Ok(result) => result,
            Err(_) => bail!("not done after {} s", ROUND_MAX.as_secs()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_queue_holds_exactly_the_cycles_and_several_hold_a_tenth_more() {
        let plan = Plan { warm: 100, cycles: 900 };
        assert_eq!(plan.per_queue(1), 1_000);
        assert_eq!(plan.per_queue(4), 276);
    }
}
