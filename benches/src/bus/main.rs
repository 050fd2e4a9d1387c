//! The benchmark of the bus: rl-console's own beside core NATS and Redis publish/subscribe, in one run.
//!
//! ```text
//! cargo build --profile dist                              # the console, in the repository's root
//! cd benches && cargo run --release --bin bus               # all of it, about fifteen minutes
//! cargo run --release --bin bus -- --only rl-console,nats --measure rate --rounds 3
//! cargo run --release --bin bus -- --measure paced --placement one --json
//! ```
//!
//! The peers come from Debian's packages `nats-server` and `redis-server`; one that is missing is skipped
//! with a word. Each broker is started here with its files in a temporary folder, and is stopped at the end,
//! also on an interrupt. NATS and Redis listen on a spare loopback port, as they come; Redis has a second row
//! over its Unix socket, which is what rl-console's bus listens on.
//!
//! # How it is driven
//!
//! All systems are driven by the same loops, which write and read each system's own protocol by hand, so that
//! measuring costs little and the same with each. A body is 128 or 4,096 bytes, its number and its time in
//! front; over RMP it is the payload of an observation, the envelope not counted. No broker is asked to
//! answer a publication. Over RMP every message has a `msg_id` of its own and passes the broker's dedupe.
//!
//! *Rate*: one publisher and 1, 4 or 8 subscribers, each on its own connection, all in one thread. The
//! publisher keeps at most a window of messages beyond what the slowest subscriber has received. For each
//! system and case the window is the best of a few, found in two short rounds each; the station's stay below
//! the 1,024 messages of a subscriber's queue, the peers may also run free. A round in which a subscriber
//! missed a message, or had one twice, does not count, and the table says how many counted. *Delivered* is
//! what all subscribers together received.
//!
//! *Paced*: 10,000 messages a second of 128 bytes to one subscriber, one thread for each end; the latency is
//! from just before a message is written until the read that brought it returned. `free` leaves it to the
//! system where the threads and the broker run, `one core` puts all of them on core 0.
//!
//! *Stalled*: the publisher's rate to a subscriber that reads, without and with another that never does.
//!
//! *Idle*: the broker's resident memory before and after a thousand connections have subscribed, each to a
//! topic of its own.
//!
//! *Client*: the rate to one subscriber through async-nats, one thread and runtime for each end.
//!
//! Rounds are interleaved: each row has its turn, then the next round begins; figures are medians over the
//! rounds, and a ratio is the median of the ratios within each round. Before each turn all brokers must have
//! become quiet. A bound that is missed is said and fails nothing: the exit code is 0 whenever it ran.
//!
//! What else the machine does shows above all in a p99, where a broker waits for a core that another program
//! has. Where that cannot be stopped, `chrt -f 1` before the command puts this program and the brokers that
//! it starts before everything else.

mod async_nats;
mod drive;
mod idle;
mod library;
mod nats;
mod paced;
mod rate;
mod redis;
mod report;
mod rmp;
mod rounds;
mod station;
mod stream;
mod system;

use std::{path::PathBuf, time::Duration};

use clap::{Parser, ValueEnum};
use color_eyre::eyre::{Result, WrapErr};
use rl_console_benches::{placement::Placements, server};

use crate::rate::{Case, Span};

/// The bus of rl-console beside core NATS and Redis publish/subscribe.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// The console as it is shipped.
    #[arg(long, value_name = "PATH", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/dist/rl-console"))]
    pub(crate) station: PathBuf,

    /// Only these: `rl-console`, `nats`, `redis`, `redis-unix`.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) only: Vec<String>,

    /// Only this many subscribers.
    #[arg(long, value_name = "COUNT", value_delimiter = ',')]
    pub(crate) subscribers: Vec<usize>,

    /// Only bodies of so many bytes.
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    pub(crate) body_bytes: Vec<usize>,

    /// What to measure.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "rate,paced,stalled,idle,client")]
    pub(crate) measure: Vec<Measure>,

    /// Where the processes run while they are paced.
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) placement: Placements,

    /// Rounds of each row.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) rounds: u32,

    /// Milliseconds under the clock in one round of a rate.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(100..=60_000))]
    pub(crate) round_ms: u64,

    /// Messages a second while paced.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) pace_per_s: u32,

    /// Messages that are measured in one paced round.
    #[arg(long, default_value_t = 20_000)]
    pub(crate) paced_messages: usize,

    /// Idle connections.
    #[arg(long, default_value_t = 1_000)]
    pub(crate) idle_connections: usize,

    /// One JSON object a line instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Something to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Measure {
    /// The highest rate without a loss.
    Rate,
    /// The latency at a steady pace.
    Paced,
    /// What a stalled subscriber does to a publisher.
    Stalled,
    /// What idle connections cost.
    Idle,
    /// The highest rate without a loss through client crates.
    Client,
}

impl Options {
    /// Whether a system is asked for.
    pub(crate) fn wants(&self, system: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == system)
    }

    /// Whether a case is asked for.
    pub(crate) fn takes(&self, case: &Case) -> bool {
        let takes = |asked: &[usize], value| asked.is_empty() || asked.contains(&value);
        takes(&self.subscribers, case.subscribers) && takes(&self.body_bytes, case.body_bytes)
    }

    /// How long a round takes.
    pub(crate) fn span(&self) -> Span {
        Span { warm: Duration::from_millis(self.round_ms / 3), run: Duration::from_millis(self.round_ms) }
    }

    /// How long a round takes that only looks for a window.
    pub(crate) fn tuning(&self) -> Span {
        Span { warm: Duration::from_millis(self.round_ms / 5), run: Duration::from_millis(self.round_ms / 3) }
    }
}

fn main() -> Result<()> {
    color_eyre::install()?;
    let options = Options::parse();
    let folder = tempfile::Builder::new().prefix("bus.").tempdir().wrap_err("making a temporary folder")?;
    server::stop_on_interrupt(folder.path().to_owned())?;
    let below = |name: &str| -> Result<PathBuf> {
        let folder = folder.path().join(name);
        std::fs::create_dir(&folder)?;
        Ok(folder)
    };
    for measure in &options.measure {
        match measure {
            Measure::Rate => report::rates(&rounds::rates(&options, &below("rate")?), options.json),
            Measure::Stalled => report::stalled(&rounds::stalled(&options, &below("stalled")?), options.json),
            Measure::Idle => report::idle(
                options.idle_connections,
                &rounds::idle(&options, &below("idle")?)?,
                options.json,
            ),
            Measure::Client => report::clients(&rounds::clients(&options, &below("client")?), options.json),
            Measure::Paced => {
                for placement in options.placement.each() {
                    let rows =
                        rounds::paced(&options, *placement, &below(&format!("paced-{}", placement.name()))?)?;
                    report::paced(*placement, options.pace_per_s, &rows, options.json);
                }
            }
        }
    }
    Ok(())
}
