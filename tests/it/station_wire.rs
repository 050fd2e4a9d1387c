//! Connections of adapters to a station, as the wire sees them: how they end, what they hold up, and what
//! ends them.

use std::{net::TcpStream, time::Duration};

use rl_console::{
    mpp::{Command as MppCommand, NewInvocation, Outcome as MppOutcome},
    port::{Command, Operator, Outcome, Page, Query},
    schema::JsonText,
    station::OperatorClient,
    tap::entry::mpp::RowState,
};
use tempfile::tempdir;

use crate::real::{Adapter, Station, json, pair, test_station::TestStation};

const PULL: &str = r#"{"mpp":2,"type":"pull","queue":"default"}"#;

#[test]
fn every_kind_of_disconnect_requeues_what_is_in_flight() {
    let fixture = TestStation::open();
    let id = fixture.give_item();
    for how in ["fin", "rst", "half-open fin", "garbage", "kick"] {
        let mut adapter = fixture.adapter();
        adapter.send(PULL).unwrap();
        assert_eq!(adapter.receive().unwrap()["id"], id, "before {how}");
        match how {
            "rst" => socket2::SockRef::from(adapter.socket()).set_linger(Some(Duration::ZERO)).unwrap(),
            "half-open fin" => adapter.socket().shutdown(std::net::Shutdown::Write).unwrap(),
            "garbage" => {
                adapter.send("no frame").unwrap();
                assert_eq!(adapter.receive().unwrap()["code"], "INVALID_FRAME");
                assert!(adapter.receive().is_none());
            }
            "kick" => {
                fixture.json(&["kick", "adapter"]);
                assert!(adapter.receive().is_none());
            }
            _ => {}
        }
        drop(adapter);
        fixture.wait_for(id, RowState::Pending);
    }
}

/// A pack whose one event takes anything.
const BLOBS: &str = r#"
[pack]
id = "com.example.blobs"
name = "Blobs"
version = "1.0.0"

[queues.default]

[events.blob]
queue = "default"
"#;

#[test]
fn an_adapter_that_stops_reading_is_cut_off() {
    let folder = tempdir().unwrap();
    let manifest = folder.path().join("pack.toml");
    std::fs::write(&manifest, BLOBS).unwrap();
    let token = pair(folder.path());
    let station = Station::start_with(folder.path(), &["--pack", manifest.to_str().unwrap()]);
    let pack = rl_console::mpp::manifest::load(&manifest).unwrap();
    let mut adapter = Adapter::ready_for(&pack, station.mpp, &token).unwrap();
    socket2::SockRef::from(adapter.socket()).set_recv_buffer_size(4_096).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = OperatorClient::connect(folder.path()).await.unwrap();
        let params = JsonText::parse(&format!(r#"{{"padding":"{}"}}"#, "x".repeat(60_000))).unwrap();
        let row = || NewInvocation { params: Some(params.clone()), ..NewInvocation::new("blob") };
        let mut enqueued = Vec::new();
        // Two commands, for one has to fit a message of the bus.
        for _ in 0..2 {
            let rows = (0..100).map(|_| row()).collect();
            let Outcome::Mpp(MppOutcome::Enqueued(rows)) =
                client.command(Command::Mpp(MppCommand::Enqueue { rows })).await.unwrap()
            else {
                panic!("another outcome")
            };
            enqueued.extend(rows);
        }
        for row in enqueued {
            let id = row.unwrap().id;
            let _ = adapter.send(PULL);
            let when = Query::InvocationWhen { id, state: RowState::Dispatched, timeout_ms: 500 };
            let Page::Invocation(Some(_)) = client.query(when).await.unwrap() else { panic!("{id} is gone") };
            let Page::Adapters(adapters) = client.query(Query::Adapters).await.unwrap() else {
                panic!("another page")
            };
            if adapters.is_empty() {
                return;
            }
            let _ = adapter.send(&format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#));
            let _ = adapter.send(&format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#));
        }
        panic!("12 MB were queued for an adapter that reads nothing");
    });
}

#[test]
fn accept_survives_running_out_of_file_descriptors() {
    let folder = tempdir().unwrap();
    let token = pair(folder.path());
    let mut station = Station::start(folder.path());
    let pid = rustix::process::Pid::from_raw(i32::try_from(station.pid()).unwrap());
    let files = |limit| rustix::process::Rlimit { current: Some(limit), maximum: Some(4_096) };
    // It has more than these: no other process counts them.
    rustix::process::prlimit(pid, rustix::process::Resource::Nofile, files(8)).unwrap();
    let crowd: Vec<_> = (0..12).map(|_| TcpStream::connect(station.mpp).unwrap()).collect();
    let down = station.event("down");
    assert!(down["why"].as_str().unwrap().contains("ulimit -n"), "{down}");
    rustix::process::prlimit(pid, rustix::process::Resource::Nofile, files(1_024)).unwrap();
    drop(crowd);
    let mut adapter = Adapter::ready(station.mpp, &token);
    adapter.send(r#"{"mpp":2,"type":"heartbeat"}"#).unwrap();
    assert_eq!(station.event("up")["host"], "mpp");
    station.terminate();
}

#[test]
fn an_adapter_may_close_and_connect_again_at_once() {
    let fixture = TestStation::open();
    for _ in 0..100 {
        let mut adapter = fixture.adapter();
        adapter.send(r#"{"mpp":2,"type":"log","level":"info","message":"going"}"#).unwrap();
        adapter.send(r#"{"mpp":2,"type":"log","level":"info","message":"gone"}"#).unwrap();
    }
}

#[test]
fn every_queue_may_have_a_frame_of_full_size_on_its_way() {
    const QUEUES: usize = 40;
    let folder = tempdir().unwrap();
    let manifest = folder.path().join("pack.toml");
    let head = "[pack]\nid = \"com.example.wide\"\nname = \"Wide\"\nversion = \"1.0.0\"\n".to_owned();
    let queue = |queue: usize| format!("[queues.q{queue}]\n[events.e{queue}]\nqueue = \"q{queue}\"\n");
    let pack = head + &(0..QUEUES).map(queue).collect::<String>();
    std::fs::write(&manifest, pack).unwrap();
    let token = pair(folder.path());
    let station = Station::start_with(folder.path(), &["--pack", manifest.to_str().unwrap()]);
    let rows = folder.path().join("rows.ndjson");
    let row = |queue: usize| {
        format!("{{\"event\":\"e{queue}\",\"params\":{{\"padding\":\"{}\"}}}}\n", "x".repeat(65_000))
    };
    std::fs::write(&rows, (0..QUEUES).map(row).collect::<String>()).unwrap();
    json(folder.path(), &["invoke", "--from", rows.to_str().unwrap()]);
    let pack = rl_console::mpp::manifest::load(&manifest).unwrap();
    let mut adapter = Adapter::ready_for(&pack, station.mpp, &token).unwrap();
    let pulls: Vec<_> =
        (0..QUEUES).map(|queue| format!(r#"{{"mpp":2,"type":"pull","queue":"q{queue}"}}"#)).collect();
    adapter.send(&pulls.join("\n")).unwrap();
    for _ in 0..QUEUES {
        assert_eq!(adapter.receive().unwrap()["type"], "invocation");
    }
}

#[test]
fn sigterm_ends_it_well_with_an_adapter_connected() {
    let fixture = TestStation::open();
    let mut adapter = fixture.adapter();
    assert!(fixture.station.terminate().success());
    assert!(adapter.receive().is_none());
}

#[test]
fn sigterm_ends_it_although_nobody_reads_what_it_prints() {
    let folder = tempdir().unwrap();
    let mut station = Station::start(folder.path());
    for _ in 0..2_000 {
        drop(TcpStream::connect(station.mpp).unwrap());
    }
    assert!(station.terminate_unread().success());
}
