//! Attacks on a station: what they cost those who keep to the protocols, the operator and the machine.
//!
//! ```text
//! cargo build --profile dist                                   # the console, in the repository's root
//! cd benches && cargo run --release --bin hostile                # all attacks, 15 minutes
//! cargo run --release --bin hostile -- --attack rmp_idle,grpc_silent --minutes 1 --seed 7 --json
//! cargo run --release --bin hostile -- --minutes 0 --kills 1000   # SIGKILLs under load of all four systems
//! cargo run --release --bin hostile -- --minutes 0 --damages 100  # damaged files of killed stations
//! cargo run --release --bin hostile -- --minutes 0 --cycles 10    # memory with all four systems full, ten times
//! ```
//!
//! Each attack has a station of its own, in a temporary folder, on ports that are free, with `--files` open
//! files. It is made by processes of its own (the bus knows its peers by theirs), by the bytes of the
//! specifications, without the console's own codecs, and from a seed. Three clients that keep to their
//! protocols work meanwhile: an adapter of MPP (pull, invocation, `applied`, `done`; 50 a second), a
//! publisher and a subscriber of the bus (200 a second), a caller of MACP (100 a second). How long their work
//! takes is counted from when it was due.
//!
//! | figure | is taken | bound |
//! |---|---|---|
//! | lost, not connected, rows | of the three clients while the attack lasts | 0 |
//! | p99 | of each of them | ≤ 20 ms |
//! | `ls` | the slowest `ls health` of one a second | ≤ 1 s |
//! | `stop` | `stop --yes --force` while the attack is made again | ≤ 3 s |
//! | CPU afterwards | over 1 s, within 10 s of the end | ≤ 0.5 % |
//! | memory afterwards | resident, within 10 s of the end | ≤ 120 % of before |
//!
//! Before is when the tap's ring is full, in bytes and in entries, of ordinary messages of the bus: that it
//! fills is no part of what an attack leaves behind. What else is kept within its bound and filled for the
//! first time counts: `runs_submit` and `runs_garbage` leave the 65,536 answers of the control plane that are
//! remembered (`limits.runs.answers_max`) and pages of the store.
//!
//! The p99 of the same clients before the attack (`calm`, as JSON) says what the machine itself does to them:
//! client, attacker and station share it. `bounds.rs` says what is full in a cycle. The exit code is 1 where
//! a bound is not held.

mod attack;
mod attacks;
mod bounds;
mod crowd;
mod garbage;
mod kills;
mod neighbours;
mod report;
mod round;
mod socket;
mod station;

use std::{path::PathBuf, process::ExitCode, time::Duration};

use clap::{Parser, Subcommand};
use color_eyre::eyre::{Result, WrapErr, ensure};
use rl_console_benches::{server, stats::number};

use crate::{
    attack::{Attack, Order},
    bounds::Plan,
};

/// Attacks on a station, and what its well-behaved clients lose.
#[derive(Debug, Parser)]
#[command(subcommand_negates_reqs = true)]
struct Options {
    /// The console as it is shipped.
    #[arg(long, value_name = "PATH", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/dist/rl-console"))]
    station: PathBuf,

    /// How long all attacks take together; 0 makes none.
    #[arg(long, value_name = "N", default_value_t = 15.0)]
    minutes: f64,

    /// Of everything that is random.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Only these attacks.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    attack: Vec<String>,

    /// Kills the station so many times under load of all four systems.
    #[arg(long, value_name = "N", default_value_t = 0)]
    kills: usize,

    /// Damages so many data folders of killed stations, and starts each again.
    #[arg(long, value_name = "N", default_value_t = 0)]
    damages: usize,

    #[command(flatten)]
    bounds: Plan,

    /// Open files of the station, the soft limit.
    #[arg(long, value_name = "N", default_value_t = 1_024)]
    files: u64,

    /// Figures as JSON lines.
    #[arg(long)]
    json: bool,

    #[command(subcommand)]
    role: Option<Role>,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// Is an attacker; started by the benchmark itself.
    #[command(hide = true)]
    Attack(Order),
}

fn main() -> Result<ExitCode> {
    color_eyre::install()?;
    let options = Options::parse();
    if let Some(Role::Attack(order)) = options.role {
        attack::make(order)?;
        return Ok(ExitCode::SUCCESS);
    }
    let station = options.station.canonicalize().wrap_err_with(|| {
        format!("there is no {} (cargo build --profile dist, or --station PATH)", options.station.display())
    })?;
    let attacks = chosen(&options)?;
    let folder =
        tempfile::Builder::new().prefix("hostile.").tempdir().wrap_err("making a temporary folder")?;
    server::stop_on_interrupt(folder.path().to_owned())?;
    let mut are_all_held = true;
    if !attacks.is_empty() {
        report::head(options.json);
    }
    for attack in &attacks {
        report::progress(&format!("{}: {}", attack.name, attack.about));
        let time = Duration::from_secs_f64(options.minutes * 60.0 / number(attacks.len()));
        let row = round::make(attack, &station, folder.path(), (time, options.seed, options.files))
            .wrap_err_with(|| format!("{} with seed {}", attack.name, options.seed));
        match row {
            Ok(row) => {
                are_all_held &= row.missed.is_empty();
                report::row(&row, options.json);
            }
            Err(error) => {
                are_all_held = false;
                report::failed(attack.name, &error, options.json);
            }
        }
    }
    if options.kills > 0 {
        let kills = kills::make(options.kills, &station, folder.path(), options.seed, options.files)?;
        are_all_held &= kills.missed.is_empty();
        report::kills(&kills, options.json);
    }
    if options.damages > 0 {
        let damages =
            kills::damage::make(options.damages, &station, folder.path(), options.seed, options.files)?;
        are_all_held &= damages.missed.is_empty();
        report::damages(&damages, options.json);
    }
    if options.bounds.cycles > 0 {
        let bounds = bounds::make(options.bounds, &station, folder.path(), options.files)?;
        are_all_held &= bounds.missed.is_empty();
        report::bounds(&bounds, options.json);
    }
    Ok(if are_all_held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn chosen(options: &Options) -> Result<Vec<&'static Attack>> {
    ensure!(options.minutes >= 0.0, "--minutes is 0 or more");
    if options.minutes == 0.0 {
        return Ok(Vec::new());
    }
    if options.attack.is_empty() {
        return Ok(attacks::all().collect());
    }
    options.attack.iter().map(|name| attack::named(name)).collect()
}
