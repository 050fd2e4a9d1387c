//! From figures to families: every name there is, with what it means.

use super::{
    HttpMetrics, Metrics,
    family::{
        Family,
        Kind::{Counter, Gauge},
        Series,
    },
};
use crate::{
    macp, mpp,
    port::{HostState, StationView},
    rmp, runs, store, tap,
    tap::entry::Link,
};

/// Every family that has a figure now.
pub(super) fn families(figures: &Metrics) -> Vec<Family> {
    let mut all = station(&figures.station);
    all.extend(of_tap(figures.tap));
    all.extend(figures.store.iter().flat_map(of_store));
    all.extend(figures.mpp.iter().flat_map(of_mpp));
    all.extend(figures.rmp.iter().flat_map(of_rmp));
    all.extend(figures.runs.iter().flat_map(of_runs));
    all.extend(figures.macp.iter().flat_map(of_macp));
    all.extend(figures.http.into_iter().flat_map(of_http));
    all.retain(|family| !family.series.is_empty());
    all
}

fn station(view: &StationView) -> Vec<Family> {
    let build =
        Series { labels: vec![("version", env!("CARGO_PKG_VERSION").to_owned())], value: 1_u64.into() };
    let hosts = Link::ALL.map(|link| (link.name().to_owned(), view.hosts[link.index()] == HostState::Up));
    let mut recording = vec![
        Family::new("rl_console_recording_active", Gauge, "Whether a recording runs.")
            .of(view.recording.is_some()),
        Family::new("rl_console_recording_bytes", Gauge, "Bytes on disk of the recording that runs."),
    ];
    if let (Some(running), Some(bytes)) = (&view.recording, recording.last_mut()) {
        *bytes = bytes.clone().of(running.bytes);
    }
    let mut all = vec![
        Family {
            series: vec![build],
            ..Family::new("rl_console_build_info", Gauge, "The version that runs; always 1.")
        },
        Family::new(
            "process_start_time_seconds",
            Gauge,
            "When the process started, in seconds since the Unix epoch.",
        )
        .of(seconds(view.started_at.wall.0, 1_000.0)),
        Family::new("rl_console_host_up", Gauge, "Whether a host of the station answers.").by("host", hosts),
        Family::new("rl_console_disk_low", Gauge, "Whether the data folder's disk is nearly full.")
            .of(view.disk_low.is_some()),
    ];
    all.append(&mut recording);
    all
}

fn of_tap(tap: tap::Counters) -> Vec<Family> {
    vec![
        Family::new("rl_console_tap_entries_total", Counter, "Entries emitted.").of(tap.emitted),
        Family::new(
            "rl_console_tap_evicted_entries_total",
            Counter,
            "Entries that made room for later ones.",
        )
        .of(tap.evicted),
        Family::new(
            "rl_console_tap_cut_entries_total",
            Counter,
            "Entries whose bytes were cut at limits.tap.frame_bytes_max.",
        )
        .of(tap.cut),
        Family::new("rl_console_tap_kept_entries", Gauge, "Entries kept in the ring.").of(tap.kept_entries),
        Family::new("rl_console_tap_kept_bytes", Gauge, "Memory of the ring.").of(tap.kept_bytes),
        Family::new("rl_console_tap_readers", Gauge, "Readers at this moment.").of(tap.readers),
    ]
}

fn of_store(store: &store::Counters) -> Vec<Family> {
    vec![
        Family::new("rl_console_store_failing", Gauge, "Whether commits fail.").of(store.failing.is_some()),
        Family::new("rl_console_store_commits_total", Counter, "Commits that changed something.")
            .of(store.commits),
        Family::new(
            "rl_console_store_commit_failures_total",
            Counter,
            "Commits, requests and journal writes that were refused.",
        )
        .of(store.commit_failures),
        Family::new("rl_console_store_retired_rows_total", Counter, "Rows that retention deleted.")
            .of(store.retired_rows),
        Family::new(
            "rl_console_store_unfolded_rows",
            Gauge,
            "Rows whose latest transitions are journalled and not in their tables yet.",
        )
        .of(store.unfolded_rows),
        Family::new("rl_console_store_waiting_requests", Gauge, "Requests that wait for the writer.")
            .of(store.requests_waiting),
        Family::new("rl_console_store_journal_bytes", Gauge, "Bytes of the journal on disk.")
            .of(store.journal_bytes),
        Family::new("rl_console_store_last_commit_seconds", Gauge, "How long the last commit took.")
            .of(seconds(store.last_commit_us, 1_000_000.0)),
    ]
}

fn of_mpp(mpp: &mpp::Snapshot) -> Vec<Family> {
    let is_stale = mpp.adapter.as_ref().is_some_and(|adapter| adapter.stale);
    let is_listening = matches!(mpp.listener, mpp::Listener::Listening(_));
    let count = |of: fn(&mpp::QueueView) -> u64| {
        mpp.queues.iter().map(move |(name, view)| (name.to_string(), of(view)))
    };
    let holds = |of: fn(&mpp::QueueView) -> bool| {
        mpp.queues.iter().map(move |(name, view)| (name.to_string(), of(view)))
    };
    vec![
        Family::new("rl_console_mpp_listening", Gauge, "Whether the MPP port answers.").of(is_listening),
        Family::new("rl_console_mpp_paired", Gauge, "Whether a bridge token is in force.").of(mpp.paired),
        Family::new("rl_console_mpp_adapter_connected", Gauge, "Whether an adapter is active.")
            .of(mpp.adapter.is_some()),
        Family::new(
            "rl_console_mpp_adapter_stale",
            Gauge,
            "Whether the active adapter has been silent for too long.",
        )
        .of(is_stale),
        Family::new(
            "rl_console_mpp_queue_pending_invocations",
            Gauge,
            "Pending rows under the manifest in force.",
        )
        .by("queue", count(|queue| queue.pending)),
        Family::new(
            "rl_console_mpp_queue_other_manifest_invocations",
            Gauge,
            "Pending rows under another manifest.",
        )
        .by("queue", count(|queue| queue.other_manifest)),
        Family::new(
            "rl_console_mpp_queue_in_flight_invocations",
            Gauge,
            "Rows that occupy the queue's slot: 0 or 1.",
        )
        .by("queue", count(|queue| queue.in_flight.is_some().into())),
        Family::new("rl_console_mpp_queue_parked", Gauge, "Whether a pull waits for work.")
            .by("queue", holds(|queue| queue.parked)),
        Family::new("rl_console_mpp_queue_held", Gauge, "Whether dispatch is stopped.")
            .by("queue", holds(|queue| queue.brake.held)),
        Family::new("rl_console_mpp_queue_draining", Gauge, "Whether new work is refused.")
            .by("queue", holds(|queue| queue.brake.draining)),
        Family::new("rl_console_mpp_done_invocations_total", Counter, "Rows done since the bridge started.")
            .by("queue", count(|queue| queue.done)),
        Family::new(
            "rl_console_mpp_failed_invocations_total",
            Counter,
            "Rows failed, refunded or cancelled since the bridge started.",
        )
        .by("queue", count(|queue| queue.failed)),
    ]
}

fn of_rmp(rmp: &rmp::Snapshot) -> Vec<Family> {
    let rmp::Totals {
        published,
        published_bytes,
        delivered,
        refused,
        dropped,
        keys,
        evicted_young,
        lost_evicted_young,
        ..
    } = rmp.totals;
    let is_listening = matches!(rmp.listener, rmp::Listener::Listening(_));
    let kinds = rmp::Kind::ALL.map(|kind| {
        let is_of =
            |peer: &&rmp::PeerView| peer.greeting.as_ref().is_some_and(|greeting| greeting.kind == kind);
        (kind.name().to_owned(), count(rmp.peers.values().filter(is_of)))
    });
    let reasons = rmp::DropReason::ALL.map(|reason| (reason.name().to_owned(), dropped[reason.index()]));
    let gauges = || rmp.peers.values().flat_map(|peer| peer.subs.values()).map(|sub| sub.gauge);
    vec![
        Family::new("rl_console_rmp_listening", Gauge, "Whether the bus answers on its socket.").of(is_listening),
        Family::new("rl_console_rmp_connections", Gauge, "Connections, those without a Hello included.").of(rmp.peers.len() as u64),
        Family::new("rl_console_rmp_peers", Gauge, "Peers that said Hello, by what they may do.").by("kind", kinds),
        Family::new("rl_console_rmp_subscriptions", Gauge, "Subscriptions of all peers.").of(count(gauges())),
        Family::new("rl_console_rmp_queued_messages", Gauge, "Messages that wait for their subscribers, as told last.")
            .of(gauges().map(|gauge| gauge.queued_messages).sum::<u64>()),
        Family::new("rl_console_rmp_queued_bytes", Gauge, "Bytes that wait for their subscribers, as told last.")
            .of(gauges().map(|gauge| gauge.queued_bytes).sum::<u64>()),
        Family::new("rl_console_rmp_deepest_queue_messages", Gauge, "Messages that wait for the slowest subscription, as told last.")
            .of(gauges().map(|gauge| gauge.queued_messages).max().unwrap_or(0)),
        Family::new("rl_console_rmp_published_messages_total", Counter, "Messages taken.").of(published),
        Family::new("rl_console_rmp_published_bytes_total", Counter, "Bytes of the messages taken, as they were on the wire.")
            .of(published_bytes),
        Family::new("rl_console_rmp_delivered_messages_total", Counter, "Messages given to subscriptions.").of(delivered),
        Family::new("rl_console_rmp_refused_frames_total", Counter, "Frames refused.").of(refused),
        Family::new("rl_console_rmp_drops_total", Counter, "Messages that did not reach a subscription.").by("reason", reasons),
        Family::new("rl_console_rmp_dedupe_keys", Gauge, "Keys remembered against duplicates.").of(keys),
        Family::new("rl_console_rmp_dedupe_evicted_young_keys_total", Counter, "Keys that were let go before the longest TTL was over.")
            .of(evicted_young),
        Family::new(
            "rl_console_rmp_lost_evicted_young_keys_total",
            Counter,
            "Keys that subscribers lost to back-pressure and that were let go before the longest TTL was over: a retry is a duplicate.",
        )
        .of(lost_evicted_young),
    ]
}

fn of_runs(runs: &runs::Metrics) -> Vec<Family> {
    let rejected = runs::RejectedFor::ALL
        .iter()
        .zip(runs.rejected)
        .map(|(reason, count)| (reason.name().to_owned(), count));
    let ended = runs::ENDS.iter().zip(runs.ended).map(|(state, count)| (state.name().to_owned(), count));
    let nodes =
        runs::NODE_ENDS.iter().zip(runs.nodes_ended).map(|(state, count)| (state.name().to_owned(), count));
    vec![
        Family::new("rl_console_runs_running", Gauge, "Runs that are worked on.").of(runs.running),
        Family::new("rl_console_runs_in_flight_attempts", Gauge, "Attempts that agents work on.")
            .of(runs.in_flight),
        Family::new("rl_console_runs_waiting_confirmations", Gauge, "Questions that wait for a person.")
            .of(runs.asking),
        Family::new("rl_console_runs_submitted_total", Counter, "Runs that began.").of(runs.submitted),
        Family::new(
            "rl_console_runs_rejected_requests_total",
            Counter,
            "Requests to submit or to cancel that were rejected.",
        )
        .by("reason", rejected),
        Family::new("rl_console_runs_ended_total", Counter, "Runs that ended.").by("state", ended),
        Family::new("rl_console_runs_ended_nodes_total", Counter, "Nodes that ended.").by("state", nodes),
        Family::new("rl_console_runs_attempts_total", Counter, "Attempts that were given to agents.")
            .of(runs.attempts),
        Family::new("rl_console_runs_retries_total", Counter, "Attempts that were not their node's first.")
            .of(runs.retries),
        Family::new(
            "rl_console_runs_timeouts_total",
            Counter,
            "Attempts and nested openings that took too long.",
        )
        .of(runs.timeouts),
        Family::new("rl_console_runs_late_answers_total", Counter, "Answers that came late or twice.")
            .of(runs.late_answers),
        Family::new("rl_console_runs_events_total", Counter, "Events that runs told.").of(runs.events),
        Family::new("rl_console_runs_artifacts_total", Counter, "Artifacts that were kept.")
            .of(runs.artifacts),
        Family::new("rl_console_runs_tokens_total", Counter, "Tokens that agents used.").of(runs.tokens),
    ]
}

fn of_macp(macp: &macp::host::Metrics) -> Vec<Family> {
    let macp::Totals { open, started, resolved, expired, cancelled, accepted, duplicates, signals, .. } =
        macp.totals;
    let named = |ending: macp::Ending, count| (ending.name().to_owned(), count);
    let ended = [
        named(macp::Ending::Resolved, resolved),
        named(macp::Ending::TtlExpired, expired),
        named(macp::Ending::Cancelled, cancelled),
    ];
    let calls = macp::Rpc::ALL.iter().zip(macp.calls).map(|(rpc, count)| (rpc.name().to_owned(), count));
    let refused =
        macp::Code::ALL.iter().zip(macp.refused).map(|(code, count)| (code.name().to_owned(), count));
    let declined =
        macp::Status::ALL.iter().zip(macp.declined).map(|(status, count)| (status.name().to_owned(), count));
    vec![
        Family::new("rl_console_macp_open_sessions", Gauge, "Sessions that are open.").of(open),
        Family::new(
            "rl_console_macp_memory_sessions",
            Gauge,
            "Sessions in memory, those that ended included.",
        )
        .of(macp.in_memory),
        Family::new("rl_console_macp_message_bytes", Gauge, "Bytes of the messages of sessions in memory.")
            .of(macp.message_bytes),
        Family::new(
            "rl_console_macp_started_sessions_total",
            Counter,
            "Sessions that began, or were open when the runtime started.",
        )
        .of(started),
        Family::new("rl_console_macp_ended_sessions_total", Counter, "Sessions that ended.")
            .by("ending", ended),
        Family::new("rl_console_macp_calls_total", Counter, "Calls, and messages of streams.")
            .by("rpc", calls),
        Family::new(
            "rl_console_macp_accepted_messages_total",
            Counter,
            "Messages that sessions accepted, their starts aside.",
        )
        .of(accepted),
        Family::new(
            "rl_console_macp_duplicate_messages_total",
            Counter,
            "Messages that had been accepted before.",
        )
        .of(duplicates),
        Family::new("rl_console_macp_signals_total", Counter, "Messages that belong to no session.")
            .of(signals),
        Family::new("rl_console_macp_refused_messages_total", Counter, "Messages that were refused.")
            .by("code", refused),
        Family::new("rl_console_macp_declined_calls_total", Counter, "Calls that ended with a status.")
            .by("status", declined),
        Family::new(
            "rl_console_macp_store_reads_total",
            Counter,
            "Sessions that were looked up in the store.",
        )
        .of(macp.store_reads),
        Family::new(
            "rl_console_macp_log_failing",
            Gauge,
            "Whether the log cannot be written, or the store does not take it.",
        )
        .of(macp.log_failing.is_some()),
        Family::new("rl_console_macp_log_commits_total", Counter, "Writes of the log.").of(macp.log_commits),
        Family::new(
            "rl_console_macp_log_commit_failures_total",
            Counter,
            "Writes of the log that failed and were tried again.",
        )
        .of(macp.log_commit_failures),
        Family::new("rl_console_macp_log_bytes_total", Counter, "Bytes of records that were written.")
            .of(macp.log_bytes),
        Family::new(
            "rl_console_macp_log_unsaved_bytes",
            Gauge,
            "Bytes of records that are accepted and not written.",
        )
        .of(macp.log_unsaved_bytes),
        Family::new(
            "rl_console_macp_log_unstored_bytes",
            Gauge,
            "Bytes of the log that the store does not have yet.",
        )
        .of(macp.log_unstored_bytes),
        Family::new("rl_console_macp_log_segments", Gauge, "Segments of the log that wait to be sorted.")
            .of(macp.log_segments),
    ]
}

fn count(all: impl Iterator) -> u64 {
    all.count() as u64
}

fn of_http(http: HttpMetrics) -> Vec<Family> {
    vec![
        Family::new(
            "rl_console_metrics_requests_total",
            Counter,
            "Requests for metrics that were answered, this one not included.",
        )
        .of(http.requests),
        Family::new(
            "rl_console_metrics_cut_connections_total",
            Counter,
            "Connections that were closed to make room for later ones.",
        )
        .of(http.cut),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people: whole up to 2^53")]
fn seconds(count: u64, per_s: f64) -> f64 {
    count as f64 / per_s
}
