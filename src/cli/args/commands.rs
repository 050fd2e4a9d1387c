//! The subcommands and their own flags.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Subcommand};

use super::{
    alert::AlertWhat,
    brakes::{QueueArgs, ResumeArgs},
    bus::{PublishArgs, TailArgs},
    earlier::{CancelArgs, KickArgs},
    frames::{DecodeArgs, EncodeArgs},
    global::ScreenArgs,
    invocations::{InvokeArgs, SettleArgs},
    ls::LsArgs,
    records::{AdapterAction, HostAction, InvocationAction, PeerAction, RestartArgs},
    runs::{DecideArgs, OpeningAction, RunAction, SubmitArgs, TraceArgs},
    session::SessionAction,
    sim::SimPeer,
    stop::{StatusArgs, StopArgs},
};
use crate::cli::config::endpoint;

/// What is to be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a station without a screen, until SIGTERM or Ctrl-C.
    ///
    /// With --json the first line, once everything answers, is {"event":"ready","mpp":"ADDR","rmp":"PATH"},
    /// with "metrics":"ADDR" when they are read; then one line for each notable event.
    Serve(ServeArgs),

    /// Open the console on a station that runs already, in this or another data folder's process; `q`
    /// detaches and leaves it as it is.
    ///
    /// Without a subcommand rl-console does the same when a station holds the data folder already. A station
    /// that goes away is waited for.
    Attach(AttachArgs),

    /// Print the unit that runs `serve` as a systemd user service, or install it.
    ///
    /// The flags given, and the variables of ours that are set, become the service's own. --install writes it
    /// to ~/.config/systemd/user/rl-console.service.
    Service(ServiceArgs),

    /// Make the token that adapters connect with, and print it, once.
    ///
    /// Works with or without a running station. Only a hash of the token is kept, so it cannot be shown
    /// again.
    Pair(PairArgs),

    /// Enqueue an event for the adapter, or many from a file.
    ///
    /// Exits 0 once the row is recorded durably, whatever becomes of it, unless --wait says otherwise.
    Invoke(InvokeArgs),

    /// List queues, invocations, pack state, refunds, adapters, the bus's topics, peers and subscriptions,
    /// runs of openings, sessions in which agents decide, or how each part of the station is.
    #[command(subcommand)]
    Ls(LsArgs),

    /// Run an opening, and follow it if asked to.
    ///
    /// Exits 0 once the run is accepted; with --follow or --wait 0 when it succeeded, 1 when it was rejected
    /// or failed, 4 when it took too long or was left, 5 when it was cancelled.
    Submit(SubmitArgs),

    /// Cancel invocations, or mark one done or failed.
    #[command(subcommand)]
    Invocation(InvocationAction),

    /// Show a run of an opening: its plan, events or artifacts; approve, reject or cancel it.
    #[command(subcommand)]
    Run(RunAction),

    /// Take part in sessions in which agents decide together, as any client over gRPC does, and look at them.
    #[command(subcommand)]
    Session(SessionAction),

    /// Print the ladder of a trace: who sent what to whom, how long it was on the wire, how long its answer
    /// took, and what caused it.
    ///
    /// As far as the station's tap keeps it; of a run, what was said to agents before that is taken from its
    /// history.
    Trace(TraceArgs),

    /// List openings, check them, or draw one, without a station.
    #[command(subcommand)]
    Opening(OpeningAction),

    /// Stop dispatch on a queue, or on all of them; new work is still taken.
    Hold(QueueArgs),

    /// End hold and drain on a queue, or on all of them.
    Resume(ResumeArgs),

    /// Refuse new work on a queue, or on all of them, and dispatch what is pending.
    Drain(QueueArgs),

    /// Acknowledge alerts; `ls alerts` lists them.
    #[command(subcommand)]
    Alert(AlertWhat),

    /// Disconnect an unresponsive adapter.
    #[command(subcommand)]
    Adapter(AdapterAction),

    /// Disconnect an unresponsive peer of the bus.
    #[command(subcommand)]
    Peer(PeerAction),

    /// Start a host of a running station again.
    #[command(subcommand)]
    Host(HostAction),

    /// Show how the station is: a line a system, the brakes and what waits for approval.
    ///
    /// Exits 1 when a system is down.
    Status(StatusArgs),

    /// End a running station, whoever started it; asks when work is in flight.
    Stop(StopArgs),

    /// Record everything that crosses the station into a new MCAP file, until Ctrl-C.
    Record(RecordArgs),

    /// Copy the station's database while it runs.
    Backup(BackupArgs),

    /// List what the pack in force declares, check a pack, print its hash, or move pending rows to the pack
    /// in force.
    #[command(subcommand)]
    Pack(PackAction),

    /// Decode RMP frames: their header fields and their bodies as JSON, or what is wrong with them.
    ///
    /// Reads one frame after the other. Every fault is told with its name, its clause, what was expected and
    /// what is there, and the byte. Exits 0 when every frame is valid, 6 when one is not.
    Decode(DecodeArgs),

    /// Make RMP frames from JSON as `decode --json` prints it.
    ///
    /// What is missing is filled in: lengths, `msg_id`, `trace_id`, `created_at_ms`, `ttl_ms`, and
    /// `schema_id` by the body's type. The least is {"body":{"type":"error.report.v1","payload":{}}}.
    Encode(EncodeArgs),

    /// Publish a message on the bus, or frames as they are.
    ///
    /// Waits for the broker's answer, which does not tell who listens: with --as tui it is told how many
    /// subscriptions the topic has. Exits 1 when it is refused, 6 when the frame is not valid.
    Publish(PublishArgs),

    /// Print what is published on topics of the bus, until Ctrl-C.
    ///
    /// One line a message; with --json one object, and {"event":"lost","messages":N,"lost":TOTAL} where
    /// messages came faster than they were printed.
    Tail(TailArgs),

    /// Stand-ins for the peers of a station, for rehearsal.
    #[command(subcommand)]
    Sim(SimPeer),

    /// Check everything a station needs, and say how to mend what is wrong.
    Doctor,

    /// Show the configuration.
    #[command(subcommand)]
    Config(ConfigAction),

    /// Print every action of the console with its keys, as they are in force.
    Keys,

    /// Print a completion script for a shell.
    Completions(CompletionsArgs),

    /// Print the manual page, or write all of them: one a subcommand, one a page of `help`.
    ///
    /// The pages of `help` are of section 7: `man rl-console-filter` reads `help filter`.
    Man(ManArgs),

    /// Read the manual: a page, the flags of a subcommand, or where words occur.
    ///
    /// Without a name it lists the pages. A name that is both a page and a subcommand gives the page, and the
    /// flags behind it.
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

    /// Let a process of this terminal go on that has stopped itself to give the shell its prompt back.
    #[command(hide = true)]
    ContinueJob {
        /// The process, which leads its group.
        pid: i32,
    },
}

/// `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Record everything from the start into this new file.
    #[arg(long, value_name = "OUT.mcap")]
    pub(crate) record: Option<PathBuf>,

    /// Serve the station's metrics for Prometheus, as /metrics on this address; a port alone is bound on
    /// 127.0.0.1.
    #[arg(long, value_name = "ADDR", value_parser = endpoint)]
    pub(crate) metrics: Option<SocketAddr>,
}

/// `attach`.
#[derive(Debug, Default, Args)]
pub(crate) struct AttachArgs {
    /// The file of the token to show; without it, the data folder's operator token. `viewer.token` there
    /// makes a console that only looks.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
}

/// `service`.
#[derive(Debug, Args)]
pub(crate) struct ServiceArgs {
    /// Write it where systemd finds it.
    #[arg(long)]
    pub(crate) install: bool,

    /// Replace one that says something else.
    #[arg(long, requires = "install")]
    pub(crate) force: bool,

    /// Have the service serve its metrics for Prometheus, as /metrics on this address; a port alone is bound
    /// on 127.0.0.1.
    #[arg(long, value_name = "ADDR", value_parser = endpoint)]
    pub(crate) metrics: Option<SocketAddr>,
}

/// `pair`.
#[derive(Debug, Args)]
pub(crate) struct PairArgs {
    /// Replace the token there is; a connected adapter stays, its next handshake needs the new one.
    #[arg(long)]
    pub(crate) rotate: bool,

    /// Write the token into this new file, for its owner's eyes, instead of printing it.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// `record`.
#[derive(Debug, Args)]
pub(crate) struct RecordArgs {
    /// The file to be made; one that exists is refused [default: named by date and time, in the data
    /// folder's recordings/].
    #[arg(value_name = "OUT.mcap")]
    pub(crate) out: Option<PathBuf>,

    /// Stop after so many seconds.
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    pub(crate) for_ms: Option<u64>,
}

/// `backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The file to be made; one that exists is refused.
    pub(crate) file: PathBuf,
}

/// `pack`.
#[derive(Debug, Subcommand)]
pub(crate) enum PackAction {
    /// List the queues and events of the pack in force.
    Ls,
    /// Check a pack.toml: every error at its line; without errors, what it declares.
    Check {
        /// The pack.toml; the pack in force when absent.
        path: Option<PathBuf>,
    },
    /// Print the manifest hash of a pack.toml, as adapters must send it.
    Hash {
        /// The pack.toml; the pack in force when absent.
        path: Option<PathBuf>,
    },
    /// Give pending rows of another version of this pack the hash of the one in force, where they fit it.
    Migrate,
}

/// `config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Print every value that is in force.
    Show {
        /// Also where each value came from.
        #[arg(long)]
        origin: bool,

        /// Every key with its default and its meaning instead; reads no file and no variable.
        #[arg(long, conflicts_with = "origin")]
        defaults: bool,
    },
    /// List the console's themes, and check the user's own.
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
    /// A page, or a subcommand.
    #[arg(value_name = "NAME")]
    pub(crate) name: Vec<String>,

    /// List where all these words occur.
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

/// Seconds, with a fraction if need be, as milliseconds.
pub(super) fn seconds(text: &str) -> Result<u64, String> {
    const MAX_S: f64 = 86_400.0 * 365.0;
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if !(0.0..=MAX_S).contains(&seconds) {
        return Err("takes 0 to 31536000 seconds".to_owned());
    }
    Ok(u64::try_from(std::time::Duration::from_secs_f64(seconds).as_millis()).unwrap_or(u64::MAX))
}

pub(super) fn rows(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "takes a whole number of rows, 0 or more".to_owned())
}
