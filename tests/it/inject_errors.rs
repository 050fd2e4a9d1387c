//! The errors of the workbench as `inject` has them: each with its exit code, its name and what to do.

use std::{fs, io::Write as _, path::Path};

use rl_console::{
    port::{Command, DoorSpec, Operator, Outcome, WorkbenchCommand, WorkbenchOutcome},
    rmp::{Dialect, Kind},
    station::OperatorClient,
};
use serde_json::json;

use crate::{
    real::{Adapter, Station, json as printed, pair},
    rmp_bus::Peer,
    runs_cli::{Ran, run},
};

const GREETING: &str = r#"{"body":{"type":"observation.greeting.v1","payload":{"n":1}}}"#;

/// A station with these limits.
fn station(data: &Path, limits: &str) -> Station {
    let home = data.join("home/config/rl-console");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("config.toml"), limits).unwrap();
    Station::start(data)
}

fn inject(data: &Path, args: &[&str], stdin: &str) -> Ran {
    run(data, &[&["inject"], args].concat(), stdin)
}

#[track_caller]
fn refused(ran: &Ran, code: &str, hint: &str) {
    assert_eq!((ran.code, &ran.error["code"]), (Some(1), &json!(code)), "{ran:?}");
    assert_eq!(ran.error["hint"], hint, "{ran:?}");
    assert!(ran.error["message"].as_str().is_some_and(|message| !message.is_empty()), "{ran:?}");
}

#[test]
fn more_connections_than_there_may_be_are_refused_as_workbench_full() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = station(data, "[limits.workbench]\ndoors_max = 1\n");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let operator = runtime.block_on(OperatorClient::connect(data)).unwrap();
    let door =
        DoorSpec::Peer { dialect: Dialect::Frames, kind: Some(Kind::Agent), client: "made".to_owned() };
    let open = Command::Workbench(WorkbenchCommand::Open { door });
    let opened = runtime.block_on(operator.command(open)).unwrap();
    let Outcome::Workbench(WorkbenchOutcome::Opened { door, .. }) = opened else { panic!("{opened:?}") };
    let args = ["rmp", "--topic", "a/b"];
    refused(
        &inject(data, &args, GREETING),
        "workbench_full",
        "close one, or raise limits.workbench.doors_max",
    );
    let close = Command::Workbench(WorkbenchCommand::Close { door });
    runtime.block_on(operator.command(close)).unwrap();
    inject(data, &args, GREETING).exits(0);
}

#[test]
fn a_connection_that_closed_between_two_frames_is_missed_as_no_workbench() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = station(data, "[limits.workbench]\nidle_ms_max = 1000\n");
    let args = ["rmp", "--topic", "a/b", "--count", "2", "--rate", "0.25"];
    let ran = inject(data, &args, GREETING);
    refused(&ran, "no_workbench", "open another one");
    let verdicts: Vec<_> = ran.rows.iter().map(|row| &row["verdict"]).collect();
    assert_eq!(verdicts, ["accepted"], "the first was sent");
}

#[test]
fn a_peer_that_reads_nothing_has_no_room_at_last() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let station = station(data, "[limits.rmp]\nanswer_bytes_max = 4096\n");
    let path = station.ready["rmp"].as_str().unwrap().to_owned();
    let _peer = Peer::greeted(Path::new(&path), "agent", None);
    let peers = printed(data, &["ls", "peers"]);
    let session = peers.iter().find(|peer| peer["kind"] == "agent").unwrap()["session"].to_string();
    let payload = json!({ "text": "x".repeat(60_000) });
    let frame = json!({"body": {"type": "observation.greeting.v1", "payload": payload}}).to_string();
    // What the kernel's buffers take does not count.
    let args = ["rmp", "--to", &session, "--count", "200", "--wait-ms", "2000", "--yes"];
    let ran = inject(data, &args, &frame);
    refused(&ran, "peer_full", "wait until it reads, or disconnect it");
    assert!(ran.rows.iter().all(|row| row["verdict"] == "sent"), "{:?}", ran.rows);
}

#[test]
fn a_frame_that_is_begun_is_in_the_way_as_mid_frame() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let token = pair(data);
    let station = Station::start(data);
    let adapter = Adapter::ready(station.mpp, &token);
    adapter.socket().write_all(b"{\"mpp\":2,").unwrap();
    // Until what was begun has come.
    let mid = loop {
        let ran = inject(data, &["mpp", "--from", "adapter"], r#"{"body":{"type":"heartbeat"}}"#);
        if ran.code != Some(0) {
            break ran;
        }
    };
    refused(&mid, "mid_frame", "try again once its frame has ended, or disconnect it");
}

#[test]
fn a_peer_that_is_not_there_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let program = format!("rl-console --data {}", data.display());
    let hint = &format!(
        "`{program} ls adapters`, `ls peers` and `ls plugins` list who is there; to simulate one, use \
         `sim adapter --token-file FILE`, `sim agent NAME`, or `sim plugin --into DIR` and `plugin dev DIR`"
    );
    let heartbeat = r#"{"body":{"type":"heartbeat"}}"#;
    refused(&inject(data, &["mpp", "--to", "adapter"], heartbeat), "peer_gone", hint);
    refused(&inject(data, &["rmp", "--to", "4711", "--yes"], GREETING), "peer_gone", hint);
}
