//! The subcommands and their own flags.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Subcommand};

use super::{
    alert::AlertWhat,
    brakes::{QueueArgs, ResumeArgs},
    bus::{PublishArgs, TailArgs},
    earlier::{CancelArgs, KickArgs},
    frames::{DecodeArgs, EncodeArgs},
    gate::GateAction,
    global::{PluginFolderArgs, ScreenArgs},
    inject::InjectArgs,
    invocations::{InvokeArgs, SettleArgs},
    ls::LsArgs,
    mplp::MplpAction,
    plugin::{PluginAction, StreamAction},
    recording::{RecordingAction, ReplayArgs, clip_seconds, some_seconds},
    records::{AdapterAction, HostAction, InvocationAction, PeerAction, RestartArgs},
    runs::{DecideArgs, OpeningAction, RunAction, SubmitArgs, TraceArgs},
    session::SessionAction,
    sim::SimPeer,
    snippet::SnippetAction,
    stop::{StatusArgs, StopArgs},
    trigger::TriggerAction,
};
use crate::{cli::config::endpoint, port::MARK_BYTES_MAX};

/// What is to be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a station without a screen, until SIGTERM or Ctrl-C.
    ///
    /// With --json the first line, printed once all hosts answer, is
    /// {"event":"ready","mpp":"ADDR","rmp":"PATH"}, with "metrics":"ADDR" when metrics are served; then one
    /// line per notable event.
    Serve(ServeArgs),

    /// Open the console on a running station; `q` detaches and leaves the station running.
    ///
    /// rl-console without a subcommand does the same when a station already uses the data folder. If the
    /// station goes away, the console waits for it and reconnects.
    Attach(AttachArgs),

    /// Print a systemd user service that runs `serve`, or install it.
    ///
    /// The service keeps the flags and `RL_CONSOLE_*` variables of this command line. --install writes it to
    /// ~/.config/systemd/user/rl-console.service.
    Service(ServiceArgs),

    /// Create the token that adapters connect with, and print it once.
    ///
    /// Works with or without a running station. Only a hash of the token is stored, so it cannot be shown
    /// again.
    Pair(PairArgs),

    /// Enqueue an event for the adapter, or many events from a file.
    ///
    /// Exits 0 once the invocation is stored durably, whatever its outcome, unless --wait is given.
    Invoke(InvokeArgs),

    /// List queues, invocations, pack state, refunds, adapters, bus topics, peers and subscriptions, runs,
    /// sessions, alerts or the health of each component.
    #[command(subcommand)]
    Ls(LsArgs),

    /// Submit a run of an opening (a workflow of agents, in YAML), and optionally follow it.
    ///
    /// Exits 0 once the run is accepted. With --follow or --wait, exits 0 when the run succeeded, 1 when it
    /// was rejected or failed, 4 on a timeout or after Ctrl-C, and 5 when it was cancelled.
    Submit(SubmitArgs),

    /// Cancel, requeue or settle invocations.
    #[command(subcommand)]
    Invocation(InvocationAction),

    /// Show a run: its plan, events or artifacts; approve, reject or cancel it.
    #[command(subcommand)]
    Run(RunAction),

    /// Take part in MACP sessions as a gRPC client, or show and list them.
    #[command(subcommand)]
    Session(SessionAction),

    /// Install, run and ask plugins.
    #[command(subcommand)]
    Plugin(PluginAction),

    /// Declare what plays, for plugins: channel, followed channels, relay sessions and chat.
    #[command(subcommand)]
    Stream(StreamAction),

    /// Print the ladder of a trace: sender and receivers of each message, its delay, the latency of its
    /// answer, and its cause.
    ///
    /// Shows the entries that the station's tap still holds. For a run, earlier messages to agents are read
    /// from the run's history.
    Trace(TraceArgs),

    /// List, check or draw openings, without a station.
    #[command(subcommand)]
    Opening(OpeningAction),

    /// Stop dispatch on a queue, or on all queues; new work is still accepted.
    Hold(QueueArgs),

    /// End hold and drain on a queue, or on all queues.
    Resume(ResumeArgs),

    /// Refuse new work on a queue, or on all queues, and dispatch pending work.
    Drain(QueueArgs),

    /// Acknowledge alerts; `ls alerts` lists them.
    #[command(subcommand)]
    Alert(AlertWhat),

    /// Disconnect an unresponsive adapter.
    #[command(subcommand)]
    Adapter(AdapterAction),

    /// Disconnect an unresponsive bus peer.
    #[command(subcommand)]
    Peer(PeerAction),

    /// Restart a host of a running station.
    #[command(subcommand)]
    Host(HostAction),

    /// Show the station's status: one line per system, brakes, alerts and pending approvals.
    ///
    /// Exits 1 when a system is down.
    Status(StatusArgs),

    /// Stop a running station; asks for confirmation when work is in flight.
    Stop(StopArgs),

    /// Record all traffic of the station into a new MCAP file, until Ctrl-C.
    Record(RecordArgs),

    /// Save what the last seconds had as a recording, after the fact.
    Clip(ClipArgs),

    /// Mark this moment, or an entry, on every console and in recordings.
    Mark(MarkArgs),

    /// Open the console on recordings: every screen as it was, at any moment; needs no station.
    ///
    /// Space plays and holds, the square brackets change the speed, the braces go to the previous and the
    /// next notable event, @ goes to a time, End to the end, q quits. Nothing can be done to a station from
    /// here.
    Replay(ReplayArgs),

    /// Inspect, verify or repair recordings; needs no station.
    #[command(subcommand)]
    Recording(RecordingAction),

    /// Copy the station's database while it is running.
    Backup(BackupArgs),

    /// List what the active pack declares, check a pack, print its hash, or migrate pending rows to the
    /// active pack.
    #[command(subcommand)]
    Pack(PackAction),

    /// Decode frames of any link into JSON, or report what is wrong with them.
    ///
    /// Reads one frame after the other. For each fault it prints the name, the clause, the expected and the
    /// actual value, and the byte offset. Exits 0 when every frame is valid, 6 when one is not.
    Decode(DecodeArgs),

    /// Encode frames of any link from JSON, in the format of `decode --json`.
    ///
    /// Missing fields are filled in; of an RMP frame lengths, `msg_id`, `trace_id`, `created_at_ms`,
    /// `ttl_ms`, and `schema_id` from the body's type. The minimal input is
    /// {"body":{"type":"error.report.v1","payload":{}}}.
    Encode(EncodeArgs),

    /// Judge and send a frame of your own, well-formed or broken on purpose, and follow what comes of it.
    ///
    /// A frame is JSON in the format of `encode`, bytes, or a captured frame (--of). It goes over a
    /// connection of its own (--as), or into a peer's (--from, --to), and is marked as injected wherever it
    /// shows. Exits 0 when it is accepted, 1 when it is refused, 4 without a verdict in time, 5 when --expect
    /// is not met, 6 when the input is no frame, or a captured frame is cut or withheld.
    Inject(InjectArgs),

    /// List, print and check the frames that are kept under a name, for `inject --snippet`.
    #[command(subcommand)]
    Snippet(SnippetAction),

    /// Hold frames between the station and its peers, and decide on each: pass, drop or edit it.
    #[command(subcommand)]
    Gate(GateAction),

    /// Have the station look for something, and mark, save, alert or run something then.
    #[command(subcommand)]
    Trigger(TriggerAction),

    /// Judge MPLP objects, and list or print their schemas and rules, without a station; write the record of
    /// one.
    #[command(subcommand)]
    Mplp(MplpAction),

    /// Publish a message on the bus, or raw frames.
    ///
    /// Waits for the broker's answer. With --as tui it also prints the number of subscriptions of the topic.
    /// Exits 1 when the message is refused, 6 when the frame is not valid.
    Publish(PublishArgs),

    /// Print messages published on bus topics, until Ctrl-C.
    ///
    /// Prints one line per message; with --json one object per message, and
    /// {"event":"lost","messages":N,"lost":TOTAL} when messages arrive faster than they can be printed.
    Tail(TailArgs),

    /// Run simulated peers of a station, for rehearsals.
    #[command(subcommand)]
    Sim(SimPeer),

    /// Check everything that a station needs, and suggest fixes.
    Doctor,

    /// Show the configuration.
    #[command(subcommand)]
    Config(ConfigAction),

    /// Print every action of the console with its current key bindings.
    Keys,

    /// Print a completion script for a shell.
    Completions(CompletionsArgs),

    /// Print the manual page, or write all of them: one per subcommand, one per page of `help`.
    ///
    /// The pages of `help` are of section 7: `man rl-console-filter` reads `help filter`.
    Man(ManArgs),

    /// Read the manual: a page, the flags of a subcommand, or search results.
    ///
    /// Without a name it lists the pages. For a name that is both a page and a subcommand it prints the page,
    /// then the flags.
    Help(HelpArgs),

    /// `invocation cancel` and `run cancel`.
    #[command(hide = true)]
    Cancel(CancelArgs),

    /// `invocation settle`.
    #[command(hide = true)]
    Settle(SettleArgs),

    /// `run approve`.
    #[command(hide = true)]
    Approve(DecideArgs),

    /// `run reject`.
    #[command(hide = true)]
    Reject(DecideArgs),

    /// `adapter disconnect` and `peer disconnect`.
    #[command(hide = true)]
    Kick(KickArgs),

    /// `host restart`.
    #[command(hide = true)]
    Restart(RestartArgs),

    /// Continue a process of this terminal that stopped itself to return the prompt to the shell.
    #[command(hide = true)]
    ContinueJob {
        /// The process, the leader of its group.
        pid: i32,
    },
}

/// `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Record all traffic from the start into this new file.
    #[arg(long, value_name = "OUT.mcap")]
    pub(crate) record: Option<PathBuf>,

    /// Serve Prometheus metrics as /metrics on this address; a port without an address binds to 127.0.0.1.
    #[arg(long, value_name = "ADDR", value_parser = endpoint)]
    pub(crate) metrics: Option<SocketAddr>,

    /// Start a station for a rehearsal, on which `gate arm` may make faults; needs a --data folder of its
    /// own.
    #[arg(long)]
    pub(crate) rehearsal: bool,

    #[command(flatten)]
    pub(crate) plugins: PluginFolderArgs,
}

/// `attach`.
#[derive(Debug, Default, Args)]
pub(crate) struct AttachArgs {
    /// The token file [default: the operator token in the data folder]. `viewer.token` there opens a
    /// read-only console.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
}

/// `service`.
#[derive(Debug, Args)]
pub(crate) struct ServiceArgs {
    /// Install the unit where systemd finds it.
    #[arg(long)]
    pub(crate) install: bool,

    /// Overwrite an existing unit with different contents.
    #[arg(long, requires = "install")]
    pub(crate) force: bool,

    /// Let the service serve Prometheus metrics as /metrics on this address; a port without an address binds
    /// to 127.0.0.1.
    #[arg(long, value_name = "ADDR", value_parser = endpoint)]
    pub(crate) metrics: Option<SocketAddr>,

    #[command(flatten)]
    pub(crate) plugins: PluginFolderArgs,
}

/// `pair`.
#[derive(Debug, Args)]
pub(crate) struct PairArgs {
    /// Replace the existing token; a connected adapter stays connected and needs the new token for its next
    /// handshake.
    #[arg(long)]
    pub(crate) rotate: bool,

    /// Write the token to this new file, readable by its owner only, instead of printing it.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// `record`.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// The file to create; must not exist [default: named by date and time, in recordings/ of the data
    /// folder].
    #[arg(value_name = "OUT.mcap")]
    pub(crate) out: Option<PathBuf>,

    /// Stop after this many seconds.
    #[arg(long = "for", value_name = "SECONDS", value_parser = some_seconds)]
    pub(crate) for_ms: Option<u64>,

    /// Seconds before now to record as well, as far as the station keeps them.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) preroll: u64,

    /// Keep frames whole while it records, up to an eighth of what the station keeps.
    #[arg(long)]
    pub(crate) whole: bool,
}

/// `clip`.
#[derive(Debug, Args)]
pub(crate) struct ClipArgs {
    /// Seconds before now, as far as the station keeps them.
    #[arg(value_name = "SECONDS", default_value_t = 60, value_parser = clip_seconds)]
    pub(crate) seconds: u64,

    /// The file to create; must not exist [default: named by date and time, in recordings/ of the data
    /// folder].
    #[arg(value_name = "OUT.mcap")]
    pub(crate) out: Option<PathBuf>,
}

/// `mark`.
#[derive(Debug, Args)]
pub(crate) struct MarkArgs {
    /// What for, at most 256 bytes.
    #[arg(value_name = "TEXT", default_value = "", value_parser = mark_text)]
    pub(crate) text: String,

    /// The entry that is meant, by its number in the tap [default: this moment].
    #[arg(long, value_name = "N")]
    pub(crate) entry: Option<u64>,
}

/// `backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The file to create; must not exist.
    pub(crate) file: PathBuf,
}

/// `pack`.
#[derive(Debug, Subcommand)]
pub(crate) enum PackAction {
    /// List the queues and events of the active pack.
    Ls,
    /// Check a pack.toml: print every error with its line, or what the pack declares.
    Check {
        /// The pack.toml [default: the active pack].
        path: Option<PathBuf>,
    },
    /// Print the manifest hash of a pack.toml, as adapters must send it.
    Hash {
        /// The pack.toml [default: the active pack].
        path: Option<PathBuf>,
    },
    /// Move pending rows of another version of this pack to the active version, where they fit it.
    Migrate,
}

/// `config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Print every effective value.
    Show {
        /// Also print where each value comes from.
        #[arg(long)]
        origin: bool,

        /// Print every key with its default and its meaning instead; reads no files or variables.
        #[arg(long, conflicts_with = "origin")]
        defaults: bool,
    },
    /// List the console's themes, and check user-defined ones.
    Themes,
}

/// `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

/// `help`.
#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// A page or a subcommand.
    #[arg(value_name = "NAME")]
    pub(crate) name: Vec<String>,

    /// List the places where all these words occur.
    #[arg(long, value_name = "WORDS", num_args = 1.., conflicts_with = "name")]
    pub(crate) search: Vec<String>,
}

/// `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder to write all pages into; created if it is missing.
    pub(crate) dir: Option<PathBuf>,

    /// Write them where `man` finds them: man1 and man7 in ~/.local/share/man.
    #[arg(long, conflicts_with = "dir")]
    pub(crate) install: bool,
}

fn mark_text(text: &str) -> Result<String, String> {
    match text.trim() {
        fits if fits.len() <= MARK_BYTES_MAX => Ok(fits.to_owned()),
        long => Err(format!("takes at most {MARK_BYTES_MAX} bytes, not {}", long.len())),
    }
}

pub(super) fn rows(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "takes a whole number of rows, 0 or more".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::super::Cli;

    #[test]
    fn a_mark_has_a_text_that_fits_and_a_clip_and_a_recording_have_some_time() {
        let is_read = |args: &[&str]| Cli::try_parse_from([&["c"], args].concat()).is_ok();
        let refused = |args: &[&str]| Cli::try_parse_from([&["c"], args].concat()).unwrap_err().to_string();
        assert!(is_read(&["mark", &"x".repeat(256)]) && is_read(&["mark"]));
        assert!(!is_read(&["mark", &"x".repeat(257)]));
        assert!(is_read(&["clip", "1"]) && is_read(&["clip"]) && is_read(&["clip", "60", "c6.mcap"]));
        assert!(refused(&["clip", "c6.mcap"]).contains("write `clip 60 c6.mcap`"));
        assert!(refused(&["clip", "0"]).contains("takes whole seconds, from 1 on"));
        assert!(is_read(&["record", "--for", "0.5"]));
        assert!(refused(&["record", "--for", "0"]).contains("takes more than 0 seconds"));
    }
}
