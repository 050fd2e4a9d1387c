//! All four systems at their bounds in numbers, with readers that read, again and again: what memory a
//! station takes when it is full, and whether that grows.
//!
//! | system | what is full |
//! |---|---|
//! | MPP | 64 connections; `--rows` pending, which lie in the store, so that a part stands for ten million |
//! | the bus | 1,024 connections, `--subscriptions` each, a message on each of 16,384 topics again and again |
//! | runs | 256 that are worked on |
//! | MACP | 1,024 connections with a stream each that is read, 100,000 open sessions |
//!
//! Where a number is all that counts, one more is tried and must be refused: else it was not full. Sessions
//! and runs end by their own time, all at one moment; what is connected leaves then.

mod bus;
mod rows;
mod runs;
mod sessions;

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use clap::Args;
use color_eyre::eyre::{Result, WrapErr, ensure, eyre};
use rl_console_benches::{
    paired::Files,
    server::{raise_files_limit, wait_until_quiet},
};
use serde::Serialize;

use self::{bus::Readers, sessions::Callers};
use crate::{neighbours::ROWS_PER_S, report::progress, station::Station};

/// Connections of the bus that are not readers: the neighbours, the one for runs, the one that publishes.
const BUS_OTHERS: usize = 4;
/// One process makes all connections of the bus.
const CONFIG: &str = "[limits.rmp]\npeer_connections_max = 1_024\n";
/// How long a full station is looked at.
const LOOK: Duration = Duration::from_secs(5);
/// How long an empty one has to give back what it took.
const RECOVERY: Duration = Duration::from_secs(10);

const RESIDENT_MAX_MIB: f64 = 200.0;
/// From the second cycle on, with nothing left that is used for the first time.
const GROWTH_MAX: f64 = 1.05;
const LS_MAX_MS: f64 = 1_000.0;

/// What is asked for.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Fills all four systems of a station to their bounds in numbers so many times.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) cycles: usize,

    /// Seconds from the beginning of such a cycle until its sessions and runs end.
    #[arg(long, value_name = "S", default_value_t = 45)]
    cycle_s: u64,

    /// Subscriptions of each reader of the bus: with 16 each topic has one, with 256 the table is full.
    #[arg(long, value_name = "N", default_value_t = 16)]
    subscriptions: usize,

    /// Rows that are pending meanwhile.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    rows: usize,
}

impl Plan {
    const fn time(self) -> Duration {
        Duration::from_secs(self.cycle_s)
    }
}

/// One time full, and empty again.
#[derive(Debug, Serialize)]
pub(crate) struct Cycle {
    pub(crate) subscriptions: usize,
    pub(crate) sessions: usize,
    pub(crate) runs: usize,
    /// How long it took until all were there.
    pub(crate) filled_s: f64,
    /// What the readers of the bus were sent.
    pub(crate) read_mib: f64,
    /// Messages that came back on the streams of MACP.
    pub(crate) answers: u64,
    /// Resident once the bus had its readers, MACP its sessions as well, the runs as well.
    pub(crate) readers_mib: f64,
    pub(crate) callers_mib: f64,
    pub(crate) runs_mib: f64,
    /// The most while all of it worked.
    pub(crate) full_mib: f64,
    pub(crate) empty_mib: f64,
    pub(crate) ls_max_ms: f64,
}

/// What all cycles came to.
#[derive(Debug, Serialize)]
pub(crate) struct Outcome {
    pub(crate) rows: usize,
    pub(crate) before_mib: f64,
    pub(crate) cycles: Vec<Cycle>,
    pub(crate) missed: Vec<String>,
}

/// Fills a station so many times.
///
/// # Errors
/// It does not come up, is gone, or is not full in time.
pub(crate) fn make(plan: Plan, program: &Path, folder: &Path, descriptors: u64) -> Result<Outcome> {
    raise_files_limit()?;
    let files = Files::create(program, &folder.join("bounds"))?;
    let config = files.folder.join("rl-console");
    fs::create_dir_all(&config)?;
    fs::write(config.join("config.toml"), CONFIG)?;
    let station = Station::serve(files, descriptors)?;
    let served = usize::try_from((plan.time() + LOOK + RECOVERY).as_secs())? * plan.cycles * ROWS_PER_S;
    progress(&format!("{} rows", plan.rows + served));
    station.files.enqueue(1, plan.rows + served)?;
    wait_until_quiet(&[station.tree()]);
    let before_mib = station.resident_mib()?;
    let neighbours = station.neighbours()?;
    neighbours.run();
    let mut cycles = Vec::new();
    for number in 0..plan.cycles {
        progress(&format!("cycle {} of {}", number + 1, plan.cycles));
        cycles.push(cycle(&station, number, plan).wrap_err_with(|| format!("cycle {}", number + 1))?);
    }
    drop(neighbours);
    let missed = missed(&cycles);
    Ok(Outcome { rows: plan.rows, before_mib, cycles, missed })
}

fn cycle(station: &Station, number: usize, plan: Plan) -> Result<Cycle> {
    let from = Instant::now();
    let ends_at = from + plan.time();
    let adapters = rows::connect(station.targets.mpp)?;
    let resident_mib = || station.resident_mib();
    let readers =
        Readers::connect(&station.targets.rmp, bus::CONNECTIONS_MAX - BUS_OTHERS, plan.subscriptions)?;
    let readers_mib = resident_mib()?;
    let callers = Callers::open(station.targets.macp, number, ends_at)?;
    let callers_mib = resident_mib()?;
    let submitter = runs::submit(&station.targets.rmp, number, ends_at)?;
    let runs_mib = resident_mib()?;
    let mut publisher = bus::Publisher::connect(&station.targets.rmp, number)?;
    bus::is_refused(&station.targets.rmp)?;
    let filled_s = from.elapsed().as_secs_f64();
    ensure!(from.elapsed() + LOOK < plan.time(), "full after {filled_s:.0} s only: --cycle-s is too short");
    let seen = thread::scope(|scope| {
        let publishing = scope.spawn(move || publisher.publish_for(LOOK));
        let seen = station.watch(LOOK)?;
        publishing.join().map_err(|_| eyre!("the publisher panicked"))??;
        Ok::<_, color_eyre::Report>(seen)
    })?;
    let sessions = callers.sessions;
    thread::sleep(ends_at.saturating_duration_since(Instant::now()));
    let (answers, read_bytes) = (callers.leave()?, readers.leave()?);
    drop((submitter, adapters));
    thread::sleep(RECOVERY);
    wait_until_quiet(&[station.tree()]);
    Ok(Cycle {
        subscriptions: (bus::CONNECTIONS_MAX - BUS_OTHERS) * plan.subscriptions,
        sessions,
        runs: runs::OPEN_MAX,
        filled_s,
        #[expect(clippy::cast_precision_loss, reason = "bytes of a minute stay far below 2^52")]
        read_mib: read_bytes as f64 / 1_048_576.0,
        answers,
        readers_mib,
        callers_mib,
        runs_mib,
        full_mib: seen.resident_max_mib,
        empty_mib: station.resident_mib()?,
        ls_max_ms: seen.ls_max_ms,
    })
}

/// The bounds that are not held.
fn missed(cycles: &[Cycle]) -> Vec<String> {
    let mut missed = Vec::new();
    for (number, it) in (1..).zip(cycles) {
        if it.full_mib > RESIDENT_MAX_MIB {
            missed.push(format!("cycle {number}: {:.0} MiB", it.full_mib));
        }
        if it.ls_max_ms > LS_MAX_MS {
            missed.push(format!("cycle {number}: ls took {:.0} ms", it.ls_max_ms));
        }
    }
    if let [_, second, .., last] = cycles {
        for (what, then, now) in
            [("full", second.full_mib, last.full_mib), ("empty", second.empty_mib, last.empty_mib)]
        {
            if now > then * GROWTH_MAX {
                missed.push(format!("{what}: it grew from {then:.0} to {now:.0} MiB"));
            }
        }
    }
    missed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(full_mib: f64) -> Cycle {
        Cycle {
            subscriptions: 1,
            sessions: 1,
            runs: 1,
            filled_s: 1.0,
            read_mib: 1.0,
            answers: 1,
            readers_mib: 0.0,
            callers_mib: 0.0,
            runs_mib: 0.0,
            full_mib,
            empty_mib: 50.0,
            ls_max_ms: 10.0,
        }
    }

    #[test]
    fn what_grows_and_what_is_too_much_is_missed() {
        let of = |full: [f64; 4]| missed(&full.map(cycle));
        assert_eq!(of([90.0, 100.0, 101.0, 104.0]), [""; 0]);
        assert_eq!(of([90.0, 100.0, 101.0, 110.0]), ["full: it grew from 100 to 110 MiB"]);
        assert_eq!(of([201.0, 100.0, 101.0, 100.0]), ["cycle 1: 201 MiB"]);
    }
}
