//! How each part of the station is: its hosts, then what they share.

use std::time::Duration;

use super::{
    alerts::RECORDING_FAILED,
    host::{Asking, Evidence, Health},
    local::Inner,
    metrics::EndpointState,
};
use crate::{
    admission::Port,
    port::{
        HealthRow, HealthStatus, Snapshot, StationView,
        health::{self, RECORDING_TO, unjudged, word},
    },
    store, tap,
    tap::entry::{Link, alerts::Alert},
    words::{counted, format::bytes},
};

/// How long after the station's start its own recording runs at the latest.
const RECORDS_WITHIN: Duration = Duration::from_secs(10);

pub(super) async fn rows(asking: Asking<'_>) -> Vec<HealthRow> {
    let Asking { inner, running } = asking;
    let (station, _, now) = inner.status.view();
    let mut snapshot = Snapshot::without_hosts(station, now);
    let mut rows = Vec::new();
    for host in inner.hosts.by_link() {
        let health = match host.snapshot(&mut snapshot).await {
            Ok(_) => host.health(Evidence { snapshot: &snapshot, limits: &inner.limits, now }).await,
            Err(error) => Health::of_error(&error),
        };
        let name = host.link().name();
        // The coordination runtime says so itself.
        let port = Port::from_name(name).filter(|port| *port != Port::Macp);
        let health = port.map_or(health.clone(), |port| with_admission(inner, port, health));
        rows.push(row(name, with_alerts(health, &snapshot.station, host.link())));
    }
    let store = store(&running.store.counters(), &snapshot.station);
    rows.push(row("store", with_alerts(store, &snapshot.station, Link::Station)));
    rows.push(row("tap", tap(inner.tap.counters())));
    let is_always = inner.recording.is_always();
    let is_always = is_always && now.mono.since(snapshot.station.started_at.mono) > RECORDS_WITHIN;
    rows.push(row("recording", recording(&snapshot.station, is_always)));
    let metrics = metrics(inner.metrics.state());
    rows.extend(metrics.map(|health| row("metrics", with_admission(inner, Port::Metrics, health))));
    rows
}

/// With what alerts alone know of it; what they know of recordings is in the row of these.
fn with_alerts(health: Health, station: &StationView, link: Link) -> Health {
    let of_it = unjudged(&station.alerts, link).filter(|alert| !RECORDING_FAILED.has(alert));
    with_each(health, of_it)
}

fn with_each<'a>(health: Health, alerts: impl Iterator<Item = &'a Alert>) -> Health {
    let add = |health: Health, alert: &Alert| {
        // Who is turned away is in it already, and told for longer than the alert holds.
        if &*alert.name == "turned_away" {
            return health;
        }
        let figures = match health.status {
            HealthStatus::Ok => health.figures_behind(&word(alert)),
            HealthStatus::Degraded | HealthStatus::Down => health.figures.clone(),
        };
        let detail = format!("{}; {}", health.detail, alert.text);
        Health { figures, ..health.degraded(detail) }
    };
    alerts.fold(health, add)
}

fn with_admission(inner: &Inner, port: Port, health: Health) -> Health {
    inner.admission.health(port, health, inner.clock.now())
}

fn row(component: &str, health: Health) -> HealthRow {
    let Health { status, figures, detail } = health;
    HealthRow { component: component.to_owned(), status, figures, detail }
}

/// The store, on a disk that has so little free that some work is refused, if it has.
fn store(store: &store::Counters, station: &StationView) -> Health {
    // The store knows it before the station does.
    let failing = store.failing.as_deref().map(Into::into).or_else(|| station.store_failing.clone());
    let station = StationView { store_failing: failing, ..station.clone() };
    let figures = counted(store.commits, "commit");
    let detail = format!(
        "{}, {} failed, {} not yet in tables, {} waiting, journal {}, {} of ended work stored",
        counted(store.commits, "commit"),
        store.commit_failures,
        counted(store.unfolded_rows, "row"),
        counted(store.requests_waiting, "request"),
        counted(store.journal_bytes, "byte"),
        counted(store.retained.iter().map(|it| it.bytes).sum::<u64>(), "byte"),
    );
    Health::ok(figures, detail).judged(&health::store::problems(&station), |cause| match cause {
        health::store::Cause::CommitsFail => "free space on its disk; commits are retried automatically",
        health::store::Cause::CommitsRefused => store::REFUSED_REMEDY,
        health::store::Cause::DiskLow => "free space on the disk, or lower limits.store.disk_free_bytes_min",
    })
}

fn tap(tap: tap::Counters) -> Health {
    let unseen = match tap.masked_unseen {
        0 => String::new(),
        runs => format!(", {runs} masked unchecked (limits.tap.frame_hashes_max)"),
    };
    let detail = format!(
        "{} emitted, {} held in {}, {} evicted, {} truncated, {}{unseen}",
        counted(tap.emitted, "entry"),
        tap.kept_entries,
        counted(tap.kept_bytes, "byte"),
        tap.evicted,
        tap.cut,
        counted(tap.readers, "reader"),
    );
    Health::ok(format!("{} held", counted(tap.kept_entries, "entry")), detail)
}

/// The recordings that run, or why none does. Where `is_always`, the station's own should.
fn recording(station: &StationView, is_always: bool) -> Health {
    let own = station.recording.as_ref();
    let own = own.map(|own| (bytes(own.bytes), format!("{RECORDING_TO}{}", own.path.display())));
    let always = station.always_recording.as_ref();
    let always = always.map(|path| ("always".to_owned(), format!("always to {}", path.display())));
    let is_missing = is_always && always.is_none();
    let (figures, details): (Vec<_>, Vec<_>) = own.into_iter().chain(always).unzip();
    let mut health = if details.is_empty() {
        Health::ok("none", "none")
    } else {
        Health::ok(figures.join(" · "), details.join("; "))
    };
    let failed = || unjudged(&station.alerts, Link::Station).filter(|alert| RECORDING_FAILED.has(alert));
    if is_missing && failed().next().is_none() {
        let detail =
            format!("{}; always: it cannot record now, and is tried again every 10 s", health.detail);
        health = health.degraded(detail);
    }
    with_each(health, failed())
}

fn metrics(endpoint: EndpointState) -> Option<Health> {
    match endpoint {
        EndpointState::Off => None,
        EndpointState::Serving(addr) => Some(Health::ok("", format!("on http://{addr}/metrics"))),
        EndpointState::Down(why) => Some(Health::down(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::station::status::StationStatus;

    fn view() -> StationView {
        let clock = crate::time::Clock::start();
        let tap = crate::tap::Tap::new(crate::limits::Tap::default());
        StationStatus::new(std::path::Path::new("/data"), tap, clock, 10, false).view().0
    }

    #[test]
    fn the_row_of_recordings_says_which_run_and_that_the_stations_own_does_not() {
        let said = |station: &StationView, is_always| {
            let Health { status, figures, detail } = recording(station, is_always);
            (status, figures, detail)
        };
        let mut station = view();
        let row = |status, figures: &str, detail: &str| (status, figures.to_owned(), detail.to_owned());
        assert_eq!(said(&station, false), row(HealthStatus::Ok, "none", "none"));
        let (status, _, detail) = said(&station, true);
        assert!(status == HealthStatus::Degraded && detail.contains("tried again"), "{detail}");
        station.always_recording = Some("/r/a-always.mcap".into());
        assert_eq!(said(&station, true), row(HealthStatus::Ok, "always", "always to /r/a-always.mcap"));
        let (path, since) = ("/r/b.mcap".into(), station.started_at);
        station.recording = Some(crate::port::RecordingView { path, since, bytes: 4_096 });
        let both = row(HealthStatus::Ok, "4 KiB · always", "to /r/b.mcap; always to /r/a-always.mcap");
        assert_eq!(said(&station, true), both);
    }

    #[test]
    fn a_disk_that_is_nearly_full_degrades_the_store_and_says_what_is_refused_and_what_to_do() {
        let view = |disk_low| StationView { disk_low, ..view() };
        let counters = store::Counters::default;
        assert_eq!(store(&counters(), &view(None)).status, HealthStatus::Ok);
        let Health { status, figures, detail } = store(&counters(), &view(Some(4_096)));
        assert_eq!((status, figures.as_str()), (HealthStatus::Degraded, "disk 4 KiB · 0 commits"));
        for part in
            ["4 KiB were free", "new runs are refused", "free space", "limits.store.disk_free_bytes_min"]
        {
            assert!(detail.contains(part), "{part}: {detail}");
        }
        let failing = store::Counters { failing: Some("no space".to_owned()), ..counters() };
        let Health { status, figures, detail } = store(&failing, &view(Some(4_096)));
        assert_eq!(
            (status, figures.as_str()),
            (HealthStatus::Down, "commits failing"),
            "what is worse goes first"
        );
        assert!(detail.starts_with("commits refused: no space; "), "{detail}");
        let why = "the database: writes are refused by rule 2 of the gate (rehearsal)".to_owned();
        let refused = store::Counters { failing: Some(why), ..counters() };
        let Health { detail, .. } = store(&refused, &view(None));
        assert!(detail.contains("gate disarm") && !detail.contains("free space"), "{detail}");
    }
}
