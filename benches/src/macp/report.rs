//! The tables, the bounds, and the same as JSON lines.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark's figures are its output; how it goes on is told on stderr"
)]

use rl_console_benches::stats::{Limit, median};
use serde_json::json;

use crate::{
    depth::{Depth, HELD},
    idle::Idle,
    load::{LOADS, Load, Metrics, Row},
};

/// Says on stderr what happens.
pub(crate) fn progress(what: &str) {
    eprintln!("macp: {what}");
}

fn verdict(of: &str, what: &str, limit: Limit, value: Option<f64>, json: bool) {
    println!("{}", limit.verdict(of, what, value, json));
}

fn name(load: Load) -> String {
    match load {
        Load::Votes(callers) => format!("votes, {callers} callers"),
        Load::Starts(callers) => format!("starts, {callers} callers"),
        Load::Stream => "stream, 256 in flight".to_owned(),
    }
}

/// What the reference runtime does a second, in memory only and without a log, the share of it that is to be
/// reached, and the processor time, µs, that a call may cost beyond the bare server's.
const fn bounds(load: Load) -> (f64, f64, Option<f64>) {
    match load {
        Load::Votes(1) => (8_000.0, 0.9, Some(20.0)),
        Load::Votes(16) => (32_000.0, 1.0, Some(10.0)),
        Load::Votes(_) => (40_000.0, 1.0, Some(10.0)),
        Load::Starts(_) => (32_000.0, 1.0, None),
        Load::Stream => (190_000.0, 0.8, None),
    }
}

/// Prints what the loads took.
pub(crate) fn loads(rows: &[Row], json: bool) {
    if !json {
        println!(
            "\n{:<22} {:<11} {:>10} {:>14} {:>9} {:>9}",
            "load", "server", "calls/s", "server CPU µs", "p50 µs", "p99 µs"
        );
    }
    for row in rows {
        let each = |figure: fn(&Metrics) -> f64| median(row.rounds.iter().map(figure)).unwrap_or_default();
        let (per_s, cpu, p50, p99) =
            (each(|it| it.per_s), each(|it| it.server_cpu_us), each(|it| it.p50_us), each(|it| it.p99_us));
        if json {
            println!(
                "{}",
                json!({ "row": row, "per_s": per_s, "server_cpu_us": cpu, "p50_us": p50, "p99_us": p99 })
            );
        } else {
            println!(
                "{:<22} {:<11} {per_s:>10.0} {cpu:>14.1} {p50:>9.1} {p99:>9.1}",
                name(row.load),
                row.server
            );
        }
    }
    for load in LOADS {
        let mut of_load = rows.iter().filter(|row| row.load == load);
        let (Some(ours), Some(bare)) = (of_load.next(), of_load.next()) else { continue };
        let (per_s, share, beyond_us) = bounds(load);
        let rate = median(ours.rounds.iter().map(|round| round.per_s / per_s));
        verdict(
            "load",
            &format!("{} / the reference's {per_s}", name(load)),
            Limit::AtLeast(share),
            rate,
            json,
        );
        if let Some(beyond_us) = beyond_us {
            let both = ours.rounds.iter().zip(&bare.rounds);
            let beyond = median(both.map(|(ours, bare)| ours.server_cpu_us - bare.server_cpu_us));
            verdict(
                "load",
                &format!("{}: CPU beyond the bare server's, µs", name(load)),
                Limit::AtMost(beyond_us),
                beyond,
                json,
            );
        }
    }
}

/// Prints what a message costs in a long session.
pub(crate) fn depth(rounds: &[Depth], json: bool) {
    let few = median(rounds.iter().map(|round| round.few_us)).unwrap_or_default();
    let many = median(rounds.iter().map(|round| round.many_us)).unwrap_or_default();
    if json {
        println!("{}", json!({ "depth": rounds, "few_us": few, "many_us": many }));
    } else {
        println!("\nserver CPU µs an evaluation, few held {few:.1}, {HELD} held {many:.1}");
    }
    let ratio = median(rounds.iter().map(|round| round.many_us / round.few_us));
    verdict("depth", "an evaluation among 100,000 / among few", Limit::AtMost(1.2), ratio, json);
}

/// Prints what an idle session costs.
pub(crate) fn idle(idle: &Idle, json: bool) {
    if json {
        println!("{}", json!({ "idle": idle }));
    } else {
        println!("\n{} idle sessions", idle.sessions);
    }
    verdict(
        "idle",
        "resident bytes an idle open session",
        Limit::AtMost(1_024.0),
        Some(idle.bytes_each),
        json,
    );
}
