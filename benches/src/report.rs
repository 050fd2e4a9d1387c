//! The table, the bounds, and the same as JSON lines.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark's figures are its output; how it goes on is told on stderr"
)]

use rl_console_benches::{
    placement::Placement,
    stats::{Limit, median, number},
};
use serde_json::json;

use crate::{figures::Round, rounds::Rounds, scale::Scale};

/// Says on stderr what happens.
pub(crate) fn progress(what: &str) {
    eprintln!("durable_cycle: {what}");
}

/// How a figure of one subject stands to a figure of another, or to a number.
#[derive(Clone, Copy, Debug)]
enum Measure {
    /// Cycles a second of the first as a multiple of the second's.
    Rate(&'static str, &'static str),
    /// The median cycle of the first as a multiple of the second's.
    P50(&'static str, &'static str),
    /// Processor time of the subject's server a cycle, µs.
    ServerCpu(&'static str),
}

/// What the figures are held against. Missing one is said and fails nothing.
#[derive(Clone, Copy, Debug)]
struct Bound {
    what: &'static str,
    measure: Measure,
    limit: Limit,
    placements: &'static [Placement],
}

const BOTH: &[Placement] = &[Placement::Free, Placement::One];
const FREE: &[Placement] = &[Placement::Free];
const ONE: &[Placement] = &[Placement::One];

const BOUNDS: &[Bound] = &[
    Bound {
        what: "one queue / RabbitMQ",
        measure: Measure::Rate("station-1", "rabbitmq-1"),
        limit: Limit::AtLeast(1.2),
        placements: BOTH,
    },
    Bound {
        what: "one queue / JetStream",
        measure: Measure::Rate("station-1", "jetstream-1"),
        limit: Limit::AtLeast(1.2),
        placements: BOTH,
    },
    Bound {
        what: "one queue / JetStream, +NXT",
        measure: Measure::Rate("station-1", "jetstream-1-next"),
        limit: Limit::AtLeast(1.2),
        placements: BOTH,
    },
    Bound {
        what: "one queue / JetStream, pulls of one",
        measure: Measure::Rate("station-1", "jetstream-1-fetch"),
        limit: Limit::AtLeast(1.2),
        placements: BOTH,
    },
    Bound {
        what: "p50 / TCP echo's p50",
        measure: Measure::P50("station-1", "echo"),
        limit: Limit::AtMost(2.0),
        placements: FREE,
    },
    Bound {
        what: "station's CPU a cycle, µs",
        measure: Measure::ServerCpu("station-1"),
        limit: Limit::AtMost(30.0),
        placements: ONE,
    },
    Bound {
        what: "the same, goal",
        measure: Measure::ServerCpu("station-1"),
        limit: Limit::AtMost(20.0),
        placements: ONE,
    },
    Bound {
        what: "4 queues / RabbitMQ's 4",
        measure: Measure::Rate("station-4", "rabbitmq-4"),
        limit: Limit::AtLeast(1.5),
        placements: BOTH,
    },
    Bound {
        what: "moonshot: one queue / Redis Streams",
        measure: Measure::Rate("station-1", "redis-1"),
        limit: Limit::AtLeast(1.0),
        placements: ONE,
    },
];

impl Measure {
    /// The median over the rounds; a ratio is taken within each round, between neighbours in time.
    fn value(self, rounds: &Rounds) -> Option<f64> {
        let of = |name: &str| rounds.rounds.get(name).filter(|rounds| !rounds.is_empty());
        let ratio = |first: &str, second: &str, figure: fn(&Round) -> f64| {
            median(of(first)?.iter().zip(of(second)?).map(|(first, second)| figure(first) / figure(second)))
        };
        match self {
            Self::Rate(first, second) => ratio(first, second, |round| round.cycles_per_s),
            Self::P50(first, second) => ratio(first, second, |round| round.p50_us),
            Self::ServerCpu(name) => median(of(name)?.iter().map(|round| round.server_cpu_us)),
        }
    }
}

/// Prints the figures of one placement and what they mean for the bounds.
pub(crate) fn figures(placement: Placement, rounds: &Rounds, json: bool) {
    if !json {
        println!("\n{}", placement.name());
        println!(
            "{:<18} {:>6} {:>6} {:>12} {:>9} {:>9} {:>14}",
            "subject", "queues", "rounds", "cycles/s", "p50 µs", "p99 µs", "server CPU µs"
        );
    }
    for variant in &rounds.variants {
        let Some(each) = rounds.rounds.get(variant.name) else { continue };
        let Some(figures) = Round::median_of(each) else { continue };
        let Round { cycles_per_s, p50_us, p99_us, server_cpu_us } = figures;
        if json {
            let line = json!({ "placement": placement, "subject": variant.name, "queues": variant.queues, "median": figures, "rounds": each });
            println!("{line}");
        } else {
            let (name, queues, count) = (variant.name, variant.queues, each.len());
            println!(
                "{name:<18} {queues:>6} {count:>6} {cycles_per_s:>12.0} {p50_us:>9.1} {p99_us:>9.1} {server_cpu_us:>14.1}"
            );
        }
    }
    for bound in BOUNDS.iter().filter(|bound| bound.placements.contains(&placement)) {
        verdict(placement.name(), bound.what, bound.limit, bound.measure.value(rounds), json);
    }
}

fn verdict(of: &str, what: &str, limit: Limit, value: Option<f64>, json: bool) {
    println!("{}", limit.verdict(of, what, value, json));
}

/// Prints what many pending rows cost.
pub(crate) fn scale(scale: &Scale, json: bool) {
    let Scale { rows, enqueue_s, ready_s, resident_ready_kib, resident_after_kib, few, many } = scale;
    if json {
        println!("{}", json!({ "scale": scale }));
    } else {
        println!("\n{rows} pending rows");
        println!(
            "  enqueued through invoke --from in {enqueue_s:.1} s, {:.0} rows/s",
            number(*rows) / enqueue_s
        );
        println!("  cycles/s with few rows {:.0}, with many {:.0}", few.cycles_per_s, many.cycles_per_s);
        println!("  p50 µs with few rows {:.1}, with many {:.1}", few.p50_us, many.p50_us);
        println!("  resident KiB when ready {resident_ready_kib}, after dispatching {resident_after_kib}");
    }
    let mib = |kib: u64| u32::try_from(kib).map(|kib| f64::from(kib) / 1024.0).ok();
    verdict("scale", "start-up until ready, s", Limit::AtMost(2.0), Some(*ready_s), json);
    verdict("scale", "resident when ready, MiB", Limit::AtMost(100.0), mib(*resident_ready_kib), json);
    verdict("scale", "resident after dispatching, MiB", Limit::AtMost(100.0), mib(*resident_after_kib), json);
    verdict(
        "scale",
        "rate with many rows / with few",
        Limit::AtLeast(0.9),
        Some(many.cycles_per_s / few.cycles_per_s),
        json,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds_of(name: &'static str, rates: &[f64], rounds: &mut Rounds) {
        let round =
            |rate: &f64| Round { cycles_per_s: *rate, p50_us: 1e6 / rate, p99_us: 0.0, server_cpu_us: 10.0 };
        rounds.rounds.insert(name, rates.iter().map(round).collect());
    }

    #[test]
    fn a_ratio_is_the_median_of_the_ratios_of_neighbours() {
        let mut rounds = Rounds::default();
        rounds_of("station-1", &[200.0, 90.0, 300.0], &mut rounds);
        rounds_of("rabbitmq-1", &[100.0, 30.0, 300.0], &mut rounds);
        assert_eq!(Measure::Rate("station-1", "rabbitmq-1").value(&rounds), Some(2.0));
        assert_eq!(Measure::Rate("station-1", "jetstream-1").value(&rounds), None);
    }
}
