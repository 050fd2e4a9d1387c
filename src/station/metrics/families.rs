//! The metrics of the station itself, and all together.

use super::{
    HttpMetrics, Metrics,
    family::{
        Family,
        Kind::{Counter, Gauge},
        Series,
    },
};
use crate::{
    port::{HostState, StationView},
    station::keyframes,
    store, tap,
    tap::entry::Link,
};

/// Every family that has a figure now.
pub(super) fn families(figures: &Metrics) -> Vec<Family> {
    let mut all = all(figures);
    all.retain(|family| !family.series.is_empty());
    all
}

/// Every family, those without a figure too.
pub(super) fn all(figures: &Metrics) -> Vec<Family> {
    let mut all = station(&figures.station);
    all.extend(of_tap(figures.tap));
    all.extend(of_keyframes(figures.keyframes));
    all.extend(figures.store.iter().flat_map(of_store));
    all.extend(figures.hosts.iter().cloned());
    all.extend(figures.http.into_iter().flat_map(of_http));
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
        Family::new(
            "rl_console_tap_masked_unseen_total",
            Counter,
            "Runs of characters masked without a look, past limits.tap.frame_hashes_max.",
        )
        .of(tap.masked_unseen),
        Family::new("rl_console_tap_kept_entries", Gauge, "Entries kept in the ring.").of(tap.kept_entries),
        Family::new("rl_console_tap_kept_bytes", Gauge, "Memory of the ring.").of(tap.kept_bytes),
        Family::new("rl_console_tap_readers", Gauge, "Readers at this moment.").of(tap.readers),
    ]
}

fn of_keyframes(keyframes: keyframes::Counters) -> Vec<Family> {
    vec![
        Family::new(
            "rl_console_tap_keyframes_total",
            Counter,
            "Keyframes taken: states kept for consoles that attach.",
        )
        .of(keyframes.taken),
        Family::new(
            "rl_console_tap_evicted_keyframes_total",
            Counter,
            "Keyframes that went with the entries behind them.",
        )
        .of(keyframes.evicted - keyframes.cut),
        Family::new(
            "rl_console_tap_cut_keyframes_total",
            Counter,
            "Keyframes that went for want of room (limits.tap.keyframes_bytes_max).",
        )
        .of(keyframes.cut),
        Family::new("rl_console_tap_kept_keyframes", Gauge, "Keyframes kept.").of(keyframes.kept),
        Family::new("rl_console_tap_keyframes_bytes", Gauge, "Bytes of the keyframes kept.")
            .of(keyframes.bytes),
    ]
}

fn of_store(store: &store::Counters) -> Vec<Family> {
    let retained = |count: fn(&store::Retained) -> u64| {
        let all = store::Retained::WHAT.into_iter().zip(&store.retained);
        all.map(move |(of, retained)| (of.to_owned(), count(retained)))
    };
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
        Family::new("rl_console_store_kept_rows", Gauge, "Rows kept of what retention bounds in rows.")
            .by("of", retained(|it| it.rows).filter(|(of, _)| of != "session_logs")),
        Family::new("rl_console_store_kept_bytes", Gauge, "Bytes kept of what retention bounds in bytes.")
            .by("of", retained(|it| it.bytes)),
        Family::new("rl_console_store_last_commit_seconds", Gauge, "How long the last commit took.")
            .of(seconds(store.last_commit_us, 1_000_000.0)),
    ]
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
