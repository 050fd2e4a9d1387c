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
        Family::new("rl_console_recording_active", Gauge, "Whether a recording is active.")
            .of(view.recording.is_some()),
        Family::new("rl_console_recording_bytes", Gauge, "Size of the active recording on disk, in bytes."),
    ];
    if let (Some(running), Some(bytes)) = (&view.recording, recording.last_mut()) {
        *bytes = bytes.clone().of(running.bytes);
    }
    let mut all = vec![
        Family {
            series: vec![build],
            ..Family::new("rl_console_build_info", Gauge, "The running version, as a label; always 1.")
        },
        Family::new(
            "process_start_time_seconds",
            Gauge,
            "Start time of the process since the Unix epoch, in seconds.",
        )
        .of(seconds(view.started_at.wall.0, 1_000.0)),
        Family::new("rl_console_host_up", Gauge, "Whether a host of the station is up.").by("host", hosts),
        Family::new("rl_console_disk_low", Gauge, "Whether the data folder's disk is nearly full.")
            .of(view.disk_low.is_some()),
    ];
    all.append(&mut recording);
    all
}

fn of_tap(tap: tap::Counters) -> Vec<Family> {
    vec![
        Family::new("rl_console_tap_entries_total", Counter, "Tap entries emitted.").of(tap.emitted),
        Family::new("rl_console_tap_evicted_entries_total", Counter, "Tap entries evicted for newer ones.")
            .of(tap.evicted),
        Family::new(
            "rl_console_tap_cut_entries_total",
            Counter,
            "Tap entries truncated at limits.tap.frame_bytes_max.",
        )
        .of(tap.cut),
        Family::new(
            "rl_console_tap_masked_unseen_total",
            Counter,
            "Possible tokens masked unchecked past limits.tap.frame_hashes_max.",
        )
        .of(tap.masked_unseen),
        Family::new("rl_console_tap_kept_entries", Gauge, "Entries held in the tap's ring.")
            .of(tap.kept_entries),
        Family::new("rl_console_tap_kept_bytes", Gauge, "Memory of the tap's ring, in bytes.")
            .of(tap.kept_bytes),
        Family::new("rl_console_tap_readers", Gauge, "Current readers of the tap.").of(tap.readers),
    ]
}

fn of_keyframes(keyframes: keyframes::Counters) -> Vec<Family> {
    vec![
        Family::new(
            "rl_console_tap_keyframes_total",
            Counter,
            "Keyframes taken (state copies for attaching consoles).",
        )
        .of(keyframes.taken),
        Family::new(
            "rl_console_tap_evicted_keyframes_total",
            Counter,
            "Keyframes evicted together with their entries.",
        )
        .of(keyframes.evicted - keyframes.cut),
        Family::new(
            "rl_console_tap_cut_keyframes_total",
            Counter,
            "Keyframes evicted for space (limits.tap.keyframes_bytes_max).",
        )
        .of(keyframes.cut),
        Family::new("rl_console_tap_kept_keyframes", Gauge, "Keyframes held.").of(keyframes.kept),
        Family::new("rl_console_tap_keyframes_bytes", Gauge, "Size of the held keyframes, in bytes.")
            .of(keyframes.bytes),
    ]
}

fn of_store(store: &store::Counters) -> Vec<Family> {
    let retained = |count: fn(&store::Retained) -> u64| {
        let all = store::Retained::WHAT.into_iter().zip(&store.retained);
        all.map(move |(of, retained)| (of.to_owned(), count(retained)))
    };
    vec![
        Family::new("rl_console_store_failing", Gauge, "Whether commits are failing.")
            .of(store.failing.is_some()),
        Family::new("rl_console_store_commits_total", Counter, "Commits with changes.").of(store.commits),
        Family::new(
            "rl_console_store_commit_failures_total",
            Counter,
            "Failed commits, requests and journal writes.",
        )
        .of(store.commit_failures),
        Family::new("rl_console_store_retired_rows_total", Counter, "Rows deleted by retention.")
            .of(store.retired_rows),
        Family::new(
            "rl_console_store_unfolded_rows",
            Gauge,
            "Rows with journalled transitions that are not in their tables yet.",
        )
        .of(store.unfolded_rows),
        Family::new("rl_console_store_waiting_requests", Gauge, "Requests waiting for the writer.")
            .of(store.requests_waiting),
        Family::new("rl_console_store_journal_bytes", Gauge, "Size of the journal on disk, in bytes.")
            .of(store.journal_bytes),
        Family::new("rl_console_store_kept_rows", Gauge, "Stored rows, for tables with a row limit.")
            .by("of", retained(|it| it.rows).filter(|(of, _)| of != "session_logs")),
        Family::new("rl_console_store_kept_bytes", Gauge, "Stored bytes, for tables with a size limit.")
            .by("of", retained(|it| it.bytes)),
        Family::new(
            "rl_console_store_last_commit_seconds",
            Gauge,
            "Duration of the last commit, in seconds.",
        )
        .of(seconds(store.last_commit_us, 1_000_000.0)),
    ]
}

fn of_http(http: HttpMetrics) -> Vec<Family> {
    vec![
        Family::new(
            "rl_console_metrics_requests_total",
            Counter,
            "Metrics requests answered, not including this one.",
        )
        .of(http.requests),
        Family::new(
            "rl_console_metrics_cut_connections_total",
            Counter,
            "Connections closed to make room for new ones.",
        )
        .of(http.cut),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people: whole up to 2^53")]
pub(in crate::station) fn seconds(count: u64, per_s: f64) -> f64 {
    count as f64 / per_s
}
