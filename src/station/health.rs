//! How each part of the station is: its hosts, then what they share.

use super::{bridge::Running, host::Health, local::Inner, metrics::EndpointState, status::StationStatus};
use crate::{port::HealthRow, store, tap, tap::entry::Link, words::counted};

pub(super) async fn rows(inner: &Inner, running: &Running) -> Vec<HealthRow> {
    let mut rows = Vec::new();
    for host in inner.hosts.by_link() {
        let health = host.health().await;
        let name = host.link().name();
        // The coordination runtime says so itself.
        let health = if host.link() == Link::Macp { health } else { with_admission(inner, name, health) };
        rows.push(row(name, health));
    }
    rows.push(row("store", store(running.store.counters())));
    rows.push(row("tap", tap(inner.tap.counters())));
    rows.push(row("recording", recording(&inner.status)));
    let metrics = metrics(inner.metrics.state());
    rows.extend(metrics.map(|health| row("metrics", with_admission(inner, "metrics", health))));
    rows
}

fn with_admission(inner: &Inner, port: &str, health: Health) -> Health {
    inner.admission.health(port, health, inner.clock.now())
}

fn row(part: &str, Health { is_ok, detail }: Health) -> HealthRow {
    HealthRow { part: part.to_owned(), well: is_ok, detail }
}

fn store(store: store::Counters) -> Health {
    if let Some(why) = store.failing {
        return Health::failing(why);
    }
    Health::ok(format!(
        "{}, {} failed, {} unfolded, {} waiting, a journal of {}, {} kept of what ended",
        counted(store.commits, "commit"),
        store.commit_failures,
        counted(store.unfolded_rows, "row"),
        counted(store.requests_waiting, "request"),
        counted(store.journal_bytes, "byte"),
        counted(store.kept.iter().map(|kept| kept.bytes).sum::<u64>(), "byte"),
    ))
}

fn tap(tap: tap::Counters) -> Health {
    let unseen = match tap.masked_unseen {
        0 => String::new(),
        runs => format!(", {runs} masked unseen (limits.tap.frame_hashes_max)"),
    };
    Health::ok(format!(
        "{} emitted, {} kept in {}, {} evicted, {} cut, {}{unseen}",
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
