//! The table, and the same as JSON lines.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark's figures are its output; how it goes on is told on stderr"
)]

use crate::{
    bounds,
    kills::{self, damage},
    round::Row,
};

/// Says on stderr what happens.
pub(crate) fn progress(what: &str) {
    eprintln!("hostile: {what}");
}

/// Prints the heads of the table's columns.
pub(crate) fn head(json: bool) {
    if !json {
        println!(
            "{:<20} {:>9} {:>6} {:>23} {:>15} {:>8} {:>7} {:>8}  held",
            "attack",
            "inputs",
            "lost",
            "p99 ms mpp/rmp/macp",
            "MiB 0/max/after",
            "CPU % 0",
            "ls ms",
            "stop ms"
        );
    }
}

/// Prints an attack.
pub(crate) fn row(row: &Row, json: bool) {
    if json {
        println!("{}", serde_json::to_string(row).unwrap_or_else(|error| error.to_string()));
        return;
    }
    let lost: u64 = row.neighbours.iter().map(|it| it.tally.lost + it.tally.not_connected).sum();
    let p99: Vec<String> = row.neighbours.iter().map(|it| format!("{:.1}", it.p99_ms)).collect();
    let resident = format!(
        "{:.0}/{:.0}/{:.0}",
        row.before.resident_mib, row.during.resident_max_mib, row.after.resident_mib
    );
    println!(
        "{:<20} {:>9} {:>6} {:>23} {resident:>15} {:>8.1} {:>7.0} {:>8.0}  {}",
        row.attack,
        row.inputs,
        lost,
        p99.join(" / "),
        row.after.cpu_percent,
        row.during.ls_max_ms,
        row.stop_ms,
        verdict(&row.missed)
    );
    for line in &row.during.health {
        println!("    {line}");
    }
}

/// Prints that an attack could not be measured to its end.
pub(crate) fn failed(attack: &str, error: &color_eyre::Report, json: bool) {
    if json {
        println!("{}", serde_json::json!({ "attack": attack, "missed": [format!("{error:#}")] }));
    } else {
        println!("{attack:<20} NOT HELD: {error:#}");
    }
}

/// Prints what the kills came to.
pub(crate) fn kills(kills: &kills::Outcome, json: bool) {
    if json {
        println!("{}", serde_json::to_string(kills).unwrap_or_else(|error| error.to_string()));
        return;
    }
    println!("\n{} kills, ready again after at most {:.0} ms", kills.kills, kills.ready_max_ms);
    for it in &kills.acknowledged {
        println!("  {:<12} {:>8} acknowledged, {} lost", it.what, it.acknowledged, it.lost);
    }
    println!("  {} rows came again; {}", kills.again, verdict(&kills.missed));
}

/// Prints what damages of files came to.
pub(crate) fn damages(it: &damage::Outcome, json: bool) {
    if json {
        println!("{}", serde_json::to_string(it).unwrap_or_else(|error| error.to_string()));
        return;
    }
    println!(
        "\n{} damaged folders: {} starts told of damage, {} with losses, {} were refused by the file's name; {}",
        it.damages,
        it.told,
        it.with_losses,
        it.refused,
        verdict(&it.missed)
    );
}

/// Prints what a station took when it was full.
pub(crate) fn bounds(outcome: &bounds::Outcome, json: bool) {
    if json {
        println!("{}", serde_json::to_string(outcome).unwrap_or_else(|error| error.to_string()));
        return;
    }
    println!("\n{:.0} MiB with {} rows, before anybody came", outcome.before_mib, outcome.rows);
    println!(
        "{:>5} {:>13} {:>8} {:>5} {:>8} {:>9} {:>8} {:>19} {:>8} {:>9} {:>6}",
        "cycle",
        "subscriptions",
        "sessions",
        "runs",
        "filled s",
        "read MiB",
        "answers",
        "MiB bus/+macp/+runs",
        "full MiB",
        "empty MiB",
        "ls ms"
    );
    for (number, it) in (1..).zip(&outcome.cycles) {
        let stages = format!("{:.0}/{:.0}/{:.0}", it.readers_mib, it.callers_mib, it.runs_mib);
        println!(
            "{number:>5} {:>13} {:>8} {:>5} {:>8.1} {:>9.0} {:>8} {stages:>19} {:>8.0} {:>9.0} {:>6.0}",
            it.subscriptions,
            it.sessions,
            it.runs,
            it.filled_s,
            it.read_mib,
            it.answers,
            it.full_mib,
            it.empty_mib,
            it.ls_max_ms
        );
    }
    println!("{}", verdict(&outcome.missed));
}

fn verdict(missed: &[String]) -> String {
    if missed.is_empty() { "held".to_owned() } else { format!("NOT HELD: {}", missed.join(", ")) }
}
