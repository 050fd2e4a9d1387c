//! Events in words.

use super::event::{By, Event, OfRun, State};
use crate::{
    console::draw::grouped,
    ids::QueueName,
    runs::{RunState, Verdict},
    tap::entry::{mpp::RefundStatus, station::Level},
    words::counted,
};

impl Event {
    /// In words, without its time.
    pub(in crate::cli::commands) fn text(&self) -> String {
        match self {
            Self::Ready { mpp, rmp, macp, metrics } => {
                let mpp =
                    mpp.map_or_else(|| "mpp is down".to_owned(), |mpp| format!("adapters connect to {mpp}"));
                let bus = rmp.as_ref().map_or_else(String::new, |path| format!(", agents to {path}"));
                let metrics = metrics
                    .map_or_else(String::new, |metrics| format!(", metrics on http://{metrics}/metrics"));
                let macp = macp.map_or_else(String::new, |macp| format!(", MACP clients to {macp}"));
                format!("ready: {mpp}{bus}{macp}{metrics}")
            }
            Self::Up { host } => format!("{host} is up"),
            Self::Down { host, why } => format!("{host} is down: {why}"),
            Self::AdapterConnected { peer, session_id } => {
                format!("adapter {peer} connected (session {session_id})")
            }
            Self::AdapterDisconnected { peer, cause } => format!("adapter {peer} disconnected: {cause}"),
            Self::AdapterRefused { peer, cause } => format!("adapter {peer} refused: {cause}"),
            Self::AdapterStale { silent_s } => format!("the adapter has been silent for {silent_s} s"),
            Self::Paired => "paired: bridge token active".to_owned(),
            Self::PackLoaded { pack_id, manifest_hash } => format!("pack {pack_id} {manifest_hash}"),
            Self::Braked { queue, held, draining } => match (held, draining) {
                (true, true) => format!("queue {queue} held and draining"),
                (true, false) => format!("queue {queue} held"),
                (false, true) => format!("queue {queue} draining"),
                (false, false) => format!("queue {queue} resumed"),
            },
            Self::Drained { queue } => format!("queue {queue} drained"),
            Self::PersistedLeftOut { key, why } => format!("state {key} not replayed: {why}"),
            Self::StoreFailing { why } => format!("store failing: {why}"),
            Self::StoreWell => "store recovered".to_owned(),
            Self::RecordingStarted { path } => format!("recording to {path}"),
            Self::RecordingStopped { path, bytes } => format!("recorded {}: {path}", counted(*bytes, "byte")),
            Self::RecordingFailed { why } => format!("recording failed: {why}"),
            Self::DiskLow { free_bytes } => {
                format!("the data folder's disk is nearly full: {free_bytes} bytes free")
            }
            Self::DiskWell { free_bytes } => {
                format!("the data folder's disk has space again: {free_bytes} bytes free")
            }
            Self::Operated { what, by } => {
                format!("operator: {what}{}", by.as_ref().map_or_else(String::new, By::suffix))
            }
            Self::Triggered { name, text, .. } => format!("trigger {name}: {text}"),
            Self::Marked { text, by, .. } => {
                let by = by.as_ref().map_or_else(String::new, By::suffix);
                if text.is_empty() { format!("mark{by}") } else { format!("mark: {text}{by}") }
            }
            Self::Notice { level, text } => format!("{}: {text}", level.name()),
            Self::Loss { count } => format!("{} skipped", counted(*count, "entry")),
            Self::Stopping => "stopping".to_owned(),
            Self::Alert { text, to_do, .. } if to_do.is_empty() => format!("alert: {text}"),
            Self::Alert { text, to_do, .. } => format!("alert: {text}; to do: {}", sentences(to_do)),
            Self::AlertPassed { text, lasted_s, .. } => format!("resolved after {lasted_s} s: {text}"),
            Self::State(state) => state.text(),
            Self::LeftOut { what, count } => format!("… {} more {what}", grouped(*count)),
            Self::Repeated { count: 1 } => "… repeated once more".to_owned(),
            Self::Repeated { count } => format!("… repeated {} more times", grouped(*count)),
            Self::Plugin(event) => event.text(),
            Self::Gate(event) => event.text(),
            Self::RunsBraked { .. }
            | Self::RunAccepted { .. }
            | Self::RunRejected { .. }
            | Self::RunAsks { .. }
            | Self::RunDecided { .. }
            | Self::RunEnded { .. } => self.run_text(),
            row => row.row_text(),
        }
    }

    fn run_text(&self) -> String {
        let named = |of: &OfRun| {
            format!(
                "{}{}",
                of.name.as_ref().map(|name| format!("{name} ")).unwrap_or_default(),
                of.run.short()
            )
        };
        match self {
            Self::RunsBraked { held: true, by } => {
                format!("runs held by {by}: no attempt starts until `rl-console resume`")
            }
            Self::RunsBraked { held: false, by } => format!("runs resumed by {by}"),
            Self::RunAccepted { run, name, nodes, by } => {
                format!("run {name} {} accepted: {}, submitted by {by}", run.short(), counted(*nodes, "node"))
            }
            Self::RunRejected { by, why, .. } => format!("submission from {by} rejected: {why}"),
            Self::RunAsks { action, of, node, question, .. } => {
                let action = action.short();
                format!(
                    "run {} needs approval for node {node}: {question} (`run approve {action}`, `run reject {action}`)",
                    named(of)
                )
            }
            Self::RunDecided { of, verdict, by, .. } => {
                let by = by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
                format!("run {}: approval {}{by}", named(of), verdict.name())
            }
            Self::RunEnded { of, state, why } => {
                let why = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                format!("run {} {}{why}", named(of), state.name())
            }
            _ => String::new(),
        }
    }

    fn row_text(&self) -> String {
        match self {
            Self::Enqueued { id, queue, name, requeued_from: None } => {
                format!("{id} {name} on {queue}: enqueued")
            }
            Self::Enqueued { id, queue, name, requeued_from: Some(from) } => {
                format!("{id} {name} on {queue}: requeued from {from}")
            }
            Self::Dispatched { id, queue, name } => format!("{id} {name} on {queue}: dispatched"),
            Self::Applied { id, queue } => format!("{id} on {queue}: applied"),
            Self::Done { id, queue, name, settled } => {
                format!("{id} {name} on {queue}: {}done", by_hand(*settled))
            }
            Self::Failed { id, queue, name, reason, settled } => {
                format!("{id} {name} on {queue}: {}failed: {reason}", by_hand(*settled))
            }
            Self::Refunded { id, queue, name, reason } => {
                format!("{id} {name} on {queue}: failed, refund requested: {reason}")
            }
            Self::Cancelled { id, queue, name: Some(name), reason } => {
                format!("{id} {name} on {queue}: {reason}")
            }
            Self::Cancelled { id, queue, name: None, .. } => {
                format!("{id} on {queue} (stale manifest): cancelled")
            }
            Self::Requeued { id, queue } => format!("{id} on {queue}: requeued at the head"),
            Self::LeftApplied { id, queue } => {
                format!(
                    "{id} on {queue}: orphaned (applied, adapter lost); end it with `rl-console invocation \
                     settle {id} done` or `rl-console invocation settle {id} failed`"
                )
            }
            Self::RefundRecorded { id, status } => match status {
                RefundStatus::Requested => format!("refund of {id} requested"),
                RefundStatus::Skipped => format!("refund of {id}: bits cannot be refunded; tell the viewer"),
                RefundStatus::Manual => format!("refund of {id} must be made manually"),
            },
            Self::Migrated { queue, rows, failed } => {
                format!("{queue}: {} migrated to the active manifest, {failed} failed", counted(*rows, "row"))
            }
            Self::SessionOpened { session, mode, by } => {
                format!("session {session} opened: {mode}, by {by}")
            }
            Self::SessionResolved { session, resolution } => {
                format!("session {session} resolved: {resolution}")
            }
            Self::SessionExpired { session, damaged: false } => {
                format!("session {session} expired without a resolution")
            }
            Self::SessionExpired { session, damaged: true } => {
                format!("session {session} expired: its log is damaged")
            }
            Self::SessionCancelled { session, reason } => {
                format!("session {session} cancelled: {reason}")
            }
            Self::Logged { text, .. } => text.clone(),
            Self::Unsent { peer, frames, bytes } => {
                format!("{} ({}) not sent to {peer}", counted(*frames, "frame"), counted(*bytes, "byte"))
            }
            _ => String::new(),
        }
    }

    /// How much it matters.
    pub(super) const fn level(&self) -> Level {
        match self {
            Self::Down { .. }
            | Self::StoreFailing { .. }
            | Self::RecordingFailed { .. }
            | Self::RunEnded { state: RunState::Failed, .. } => Level::Error,
            Self::RunRejected { .. }
            | Self::RunAsks { .. }
            | Self::RunDecided { verdict: Verdict::Expired, .. }
            | Self::AdapterDisconnected { .. }
            | Self::AdapterRefused { .. }
            | Self::AdapterStale { .. }
            | Self::PersistedLeftOut { .. }
            | Self::DiskLow { .. }
            | Self::Loss { .. }
            | Self::Stopping
            | Self::Failed { .. }
            | Self::Refunded { .. }
            | Self::Requeued { .. }
            | Self::LeftApplied { .. }
            | Self::Unsent { .. }
            | Self::SessionExpired { .. }
            | Self::SessionCancelled { .. }
            | Self::RefundRecorded { status: RefundStatus::Skipped | RefundStatus::Manual, .. }
            | Self::Alert { .. } => Level::Warn,
            Self::Notice { level, .. } | Self::Logged { level, .. } => *level,
            Self::Plugin(event) => event.level(),
            Self::Gate(event) => event.level(),
            _ => Level::Info,
        }
    }

    /// Who says it.
    pub(super) const fn who(&self) -> &'static str {
        match self {
            Self::Logged { .. } => "adapter",
            Self::Plugin(_) => "plugin",
            Self::Gate(_) => "gate",
            Self::Operated { .. } | Self::Marked { .. } => "operator",
            Self::SessionOpened { .. }
            | Self::SessionResolved { .. }
            | Self::SessionExpired { .. }
            | Self::SessionCancelled { .. } => "macp",
            Self::State(_)
            | Self::LeftOut { .. }
            | Self::Repeated { .. }
            | Self::Loss { .. }
            | Self::Triggered { .. }
            | Self::Alert { .. }
            | Self::AlertPassed { .. } => "console",
            Self::StoreFailing { .. }
            | Self::StoreWell
            | Self::RecordingStarted { .. }
            | Self::RecordingStopped { .. }
            | Self::RecordingFailed { .. }
            | Self::DiskLow { .. }
            | Self::DiskWell { .. }
            | Self::Notice { .. }
            | Self::Stopping => "station",
            Self::RunsBraked { .. }
            | Self::RunAccepted { .. }
            | Self::RunRejected { .. }
            | Self::RunAsks { .. }
            | Self::RunDecided { .. }
            | Self::RunEnded { .. } => "runs",
            _ => "mpp",
        }
    }
}

/// What to do, in one line: what announces the next ends in a colon.
fn sentences(all: &[String]) -> String {
    let mut line = String::new();
    for sentence in all {
        if !line.is_empty() {
            line.push_str(if line.ends_with(':') { " " } else { "; " });
        }
        line.push_str(sentence);
    }
    line
}

const fn by_hand(settled: bool) -> &'static str {
    if settled { "settled as " } else { "" }
}

impl State {
    fn text(&self) -> String {
        let mut parts = vec![format!("state: pack {}", self.pack)];
        parts.push(match (&self.mpp_down, &self.adapter, self.paired) {
            (Some(why), ..) => format!("mpp is down: {why}"),
            (None, Some(peer), _) => format!("adapter {peer}"),
            (None, None, true) => "no adapter".to_owned(),
            (None, None, false) => "no adapter (not paired; none can connect)".to_owned(),
        });
        parts.push(format!("{} pending, {} in flight", grouped(self.pending), self.in_flight));
        let names =
            |queues: &[QueueName]| queues.iter().map(QueueName::as_str).collect::<Vec<_>>().join(", ");
        if !self.held.is_empty() {
            parts.push(format!("held: {}", names(&self.held)));
        }
        if !self.draining.is_empty() {
            parts.push(format!("draining: {}", names(&self.draining)));
        }
        parts.push(if self.store_failing { "store failing".to_owned() } else { "store ok".to_owned() });
        if let Some(path) = &self.recording {
            parts.push(format!("recording to {path}"));
        }
        match self.alerts {
            0 => {}
            1 => parts.push("1 alert".to_owned()),
            alerts => parts.push(format!("{alerts} alerts")),
        }
        parts.join("; ")
    }
}
