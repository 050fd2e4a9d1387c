use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use hyper::{Method, Uri, header::HeaderMap};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{
    HttpMetrics, Metrics, MetricsSnapshot,
    connections::{Connections, Stage},
    families::families,
    host::{BUSY, answer_briefly, converse},
    request::{Refusal, judge},
    text::text,
};
use crate::{
    admission::{Origin, Tally},
    ids::{ConnectionId, Peer},
    limits, macp,
    mpp::{Listener, PackFacts, QueueView, Snapshot},
    port::{HostState, RecordingView, StationView},
    rmp, runs,
    station::{self, Config, Station, bridge, sessions},
    store, tap,
    tap::entry::{mpp::Brake, rmp::Gauge},
    time::{Clock, Now},
};

fn queue(pending: u64, held: bool) -> QueueView {
    QueueView {
        ready_after: None,
        pending,
        other_manifest: 0,
        in_flight: None,
        parked: false,
        brake: Brake { held, draining: false },
        done: 7,
        failed: 2,
    }
}

fn bus() -> rmp::Snapshot {
    let sub = |queued_messages| rmp::SubView {
        topic: "a/b".into(),
        since: Now::at_ms(1),
        gauge: Gauge { queued_messages, queued_bytes: 10 * queued_messages, ..Gauge::default() },
    };
    let peer = |greeting, subs: [u64; 2]| rmp::PeerView {
        peer: Peer::new("p"),
        connected_at: Now::at_ms(1),
        greeting,
        published: 0,
        refused: 0,
        subs: BTreeMap::from([(1, sub(subs[0])), (2, sub(subs[1]))]),
    };
    let agent = rmp::Greeting { client: "a".into(), kind: rmp::Kind::Agent, dialect: rmp::Dialect::Json };
    rmp::Snapshot {
        listener: rmp::Listener::Listening("/s".into()),
        peers: BTreeMap::from([
            (ConnectionId(1), peer(Some(agent), [3, 4])),
            (ConnectionId(2), peer(None, [0, 1])),
        ]),
        totals: rmp::Totals { published: 100, delivered: 90, dropped: [1, 2, 3], ..rmp::Totals::default() },
        ..rmp::Snapshot::default()
    }
}

fn metrics() -> Metrics {
    let pack = crate::mpp::manifest::Pack::sample();
    let mpp = Snapshot {
        listener: Listener::Listening("127.0.0.1:7777".parse().unwrap()),
        paired: true,
        pack: PackFacts {
            id: pack.id.clone(),
            name: "p".into(),
            version: "1".into(),
            hash: pack.hash.clone(),
            is_sample: true,
        },
        adapter: None,
        last_close: None,
        queues: BTreeMap::from([("boss".into(), queue(3, true)), ("odd\"\\".into(), queue(0, false))]),
        live: BTreeMap::new(),
        recent: [].into(),
        logs: [].into(),
        commits_failing: None,
        reads_failing: None,
    };
    let runs = runs::Metrics {
        running: 2,
        rejected: [0, 0, 0, 4, 0, 0, 0, 0, 0],
        tokens: 70,
        ..runs::Metrics::default()
    };
    let macp = macp::host::Metrics {
        totals: macp::Totals { open: 3, resolved: 2, accepted: 40, ..macp::Totals::default() },
        refused: [0, 0, 5, 0, 0, 0, 0, 0, 0, 0],
        log_commits: 9,
        store_reads: 6,
        ..macp::host::Metrics::default()
    };
    let started_at = Now::at_ms(500);
    let recording = RecordingView { path: PathBuf::from("r.mcap"), since: started_at, bytes: 99 };
    Metrics {
        at: Now::at_ms(2_000),
        station: StationView {
            data: PathBuf::from("d"),
            started_at,
            hosts: [
                HostState::Up,
                HostState::Down(Arc::from("why")),
                HostState::Up,
                HostState::Up,
                HostState::Up,
                HostState::Up,
                HostState::Up,
            ],
            store_failing: None,
            disk_low: None,
            alerts: crate::port::AlertList::new(200),
            is_rehearsal: false,
            injected_traces: Vec::new(),
            injected_without_rows: Vec::new(),
            injected_entries: Vec::new(),
            always_recording: None,
            stopping: None,
            recording: Some(recording),
        },
        tap: tap::Counters {
            emitted: 10,
            evicted: 1,
            kept_entries: 9,
            kept_bytes: 4_096,
            cut: 2,
            readers: 3,
            masked_unseen: 4,
        },
        keyframes: station::keyframes::Counters { taken: 7, kept: 3, bytes: 2_048, evicted: 4, cut: 1 },
        store: Some(store::Counters {
            commits: 5,
            last_commit_us: 1_500,
            retained: [(0, 0), (3, 44), (0, 0), (0, 0), (2, 7), (0, 9)]
                .map(|(rows, bytes)| store::Retained { rows, bytes }),
            ..store::Counters::default()
        }),
        hosts: [
            bridge::families(&mpp, 1_234),
            station::bus::families(&bus()),
            station::runs::families(&runs),
            sessions::families(&macp),
        ]
        .concat(),
        http: Some(HttpMetrics { requests: 1, cut: 0 }),
    }
}

fn lines(figures: &Metrics) -> Vec<String> {
    text(families(figures)).lines().map(str::to_owned).collect()
}

#[test]
fn the_text_has_every_figure_with_its_labels() {
    let lines = lines(&metrics());
    for line in [
        "# HELP rl_console_tap_entries_total Tap entries emitted.",
        "# TYPE rl_console_tap_entries_total counter",
        "rl_console_tap_entries_total 10",
        "# TYPE rl_console_tap_kept_bytes gauge",
        "rl_console_tap_kept_bytes 4096",
        "process_start_time_seconds 1790000000.5",
        "rl_console_host_up{host=\"station\"} 1",
        "rl_console_host_up{host=\"mpp\"} 0",
        "rl_console_store_last_commit_seconds 0.0015",
        "rl_console_recording_bytes 99",
        "rl_console_mpp_adapter_connected 0",
        "rl_console_rmp_listening 1",
        "rl_console_rmp_connections 2",
        "rl_console_rmp_peers{kind=\"agent\"} 1",
        "rl_console_rmp_peers{kind=\"viewer\"} 0",
        "rl_console_rmp_subscriptions 4",
        "rl_console_rmp_queued_messages 8",
        "rl_console_rmp_queued_bytes 80",
        "rl_console_rmp_deepest_queue_messages 4",
        "rl_console_rmp_published_messages_total 100",
        "rl_console_rmp_drops_total{reason=\"ttl_expired\"} 1",
        "rl_console_rmp_drops_total{reason=\"backpressure_timeout\"} 3",
        "rl_console_runs_running 2",
        "rl_console_runs_rejected_requests_total{reason=\"invalid_opening\"} 4",
        "rl_console_runs_ended_total{state=\"failed\"} 0",
        "rl_console_runs_tokens_total 70",
        "rl_console_macp_open_sessions 3",
        "rl_console_macp_ended_sessions_total{ending=\"resolved\"} 2",
        "rl_console_macp_ended_sessions_total{ending=\"cancelled\"} 0",
        "rl_console_macp_accepted_messages_total 40",
        "rl_console_macp_refused_messages_total{code=\"SESSION_NOT_FOUND\"} 5",
        "rl_console_macp_declined_calls_total{status=\"UNAVAILABLE\"} 0",
        "rl_console_macp_calls_total{rpc=\"Send\"} 0",
        "rl_console_macp_log_commits_total 9",
        "rl_console_macp_store_reads_total 6",
        "rl_console_mpp_pending_bytes 1234",
        "rl_console_store_kept_rows{of=\"refunds\"} 3",
        "rl_console_store_kept_bytes{of=\"refunds\"} 44",
        "rl_console_store_kept_bytes{of=\"session_logs\"} 9",
        "rl_console_mpp_queue_held{queue=\"boss\"} 1",
        "rl_console_mpp_queue_pending_invocations{queue=\"boss\"} 3",
        "rl_console_mpp_done_invocations_total{queue=\"odd\\\"\\\\\"} 7",
    ] {
        assert!(lines.iter().any(|it| it == line), "{line}\n{lines:#?}");
    }
    assert!(lines.iter().any(|line| line.starts_with("rl_console_build_info{version=\"")));
}

#[test]
fn what_is_down_leaves_its_figures_out() {
    let down = Metrics { store: None, hosts: Vec::new(), http: None, ..metrics() };
    let lines = lines(&down);
    assert!(
        lines.iter().all(|line| !line.contains("rl_console_macp_")
            && !line.contains("rl_console_mpp_")
            && !line.contains("rl_console_rmp_")
            && !line.contains("rl_console_store_")),
        "{lines:#?}"
    );
    assert!(lines.iter().any(|line| line == "rl_console_host_up{host=\"mpp\"} 0"));
}

#[test]
fn names_keep_to_the_conventions() {
    let all = families(&metrics());
    let mut names: Vec<_> = all.iter().map(|family| family.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len(), "a name is there twice");
    for family in &all {
        let is_plain = family.name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        assert!(
            is_plain && (family.name.starts_with("rl_console_") || family.name.starts_with("process_")),
            "{}",
            family.name
        );
        assert_eq!(
            family.name.ends_with("_total"),
            family.kind == super::family::Kind::Counter,
            "{}",
            family.name
        );
        assert!(family.help.ends_with('.') && !family.help.contains(['\n', '\\']), "{}", family.name);
    }
}

#[test]
fn the_bus_is_given_the_same_figures_as_maps() {
    let body = crate::rmp::encode::body(
        MetricsSnapshot::TYPE,
        &MetricsSnapshot::new(&metrics(), Duration::from_secs(1)),
        None::<&()>,
    )
    .unwrap();
    let body = rmpv::decode::read_value(&mut body.as_slice()).unwrap();
    let json = serde_json::to_value(&body).unwrap();
    let payload = &json["payload"];
    assert_eq!(json["type"], "observation.metrics.snapshot.v1");
    assert_eq!((&payload["v"], &payload["scope"]), (&1.into(), &"system".into()));
    assert_eq!((&payload["ts_ms"], &payload["interval_ms"]), (&1_790_000_002_000_u64.into(), &1_000.into()));
    assert_eq!(payload["labels"]["program"], "rl-console");
    assert_eq!(payload["gauges"]["mpp_queue_pending_invocations{queue=\"boss\"}"], 3);
    assert_eq!(payload["counters"]["drops_total{reason=\"duplicate\"}"], 2);
    assert_eq!(payload["counters"]["delivered_messages_total"], 90);
    assert_eq!(payload["gauges"]["store_last_commit_seconds"], 0.0015);
    assert_eq!(payload["counters"]["mpp_failed_invocations_total{queue=\"odd\\\"\\\\\"}"], 2);
    let keys: Vec<_> = payload.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["counters", "gauges", "interval_ms", "labels", "scope", "ts_ms", "v"]);
}

#[track_caller]
fn judged(method: &Method, target: &str, hosts: &[&str], bound: &str) -> Result<(), Refusal> {
    let mut headers = HeaderMap::new();
    for host in hosts {
        headers.append("host", host.parse().unwrap());
    }
    let target: Uri = target.parse().unwrap();
    judge(method, &target, &headers, bound.parse().unwrap())
}

#[test]
fn a_name_that_may_be_somebody_elses_is_no_host_of_ours() {
    let of = |host: &str, bound: &str| judged(&Method::GET, "/metrics", &[host], bound);
    for host in ["127.0.0.1:9464", "127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:9464", "127.9.9.9:2"] {
        assert_eq!(of(host, "127.0.0.1:9464"), Ok(()), "{host}");
    }
    for host in [
        "evil.example",
        "evil.example:9464",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "192.168.1.5:9464",
        "a@localhost",
    ] {
        assert_eq!(of(host, "127.0.0.1:9464"), Err(Refusal::ForeignHost), "{host}");
    }
    assert_eq!(of("192.168.1.5:9464", "0.0.0.0:9464"), Ok(()));
    assert_eq!(of("evil.example", "0.0.0.0:9464"), Err(Refusal::ForeignHost));
    assert_eq!(
        judged(&Method::GET, "http://evil.example/metrics", &["localhost"], "127.0.0.1:1"),
        Err(Refusal::ForeignHost)
    );
}

#[test]
fn a_request_names_one_host_one_page_and_reads() {
    let bound = "127.0.0.1:9464";
    assert_eq!(judged(&Method::GET, "/metrics", &[], bound), Err(Refusal::NoHost));
    assert_eq!(judged(&Method::GET, "/metrics", &["localhost", "localhost"], bound), Err(Refusal::NoHost));
    assert_eq!(judged(&Method::GET, "/metrics", &["a b"], bound), Err(Refusal::NoHost));
    assert_eq!(judged(&Method::GET, "/", &["localhost"], bound), Err(Refusal::NotFound));
    assert_eq!(judged(&Method::GET, "/metrics/", &["localhost"], bound), Err(Refusal::NotFound));
    assert_eq!(judged(&Method::GET, "/metrics?name=x", &["localhost"], bound), Ok(()));
    assert_eq!(judged(&Method::HEAD, "/metrics", &["localhost"], bound), Ok(()));
    assert_eq!(judged(&Method::POST, "/metrics", &["localhost"], bound), Err(Refusal::Method));
}

/// A station that nobody asks over a socket.
fn station(runtime: &tokio::runtime::Runtime) -> (tempfile::TempDir, Station) {
    let folder = tempfile::tempdir().unwrap();
    let config =
        Config { metrics: Some(SocketAddr::from(([127, 0, 0, 1], 0))), ..Config::within(folder.path()) };
    let station = Station::start(config, Clock::start()).unwrap();
    assert!(runtime.block_on(station.ready()).unwrap().metrics.is_some());
    (folder, station)
}

/// What a client reads until the connection's end.
fn answer(runtime: &tokio::runtime::Runtime, station: &Station, request: &[u8], frame_ms_max: u64) -> String {
    runtime.block_on(async {
        let (mut client, server) = tokio::io::duplex(1 << 20);
        client.write_all(request).await.unwrap();
        let bound = station.inner.metrics.addr().unwrap();
        let limits = limits::Metrics { frame_ms_max, ..limits::Metrics::default() };
        let connections = Connections::new(&limits, station.inner.clock, Tally::default());
        let place = connections.open(Peer::new("p"), Origin::Unknown).unwrap();
        let conversation = converse(server, place, bound, &station.inner);
        let mut text = String::new();
        let ((), read) = tokio::join!(conversation, client.read_to_string(&mut text));
        read.unwrap();
        text
    })
}

#[test]
fn where_all_requests_are_being_answered_a_newcomer_is_refused() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let limits = limits::Metrics { connections_max: 2, ..limits::Metrics::default() };
    let connections = Connections::new(&limits, Clock::start(), Tally::default());
    let (first, second) = (
        connections.open(Peer::new("p"), Origin::Unknown).unwrap(),
        connections.open(Peer::new("p"), Origin::Unknown).unwrap(),
    );
    first.on_whole();
    let third = connections.open(Peer::new("p"), Origin::Unknown).expect("the second makes room");
    assert_eq!((second.stage(), first.stage().map(|it| it.0)), (None, Some(Stage::Whole)));
    third.on_whole();
    assert!(connections.open(Peer::new("p"), Origin::Unknown).is_none());
    drop(first);
    assert!(connections.open(Peer::new("p"), Origin::Unknown).is_some());
    let text = runtime.block_on(async {
        let (mut client, server) = tokio::io::duplex(1 << 10);
        let mut text = String::new();
        let (read, ()) = tokio::join!(client.read_to_string(&mut text), answer_briefly(server, BUSY));
        read.map(|_| text).unwrap()
    });
    assert!(text.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{text}");
}

#[test]
fn a_connection_ends_with_its_answer_or_with_its_time() {
    const PATIENCE: u64 = 60_000;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (_folder, station) = station(&runtime);
    let get = |request: &str, frame_ms_max| answer(&runtime, &station, request.as_bytes(), frame_ms_max);

    let text = get("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", PATIENCE);
    assert!(
        text.starts_with("HTTP/1.1 200 OK\r\n")
            && text.contains("\r\ncontent-type: text/plain; version=0.0.4"),
        "{text}"
    );
    assert!(text.contains("\nrl_console_mpp_listening 1\n"), "{text}");

    let text = get("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", PATIENCE);
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n") && text.ends_with("\r\n\r\n"), "{text}");

    let text = get("DELETE /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", PATIENCE);
    assert!(text.starts_with("HTTP/1.1 405 ") && text.contains("\r\nallow: GET, HEAD\r\n"), "{text}");
    assert!(get("GET /metrics HTTP/1.1\r\n\r\n", PATIENCE).starts_with("HTTP/1.1 400 "));
    assert!(
        get("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", PATIENCE).starts_with("HTTP/1.1 421 ")
    );
    assert!(get("nonsense\r\n\r\n", PATIENCE).starts_with("HTTP/1.1 400 "));

    let long = format!("GET /metrics HTTP/1.1\r\nHost: localhost\r\nx: {}\r\n\r\n", "a".repeat(20_000));
    assert!(get(&long, PATIENCE).starts_with("HTTP/1.1 431 "));

    let half = get("GET /metrics HTTP/1.1\r\nHost: local", 50);
    assert!(half.starts_with("HTTP/1.1 408 "), "half a request is not waited for: {half}");
    station.stop();
}
