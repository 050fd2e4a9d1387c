//! What an operator can ask of the bridge, and how it answers.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{EventName, InvocationId, Peer, QueueName, RefundId, TraceId},
    schema::JsonText,
    store::{self, invocations::Source},
    tap::entry::mpp::{Brake, RefundStatus, RowState},
    words::quoted,
};

/// One thing asked of the bridge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Records invocations; answered after an fsynced commit, one item a row.
    Enqueue {
        /// At most `limits.mpp.command_rows_max`.
        rows: Vec<NewInvocation>,
    },
    /// Makes pending rows `failed` with reason `cancelled: <reason>` (ruling MPP 10).
    Cancel {
        /// At most `limits.mpp.command_rows_max`.
        ids: Vec<InvocationId>,
        /// The text after `cancelled: `.
        reason: String,
        /// Whether each gets a refund record.
        refund: bool,
    },
    /// Records ended rows once more: each a new row of the same event, params, queue, source and user,
    /// without redemption and key. Answered after an fsynced commit, one item an id; an id that is given
    /// twice is requeued once.
    Requeue {
        /// At most `limits.mpp.command_rows_max`.
        ids: Vec<InvocationId>,
        /// Whether a row with a refund, that is no skipped one, is requeued all the same.
        even_if_refunded: bool,
    },
    /// Ends a row that was left in `applied` (ruling MPP 9).
    Settle {
        /// Which row.
        id: InvocationId,
        /// How it ended.
        to: Settlement,
    },
    /// Stops dispatch on a queue, or on all of them (ruling MPP 17).
    Hold {
        /// Which; all when absent.
        queue: Option<QueueName>,
    },
    /// Ends the hold of a queue, or of all of them, and leaves a drain as it is: not for an instant is new
    /// work taken where it was refused.
    Release {
        /// Which; all when absent.
        queue: Option<QueueName>,
    },
    /// Ends hold and drain on a queue, or on all of them.
    Resume {
        /// Which; all when absent.
        queue: Option<QueueName>,
    },
    /// Refuses new work on a queue, or on all of them, and dispatches what is pending.
    Drain {
        /// Which; all when absent.
        queue: Option<QueueName>,
    },
    /// Closes the active adapter's connection.
    Kick,
    /// Puts a new token in force, by its SHA-256; a connected adapter stays.
    Pair {
        /// SHA-256 of the token, in lowercase hex.
        token_sha256: String,
    },
    /// Moves pending rows of another manifest of this pack to the one in force (ruling MPP 5).
    Migrate,
}

/// One invocation to be recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewInvocation {
    /// An event of the manifest in force.
    pub event: EventName,
    /// Its parameters, an object; `{}` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<JsonText>,
    /// The queue, instead of the event's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueName>,
    /// `channel_points`, `bits` or another word; `manual` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The upstream's id of the redemption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redemption: Option<String>,
    /// The viewer's login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// What makes a repeat the same one, unique within the source; the redemption when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What it belongs to; a fresh one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<TraceId>,
}

impl NewInvocation {
    /// An invocation of `event` with nothing else said.
    #[must_use]
    pub fn new(event: &str) -> Self {
        Self {
            event: event.into(),
            params: None,
            queue: None,
            source: None,
            redemption: None,
            user: None,
            key: None,
            trace_id: None,
        }
    }

    /// Where it says it comes from.
    #[must_use]
    pub fn source(&self) -> Source {
        Source {
            kind: self.source.clone().unwrap_or_else(|| "manual".to_owned()),
            redemption: self.redemption.clone(),
            user: self.user.clone(),
        }
    }
}

/// How a row left in `applied` is ended by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// It came to its end in the game.
    Done,
    /// It did not.
    Failed,
}

/// What a command did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// One item a row, in order.
    Enqueued(Vec<Result<EnqueuedRow, Refusal>>),
    /// One item an id, in order: the new rows.
    Requeued(Vec<Result<EnqueuedRow, Refusal>>),
    /// One item an id, in order.
    Cancelled(Vec<Result<CancelledRow, Refusal>>),
    /// The row and the state it has now.
    Settled {
        /// Which.
        id: InvocationId,
        /// Its state.
        state: RowState,
    },
    /// The queues concerned and what holds on each now.
    Braked(Vec<(QueueName, Brake)>),
    /// Who was disconnected.
    Kicked {
        /// From where.
        peer: Peer,
    },
    /// The token is in force.
    Paired,
    /// What the migration did.
    Migrated {
        /// Rows that took the hash.
        moved: u64,
        /// Rows that failed instead.
        failed: u64,
        /// Rows that do not fit the manifest in force and stay as they are.
        left: u64,
    },
}

/// A row that is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnqueuedRow {
    /// Its id.
    pub id: InvocationId,
    /// Its queue.
    pub queue: QueueName,
    /// Its event.
    pub event: EventName,
    /// Where it stands.
    pub state: RowState,
    /// What it belongs to.
    pub trace_id: TraceId,
    /// It was there already, under the same key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// The row that it was requeued from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requeued_from: Option<InvocationId>,
}

/// A row that was cancelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelledRow {
    /// Its id.
    pub id: InvocationId,
    /// Its queue.
    pub queue: QueueName,
    /// The refund that was recorded for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund: Option<RefundRef>,
}

/// A refund record, by its id and fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundRef {
    /// Its id.
    pub id: RefundId,
    /// What becomes of it.
    pub status: RefundStatus,
}

/// Why a command, or one row of it, was not carried out. Each says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum Refusal {
    /// The manifest lacks the event.
    #[error("the pack has no event `{event}`")]
    UnknownEvent {
        /// What was asked for.
        event: EventName,
        /// The nearest name that exists.
        nearest: Option<EventName>,
    },
    /// A queue's name is over 64 bytes (mpp-v2, security notes).
    #[error("a queue's name is at most 64 bytes; this one has {bytes}")]
    QueueNameTooLong {
        /// Its length.
        bytes: u64,
    },
    /// The manifest lacks the queue that is to be held, released, resumed or drained.
    #[error("the pack has no queue `{queue}`")]
    UnknownQueue {
        /// What was asked for.
        queue: QueueName,
    },
    /// The params are not an object.
    #[error("the params are not a JSON object")]
    ParamsNotObject,
    /// The invocation's frame would exceed 65,536 bytes (ruling MPP 4).
    #[error("its frame would have {bytes} bytes; the protocol carries 65536")]
    FrameTooLarge {
        /// The frame's length.
        bytes: u64,
    },
    /// The queue is being drained (ruling MPP 17).
    #[error("queue `{queue}` is draining and takes no new work")]
    Draining {
        /// Which queue.
        queue: QueueName,
    },
    /// Too many pending rows.
    #[error("{limit} invocations are already pending")]
    TooManyPending {
        /// `limits.mpp.pending_rows_max`.
        limit: u64,
    },
    /// Pending rows have too many bytes.
    #[error("pending invocations already use nearly {limit} bytes")]
    TooManyPendingBytes {
        /// `limits.mpp.pending_bytes_max`.
        limit: u64,
    },
    /// Too many rows in one command.
    #[error("{rows} rows in one command; the maximum is {limit}")]
    TooManyRows {
        /// How many came.
        rows: u64,
        /// `limits.mpp.command_rows_max`.
        limit: u64,
    },
    /// The key is that of a row with another event, or other params.
    #[error("{key} already belongs to invocation {id}, which is {first}; this one is {now}")]
    KeyConflict {
        /// The key, with the kind of its source.
        key: String,
        /// The row that has it.
        id: InvocationId,
        /// That row's event and params.
        first: String,
        /// The event and the params that came with it now.
        now: String,
    },
    /// No row has this id.
    #[error("no invocation {id}")]
    NoSuchInvocation {
        /// What was asked for.
        id: InvocationId,
    },
    /// The row is not in the state that the command needs.
    #[error("invocation {id} is {}", .state.name())]
    WrongState {
        /// Which row.
        id: InvocationId,
        /// Where it stands.
        state: RowState,
    },
    /// The row is to be requeued, and has not ended.
    #[error("invocation {id} is {}: only ended invocations can be requeued", .state.name())]
    NotEnded {
        /// Which row.
        id: InvocationId,
        /// Where it stands.
        state: RowState,
    },
    /// The row is to be requeued, and its source is given back for it.
    #[error("invocation {id} has a refund ({})", .refund.name())]
    RefundRequested {
        /// Which row.
        id: InvocationId,
        /// What becomes of the refund.
        refund: RefundStatus,
    },
    /// The row is to be requeued, and its params do not fit the manifest in force.
    #[error("the params of invocation {id} do not match the pack: {why}")]
    ParamsMismatch {
        /// Which row.
        id: InvocationId,
        /// What does not fit.
        why: String,
    },
    /// The row is to be requeued, and cannot be read whole from the store.
    #[error("the stored row of invocation {id} is damaged: {why}")]
    Damaged {
        /// Which row.
        id: InvocationId,
        /// What of it cannot be read.
        why: String,
    },
    /// The row is in flight with the adapter and cannot be settled by hand.
    #[error("invocation {id} is still with the adapter")]
    WithAdapter {
        /// Which row.
        id: InvocationId,
    },
    /// No adapter is connected.
    #[error("no adapter connected")]
    NoAdapter,
    /// The store cannot commit now.
    #[error("{why}")]
    NotStored {
        /// Why.
        why: String,
    },
    /// Another migration is running.
    #[error("a migration is already running")]
    MigrationRunning,
    /// A token hash that is not 64 hex digits.
    #[error("not a SHA-256 hash")]
    NotAHash,
}

impl Refusal {
    /// The machine-readable code of the CLI's errors.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownEvent { .. } => "unknown_event",
            Self::QueueNameTooLong { .. } => "queue_name_too_long",
            Self::UnknownQueue { .. } => "unknown_queue",
            Self::ParamsNotObject => "params_not_object",
            Self::FrameTooLarge { .. } => "frame_too_large",
            Self::Draining { .. } => "draining",
            Self::TooManyPending { .. } | Self::TooManyPendingBytes { .. } => "too_many_pending",
            Self::TooManyRows { .. } => "too_many_rows",
            Self::KeyConflict { .. } => "key_conflict",
            Self::NoSuchInvocation { .. } => "no_such_invocation",
            Self::WrongState { .. } => "wrong_state",
            Self::NotEnded { .. } => "not_ended",
            Self::RefundRequested { .. } => "refund_requested",
            Self::ParamsMismatch { .. } => "params_mismatch",
            Self::Damaged { .. } => "damaged",
            Self::WithAdapter { .. } => "with_adapter",
            Self::NoAdapter => "no_adapter",
            Self::NotStored { .. } => "not_stored",
            Self::MigrationRunning => "migration_running",
            Self::NotAHash => "not_a_hash",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownEvent { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            Self::UnknownEvent { nearest: None, .. } => {
                "`rl-console ls events` lists the pack's events".to_owned()
            }
            Self::QueueNameTooLong { .. } | Self::UnknownQueue { .. } => {
                "`rl-console ls queues` lists the pack's queues".to_owned()
            }
            Self::ParamsNotObject => "give an object, such as --params '{\"count\":1}'".to_owned(),
            Self::FrameTooLarge { .. } => "send less in the params, or a reference to the data".to_owned(),
            Self::Draining { queue } => {
                format!("`rl-console resume {}` accepts new work again", quoted(queue.as_str()))
            }
            Self::TooManyPending { .. } => {
                "cancel unneeded invocations, or raise limits.mpp.pending_rows_max".to_owned()
            }
            Self::TooManyPendingBytes { .. } => {
                "cancel unneeded invocations, or raise limits.mpp.pending_bytes_max".to_owned()
            }
            Self::TooManyRows { .. } => "send them in several commands".to_owned(),
            Self::KeyConflict { .. } => {
                "use another --redemption or --key; only the same event and params return the existing \
                 invocation"
                    .to_owned()
            }
            Self::NoSuchInvocation { .. } => "`rl-console ls invocations` lists them".to_owned(),
            Self::WrongState { .. } => {
                "only pending invocations can be cancelled, and only orphaned ones (applied, adapter lost) \
                 can be settled"
                    .to_owned()
            }
            Self::NotEnded { state: RowState::Applied, .. } => {
                "wait until it ends, or settle it if its adapter is gone".to_owned()
            }
            Self::NotEnded { .. } => "wait until it ends".to_owned(),
            Self::RefundRequested { id, .. } => {
                format!("`rl-console invocation requeue {id} --even-if-refunded` requeues it anyway")
            }
            Self::ParamsMismatch { .. } => {
                "`rl-console ls events --json` shows the schemas; invoke the event with valid params"
                    .to_owned()
            }
            Self::Damaged { .. } => "invoke its event again with the known params".to_owned(),
            Self::WithAdapter { .. } => {
                "wait for the adapter's answer, or disconnect the adapter first".to_owned()
            }
            Self::NoAdapter => "`rl-console pair` prints a token for an adapter to connect with".to_owned(),
            Self::NotStored { why } if store::is_refused_by_rule(why) => store::REFUSED_REMEDY.to_owned(),
            Self::NotStored { .. } => {
                "free space on the data folder's disk, and check it with `rl-console doctor`".to_owned()
            }
            Self::MigrationRunning => "wait for it to end".to_owned(),
            Self::NotAHash => "create one with `rl-console pair`".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_of_a_store_that_fails_by_a_rule_of_the_gate_is_none_about_disks() {
        let hint = |why: &str| Refusal::NotStored { why: why.to_owned() }.hint();
        assert!(hint("the database: no room on its disk").starts_with("free space"));
        let by_rule = hint("the database: writes are refused by rule 2 of the gate (rehearsal)");
        assert!(by_rule.contains("gate disarm") && !by_rule.contains("space"), "{by_rule}");
    }

    #[test]
    fn the_hint_of_a_draining_queue_is_a_line_that_a_shell_reads() {
        let hint = |queue: &str| Refusal::Draining { queue: queue.into() }.hint();
        assert_eq!(hint("boss"), "`rl-console resume boss` accepts new work again");
        assert_eq!(hint("the boss"), "`rl-console resume 'the boss'` accepts new work again");
    }
}
