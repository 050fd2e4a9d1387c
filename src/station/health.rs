//! How each part of the station is: its hosts, then what they share.

use super::{bridge::Running, host::Health, local::Inner, metrics::EndpointState, status::StationStatus};
use crate::{
    admission::Port,
    port::HealthRow,
    store, tap,
    words::{counted, format::bytes},
};

pub(super) async fn rows(inner: &Inner, running: &Running) -> Vec<HealthRow> {
    let mut rows = Vec::new();
    for host in inner.hosts.by_link() {
        let health = host.health().await;
        let name = host.link().name();
        // The coordination runtime says so itself.
        let port = Port::from_name(name).filter(|port| *port != Port::Macp);
        let health = port.map_or(health.clone(), |port| with_admission(inner, port, health));
        rows.push(row(name, health));
    }
    let free_bytes = inner.status.view().0.disk_low;
    rows.push(row("store", store(running.store.counters(), free_bytes)));
    rows.push(row("tap", tap(inner.tap.counters())));
    rows.push(row("recording", recording(&inner.status)));
    let metrics = metrics(inner.metrics.state());
    rows.extend(metrics.map(|health| row("metrics", with_admission(inner, Port::Metrics, health))));
    rows
}

fn with_admission(inner: &Inner, port: Port, health: Health) -> Health {
    inner.admission.health(port, health, inner.clock.now())
}

fn row(component: &str, Health { status, figures, detail }: Health) -> HealthRow {
    HealthRow { component: component.to_owned(), status, figures, detail }
}

/// The store, on a disk that has so little free that some work is refused, if it has.
fn store(store: store::Counters, low_free_bytes: Option<u64>) -> Health {
    if let Some(why) = store.failing {
        return Health::down(why);
    }
    if let Some(free_bytes) = low_free_bytes {
        let figures = format!("disk {}", bytes(free_bytes));
        return Health::ok(figures, "").degraded(format!(
            "the data folder's disk is nearly full, {} were free: new MACP sessions, their messages and new runs are refused; free space on \
             it, or lower limits.store.disk_free_bytes_min",
            counted(free_bytes, "byte")
        ));
    }
    let figures = counted(store.commits, "commit");
    let detail = format!(
        "{}, {} failed, {} unfolded, {} waiting, a journal of {}, {} kept of what ended",
        counted(store.commits, "commit"),
        store.commit_failures,
        counted(store.unfolded_rows, "row"),
        counted(store.requests_waiting, "request"),
        counted(store.journal_bytes, "byte"),
        counted(store.retained.iter().map(|it| it.bytes).sum::<u64>(), "byte"),
    );
    Health::ok(figures, detail)
}

fn tap(tap: tap::Counters) -> Health {
    let unseen = match tap.masked_unseen {
        0 => String::new(),
        runs => format!(", {runs} masked unseen (limits.tap.frame_hashes_max)"),
    };
    let detail = format!(
        "{} emitted, {} kept in {}, {} evicted, {} cut, {}{unseen}",
        counted(tap.emitted, "entry"),
        tap.kept_entries,
        counted(tap.kept_bytes, "byte"),
        tap.evicted,
        tap.cut,
        counted(tap.readers, "reader"),
    );
    Health::ok(format!("{} kept", counted(tap.kept_entries, "entry")), detail)
}

fn recording(status: &StationStatus) -> Health {
    let Some(recording) = status.view().0.recording else { return Health::ok("none", "none") };
    Health::ok(bytes(recording.bytes), format!("into {}", recording.path.display()))
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
    use crate::port::HealthStatus;

    #[test]
    fn a_disk_that_is_nearly_full_is_no_health_and_says_what_is_refused_and_what_to_do() {
        let counters = store::Counters::default;
        assert_eq!(store(counters(), None).status, HealthStatus::Ok);
        let Health { status, figures, detail } = store(counters(), Some(4_096));
        assert_eq!((status, figures.as_str()), (HealthStatus::Degraded, "disk 4 KiB"));
        for part in ["4096 bytes", "new runs are refused", "free space", "limits.store.disk_free_bytes_min"] {
            assert!(detail.contains(part), "{part}: {detail}");
        }
        let failing = store::Counters { failing: Some("no space".to_owned()), ..counters() };
        assert_eq!(store(failing, Some(4_096)), Health::down("no space"), "what is worse goes first");
    }
}
