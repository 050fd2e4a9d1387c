//! How each part of the station is: its hosts, then what they share.

use super::{bridge::Running, host::Health, local::Inner, metrics::EndpointState, status::StationStatus};
use crate::{port::HealthRow, store, tap, words::counted};

pub(super) async fn rows(inner: &Inner, running: &Running) -> Vec<HealthRow> {
    let mut rows = Vec::new();
    for host in inner.hosts.by_link() {
        rows.push(row(host.link().name(), host.health().await));
    }
    rows.push(row("store", store(running.store.counters())));
    rows.push(row("tap", tap(inner.tap.counters())));
    rows.push(row("recording", recording(&inner.status)));
    rows.extend(metrics(inner.metrics.state()).map(|health| row("metrics", health)));
    rows
}

fn row(part: &str, Health { is_ok, detail }: Health) -> HealthRow {
    HealthRow { part: part.to_owned(), well: is_ok, detail }
}

fn store(store: store::Counters) -> Health {
    if let Some(why) = store.failing {
        return Health::failing(why);
    }
    Health::ok(format!(
        "{}, {} failed, {} unfolded, {} waiting, a journal of {}",
        counted(store.commits, "commit"),
        store.commit_failures,
        counted(store.unfolded_rows, "row"),
        counted(store.requests_waiting, "request"),
        counted(store.journal_bytes, "byte"),
    ))
}

fn tap(tap: tap::Counters) -> Health {
    Health::ok(format!(
        "{} emitted, {} kept in {}, {} evicted, {} cut, {}",
        counted(tap.emitted, "entry"),
        tap.kept_entries,
        counted(tap.kept_bytes, "byte"),
        tap.evicted,
        tap.cut,
        counted(tap.readers, "reader"),
    ))
}

fn recording(status: &StationStatus) -> Health {
    let path = status.recording_path();
    Health::ok(path.map_or_else(|| "none".to_owned(), |path| format!("into {}", path.display())))
}

fn metrics(endpoint: EndpointState) -> Option<Health> {
    match endpoint {
        EndpointState::Off => None,
        EndpointState::Serving(addr) => Some(Health::ok(format!("on http://{addr}/metrics"))),
        EndpointState::Down(why) => Some(Health::failing(why)),
    }
}
