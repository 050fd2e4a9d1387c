//! The flags of `gate`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::inject::setting;
use crate::{
    cli::filter,
    dissect::frame_json::Json,
    gate::Then,
    port::rule_bounds::{armed_for_ms, frames_max, per_mille, seed},
};

/// What a watch reads, for the help.
const DECISIONS: &str = "Each line of stdin decides on a frame:
  {\"id\":12,\"do\":\"pass\"}
  {\"id\":12,\"do\":\"drop\"}
  {\"id\":12,\"do\":\"edit\",\"bytes\":\"7b22…0a\"}
`bytes` is one whole frame in hex; with \"keep\":true the rule makes the same change of all that it matches from then on.";

/// `gate`.
#[derive(Debug, Subcommand)]
pub(crate) enum GateAction {
    /// Arm a rule: frames that match its filter are held until you decide on them.
    ///
    /// The rule stays armed when this command ends, until `gate disarm`, --for or --max. Prints its number.
    #[command(after_long_help = filter::help_of_entries())]
    Arm(GateArmArgs),
    /// List the rules, then the frames that are held.
    Ls,
    /// Let held frames pass as they are.
    Pass(GatePassArgs),
    /// Drop held frames.
    Drop(GateDropArgs),
    /// Let an edited frame pass in the place of a held one.
    ///
    /// The edit is made of the frame's own JSON, as `decode --json` prints it. Of a message of the bus it is
    /// that of the message; what announces it stays as it is.
    Edit(GateEditArgs),
    /// Disarm a rule, or all; what they hold passes.
    Disarm(GateDisarmArgs),
    /// Print each held frame as a line, and read decisions from stdin, until Ctrl-C.
    ///
    /// With --json a frame is
    /// `{"id":N,"link":…,"peer":…,"direction":…,"head":…,"bytes":HEX,"clause":…,"expires_in_ms":MS}`. The end of
    /// stdin does not end it.
    #[command(after_long_help = DECISIONS)]
    Watch,
}

/// `gate arm`.
#[derive(Debug, Args)]
pub(crate) struct GateArmArgs {
    /// Which frames, such as `link:mpp kind:applied`.
    pub(crate) filter: String,

    /// Only frames that arrive at the station.
    #[arg(long = "in", conflicts_with = "outbound")]
    pub(crate) inbound: bool,

    /// Only frames that leave it.
    #[arg(long = "out", id = "outbound")]
    pub(crate) outbound: bool,

    /// What happens to them: intercept, or on a station started with --rehearsal drop, duplicate, cut,
    /// delay=200ms±50 or fail-store=500ms, with times in ms or s.
    #[arg(long, value_name = "FATE", value_parser = then, default_value = "intercept")]
    pub(crate) then: Then,

    /// What happens to a frame that is held for `limits.gate.hold_ms_max`.
    #[arg(long, value_enum, default_value_t = OnTimeoutArg::Pass)]
    pub(crate) on_timeout: OnTimeoutArg,

    /// Disarm the rule after so many frames.
    #[arg(long, value_name = "N", value_parser = frames_max)]
    pub(crate) max: Option<u64>,

    /// Disarm the rule after so many seconds, at most `limits.gate.rule_ms_max`.
    #[arg(long = "for", value_name = "SECONDS", value_parser = armed_for_ms)]
    pub(crate) for_ms: Option<u64>,

    /// Take only so many percent of the frames that match.
    #[arg(long, value_name = "P", value_parser = per_mille)]
    pub(crate) percent: Option<u16>,

    /// Draw which of them, and the jitter of a delay, by this seed.
    #[arg(long, value_name = "N", value_parser = seed)]
    pub(crate) seed: Option<u64>,
}

/// What happens to a frame that is held too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnTimeoutArg {
    /// It passes.
    Pass,
    /// It is dropped.
    Drop,
}

/// `gate pass`.
#[derive(Debug, Args)]
pub(crate) struct GatePassArgs {
    /// Held frames, by their numbers in `gate ls` [default: all].
    #[arg(value_name = "FRAME")]
    pub(crate) frames: Vec<u64>,
}

/// `gate drop`.
#[derive(Debug, Args)]
pub(crate) struct GateDropArgs {
    /// Held frames, by their numbers in `gate ls`.
    #[arg(value_name = "FRAME", required = true)]
    pub(crate) frames: Vec<u64>,
}

/// `gate edit`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("edited").args(["raw", "file", "set"]).required(true).multiple(true))]
pub(crate) struct GateEditArgs {
    /// The held frame, by its number in `gate ls`.
    pub(crate) frame: u64,

    /// A file with one JSON object in the place of the frame's (- for stdin); without a `header` it keeps the
    /// frame's.
    #[arg(conflicts_with = "raw")]
    pub(crate) file: Option<PathBuf>,

    /// The whole frame as bytes: hex digits, or @FILE containing hex digits or raw bytes.
    #[arg(long, value_name = "HEX|@FILE")]
    pub(crate) raw: Option<String>,

    /// Set a member of the JSON, such as `body.queue=default`. The value is JSON, or else a text.
    #[arg(long, value_name = "PATH=VALUE", value_parser = setting, conflicts_with = "raw")]
    pub(crate) set: Vec<(String, Json)>,

    /// Let the rule make the same change of all that it matches from now on.
    #[arg(long)]
    pub(crate) keep: bool,

    /// Let it pass also where that is foreseen to end the peer's connection or may harm the peer.
    #[arg(long)]
    pub(crate) yes: bool,
}

/// `gate disarm`.
#[derive(Debug, Args)]
pub(crate) struct GateDisarmArgs {
    /// A rule, by its number in `gate ls` [default: all].
    pub(crate) rule: Option<u64>,
}

fn then(text: &str) -> Result<Then, String> {
    text.parse()
}
