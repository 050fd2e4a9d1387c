//! What a round measured, and what several rounds say together.

use std::time::{Duration, Instant};

use color_eyre::eyre::{Result, bail};
use rl_console_benches::{
    server::Tree,
    stats::{median, number, percentile_us},
};
use serde::Serialize;

use crate::subject::{Plan, ROUND_MAX, Variant};

/// The stopwatch of one round. A cycle lasts from the arrival of one item of a queue to the arrival of the
/// queue's next: settling the first is in it.
pub(crate) struct Laps {
    tree: Tree,
    plan: Plan,
    opened: Instant,
    seen: usize,
    last: Vec<Instant>,
    ns: Vec<u64>,
    from: Option<(Instant, Duration)>,
    to: Option<(Instant, Duration)>,
}

impl Laps {
    /// A stopwatch for one round of `variant` against the server in `tree`.
    pub(crate) fn new(tree: Tree, plan: Plan, variant: &Variant) -> Self {
        let opened = Instant::now();
        Self {
            tree,
            plan,
            opened,
            seen: 0,
            last: vec![opened; variant.queues],
            ns: Vec::with_capacity(plan.cycles),
            from: None,
            to: None,
        }
    }

    /// An item of `queue` arrived.
    ///
    /// # Errors
    /// The round takes longer than [`ROUND_MAX`].
    pub(crate) fn lap(&mut self, queue: usize) -> Result<()> {
        let now = Instant::now();
        if now.duration_since(self.opened) > ROUND_MAX {
            bail!("the round is not done after {} s", ROUND_MAX.as_secs());
        }
        if self.to.is_some() {
            return Ok(());
        }
        self.seen += 1;
        if self.from.is_some() {
            if let Some(last) = self.last.get_mut(queue) {
                self.ns.push(u64::try_from(now.duration_since(*last).as_nanos()).unwrap_or(u64::MAX));
                *last = now;
            }
            if self.ns.len() == self.plan.cycles {
                self.to = Some((now, self.tree.cpu()));
            }
        } else if self.seen == self.plan.warm.max(1) {
            // Reading the processor time takes a while, so it is read before the clock starts.
            let cpu = self.tree.cpu();
            let start = Instant::now();
            self.last.fill(start);
            self.from = Some((start, cpu));
        }
        Ok(())
    }

    /// The round's figures.
    ///
    /// # Errors
    /// Fewer items arrived than planned.
    pub(crate) fn round(mut self) -> Result<Round> {
        let (Some((from, cpu_from)), Some((to, cpu_to))) = (self.from, self.to) else {
            bail!("{} of {} items arrived", self.seen, self.plan.warm + self.plan.cycles);
        };
        self.ns.sort_unstable();
        let cycles = self.ns.len();
        Ok(Round {
            cycles_per_s: number(cycles) / to.duration_since(from).as_secs_f64(),
            p50_us: percentile_us(&self.ns, 50),
            p99_us: percentile_us(&self.ns, 99),
            server_cpu_us: cpu_to.saturating_sub(cpu_from).as_secs_f64() * 1e6 / number(cycles),
        })
    }
}

/// The figures of one round, or the medians of several.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Round {
    /// Cycles a second.
    pub(crate) cycles_per_s: f64,
    /// The median cycle, µs.
    pub(crate) p50_us: f64,
    /// The cycle that one in a hundred exceeds, µs.
    pub(crate) p99_us: f64,
    /// Processor time of the server's processes a cycle, µs.
    pub(crate) server_cpu_us: f64,
}

impl Round {
    /// The median of each figure.
    pub(crate) fn median_of(rounds: &[Self]) -> Option<Self> {
        let each = |figure: fn(&Self) -> f64| median(rounds.iter().map(figure));
        Some(Self {
            cycles_per_s: each(|round| round.cycles_per_s)?,
            p50_us: each(|round| round.p50_us)?,
            p99_us: each(|round| round.p99_us)?,
            server_cpu_us: each(|round| round.server_cpu_us)?,
        })
    }
}
