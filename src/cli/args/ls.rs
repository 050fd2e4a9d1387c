//! `ls` and what narrows it.

use clap::{Args, ValueEnum};

use super::{commands::rows, runs::ago};

/// `ls`.
#[derive(Debug, Args)]
#[command(after_long_help = crate::cli::filter::help())]
pub(crate) struct LsArgs {
    /// What to list.
    pub(crate) what: LsWhat,

    /// Only rows in this state (invocations: pending, dispatched, applied, done, failed, refunded; refunds:
    /// requested, skipped, manual; runs: running, cancelling, succeeded, failed, cancelled; sessions:
    /// open, resolved, expired, cancelled, damaged).
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<String>,

    /// Only invocations of this queue.
    #[arg(long, value_name = "QUEUE")]
    pub(crate) queue: Option<String>,

    /// Only invocations that were enqueued under another manifest than the one in force; `--state pending`
    /// shows those that wait for it.
    #[arg(long)]
    pub(crate) other_manifest: bool,

    /// Only runs of openings with this name.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Only sessions of this mode: `decision`, `multi_round`.
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<String>,

    /// Only runs that were submitted, or sessions that began, this long ago or later, as in 90s, 10m, 1h30m
    /// or 2d.
    #[arg(long, value_name = "AGO", value_parser = ago)]
    pub(crate) since: Option<u64>,

    /// Only rows that this filter lets through, as in `queue:boss state:failed age<10m`; --help has the
    /// language and the fields.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) filter: Option<String>,

    /// At most so many rows, the newest [default: 100 for invocations, refunds, runs and sessions, else
    /// all].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = rows)]
    pub(crate) limit: Option<u64>,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LsWhat {
    /// Queues, with what is pending, in flight, parked, held.
    Queues,
    /// The events of the pack, each with its queue and the schema of its parameters.
    Events,
    /// Invocations, newest first.
    Invocations,
    /// The pack-state values that adapters wrote.
    State,
    /// Refund records, newest first.
    Refunds,
    /// The connected adapter.
    Adapters,
    /// How each part of the station is.
    Health,
    /// The topics of the bus, with what was published and dropped on each.
    Topics,
    /// The peers of the bus, with their kinds and queues.
    Peers,
    /// The subscriptions of the bus.
    Subscriptions,
    /// Runs of openings, newest first.
    Runs,
    /// Nodes of runs that wait for a person.
    Confirmations,
    /// Sessions in which agents decide together, newest first.
    Sessions,
}

impl LsArgs {
    /// All of something, as far as a list goes by itself.
    pub(crate) const fn of(what: LsWhat) -> Self {
        Self {
            what,
            state: None,
            queue: None,
            other_manifest: false,
            name: None,
            mode: None,
            since: None,
            filter: None,
            limit: None,
        }
    }
}
