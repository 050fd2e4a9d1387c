//! The flags of stand-ins for peers.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::sim_plugin::SimPluginArgs;

/// `sim`.
#[derive(Debug, Subcommand)]
pub(crate) enum SimPeer {
    /// Simulate a game adapter that serves every queue of a pack over TCP.
    Adapter(SimAdapterArgs),

    /// Simulate an agent that answers requests on `agent/NAME` by a script.
    Agent(SimAgentArgs),

    /// Simulate participants of MACP sessions: they start sessions, propose, evaluate, object, vote and
    /// commit, or contribute until they agree.
    Session(SimSessionArgs),

    /// Write the folder of a simulated plugin, well-behaved or not.
    ///
    /// Its entry runs this program, and needs no configuration and no station. The plugin registers a panel
    /// with all field types, sets a status slot, logs every event, notifies once, and declares the actions
    /// sim.echo and playback.resolve.
    Plugin(SimPluginArgs),
}

/// What a script says, for the help.
const SCRIPT: &str =
    "A script is a list of rules; the first rule that matches a request applies. Every key is optional:
  [[rule]]
  node = \"draft\"                     only requests for the node with this id
  attempt = 1                        only this attempt
  chance = 0.3                       only this share of the requests matched so far
  delay_ms = [100, 400]              the time to answer: a number, or a range
  progress = [\"reading\", \"writing\"]  progress messages, at equal intervals
  answer = \"fail\"                    echo, ports, fail, or none to stay silent
  reason = \"no quota\"                the reason, with fail
  retryable = true                   whether to retry, with fail
  tokens = 120                       meta.tokens of the answer
  [[rule.ports.out]]                 a value on the port `out`, with ports
  type = \"artifact.draft.email.v1\"
  value = { subject = \"hello\" }      a fixed value, or
  schema = { type = \"object\" }       a generated value that matches this JSON Schema

Requests that match no rule are echoed: all inputs are returned on the port `out`.";

/// `sim agent`.
#[derive(Debug, Args)]
#[command(after_long_help = SCRIPT)]
pub(crate) struct SimAgentArgs {
    /// The agent's name; it serves the topic agent/NAME.
    pub(crate) name: String,

    /// The script, a TOML file of rules that decide the answers; without one all inputs are returned on the
    /// port `out`.
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,

    /// The random seed for chances, delays and values; the same seed gives the same answers to the same
    /// requests.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Reconnect after the connection is lost, with increasing delays.
    #[arg(long)]
    pub(crate) reconnect: bool,
}

/// `sim adapter`.
#[derive(Debug, Args)]
pub(crate) struct SimAdapterArgs {
    /// The station's address [default: the configured address and port, 127.0.0.1:7777].
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) addr: Option<String>,

    /// A file with the bridge token [default: the variable `RL_CONSOLE_BRIDGE_TOKEN`].
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    /// Milliseconds from an invocation to its `done`; `applied` is sent after half of them.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub(crate) latency: u64,

    /// The share of invocations that fail, from 0 to 1.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = share)]
    pub(crate) fail_rate: f64,

    /// The share of invocations that fail with a refund, from 0 to 1.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = share)]
    pub(crate) refund_rate: f64,

    /// The random seed; the same seed gives the same outcome for the same invocation.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Also send this many log frames per second, to rehearse a flood: all levels, long lines, and control
    /// characters that the console must escape. Each frame is two tap entries. The number sent is printed
    /// once a second; frames that cannot be sent in time are skipped.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) logs_per_s: Option<u32>,

    /// Reconnect after the connection is lost, with increasing delays.
    #[arg(long)]
    pub(crate) reconnect: bool,
}

/// `sim session`.
#[derive(Debug, Args)]
pub(crate) struct SimSessionArgs {
    /// The mode of the sessions: `decision`, `multi_round`, or `mixed` for both.
    #[arg(long, value_enum, default_value_t = SimMode::Decision)]
    pub(crate) mode: SimMode,

    /// The number of participants of each session.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) participants: u16,

    /// Exit after this many sessions [default: run until Ctrl-C].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sessions: Option<u64>,

    /// The number of concurrent sessions.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) at_once: u16,

    /// Milliseconds between two messages of a session, plus or minus half; 0 for no delay.
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(..=600_000))]
    pub(crate) pace: u64,

    /// The share of sessions that are cancelled midway, from 0 to 1.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = share)]
    pub(crate) cancel_rate: f64,

    /// The share of sessions that are abandoned midway and expire, from 0 to 1.
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = share)]
    pub(crate) leave_rate: f64,

    /// The random seed; the same seed gives the same sessions.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// The prefix of session ids; with the same seed and prefix all messages are identical, and those that
    /// the station has already accepted are duplicates [default: a generated one].
    #[arg(long, value_name = "TEXT")]
    pub(crate) prefix: Option<String>,

    /// Resend after the connection is lost, with increasing delays; a repeated message is accepted once.
    #[arg(long)]
    pub(crate) reconnect: bool,
}

/// How simulated sessions are coordinated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimMode {
    /// Decision sessions.
    Decision,
    /// Multi-round sessions.
    #[value(name = "multi_round", alias = "multi-round")]
    MultiRound,
    /// Both modes.
    Mixed,
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("takes 0 to 1".to_owned()) }
}
