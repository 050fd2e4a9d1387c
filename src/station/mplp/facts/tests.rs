//! A station as its record says it is.

use std::{collections::BTreeMap, sync::Arc};

use super::*;
use crate::{
    ids::{ConnectionId, Peer, TopicName},
    mplp::{
        judge_bundle,
        lifecycle::{RecordSettings, station_record},
    },
    mpp::PackFacts,
    port::StationView,
    tap::entry::rmp::{Dialect, Gauge},
    time::Now,
};

fn snapshot() -> Snapshot {
    let station = StationView {
        hosts: Link::ALL.map(|_| HostState::Up),
        ..StationView::starting("/shows/friday".into(), Now::at_ms(0), 9)
    };
    let mut snapshot = Snapshot::without_hosts(station, Now::at_ms(60_000));
    snapshot.mpp = mpp::Snapshot::new(PackFacts {
        id: "com.example.sample".into(),
        name: Arc::from("sample"),
        version: Arc::from("7"),
        hash: "sha256:00".into(),
        is_sample: true,
    });
    snapshot.mpp.listener = mpp::Listener::Listening(([127, 0, 0, 1], 7777).into());
    snapshot.rmp.listener = rmp::Listener::Listening(Arc::from("/shows/friday/rmp.sock"));
    snapshot.macp.listener = macp::Listener::Listening(([127, 0, 0, 1], 50_051).into());
    snapshot
}

fn peer(client: &str, kind: Kind) -> rmp::PeerView {
    let greeting = rmp::Greeting { client: Arc::from(client), kind, dialect: Dialect::Json };
    rmp::PeerView {
        peer: Peer::new("pid 7"),
        connected_at: Now::at_ms(0),
        greeting: Some(greeting),
        published: 0,
        refused: 0,
        subs: BTreeMap::new(),
    }
}

/// The peers of the MACP runtime that are there.
fn connected() -> HashSet<Peer> {
    [Peer::new("127.0.0.1:1")].into()
}

fn states(snapshot: &Snapshot) -> BTreeMap<(PartKind, String), PartStatus> {
    facts(snapshot, &connected()).parts.into_iter().map(|it| ((it.kind, it.name), it.status)).collect()
}

#[test]
fn all_that_is_hosted_and_connected_is_a_part() {
    let mut snapshot = snapshot();
    let peers =
        [("writer", Kind::Agent), ("writer", Kind::Agent), ("screen", Kind::Tui), ("critic", Kind::Agent)];
    for (number, (client, kind)) in (1..).zip(peers) {
        snapshot.rmp.peers.insert(ConnectionId(number), peer(client, kind));
    }
    // A process of two agents is called otherwise.
    let mut process = peer("my agents", Kind::Agent);
    for (sub, topic) in (1..).zip(["agent/writer", "agent/painter", "rlp/runs/**", "agent/**"]) {
        let (topic, since, gauge) = (TopicName::new(topic), Now::at_ms(0), Gauge::default());
        process.subs.insert(sub, rmp::SubView { topic, since, gauge });
    }
    snapshot.rmp.peers.insert(ConnectionId(9), process);
    let client = macp::ClientView { peer: Peer::new("pid 7"), client: Arc::from("voter"), at: Now::at_ms(0) };
    let there =
        macp::ClientView { peer: Peer::new("127.0.0.1:1"), client: Arc::from("judge"), ..client.clone() };
    snapshot.macp.clients.extend([client.clone(), there, client]);
    let found = facts(&snapshot, &connected());
    assert_eq!((found.id.as_str(), found.name.as_str()), ("/shows/friday", "friday"));
    let names: Vec<_> = found.parts.iter().map(|it| (it.kind, it.name.as_str())).collect();
    let expected = [
        (PartKind::Bus, ""),
        (PartKind::Store, ""),
        (PartKind::Adapter, ""),
        (PartKind::Agent, "critic"),
        (PartKind::Agent, "painter"),
        (PartKind::Agent, "writer"),
        (PartKind::MacpClient, "judge"),
        (PartKind::MacpClient, "voter"),
    ];
    assert_eq!(names, expected);
    let clients = states(&snapshot).into_iter().filter(|((kind, _), _)| *kind == PartKind::MacpClient);
    let clients: Vec<_> = clients.map(|(_, status)| status).collect();
    assert_eq!(clients, [PartStatus::Active, PartStatus::Inactive], "one is gone");
    let of = |it: &StationExtension| (it.sort, it.id.clone(), it.version.clone(), it.status);
    let extensions: Vec<_> = found.extensions.iter().map(of).collect();
    let mode =
        |name: &str| (ExtensionSort::Mode, name.to_owned(), "1.0.0".to_owned(), ExtensionStatus::Registered);
    let pack =
        (ExtensionSort::Pack, "com.example.sample".to_owned(), "7".to_owned(), ExtensionStatus::Active);
    assert_eq!(extensions, [pack, mode("macp.mode.decision.v1"), mode("macp.mode.multi_round.v1")]);
    let settings = RecordSettings { environment: "test".into(), created_by: "rl-console/0.0.0".into() };
    let value = station_record(&found, &settings).into_value();
    let findings = judge_bundle(&value, None, 9);
    assert!(findings.is_clean(), "{findings:#?}");
}

#[test]
fn what_is_wrong_with_a_part_is_its_status() {
    let status = |change: &dyn Fn(&mut Snapshot), kind| {
        let mut snapshot = snapshot();
        change(&mut snapshot);
        states(&snapshot)[&(kind, String::new())]
    };
    let down = || HostState::Down(Arc::from("why"));
    assert_eq!(status(&|_| {}, PartKind::Bus), PartStatus::Active);
    assert_eq!(status(&|_| {}, PartKind::Store), PartStatus::Active);
    assert_eq!(status(&|_| {}, PartKind::Adapter), PartStatus::Inactive);
    let bus_down = |it: &mut Snapshot| it.station.hosts[Link::Rmp.index()] = down();
    assert_eq!(status(&bus_down, PartKind::Bus), PartStatus::Unreachable);
    let no_socket = |it: &mut Snapshot| it.rmp.listener = rmp::Listener::Down(Arc::from("why"));
    assert_eq!(status(&no_socket, PartKind::Bus), PartStatus::Unreachable);
    let starting = |it: &mut Snapshot| it.rmp.listener = rmp::Listener::Starting;
    assert_eq!(status(&starting, PartKind::Bus), PartStatus::Inactive);
    let full = |it: &mut Snapshot| it.station.store_failing = Some(Arc::from("disk full"));
    assert_eq!(status(&full, PartKind::Store), PartStatus::Degraded);
    let bridge_down = |it: &mut Snapshot| it.station.hosts[Link::Mpp.index()] = down();
    assert_eq!(status(&bridge_down, PartKind::Adapter), PartStatus::Unreachable);
    let mut silent = snapshot();
    silent.macp.listener = macp::Listener::Down(Arc::from("port taken"));
    let modes =
        facts(&silent, &connected()).extensions.into_iter().filter(|it| it.sort == ExtensionSort::Mode);
    assert!(modes.into_iter().all(|it| it.status == ExtensionStatus::Inactive));
}
