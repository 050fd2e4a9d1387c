//! One durable dispatch cycle.

mod amqp;
mod echo;
mod figures;
mod jetstream;
mod placement;
mod rabbitmq;
mod redis_streams;
mod report;
mod rounds;
mod scale;
mod server;
mod station;
mod subject;
mod wire;

use std::{path::PathBuf, process, thread};

use clap::{Args, Parser, Subcommand};
use color_eyre::eyre::{Result, WrapErr};

use crate::placement::Placements;

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
    /// The release binary of the console.
    #[arg(long, value_name = "PATH", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/release/rl-console"))]
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
    let folder = tempfile::Builder::new().prefix("durable_cycle.").tempdir().wrap_err("making a temporary folder")?;
    stop_on_interrupt(folder.path().to_owned())?;
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

/// On SIGINT or SIGTERM: kills the servers, removes their files and ends with the shell's code for an interrupt.
fn stop_on_interrupt(folder: PathBuf) -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut interrupt, mut terminate) = {
        let _inside = runtime.enter();
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    thread::spawn(move || {
        runtime.block_on(futures_util::future::select(Box::pin(interrupt.recv()), Box::pin(terminate.recv())));
        server::kill_all();
        // What cannot be removed stays in the temporary folder.
        let _ = std::fs::remove_dir_all(folder);
        process::exit(130);
    });
    Ok(())
}
