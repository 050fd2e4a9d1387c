//! The tables, the bounds, and the same as JSON lines.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark's metrics are its output; how it goes on is told on stderr"
)]

use rl_console_benches::{
    placement::Placement,
    stats::{Limit, median},
};
use serde_json::json;

use crate::{
    paced::Latency,
    rate::{CASES, Case, Figures},
    rounds::{Idle, Paced, Rates},
};

const OURS: &str = "rl-console";

/// Says on stderr what happens.
pub(crate) fn progress(what: &str) {
    eprintln!("bus: {what}");
}

fn verdict(of: &str, what: &str, limit: Limit, value: Option<f64>, json: bool) {
    println!("{}", limit.verdict(of, what, value, json));
}

fn of(rates: &Rates, figure: fn(Figures) -> f64) -> Option<f64> {
    median(rates.rounds.iter().filter_map(|round| round.metrics().map(figure)))
}

/// The median of the ratios of neighbours in time; a round in which either lost a message has none.
fn ratio(first: &Rates, second: &Rates, figure: fn(Figures) -> f64) -> Option<f64> {
    let both = first.rounds.iter().zip(&second.rounds);
    median(both.filter_map(|(first, second)| Some(figure(first.metrics()?) / figure(second.metrics()?))))
}

fn rate_table(of_what: &str, rows: &[Rates], json: bool) {
    if !json {
        println!("\n{of_what}: medians of the rounds without a loss");
        println!(
            "{:<12} {:>4} {:>7} {:>6} {:>7} {:>10} {:>13} {:>13} {:>10} {:>12}",
            "system",
            "subs",
            "stalled",
            "bytes",
            "window",
            "loss-free",
            "delivered/s",
            "published/s",
            "broker ns",
            "driver's core"
        );
    }
    for row in rows {
        let Rates { system, case: Case { subscribers, body_bytes, stalled }, window, rounds } = row;
        let metrics: [fn(Figures) -> f64; 4] = [
            |it| it.delivered_per_s,
            |it| it.published_per_s,
            |it| it.broker_ns,
            |it| it.driver_core * 100.0,
        ];
        let medians = metrics.map(|figure| of(row, figure));
        if json {
            let [delivered_per_s, published_per_s, broker_ns, driver_percent] = medians;
            let line = json!({
                "measure": of_what, "row": row, "delivered_per_s": delivered_per_s, "published_per_s": published_per_s,
                "broker_ns": broker_ns, "driver_percent": driver_percent,
            });
            println!("{line}");
            continue;
        }
        let counted =
            format!("{}/{}", rounds.iter().filter(|round| round.metrics().is_some()).count(), rounds.len());
        let window = window.map_or("free".to_owned(), |window| window.to_string());
        let [delivered, published, broker, driver] =
            medians.map(|it| it.map_or("-".to_owned(), |it| format!("{it:.0}")));
        println!(
            "{system:<12} {subscribers:>4} {stalled:>7} {body_bytes:>6} {window:>7} {counted:>10} {delivered:>13} {published:>13} \
             {broker:>10} {driver:>10} %"
        );
    }
    if !json {
        for row in rows {
            let losses = row.rounds.iter().filter_map(|round| match round {
                crate::rate::Outcome::Lost(what) => Some(what),
                crate::rate::Outcome::Figures(_) => None,
            });
            for what in losses {
                println!(
                    "  {} to {} of {} bytes, not counted: {what}",
                    row.system, row.case.subscribers, row.case.body_bytes
                );
            }
        }
    }
}

/// Prints the rates and what they mean for the bounds.
pub(crate) fn rates(rows: &[Rates], json: bool) {
    rate_table("rate", rows, json);
    let row = |system: &str, case: Case| rows.iter().find(|row| row.system == system && row.case == case);
    let against = |case: Case, peer: &str| ratio(row(OURS, case)?, row(peer, case)?, |it| it.delivered_per_s);
    for case in CASES {
        let what = |peer: &str| format!("1:{} of {} bytes / {peer}", case.subscribers, case.body_bytes);
        if case.subscribers == 1 {
            verdict("rate", &what("NATS"), Limit::AtLeast(1.0), against(*case, "nats"), json);
            verdict(
                "rate",
                &format!("{}, floor", what("NATS")),
                Limit::AtLeast(0.7),
                against(*case, "nats"),
                json,
            );
        } else {
            verdict("rate", &what("NATS"), Limit::AtLeast(0.7), against(*case, "nats"), json);
            verdict("rate", &what("Redis"), Limit::AtLeast(1.0), against(*case, "redis"), json);
            verdict(
                "rate",
                &what("Redis, Unix socket"),
                Limit::AtLeast(1.0),
                against(*case, "redis-unix"),
                json,
            );
        }
    }
}

/// Prints the rates through client crates.
pub(crate) fn clients(rows: &[Rates], json: bool) {
    rate_table("clients", rows, json);
}

/// Prints what a stalled subscriber does to a publisher.
pub(crate) fn stalled(rows: &[Rates], json: bool) {
    rate_table("stalled", rows, json);
    for pair in rows.chunks(2) {
        let [without, with] = pair else { continue };
        let change = ratio(with, without, |it| it.published_per_s).map(|ratio| (1.0 - ratio) * 100.0);
        let what = format!("{}: publisher slower by a stalled one, %", with.system);
        verdict("stalled", &what, Limit::AtMost(5.0), change, json);
    }
}

/// Prints the latencies of one placement and what they mean for the bounds.
pub(crate) fn paced(placement: Placement, per_s: u32, rows: &[Paced], json: bool) {
    let of = |row: &Paced, figure: fn(&Latency) -> f64| median(row.rounds.iter().flatten().map(figure));
    if !json {
        println!(
            "\none-way latency at {per_s} messages a second, {}: medians of the rounds",
            placement.name()
        );
        println!("{:<12} {:>10} {:>9} {:>9} {:>12}", "system", "loss-free", "p50 µs", "p99 µs", "sent/s");
    }
    for row in rows {
        let metrics: [fn(&Latency) -> f64; 3] = [|it| it.p50_us, |it| it.p99_us, |it| it.per_s];
        let metrics = metrics.map(|figure| of(row, figure));
        if json {
            let [p50_us, p99_us, sent_per_s] = metrics;
            println!(
                "{}",
                json!({ "placement": placement, "row": row, "p50_us": p50_us, "p99_us": p99_us, "sent_per_s": sent_per_s })
            );
            continue;
        }
        let counted = format!("{}/{}", row.rounds.iter().flatten().count(), row.rounds.len());
        let [p50, p99, sent] = metrics.map(|it| it.map_or("-".to_owned(), |it| format!("{it:.1}")));
        println!("{:<12} {counted:>10} {p50:>9} {p99:>9} {sent:>12}", row.system);
    }
    let row = |system: &str| rows.iter().find(|row| row.system == system);
    let ratio = |peer: &str| {
        let both = row(OURS)?.rounds.iter().zip(&row(peer)?.rounds);
        median(both.filter_map(|(ours, theirs)| Some(ours.as_ref()?.p99_us / theirs.as_ref()?.p99_us)))
    };
    verdict(placement.name(), "p99 / NATS's", Limit::AtMost(1.0), ratio("nats"), json);
}

/// Prints what idle connections cost.
pub(crate) fn idle(connections: usize, rows: &[Idle], json: bool) {
    if !json {
        println!("\nresident memory an idle connection, at {connections}");
    }
    for row in rows {
        let kib = median(row.kib.iter().copied());
        if json {
            println!("{}", json!({ "row": row, "kib": kib }));
        } else {
            println!("{:<12} {:>9.1} KiB", row.system, kib.unwrap_or(f64::NAN));
        }
    }
    let ours = rows.iter().find(|row| row.system == OURS).and_then(|row| median(row.kib.iter().copied()));
    verdict("idle", "KiB an idle connection", Limit::AtMost(64.0), ours, json);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::{Outcome, case};

    fn rates(rounds: &[Option<f64>]) -> Rates {
        let metrics = |rate: f64| Figures {
            delivered_per_s: rate,
            published_per_s: rate,
            broker_ns: 0.0,
            driver_core: 0.0,
        };
        let outcome = |rate: &Option<f64>| {
            rate.map_or(Outcome::Lost(String::new()), |rate| Outcome::Figures(metrics(rate)))
        };
        Rates { system: OURS, case: case(1, 128), window: None, rounds: rounds.iter().map(outcome).collect() }
    }

    #[test]
    fn a_ratio_is_of_neighbours_and_a_lost_round_has_none() {
        let (first, second) =
            (rates(&[Some(200.0), None, Some(30.0)]), rates(&[Some(100.0), Some(1.0), Some(30.0)]));
        assert_eq!(ratio(&first, &second, |it| it.delivered_per_s), Some(1.5));
        assert_eq!(of(&first, |it| it.delivered_per_s), Some(115.0));
    }
}
