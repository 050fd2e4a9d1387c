//! The flags of stand-ins for peers.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// `sim`.
#[derive(Debug, Subcommand)]
pub(crate) enum SimPeer {
    /// A game adapter that serves every queue of a pack, over TCP, from outside.
    Adapter(SimAdapterArgs),

    /// An agent that answers the requests on `agent/NAME` by a script.
    Agent(SimAgentArgs),

    /// Participants of sessions that decide together: they start, propose, evaluate, object, vote and commit,
    /// or contribute until they agree.
    Session(SimSessionArgs),
}

/// What a script says, for the help.
const SCRIPT: &str = "\
A script has rules; the first one that fits a request decides. Every key may be left out:
  [[rule]]
  node = \"draft\"                     only requests for the node with this id
  attempt = 1                        only this attempt
  chance = 0.3                       only this share of what came so far
  delay_ms = [100, 400]              how long it takes: a number, or a range
  progress = [\"reading\", \"writing\"]  said on the way, in equal steps
  answer = \"fail\"                    echo, ports, fail, or none for silence
  reason = \"no quota\"                of fail
  retryable = true                   of fail
  tokens = 120                       meta.tokens of the answer
  [[rule.ports.out]]                 of ports: a value on the port `out`
  type = \"artifact.draft.email.v1\"
  value = { subject = \"hello\" }      this one, or
  schema = { type = \"object\" }       one that this JSON Schema takes

What no rule fits is echoed: all inputs come back on the port `out`.";

/// `sim agent`.
#[derive(Debug, Args)]
#[command(after_long_help = SCRIPT)]
pub(crate) struct SimAgentArgs {
    /// Its name: it serves the topic agent/NAME.
    pub(crate) name: String,

    /// The script, in TOML: rules by which requests are answered; without one all inputs come back on the
    /// port `out`.
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,

    /// What chances, delays and values are drawn from: the same seed does the same for the same requests.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Connect again whenever the connection is lost, waiting longer each time.
    #[arg(long)]
    pub(crate) reconnect: bool,
}

/// `sim adapter`.
#[derive(Debug, Args)]
pub(crate) struct SimAdapterArgs {
    /// Where the station listens [default: the configured address and port, 127.0.0.1:7777].
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) addr: Option<String>,

    /// A file that holds the bridge token; without it the variable `RL_CONSOLE_BRIDGE_TOKEN` does.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Milliseconds from an invocation to its `done`: half of them until `applied`.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub(crate) latency: u64,

    /// The share of invocations that fail, 0 to 1.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = share)]
    pub(crate) fail_rate: f64,

    /// The share of invocations that fail with a refund, 0 to 1.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = share)]
    pub(crate) refund_rate: f64,

    /// What the chances are drawn from: the same seed decides the same for the same invocation.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Log frames a second besides, to rehearse a flood: of all levels, some long, some with characters that
    /// must not reach a screen as they are. Each makes two entries of the tap. Once a second it says how
    /// many it sent; what it cannot send in time it leaves out.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) logs_per_s: Option<u32>,

    /// Connect again whenever the connection is lost, waiting longer each time.
    #[arg(long)]
    pub(crate) reconnect: bool,
}

/// `sim session`.
#[derive(Debug, Args)]
pub(crate) struct SimSessionArgs {
    /// How sessions are coordinated: `decision`, `multi_round`, or `mixed` for both.
    #[arg(long, value_enum, default_value_t = SimMode::Decision)]
    pub(crate) mode: SimMode,

    /// How many take part in each session.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) participants: u16,

    /// End after so many sessions; without it they go on until Ctrl-C.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sessions: Option<u64>,

    /// How many sessions are held at the same time.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) at_once: u16,

    /// Milliseconds from one message of a session to the next, half of it more or less; 0 for none.
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(..=600_000))]
    pub(crate) pace: u64,

    /// The share of sessions that are cancelled on the way, 0 to 1.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = share)]
    pub(crate) cancel_rate: f64,

    /// The share of sessions that are left on the way, so that their time runs out, 0 to 1.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = share)]
    pub(crate) leave_rate: f64,

    /// What is drawn from: the same seed holds the same sessions.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// What the ids of sessions begin with; with the same seed and the same prefix all messages are the
    /// same, and those that the station has already are duplicates [default: one that is made up].
    #[arg(long, value_name = "TEXT")]
    pub(crate) prefix: Option<String>,

    /// Send again whenever the connection is lost, waiting longer each time; a message that arrived counts
    /// once.
    #[arg(long)]
    pub(crate) reconnect: bool,
}

/// How simulated sessions are coordinated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimMode {
    /// Decisions.
    Decision,
    /// Rounds.
    #[value(name = "multi_round", alias = "multi-round")]
    MultiRound,
    /// Both.
    Mixed,
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("takes 0 to 1".to_owned()) }
}
