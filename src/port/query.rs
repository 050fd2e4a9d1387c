//! What can be asked of a station, a page at a time. The rows are printed as they are by `ls … --json`.

use serde::{Deserialize, Serialize};

use super::{
    ArtifactRow, ConfirmationRow, HopRow, PeerRow, RunDetail, RunEventRow, RunRow, SessionDetail,
    SessionLogRow, SessionRow, SubscriptionRow, TopicRow,
};
use crate::{
    ids::{EventName, InvocationId, ManifestHash, PackId, Peer, QueueName, RefundId, Seq, StateKey, TraceId},
    macp::{Mode, SessionState},
    mpp::{ReadyAfter, WrittenBy, manifest::Writer},
    runs::RunState,
    schema::JsonText,
    store::invocations::{Row, Source},
    tap::entry::{
        Link,
        mpp::{RefundStatus, RowState},
    },
    time::Wall,
};

/// A question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Query {
    /// Every queue.
    Queues,
    /// Every event of the manifest in force.
    Events,
    /// Invocations, newest first unless `oldest_first`.
    Invocations {
        /// Only those in this state.
        state: Option<RowState>,
        /// Only those of this queue.
        queue: Option<QueueName>,
        /// Only those beyond this id, in the direction of the order: where the last page ended.
        beyond: Option<InvocationId>,
        /// Oldest first.
        oldest_first: bool,
        /// Only those of another manifest than the one in force (ruling MPP 5).
        #[serde(default, skip_serializing_if = "is_unset")]
        other_manifest: bool,
        /// Only those that this filter lets through, in the language of [`filter`](crate::filter) with the
        /// fields of [`InvocationRow`]. Its times of day are of UTC.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filter: Option<String>,
        /// At most so many; cut to `limits.port.page_rows_max`.
        limit: u64,
    },
    /// One invocation.
    Invocation {
        /// Which.
        id: InvocationId,
    },
    /// One invocation as soon as it has this state or has ended, or as it stands when the time is up.
    InvocationWhen {
        /// Which.
        id: InvocationId,
        /// The state waited for.
        state: RowState,
        /// How long to wait, in milliseconds.
        timeout_ms: u64,
    },
    /// Every pack-state value.
    State,
    /// Refund records, newest first unless `oldest_first`.
    Refunds {
        /// Only those with this status.
        status: Option<RefundStatus>,
        /// Only those beyond this id, in the direction of the order: where the last page ended. It is sent
        /// as `before`.
        #[serde(rename = "before")]
        beyond: Option<RefundId>,
        /// Oldest first.
        #[serde(default, skip_serializing_if = "is_unset")]
        oldest_first: bool,
        /// Only those that this filter lets through, with the fields of [`RefundRow`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filter: Option<String>,
        /// At most so many; cut to `limits.port.page_rows_max`.
        limit: u64,
    },
    /// The active adapter.
    Adapters,
    /// How each part of the station is.
    Health,
    /// The topics of the bus.
    Topics,
    /// The peers of the bus.
    Peers,
    /// The subscriptions of the bus.
    Subscriptions,
    /// Runs of openings, newest first unless `oldest_first`.
    Runs {
        /// Only those in this state.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<RunState>,
        /// Only those of this opening's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Only those submitted at or after this, in Unix milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since_ms: Option<Wall>,
        /// Only those beyond this number, in the direction of the order: where the last page ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        beyond: Option<u64>,
        /// Oldest first.
        #[serde(default, skip_serializing_if = "is_unset")]
        oldest_first: bool,
        /// Only those that this filter lets through, with the fields of [`RunRow`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filter: Option<String>,
        /// At most so many; cut to `limits.port.page_rows_max`.
        limit: u64,
    },
    /// One run, with its opening's text and its plan.
    Run {
        /// Which.
        run: TraceId,
    },
    /// What a run told, in its order.
    RunEvents {
        /// Which.
        run: TraceId,
        /// Only what was told behind this number.
        #[serde(default)]
        after: u64,
        /// At most so many; cut to `limits.port.page_rows_max`.
        limit: u64,
    },
    /// What a run kept, in its order.
    RunArtifacts {
        /// Which.
        run: TraceId,
        /// Only what was kept behind this number.
        #[serde(default)]
        after: u64,
        /// At most so many; cut to `limits.port.page_rows_max`.
        limit: u64,
    },
    /// Sessions, newest first unless `oldest_first`.
    Sessions {
        /// Only those in this state.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<SessionState>,
        /// Only those of this mode.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<Mode>,
        /// Only those that began at or after this, in Unix milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since_ms: Option<Wall>,
        /// Only those beyond this number, in the direction of the order: where the last page ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        beyond: Option<u64>,
        /// Oldest first.
        #[serde(default, skip_serializing_if = "is_unset")]
        oldest_first: bool,
        /// Only those that this filter lets through, with the fields of [`SessionRow`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        filter: Option<String>,
        /// At most so many; cut to `limits.port.page_rows_max`.
        limit: u64,
    },
    /// One session, with what its mode keeps of it.
    Session {
        /// Which, by its id.
        session: String,
    },
    /// A session's log, in its order.
    SessionLog {
        /// Which, by its id.
        session: String,
        /// Only what was written behind this number.
        #[serde(default)]
        after: u64,
        /// At most so many; cut to `limits.port.page_rows_max`.
        limit: u64,
    },
    /// What waits for a person, the oldest first.
    Confirmations,
    /// Who sent what to whom within a trace, in its order, as far as the tap keeps it.
    Trace {
        /// Which.
        trace: TraceId,
        /// Only hops behind this place in the tap.
        #[serde(default = "beginning")]
        after: Seq,
        /// Whether what a run tells on its topic of events is among them.
        #[serde(default, skip_serializing_if = "is_unset")]
        events: bool,
        /// At most so many; cut to `limits.port.page_rows_max`.
        limit: u64,
    },
}

impl Query {
    /// Whose list it asks for.
    #[must_use]
    pub const fn link(&self) -> Link {
        match self {
            Self::Health | Self::Trace { .. } => Link::Station,
            Self::Queues
            | Self::Events
            | Self::Invocations { .. }
            | Self::Invocation { .. }
            | Self::InvocationWhen { .. }
            | Self::State
            | Self::Refunds { .. }
            | Self::Adapters => Link::Mpp,
            Self::Topics | Self::Peers | Self::Subscriptions => Link::Rmp,
            Self::Runs { .. }
            | Self::Run { .. }
            | Self::RunEvents { .. }
            | Self::RunArtifacts { .. }
            | Self::Confirmations => Link::Runs,
            Self::Sessions { .. } | Self::Session { .. } | Self::SessionLog { .. } => Link::Macp,
        }
    }
}

/// Before every place in the tap.
const fn beginning() -> Seq {
    Seq(0)
}

/// Whether a part of a query is left out where it is sent, so that a station that does not know it takes the
/// query too.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_unset(flag: &bool) -> bool {
    !*flag
}

/// An answer to a [`Query`], in the same shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Page {
    /// Every queue, by name.
    Queues(Vec<QueueRow>),
    /// Every event of the manifest in force, by name.
    Events(Vec<EventRow>),
    /// Invocations; `more` when there are further ones.
    Invocations {
        /// The rows.
        rows: Vec<InvocationRow>,
        /// Whether there are more beyond the last.
        more: bool,
        /// Of a filtered page, the last row that was looked at: `limits.port.examined_rows_max` may end a
        /// page before it is full, or before it has any row, and the next one begins here. A station
        /// that knows no filters does not say it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        beyond: Option<InvocationId>,
    },
    /// One invocation, if it exists.
    Invocation(Option<InvocationRow>),
    /// Every pack-state value, by key.
    State(Vec<StateKeyRow>),
    /// Refund records; `more` when there are further ones.
    Refunds {
        /// The rows.
        rows: Vec<RefundRow>,
        /// Whether there are more beyond the last.
        more: bool,
        /// Of a filtered page, the last row that was looked at, as of invocations.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        beyond: Option<RefundId>,
    },
    /// None or one.
    Adapters(Vec<AdapterRow>),
    /// One row a part.
    Health(Vec<HealthRow>),
    /// By name; of those that are shown, see `limits.rmp.shown_topics_max`.
    Topics(Vec<TopicRow>),
    /// By session.
    Peers(Vec<PeerRow>),
    /// By session and number.
    Subscriptions(Vec<SubscriptionRow>),
    /// Runs; `more` when there are further ones.
    Runs {
        /// The rows.
        rows: Vec<RunRow>,
        /// Whether there are more beyond the last.
        more: bool,
        /// Of a filtered page, the number of the last row that was looked at, as of invocations.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        beyond: Option<u64>,
    },
    /// One run, if it exists.
    Run(Option<Box<RunDetail>>),
    /// What a run told; `more` when it told more.
    RunEvents {
        /// The events.
        rows: Vec<RunEventRow>,
        /// Whether there are more behind the last.
        more: bool,
    },
    /// What a run kept; `more` when it kept more.
    RunArtifacts {
        /// The artifacts.
        rows: Vec<ArtifactRow>,
        /// Whether there are more behind the last.
        more: bool,
    },
    /// Sessions; `more` when there are further ones.
    Sessions {
        /// The rows.
        rows: Vec<SessionRow>,
        /// Whether there are more beyond the last.
        more: bool,
        /// Of a filtered page, the number of the last row that was looked at, as of invocations.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        beyond: Option<u64>,
    },
    /// One session, if it exists.
    Session(Option<Box<SessionDetail>>),
    /// A session's log; `more` when there is more.
    SessionLog {
        /// The records.
        rows: Vec<SessionLogRow>,
        /// Whether there are more behind the last.
        more: bool,
    },
    /// What waits for a person, the oldest first; at most 10,000.
    Confirmations(Vec<ConfirmationRow>),
    /// The ladder of a trace; `more` when there are further hops.
    Trace {
        /// The hops.
        hops: Vec<HopRow>,
        /// Whether there are more behind the last.
        more: bool,
        /// Since when the tap keeps everything, in Unix milliseconds.
        kept_since_ms: Wall,
    },
}

/// `ls queues`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueRow {
    /// Its name.
    pub queue: QueueName,
    /// When its slot is freed; null for a queue that the manifest in force does not declare.
    pub ready_after: Option<ReadyAfter>,
    /// Pending rows under the manifest in force.
    pub pending: u64,
    /// Pending rows under another manifest.
    pub other_manifest: u64,
    /// What occupies its slot.
    pub in_flight: Option<InvocationId>,
    /// Whether a pull is parked.
    pub parked: bool,
    /// Whether dispatch is held.
    pub held: bool,
    /// Whether new work is refused.
    pub draining: bool,
    /// When the oldest row that waits under the manifest in force was enqueued, in Unix milliseconds, where
    /// that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_at_ms: Option<Wall>,
}

/// `ls events`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRow {
    /// Its name.
    pub event: EventName,
    /// Where its invocations go unless another queue is asked for.
    pub queue: QueueName,
    /// Its name for people.
    pub title: Option<String>,
    /// The JSON Schema of its parameters, beside their being an object.
    pub schema: Option<JsonText>,
}

/// `ls invocations`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvocationRow {
    /// Its id.
    pub id: InvocationId,
    /// Its queue.
    pub queue: QueueName,
    /// Its event.
    pub event: EventName,
    /// Where it stands.
    pub state: RowState,
    /// The event's parameters.
    pub params: JsonText,
    /// What `applied` reported.
    pub result: Option<JsonText>,
    /// Why it failed.
    pub reason: Option<String>,
    /// Where it came from.
    pub source: Source,
    /// What it belongs to.
    pub trace_id: TraceId,
    /// When it was enqueued, in Unix milliseconds.
    pub enqueued_at_ms: Wall,
    /// When its state last changed, in Unix milliseconds.
    pub updated_at_ms: Wall,
    /// The manifest it was enqueued under, where that is not the one in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_manifest: Option<ManifestHash>,
}

impl InvocationRow {
    /// A stored row as it is printed by a station whose manifest in force is `pack_id` and `hash`.
    #[must_use]
    pub fn of(row: Row, pack_id: &PackId, hash: &ManifestHash) -> Self {
        let other_manifest =
            (row.manifest_hash != *hash || row.pack_id != *pack_id).then_some(row.manifest_hash);
        Self {
            id: row.id,
            queue: row.queue,
            event: row.event,
            state: row.state,
            params: row.params,
            result: row.result,
            reason: row.reason,
            source: row.source,
            trace_id: row.trace_id,
            enqueued_at_ms: row.enqueued_at_ms,
            updated_at_ms: row.updated_at_ms,
            other_manifest,
        }
    }
}

/// `ls state`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateKeyRow {
    /// Its key.
    pub key: StateKey,
    /// The last accepted value.
    pub value: JsonText,
    /// The adapter's scope tag.
    pub scope: Option<String>,
    /// Whether it is stored and replayed.
    pub persist: bool,
    /// Who may write it, as the manifest in force declares; absent from a station that does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<Writer>,
    /// Who wrote the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_by: Option<WrittenBy>,
    /// When it was written, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<Wall>,
}

/// `ls refunds`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundRow {
    /// Its id.
    pub id: RefundId,
    /// For which invocation.
    pub invocation_id: InvocationId,
    /// Where that came from.
    pub source: Source,
    /// What becomes of it.
    pub status: RefundStatus,
    /// When it was recorded, in Unix milliseconds.
    pub at_ms: Wall,
}

/// `ls adapters`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdapterRow {
    /// From where.
    pub peer: Peer,
    /// Since when, in Unix milliseconds.
    pub connected_at_ms: Wall,
    /// The pack it serves.
    pub pack_id: PackId,
    /// When it last sent a frame, in Unix milliseconds.
    pub last_in_ms: Wall,
}

/// `ls health`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthRow {
    /// Which part: `mpp`, `store`, `tap`, `recording`.
    pub part: String,
    /// Whether it does its work.
    pub well: bool,
    /// Its figures, or what is wrong and what to do.
    pub detail: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_older_console_asks_is_understood_and_what_is_new_is_left_out_where_it_is_not_used() {
        let old =
            r#"{"invocations":{"state":"pending","queue":null,"beyond":7,"oldest_first":true,"limit":10}}"#;
        let query: Query = serde_json::from_str(old).unwrap();
        let state = Some(RowState::Pending);
        let beyond = Some(InvocationId(7));
        assert_eq!(
            query,
            Query::Invocations {
                state,
                queue: None,
                beyond,
                oldest_first: true,
                other_manifest: false,
                filter: None,
                limit: 10
            }
        );
        assert_eq!(serde_json::to_string(&query).unwrap(), old);
        let old = r#"{"refunds":{"status":null,"before":7,"limit":10}}"#;
        let query: Query = serde_json::from_str(old).unwrap();
        assert_eq!(
            query,
            Query::Refunds {
                status: None,
                beyond: Some(RefundId(7)),
                oldest_first: false,
                filter: None,
                limit: 10
            }
        );
        assert_eq!(serde_json::to_string(&query).unwrap(), old);
        let newer =
            Query::Refunds { status: None, beyond: None, oldest_first: true, filter: None, limit: 10 };
        assert_eq!(
            serde_json::to_string(&newer).unwrap(),
            r#"{"refunds":{"status":null,"before":null,"oldest_first":true,"limit":10}}"#
        );
    }

    #[test]
    fn a_filter_travels_where_there_is_one_and_a_page_says_where_it_stopped() {
        let filter = Some("age>2s".to_owned());
        let query = Query::Refunds { status: None, beyond: None, oldest_first: false, filter, limit: 10 };
        let text = serde_json::to_string(&query).unwrap();
        assert_eq!(text, r#"{"refunds":{"status":null,"before":null,"filter":"age>2s","limit":10}}"#);
        assert_eq!(serde_json::from_str::<Query>(&text).unwrap(), query);
        let old = r#"{"invocations":{"rows":[],"more":true}}"#;
        let page: Page = serde_json::from_str(old).unwrap();
        assert_eq!(page, Page::Invocations { rows: Vec::new(), more: true, beyond: None });
        assert_eq!(serde_json::to_string(&page).unwrap(), old);
    }

    #[test]
    fn rows_of_an_older_station_are_understood() {
        let row: StateKeyRow =
            serde_json::from_str(r#"{"key":"resets","value":3.0,"scope":null,"persist":true}"#).unwrap();
        assert_eq!((row.writer, row.written_by, row.at_ms), (None, None, None));
        let queue = r#"{"queue":"boss","ready_after":"done","pending":3,"other_manifest":1,"in_flight":null,"parked":true,"held":false,"draining":true}"#;
        assert_eq!(serde_json::from_str::<QueueRow>(queue).unwrap().head_at_ms, None);
    }
}
