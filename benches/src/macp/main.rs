//! The benchmark of the coordination runtime: rl-console's own, its log on, beside a bare tonic server that
//! answers the same messages and does nothing else, in one run.
//!
//! ```text
//! cargo build --profile dist                              # the console, in the repository's root
//! cd benches && cargo run --release --bin macp              # all of it, about three minutes
//! cargo run --release --bin macp -- --measure load --rounds 3 --json
//! ```
//!
//! # How it is driven
//!
//! Both are driven by the same client over one connection, in one thread: bare HTTP/2, since a client with
//! layers would be the limit. *Votes*: so many callers, each with one `Send` of a vote in flight, in a
//! decision that has one proposal. *Starts*: so many callers that open sessions. *Stream*: votes on one
//! `StreamSession` with 256 in flight. A round first runs warm; then calls, the server's processor
//! time (all its threads, the log's writer included) and each call's latency are taken. An answer that is not
//! an accepted one ends the benchmark.
//!
//! *Depth*: the server's processor time a message of 5,000 evaluations that are streamed into a decision with
//! a few, and into one that holds 100,000.
//!
//! *Idle*: the station's resident memory when 50,000 sessions are open, and when 50,000 more are, each time
//! once what opening them took is given back.
//!
//! Rounds are interleaved: each row has its turn, then the next round begins; figures are medians over the
//! rounds, and a difference is the median of the differences within each round. Before each turn both servers
//! must have become quiet. For scale stand the rates of the reference runtime on this class of machine, in
//! memory and without a log. A bound that is missed is said and fails nothing: the exit code is 0 whenever it
//! ran.

mod depth;
mod echo;
mod idle;
mod load;
mod report;
mod servers;

use std::{path::PathBuf, time::Duration};

use clap::{Parser, Subcommand, ValueEnum};
use color_eyre::eyre::{Result, WrapErr};
use rl_console_benches::server;
pub(crate) use rl_console_benches::v1;

use crate::{load::Span, servers::Pair};

/// The coordination runtime of rl-console beside a bare tonic server.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// The console as it is shipped.
    #[arg(long, value_name = "PATH", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/dist/rl-console"))]
    station: PathBuf,

    /// What to measure.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_values_t = [Measure::Load, Measure::Depth, Measure::Idle]
    )]
    measure: Vec<Measure>,

    /// Rounds of each row.
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    rounds: usize,

    /// How long one round runs, after a fifth of it to get warm.
    #[arg(long, value_name = "MS", default_value_t = 1_000)]
    round_ms: u64,

    /// Sessions that are opened to see what an idle one costs.
    #[arg(long, value_name = "COUNT", default_value_t = 50_000)]
    idle_sessions: usize,

    /// Figures as JSON lines.
    #[arg(long)]
    json: bool,

    #[command(subcommand)]
    role: Option<Role>,
}

/// Something to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Measure {
    /// Calls a second and what they cost the server.
    Load,
    /// What a message costs in a long session.
    Depth,
    /// What an idle session costs in memory.
    Idle,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// Is the bare server; started by the benchmark itself.
    #[command(hide = true)]
    Echo,
}

fn main() -> Result<()> {
    color_eyre::install()?;
    let options = Options::parse();
    if let Some(Role::Echo) = options.role {
        return echo::serve();
    }
    let folder = tempfile::Builder::new().prefix("macp.").tempdir().wrap_err("making a temporary folder")?;
    server::stop_on_interrupt(folder.path().to_owned())?;
    for measure in &options.measure {
        let below = folder.path().join(format!("{measure:?}").to_lowercase());
        std::fs::create_dir(&below)?;
        match measure {
            Measure::Load => {
                let pair = Pair::start(&options.station, &below)?;
                let run = Duration::from_millis(options.round_ms);
                let span = Span { warm: run / 5, run };
                report::loads(&load::rounds(&pair, options.rounds, span)?, options.json);
            }
            Measure::Depth => {
                report::depth(&depth::rounds(&options.station, &below, options.rounds)?, options.json);
            }
            Measure::Idle => {
                report::idle(&idle::measure(&options.station, &below, options.idle_sessions)?, options.json);
            }
        }
    }
    Ok(())
}
