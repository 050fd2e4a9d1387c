//! The flags of what becomes of invocations.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::commands::seconds;
use crate::{ids::InvocationId, tap::entry::mpp::RowState};

/// `invoke`.
#[derive(Debug, Args)]
pub(crate) struct InvokeArgs {
    /// An event of the pack in force (`rl-console pack check` lists them).
    #[arg(required_unless_present = "from")]
    pub(crate) event: Option<String>,

    /// The event's parameters, a JSON object.
    #[arg(long, value_name = "JSON", conflicts_with = "from")]
    pub(crate) params: Option<String>,

    /// The queue, instead of the event's own.
    #[arg(long, value_name = "QUEUE", conflicts_with = "from")]
    pub(crate) queue: Option<String>,

    /// Where it comes from: `channel_points`, `bits` or any other word [default: manual].
    #[arg(long, value_name = "KIND", conflicts_with = "from")]
    pub(crate) source: Option<String>,

    /// The upstream's id of the redemption.
    #[arg(long, value_name = "ID", conflicts_with = "from")]
    pub(crate) redemption: Option<String>,

    /// The viewer's login.
    #[arg(long, value_name = "LOGIN", conflicts_with = "from")]
    pub(crate) user: Option<String>,

    /// What makes a repeat the same one, unique within the source; the redemption's id when absent.
    #[arg(long, value_name = "KEY", conflicts_with = "from")]
    pub(crate) key: Option<String>,

    /// Refuse it where its params fail the schema of its event, as they would when it is dispatched; without
    /// it they are warned of.
    #[arg(long)]
    pub(crate) check: bool,

    /// Wait until it has this state; exit 5 when it ended in another one.
    #[arg(long, value_name = "STATE", value_parser = row_state(), conflicts_with = "from")]
    pub(crate) wait: Option<RowState>,

    /// Give up waiting after so many seconds, with exit code 4; without it there is no end.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "wait")]
    pub(crate) timeout: Option<u64>,

    /// Enqueue every line of a file (- for stdin): JSON objects with `event` and, as needed, `params`,
    /// `queue`, `source`, `redemption`, `user`, `key`, `trace_id`; committed in batches. A line that is
    /// refused is told on stderr, and the next ones are enqueued.
    #[arg(long, value_name = "FILE", conflicts_with = "event")]
    pub(crate) from: Option<PathBuf>,
}

/// `invocation cancel`.
#[derive(Debug, Args)]
pub(crate) struct CancelInvocationsArgs {
    /// Their ids.
    #[arg(required = true, value_name = "ID", value_parser = invocation_id)]
    pub(crate) ids: Vec<InvocationId>,

    /// Why, for the record.
    #[arg(long, value_name = "TEXT", default_value = "by the operator")]
    pub(crate) reason: String,

    /// Record a refund request for each.
    #[arg(long)]
    pub(crate) refund: bool,
}

/// `invocation requeue`.
#[derive(Debug, Args)]
pub(crate) struct RequeueArgs {
    /// Their ids; each must be `done`, `failed` or `refunded`.
    #[arg(required = true, value_name = "ID", value_parser = invocation_id)]
    pub(crate) ids: Vec<InvocationId>,

    /// Also those whose refund is requested or made by hand; without it they are refused.
    #[arg(long)]
    pub(crate) even_if_refunded: bool,
}

/// `invocation settle`.
#[derive(Debug, Args)]
pub(crate) struct SettleArgs {
    /// The invocation.
    #[arg(value_name = "ID", value_parser = invocation_id)]
    pub(crate) id: InvocationId,

    /// How it ended in the game.
    pub(crate) to: SettleTo,
}

/// How a row is ended by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SettleTo {
    /// It came to its end.
    Done,
    /// It did not.
    Failed,
}

fn row_state() -> impl clap::builder::TypedValueParser<Value = RowState> {
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(RowState::ALL.map(RowState::name))
        .try_map(|name| RowState::from_name(&name).ok_or("no state"))
}

fn invocation_id(text: &str) -> Result<InvocationId, String> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    digits.parse().map(InvocationId).map_err(|_| "not the number of an invocation".to_owned())
}
