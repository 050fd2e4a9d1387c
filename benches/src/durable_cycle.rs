//! The benchmark of one durable dispatch cycle: rl-console over MPP v2 beside RabbitMQ, JetStream, Redis
//! Streams and a bare TCP echo, in one run.
//!
//! ```text
//! cargo build --profile dist                               # the console, in the repository's root
//! cd benches && cargo run --release                         # all of it, both placements, about ten minutes
//! cargo run --release -- --only station,echo --rounds 3     # some of it
//! cargo run --release -- --placement one --json             # JSON lines
//! cargo run --release -- --scale                            # a million pending rows
//! ```
//!
//! The peers come from Debian's packages `rabbitmq-server`, `nats-server` and `redis-server`; one that is
//! missing is skipped with a word. Each server is started here, on a spare loopback port, with its files in a
//! temporary folder, and is stopped at the end, also on an interrupt.
//!
//! # What one cycle is
//!
//! Everything is enqueued before the clock starts, as durably as the server offers. A cycle lasts from the
//! arrival of one item of a queue to the arrival of that queue's next: the client settles the first, asks for
//! the next where the protocol has that, and the server hands it out. One item is in flight on a queue at any
//! time. All carry the same payload, one MPP `invocation`; the echo answers as many bytes as a settlement has
//! with as many as an invocation has.
//!
//! | row | the client sends for a cycle | what has happened when the next item comes |
//! |---|---|---|
//! | `station-1` | `applied`, `done`, `pull` in one write | `applied` is committed: survives a kill of the station |
//! | `station-1-frames` | the same in three writes | the same |
//! | `station-4`, `station-4-frames` | the same on four queues of the one connection | the same |
//! | `rabbitmq-1`, `rabbitmq-4` | `basic.ack`; prefetch 1, a channel a queue | the acknowledgement is taken, in memory |
//! | `jetstream-1` | `+ACK` under one standing pull, `max_ack_pending` 1 | the acknowledgement is taken, its state is written behind |
//! | `jetstream-1-next` | `+NXT` | the same |
//! | `jetstream-1-fetch` | `+ACK`, then a pull of one | the same |
//! | `redis-1` | `XACK`, then `XREADGROUP COUNT 1`: two round trips | both are written to the log, synced every second |
//! | `redis-1-pipelined` | both in one pipeline | the same |
//! | `echo` | as many bytes | nothing |
//!
//! # How it is measured
//!
//! Rounds are interleaved: each row has its turn, then the next round begins; figures are medians over the
//! rounds, and a ratio is the median of the ratios within each round. After filling, all servers must have
//! become quiet; then a tenth more cycles run, then those under the clock. `server CPU` is what all threads
//! of the server's processes used under the clock. `free` leaves it to the system where client and server
//! run; `one core` pins both to core 0, where no other core has to be woken. On a machine that does something
//! else meanwhile the figures say little. A bound that is missed is said and fails nothing: the exit code is
//! 0 whenever it ran.

mod amqp;
mod echo;
mod figures;
mod jetstream;
mod rabbitmq;
mod redis_streams;
mod report;
mod rounds;
mod scale;
mod station;
mod subject;
mod wire;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use color_eyre::eyre::{Result, WrapErr};
use rl_console_benches::{placement::Placements, server};

/// One durable dispatch cycle of rl-console beside RabbitMQ, JetStream, Redis Streams and a bare TCP echo.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Internal>,
    #[command(flatten)]
    options: Options,
}

/// What to measure.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The console as it is shipped.
    #[arg(long, value_name = "PATH", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/dist/rl-console"))]
    pub(crate) station: PathBuf,

    /// Cycles under the clock in one round.
    #[arg(long, default_value_t = 20_000, value_parser = cycles)]
    pub(crate) cycles: usize,

    /// Rounds of each subject.
    #[arg(long, default_value_t = 5, value_parser = rounds)]
    pub(crate) rounds: usize,

    /// Only these rows of the table (`station-1`), or all rows of these subjects (`rabbitmq`).
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) only: Vec<String>,

    /// Where the processes run.
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) placement: Placements,

    /// Instead: start-up, memory and rate with very many pending rows.
    #[arg(long)]
    pub(crate) scale: bool,

    /// How many rows those are.
    #[arg(long, default_value_t = 1_000_000, value_parser = rows)]
    pub(crate) scale_rows: usize,

    /// One JSON object a line instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
enum Internal {
    /// The other end of the TCP echo; started by the benchmark itself.
    #[command(hide = true)]
    EchoServer {
        /// Bytes of a question.
        #[arg(long)]
        ask: usize,
        /// Bytes of an answer.
        #[arg(long)]
        answer: usize,
    },
}

fn within(text: &str, min: usize, max: usize) -> Result<usize, String> {
    let number = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if (min..=max).contains(&number) { Ok(number) } else { Err(format!("it takes {min} to {max}")) }
}

fn cycles(text: &str) -> Result<usize, String> {
    within(text, 100, 1_000_000)
}

fn rounds(text: &str) -> Result<usize, String> {
    within(text, 1, 100)
}

fn rows(text: &str) -> Result<usize, String> {
    within(text, 1_000, 10_000_000)
}

impl Options {
    /// Cycles before the clock starts: a tenth, at least 100.
    pub(crate) fn warm_up(&self) -> usize {
        (self.cycles / 10).max(100)
    }

    /// Whether a row of the table is asked for.
    pub(crate) fn wants(&self, variant: &str) -> bool {
        let subject = variant.split('-').next();
        self.only.is_empty() || self.only.iter().any(|name| name == variant || Some(name.as_str()) == subject)
    }

    /// Whether any row of a subject is asked for.
    pub(crate) fn wants_any(&self, subject: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name.split('-').next() == Some(subject))
    }
}

fn main() -> Result<()> {
    color_eyre::install()?;
    let cli = Cli::parse();
    if let Some(Internal::EchoServer { ask, answer }) = cli.command {
        return echo::serve(ask, answer, std::io::stdout());
    }
    let folder =
        tempfile::Builder::new().prefix("durable_cycle.").tempdir().wrap_err("making a temporary folder")?;
    server::stop_on_interrupt(folder.path().to_owned())?;
    let options = cli.options;
    if options.scale {
        report::scale(&scale::measure(&options, folder.path())?, options.json);
        return Ok(());
    }
    for (at, placement) in options.placement.each().iter().enumerate() {
        let folder = folder.path().join(at.to_string());
        std::fs::create_dir(&folder)?;
        report::figures(*placement, &rounds::measure(&options, *placement, &folder)?, options.json);
    }
    Ok(())
}
