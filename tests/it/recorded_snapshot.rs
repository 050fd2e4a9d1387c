//! The recorded and sent form of snapshots.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use rl_console::{
    ids::{EventName, InvocationId, ManifestHash, PackId, Peer, QueueName, Seq, SessionId},
    macp, mplp,
    mpp::{self, AdapterView, EndedView, Listener, LiveView, LogView, PackFacts, QueueView, ReadyAfter},
    plugin,
    port::{AlertList, AsOf, HostState, RecordingView, Snapshot, StationView},
    rmp, runs,
    tap::{
        entry::{alerts::Alert, mpp::Brake},
        recorded::DecodeError,
    },
    time::Now,
};

use crate::fixtures;

/// A snapshot in which as little as can be is there.
pub(crate) fn bare() -> Snapshot {
    let pack = PackFacts {
        id: PackId::new("dev.sample"),
        name: Arc::from("Sample"),
        version: Arc::from("1.0.0"),
        hash: ManifestHash::new("sha256:00"),
        is_sample: true,
    };
    Snapshot {
        as_of: AsOf::default(),
        at: Now::default(),
        station: StationView {
            data: PathBuf::from("/data"),
            started_at: Now::default(),
            hosts: [
                HostState::Up,
                HostState::Starting,
                HostState::Starting,
                HostState::Starting,
                HostState::Starting,
                HostState::Starting,
                HostState::Starting,
            ],
            store_failing: None,
            disk_low: None,
            recording: None,
            always_recording: None,
            stopping: None,
            alerts: AlertList::NONE,
            is_rehearsal: false,
            injected_traces: Vec::new(),
            injected_without_rows: Vec::new(),
            injected_entries: Vec::new(),
        },
        mpp: mpp::Snapshot {
            listener: Listener::Starting,
            paired: false,
            pack,
            adapter: None,
            last_close: None,
            queues: BTreeMap::new(),
            live: BTreeMap::new(),
            recent: [].into(),
            logs: [].into(),
            commits_failing: None,
            reads_failing: None,
        },
        rmp: rmp::Snapshot::default(),
        runs: runs::Snapshot::default(),
        macp: macp::Snapshot::default(),
        plugin: plugin::Snapshot::default(),
        mplp: mplp::Snapshot::default(),
    }
}

/// A snapshot in which all there can be is there.
fn full() -> Snapshot {
    let at = Now::at_ms(5);
    let trace = Some("0191d3c2-7a41-7f00-8000-00000000a41f".parse().unwrap());
    let mut full = bare();
    full.as_of = AsOf([Seq(17), Seq(18), Seq(19), Seq(20), Seq(21), Seq(22), Seq(23)]);
    full.at = at;
    full.station.hosts = [
        HostState::Up,
        HostState::Down(Arc::from("port 7777 is taken")),
        HostState::Up,
        HostState::Up,
        HostState::Up,
        HostState::Up,
        HostState::Up,
    ];
    full.station.store_failing = Some(Arc::from("disk full"));
    full.station.disk_low = Some(4_096);
    full.station.alerts = alerts();
    full.station.recording = Some(RecordingView { path: PathBuf::from("/x.mcap"), since: at, bytes: 5 });
    full.mpp.listener = Listener::Listening("127.0.0.1:7777".parse().unwrap());
    full.mpp.paired = true;
    let peer = Peer::new("127.0.0.1:1");
    full.mpp.adapter =
        Some(AdapterView { peer, connected_at: at, last_in: at, session_id: SessionId(3), stale: true });
    let queue = QueueView {
        ready_after: None,
        pending: 1,
        other_manifest: 2,
        in_flight: Some(InvocationId(3)),
        parked: true,
        brake: Brake { held: true, draining: true },
        done: 4,
        failed: 5,
    };
    for (name, ready_after) in [("a", None), ("b", Some(ReadyAfter::Applied)), ("c", Some(ReadyAfter::Done))]
    {
        full.mpp.queues.insert(QueueName::new(name), QueueView { ready_after, ..queue.clone() });
    }
    for (n, state) in (1..).zip(fixtures::row_states()) {
        let (queue, event) = (QueueName::new("a"), EventName::new("e"));
        let live = LiveView {
            queue: queue.clone(),
            event: event.clone(),
            state,
            since: at,
            trace,
            acked: true,
            orphaned: n > 3,
        };
        full.mpp.live.insert(InvocationId(n), live);
        let reason = (n > 2).then(|| Arc::from("reason"));
        full.mpp.recent.push_back(EndedView {
            id: InvocationId(n),
            queue,
            event,
            state,
            at,
            reason,
            trace: None,
        });
    }
    full.mpp.logs =
        fixtures::levels().into_iter().map(|level| LogView { at, level, text: Arc::from("line") }).collect();
    full.mpp.commits_failing = Some(Arc::from("disk full"));
    full.mpp.reads_failing = Some(Arc::from("default: disk I/O error"));
    full.mplp = crate::fixtures_mplp::snapshot();
    full
}

#[test]
fn every_snapshot_reads_back_as_it_was() {
    let mut snapshots = vec![bare(), full()];
    for cause in fixtures::closes() {
        let mut snapshot = bare();
        snapshot.mpp.listener = Listener::Down(Arc::from("taken"));
        snapshot.mpp.last_close = Some((Peer::new("p"), cause, Now::at_ms(2)));
        snapshots.push(snapshot);
    }
    snapshots.extend(crate::fixtures_rmp::snapshots().into_iter().map(|rmp| Snapshot { rmp, ..bare() }));
    snapshots.extend(crate::fixtures_runs::snapshots().into_iter().map(|runs| Snapshot { runs, ..bare() }));
    snapshots.extend(crate::fixtures_macp::snapshots().into_iter().map(|macp| Snapshot { macp, ..bare() }));
    let plugins = crate::fixtures_plugin::snapshots().into_iter();
    snapshots.extend(plugins.map(|plugin| Snapshot { plugin, ..bare() }));
    for snapshot in snapshots {
        assert_eq!(Snapshot::decode(&snapshot.encode()), Ok(snapshot));
    }
}

#[test]
fn a_snapshot_cut_anywhere_reads_or_fails_without_panic() {
    let bytes = full().encode();
    for len in 0..bytes.len() {
        let _ = Snapshot::decode(&bytes[..len]);
    }
    assert_eq!(Snapshot::decode(&[]), Err(DecodeError::Missing("snapshot.at")));
}

/// A list with an alert of each manner, and a resolved one left out for want of room.
fn alerts() -> AlertList {
    let all = fixtures::alerts();
    let mut list = AlertList::new(all.len() as u64);
    let resolved = all.iter().find(|alert| !alert.holds()).unwrap();
    list.apply(&Arc::new(Alert { id: 1, ..Alert::clone(resolved) }));
    for alert in &all {
        list.apply(alert);
    }
    assert_eq!((list.cut(), list.iter().count()), (1, all.len()));
    list
}
