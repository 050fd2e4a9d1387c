//! Interleaved rounds: every system has its turn, then the next begins, so that what the machine does
//! meanwhile hits all of them alike.

use std::path::Path;

use color_eyre::eyre::Result;
use rl_console_benches::{
    placement::Placement,
    server::{Start, Tree, raise_files_limit, wait_until_quiet},
};
use serde::Serialize;

use crate::{
    Options, idle,
    library::{self, Library},
    nats::Nats,
    paced::{self, Latency, Pace},
    rate::{self, CASES, Case, Outcome, case},
    redis::Redis,
    report,
    station::Station,
    system::{System, Window},
};

/// Times that idle connections are counted, each time on a new broker.
const IDLE_TIMES: usize = 3;
/// Connections to the station at one time, where a thousand of them are idle.
const MANY_CONNECTIONS: &str = "[limits.rmp]\nconnections_max = 4096\n";

/// The rounds of one system in one case.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Rates {
    /// The system.
    pub(crate) system: &'static str,
    /// The case.
    pub(crate) case: Case,
    /// The window that was taken.
    pub(crate) window: Window,
    /// Its rounds; the n-th of each system belong together.
    pub(crate) rounds: Vec<Outcome>,
}

/// The paced rounds of one system.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Paced {
    /// The system.
    pub(crate) system: &'static str,
    /// Its rounds; none where it failed.
    pub(crate) rounds: Vec<Option<Latency>>,
}

/// What idle connections cost one system.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Idle {
    /// The system.
    pub(crate) system: &'static str,
    /// Resident KiB a connection, each time.
    pub(crate) kib: Vec<f64>,
}

/// Brokers that run, in the order of their turns.
type Systems = Vec<Box<dyn System>>;

/// Starts what is asked for and installed.
fn start(options: &Options, folder: &Path, config: &str) -> Systems {
    let mut systems: Systems = Vec::new();
    if options.wants("rl-console")
        && let Some(station) = started("rl-console", Station::start(&options.station, folder, config))
    {
        systems.push(Box::new(station));
    }
    if options.wants("nats")
        && let Some(nats) = started("nats", Nats::start(folder))
    {
        systems.push(Box::new(nats));
    }
    if (options.wants("redis") || options.wants("redis-unix"))
        && let Some(redis) = started("redis", Redis::start(folder))
    {
        let unix = redis.over_unix(folder);
        let both: [Box<dyn System>; 2] = [Box::new(redis), Box::new(unix)];
        systems.extend(both.into_iter().filter(|it| options.wants(it.name())));
    }
    systems
}

fn started<S>(name: &str, start: Result<Start<S>>) -> Option<S> {
    match start {
        Ok(Start::Running(system)) => return Some(system),
        Ok(Start::Missing(what)) => report::progress(&format!("{name}: skipped, there is no {what}")),
        Err(error) => report::progress(&format!("{name}: skipped, it does not start: {error:#}")),
    }
    None
}

fn quiet(systems: &Systems) {
    let trees: Vec<Tree> = systems.iter().map(|system| system.tree()).collect();
    wait_until_quiet(&trees);
}

/// The rates of all cases.
///
/// # Errors
/// None of their own: a system that fails is reported, and its round does not count.
pub(crate) fn rates(options: &Options, folder: &Path) -> Vec<Rates> {
    let systems = start(options, folder, "");
    let cases = CASES.iter().filter(|case| options.takes(case));
    let turns: Vec<(usize, Case)> =
        cases.flat_map(|case| (0..systems.len()).map(move |at| (at, *case))).collect();
    run(options, &systems, &turns)
}

/// One reading subscriber, without and with one that does not read.
pub(crate) fn stalled(options: &Options, folder: &Path) -> Vec<Rates> {
    let systems = start(options, folder, "");
    let without = case(1, 128);
    let with = Case { stalled: 1, ..without };
    let turns: Vec<(usize, Case)> = (0..systems.len()).flat_map(|at| [(at, without), (at, with)]).collect();
    run(options, &systems, &turns)
}

fn run(options: &Options, systems: &Systems, turns: &[(usize, Case)]) -> Vec<Rates> {
    let mut rows: Vec<Rates> = Vec::new();
    for (at, case) in turns {
        let system = systems[*at].as_ref();
        // What stalls takes no other window, or the two would not compare.
        let same = rows
            .iter()
            .find(|row| row.system == system.name() && Case { stalled: case.stalled, ..row.case } == *case);
        let window = match same.map(|row| row.window) {
            Some(window) => window,
            None => rate::best_window(system, *case, options.tuning()).unwrap_or_else(|error| {
                report::progress(&format!("{}: {error:#}", system.name()));
                system.windows().first().copied().flatten()
            }),
        };
        report::progress(&format!(
            "{} to {} of {} bytes: window {window:?}",
            system.name(),
            case.subscribers,
            case.body_bytes
        ));
        rows.push(Rates { system: system.name(), case: *case, window, rounds: Vec::new() });
    }
    for round in 1..=options.rounds {
        report::progress(&format!("round {round} of {}", options.rounds));
        for ((at, case), row) in turns.iter().zip(&mut rows) {
            quiet(systems);
            let outcome = rate::round(systems[*at].as_ref(), *case, row.window, options.span());
            let outcome = outcome.unwrap_or_else(|error| Outcome::Lost(format!("{error:#}")));
            report::progress(&format!(
                "  {} to {} of {} bytes: {outcome}",
                row.system, case.subscribers, case.body_bytes
            ));
            row.rounds.push(outcome);
        }
    }
    rows
}

/// The rates through client crates, one publisher and one subscriber.
pub(crate) fn clients(options: &Options, folder: &Path) -> Vec<Rates> {
    let systems = start(options, folder, "");
    let libraries: Vec<&dyn Library> = systems.iter().filter_map(|system| system.library()).collect();
    let mut rows: Vec<Rates> = Vec::new();
    let cases = CASES.iter().filter(|case| case.subscribers == 1 && options.takes(case));
    let turns: Vec<(&dyn Library, Case)> =
        cases.flat_map(|case| libraries.iter().map(|it| (*it, *case))).collect();
    for (library, case) in &turns {
        let window = library::best_window(*library, case.body_bytes, options.tuning())
            .inspect_err(|error| report::progress(&format!("{}: {error:#}", library.name())));
        rows.push(Rates { system: library.name(), case: *case, window: window.ok(), rounds: Vec::new() });
    }
    for round in 1..=options.rounds {
        report::progress(&format!("clients: round {round} of {}", options.rounds));
        for ((library, case), row) in turns.iter().zip(&mut rows) {
            let Some(window) = row.window else { continue };
            quiet(&systems);
            let outcome = library::round(*library, case.body_bytes, window, options.span());
            row.rounds.push(outcome.unwrap_or_else(|error| Outcome::Lost(format!("{error:#}"))));
        }
    }
    rows
}

/// The latencies in one placement.
///
/// # Errors
/// The placement is refused.
pub(crate) fn paced(options: &Options, placement: Placement, folder: &Path) -> Result<Vec<Paced>> {
    let _placed = placement.enter()?;
    let systems = start(options, folder, "");
    let pace = Pace {
        per_s: options.pace_per_s,
        body_bytes: 128,
        warm: (options.paced_messages / 10).max(1),
        count: options.paced_messages,
    };
    let mut rows: Vec<Paced> =
        systems.iter().map(|system| Paced { system: system.name(), rounds: Vec::new() }).collect();
    for round in 1..=options.rounds {
        report::progress(&format!("paced, {}: round {round} of {}", placement.name(), options.rounds));
        for (system, row) in systems.iter().zip(&mut rows) {
            quiet(&systems);
            let latency = paced::round(system.as_ref(), pace);
            row.rounds.push(
                latency.inspect_err(|error| report::progress(&format!("{}: {error:#}", system.name()))).ok(),
            );
        }
    }
    Ok(rows)
}

/// What idle connections cost.
///
/// # Errors
/// The folder cannot be written, or not enough files may be open.
pub(crate) fn idle(options: &Options, folder: &Path) -> Result<Vec<Idle>> {
    raise_files_limit()?;
    let mut rows: Vec<Idle> = Vec::new();
    for time in 0..IDLE_TIMES {
        report::progress(&format!("idle connections: {} of {IDLE_TIMES}", time + 1));
        let folder = folder.join(time.to_string());
        std::fs::create_dir(&folder)?;
        // The one server of both has the same connections.
        for system in
            start(options, &folder, MANY_CONNECTIONS).iter().filter(|system| system.name() != "redis-unix")
        {
            match idle::kib_each(system.as_ref(), options.idle_connections) {
                Ok(kib) => match rows.iter_mut().find(|row| row.system == system.name()) {
                    Some(row) => row.kib.push(kib),
                    None => rows.push(Idle { system: system.name(), kib: vec![kib] }),
                },
                Err(error) => report::progress(&format!("{}: {error:#}", system.name())),
            }
        }
    }
    Ok(rows)
}
