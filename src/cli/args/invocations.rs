//! The flags of what becomes of invocations.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::{ids::InvocationId, tap::entry::mpp::RowState, words::seconds};

/// `invoke`.
#[derive(Debug, Args)]
pub(crate) struct InvokeArgs {
    /// An event of the active pack (`rl-console pack ls` lists them).
    #[arg(required_unless_present = "from")]
    pub(crate) event: Option<String>,

    /// The event's parameters, as a JSON object.
    #[arg(long, value_name = "JSON", conflicts_with = "from")]
    pub(crate) params: Option<String>,

    /// The queue to use instead of the event's own.
    #[arg(long, value_name = "QUEUE", conflicts_with = "from")]
    pub(crate) queue: Option<String>,

    /// The source of the invocation: `channel_points`, `bits` or any other word [default: manual].
    #[arg(long, value_name = "KIND", conflicts_with = "from")]
    pub(crate) source: Option<String>,

    /// The id of the redemption in the upstream system.
    #[arg(long, value_name = "ID", conflicts_with = "from")]
    pub(crate) redemption: Option<String>,

    /// The viewer's login.
    #[arg(long, value_name = "LOGIN", conflicts_with = "from")]
    pub(crate) user: Option<String>,

    /// The idempotency key, unique within the source [default: the redemption's id].
    #[arg(long, value_name = "KEY", conflicts_with = "from")]
    pub(crate) key: Option<String>,

    /// Refuse params that do not match the event's schema; without it they cause a warning only, and the
    /// invocation fails at dispatch.
    #[arg(long)]
    pub(crate) check: bool,

    /// Wait until the invocation reaches this state; exits 5 when it ends in another one.
    #[arg(long, value_name = "STATE", value_parser = row_state(), conflicts_with = "from")]
    pub(crate) wait: Option<RowState>,

    /// Stop waiting after this many seconds, with exit code 4 [default: no timeout].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "wait")]
    pub(crate) timeout: Option<u64>,

    /// Enqueue every line of a file (- for stdin): JSON objects with `event` and, optionally, `params`,
    /// `queue`, `source`, `redemption`, `user`, `key`, `trace_id`; committed in batches. Refused lines are
    /// reported on stderr, and the following lines are still enqueued.
    #[arg(long, value_name = "FILE", conflicts_with = "event")]
    pub(crate) from: Option<PathBuf>,
}

/// `invocation cancel`.
#[derive(Debug, Args)]
pub(crate) struct CancelInvocationsArgs {
    /// Ids of the invocations.
    #[arg(required = true, value_name = "ID", value_parser = invocation_id)]
    pub(crate) ids: Vec<InvocationId>,

    /// The reason, for the record.
    #[arg(long, value_name = "TEXT", default_value = "by the operator")]
    pub(crate) reason: String,

    /// Also record a refund request for each.
    #[arg(long)]
    pub(crate) refund: bool,
}

/// `invocation requeue`.
#[derive(Debug, Args)]
pub(crate) struct RequeueArgs {
    /// Ids of the invocations; each must be `done`, `failed` or `refunded`.
    #[arg(required = true, value_name = "ID", value_parser = invocation_id)]
    pub(crate) ids: Vec<InvocationId>,

    /// Also requeue invocations with a requested or manual refund, which are refused otherwise.
    #[arg(long)]
    pub(crate) even_if_refunded: bool,
}

/// `invocation settle`.
#[derive(Debug, Args)]
pub(crate) struct SettleArgs {
    /// The invocation.
    #[arg(value_name = "ID", value_parser = invocation_id)]
    pub(crate) id: InvocationId,

    /// The outcome in the game.
    pub(crate) to: SettleTo,
}

/// How a row is ended manually.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SettleTo {
    /// It was applied completely.
    Done,
    /// It was not.
    Failed,
}

fn row_state() -> impl clap::builder::TypedValueParser<Value = RowState> {
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(RowState::ALL.map(RowState::name))
        .try_map(|name| RowState::from_name(&name).ok_or("no state"))
}

fn invocation_id(text: &str) -> Result<InvocationId, String> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    digits.parse().map(InvocationId).map_err(|_| "not an invocation id; give a number".to_owned())
}
