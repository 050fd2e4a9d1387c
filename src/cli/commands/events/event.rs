//! Everything that can be told.

use std::{net::SocketAddr, sync::Arc};

use serde::Serialize;

use super::{gate::GateEvent, plugin::PluginEvent};

use crate::{
    console::model::station::{AlertChange, QueueMetrics, Summary},
    ids::{
        ActionId, ConnectionId, EventName, InvocationId, PackId, Peer, QueueName, Seq, SessionId, StateKey,
        TraceId,
    },
    runs::{RunState, Verdict},
    tap::entry::{
        mpp::RefundStatus,
        station::{Level, OperatedBy},
    },
    time::Wall,
};

/// What stands in the place of what is masked.
pub(super) const MASK: &str = "******";

/// The operator that did something.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::cli::commands) struct By {
    kind: &'static str,
    client: String,
    /// Its session of the bus; absent of a console in the station's own process.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<ConnectionId>,
}

impl By {
    pub(super) fn of(by: &OperatedBy) -> Self {
        Self { kind: by.kind.name(), client: by.client.to_string(), session: by.session }
    }

    /// As a line ends that says what was done, where that was not in the station's own process.
    pub(super) fn suffix(&self) -> String {
        self.session.map_or_else(String::new, |session| format!(", by {} (session {session})", self.client))
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(in crate::cli::commands) enum Event {
    /// Everything answers, but for what was told to be down.
    Ready {
        #[serde(skip_serializing_if = "Option::is_none")]
        mpp: Option<SocketAddr>,
        #[serde(skip_serializing_if = "Option::is_none")]
        rmp: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        macp: Option<SocketAddr>,
        #[serde(skip_serializing_if = "Option::is_none")]
        metrics: Option<SocketAddr>,
    },
    /// A host answers.
    Up { host: &'static str },
    /// A host does not answer.
    Down { host: &'static str, why: String },
    /// An adapter is active.
    AdapterConnected { peer: Peer, session_id: SessionId },
    /// The active adapter is gone.
    AdapterDisconnected { peer: Peer, cause: String },
    /// A connection was ended before it was the active adapter's.
    AdapterRefused { peer: Peer, cause: String },
    /// The active adapter is silent.
    AdapterStale { silent_s: u64 },
    /// A token is in force.
    Paired,
    /// A manifest is in force.
    PackLoaded { pack_id: PackId, manifest_hash: String },
    /// A queue's brake changed.
    Braked { queue: QueueName, held: bool, draining: bool },
    /// A draining queue is empty.
    Drained { queue: QueueName },
    /// A persisted value is not replayed.
    PersistedLeftOut { key: StateKey, why: String },
    /// Commits fail.
    StoreFailing { why: String },
    /// Commits succeed again.
    StoreWell,
    /// A recording runs.
    RecordingStarted { path: String },
    /// A recording ended.
    RecordingStopped { path: String, bytes: u64 },
    /// A recording could not be begun, or ended by an error.
    RecordingFailed { why: String },
    /// The data folder's disk is nearly full.
    DiskLow { free_bytes: u64 },
    /// It has room again.
    DiskWell { free_bytes: u64 },
    /// An operator did something.
    Operated {
        what: String,
        /// Who; absent in what a version before 0.4 recorded.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<By>,
    },
    /// A trigger found what it looks for.
    Triggered {
        name: String,
        text: String,
        /// What it found.
        entry: Seq,
        /// What it found since it fired before, and did not fire for.
        coalesced: u64,
    },
    /// A moment was marked.
    Marked {
        text: String,
        /// The entry that is meant, where it is not this moment.
        #[serde(skip_serializing_if = "Option::is_none")]
        entry: Option<Seq>,
        /// Who; absent where a trigger did.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<By>,
    },
    /// A person should read this.
    Notice { level: Level, text: String },
    /// Entries were lost to this output; the station itself lost nothing.
    Loss { count: u64 },
    /// The station is going down.
    Stopping,
    /// A row was recorded as pending.
    Enqueued {
        id: InvocationId,
        queue: QueueName,
        name: EventName,
        /// The row that an operator requeued as this one.
        #[serde(skip_serializing_if = "Option::is_none")]
        requeued_from: Option<InvocationId>,
    },
    /// It went to the adapter.
    Dispatched { id: InvocationId, queue: QueueName, name: EventName },
    /// Its effect is in the game.
    Applied { id: InvocationId, queue: QueueName },
    /// It ended well.
    Done { id: InvocationId, queue: QueueName, name: EventName, settled: bool },
    /// It ended badly.
    Failed { id: InvocationId, queue: QueueName, name: EventName, reason: String, settled: bool },
    /// It ended badly, with a refund request.
    Refunded { id: InvocationId, queue: QueueName, name: EventName, reason: String },
    /// An operator cancelled it.
    Cancelled {
        id: InvocationId,
        queue: QueueName,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<EventName>,
        reason: String,
    },
    /// It went back to the head of its queue.
    Requeued { id: InvocationId, queue: QueueName },
    /// Its connection ended between applied and its end.
    LeftApplied { id: InvocationId, queue: QueueName },
    /// A refund was recorded.
    RefundRecorded { id: InvocationId, status: RefundStatus },
    /// Rows of another manifest took the one in force.
    Migrated { queue: QueueName, rows: u64, failed: u64 },
    /// The adapter logged a line.
    Logged { level: Level, text: String },
    /// Agents decide together from now on.
    SessionOpened { session: String, mode: &'static str, by: String },
    /// They came to something.
    SessionResolved { session: String, resolution: String },
    /// Their time is over, or the log of it was damaged.
    SessionExpired { session: String, damaged: bool },
    /// It was ended before its time.
    SessionCancelled { session: String, reason: String },
    /// No attempt of a run is begun any more, or they are again.
    RunsBraked { held: bool, by: String },
    /// A run was accepted.
    RunAccepted { run: TraceId, name: String, nodes: u32, by: String },
    /// A request for a run was rejected.
    RunRejected { request: TraceId, by: String, why: String },
    /// A node of a run waits for a person.
    RunAsks {
        action: ActionId,
        #[serde(flatten)]
        of: OfRun,
        node: String,
        question: String,
        expires_at_ms: Wall,
    },
    /// A question of a run ended.
    RunDecided {
        action: ActionId,
        #[serde(flatten)]
        of: OfRun,
        verdict: Verdict,
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// A run ended.
    RunEnded {
        #[serde(flatten)]
        of: OfRun,
        state: RunState,
        #[serde(skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// Frames did not leave before their connection closed.
    Unsent { peer: String, frames: u64, bytes: u64 },
    /// Something that must not be missed.
    Alert { alert: Arc<str>, subject: Arc<str>, text: Arc<str>, to_do: Vec<String> },
    /// It is over.
    AlertPassed { alert: Arc<str>, subject: Arc<str>, text: Arc<str>, lasted_s: u64 },
    /// How everything is.
    State(State),
    /// More of a kind came than can be read, and were left out.
    LeftOut { what: &'static str, count: u64 },
    /// The line before this one came again.
    Repeated { count: u64 },
    /// Something happened to a plugin.
    #[serde(untagged)]
    Plugin(PluginEvent),
    /// Something happened at the gate.
    #[serde(untagged)]
    Gate(GateEvent),
}

/// Which run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::cli::commands) struct OfRun {
    pub(super) run: TraceId,
    /// The opening's name, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
}

/// How everything is, at the start and whenever it has changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(in crate::cli::commands) struct State {
    pub(super) pack: PackId,
    pub(super) mpp_down: Option<String>,
    pub(super) paired: bool,
    pub(super) adapter: Option<Peer>,
    pub(super) pending: u64,
    pub(super) in_flight: usize,
    pub(super) held: Vec<QueueName>,
    pub(super) draining: Vec<QueueName>,
    pub(super) store_failing: bool,
    pub(super) recording: Option<String>,
    pub(super) alerts: usize,
}

impl Event {
    /// This event with nothing in it that viewers or peers wrote, for a show that is on air.
    pub(super) fn masked(mut self) -> Self {
        match &mut self {
            Self::Failed { reason: words, .. }
            | Self::Refunded { reason: words, .. }
            | Self::Cancelled { reason: words, .. }
            | Self::SessionResolved { resolution: words, .. }
            | Self::SessionCancelled { reason: words, .. }
            | Self::Logged { text: words, .. }
            | Self::PersistedLeftOut { why: words, .. }
            | Self::RunRejected { why: words, .. }
            | Self::RunAsks { question: words, .. }
            | Self::RunEnded { why: Some(words), .. } => MASK.clone_into(words),
            Self::Plugin(event) => event.mask(),
            _ => {}
        }
        self
    }

    /// This event with the name of its run.
    pub(in crate::cli::commands) fn named(mut self, name: impl FnOnce(TraceId) -> Option<String>) -> Self {
        if let Self::RunAsks { of, .. } | Self::RunDecided { of, .. } | Self::RunEnded { of, .. } = &mut self
        {
            of.name = name(of.run);
        }
        self
    }

    /// The news of an alert.
    pub(in crate::cli::commands) fn of_alert(news: AlertChange) -> Self {
        let AlertChange { name: alert, subject, text, to_do, lasted_s } = news;
        match lasted_s {
            None => Self::Alert { alert, subject, text, to_do },
            Some(lasted_s) => Self::AlertPassed { alert, subject, text, lasted_s },
        }
    }

    /// A summary of the state.
    pub(in crate::cli::commands) fn of_state(summary: Summary, figures: QueueMetrics) -> Self {
        let Summary { pack, mpp_down, paired, adapter, store_failing, recording, held, draining, alerts } =
            summary;
        let QueueMetrics { pending, in_flight } = figures;
        Self::State(State {
            pack,
            mpp_down,
            paired,
            adapter,
            pending,
            in_flight,
            held,
            draining,
            store_failing,
            recording,
            alerts,
        })
    }
}
