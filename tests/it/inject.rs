//! Frames that are injected over the real binary: through connections of their own, in a peer's place, and
//! what becomes of them.

use std::{path::Path, time::Duration};

use rl_console::{
    ids::Seq,
    port::{
        Command, DoorSpec, Operator, Outcome, Page, PageBytes, PortError, Query, Stand, WorkbenchCommand,
        WorkbenchError, WorkbenchOutcome,
    },
    rmp::{Dialect, Kind},
    station::OperatorClient,
};
use serde_json::{Value, json};

use crate::{
    real::{Adapter, Station, cli, command, json as printed, pair},
    rmp_bus::Peer,
    runs_cli::{Ran, run},
};

const PULL: &str = r#"{"body":{"type":"pull","queue":"default"}}"#;
const GREETING: &str = r#"{"body":{"type":"observation.greeting.v1","payload":{"n":1}}}"#;

fn inject(data: &Path, args: &[&str], stdin: &str) -> Ran {
    run(data, &[&["inject"], args].concat(), stdin)
}

/// A verdict, its fault, and the types of the answers.
type End = (Value, Value, Vec<Value>);

/// How the only frame ended, and how that was foreseen.
fn ended(ran: &Ran) -> [End; 2] {
    let row = &ran.rows[0];
    let of = |row: &Value| {
        let kinds = row["answers"].as_array().map(|all| all.iter().map(|it| it["kind"].clone()).collect());
        (row["verdict"].clone(), row["code"].clone(), kinds.unwrap_or_default())
    };
    [of(row), of(&row["foreseen"])]
}

fn told(verdict: &str, code: Option<&str>, answers: &[&str]) -> End {
    (json!(verdict), json!(code), answers.iter().map(|it| json!(it)).collect())
}

#[test]
fn each_link_has_a_connection_of_its_own_and_ends_as_was_foreseen() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let cases: &[(&[&str], &str, i32, End)] = &[
        (&["mpp"], PULL, 0, told("accepted", None, &[])),
        (&["mpp", "--as", "none"], PULL, 1, told("refused", Some("INVALID_FRAME"), &["protocol_error"])),
        (&["rmp"], r#"{"control":{"Ping":{}}}"#, 0, told("accepted", None, &["Pong"])),
        (&["rmp", "--as", "ui", "--topic", "a/b"], GREETING, 0, told("accepted", None, &["Ok"])),
        (
            &["rmp", "--topic", "a/b", "--break", "ttl-zero"],
            GREETING,
            1,
            told("refused", Some("InvalidTtl"), &["Error"]),
        ),
        (&["rmp", "--topic", "rlp/sys/x"], GREETING, 1, told("refused", Some("Forbidden"), &["Error"])),
        (
            &["rmp", "--as", "agent:json"],
            r#"{"body":{"Subscribe":{"id":1,"topic":"a/*","sub_id":4}}}"#,
            0,
            told("accepted", None, &["Ok"]),
        ),
        (
            &["macp", "--as", "alice"],
            r#"{"body":{"envelope":{"message_type":"Signal","message_id":"m1"}}}"#,
            0,
            told("accepted", None, &["Send"]),
        ),
        (
            &["macp", "--rpc", "StreamSession", "--as", "bob"],
            r#"{"body":{"envelope":{"message_type":"Signal","message_id":"m2"}}}"#,
            0,
            told("accepted", None, &["StreamSession"]),
        ),
    ];
    for (args, stdin, code, expected) in cases {
        let ran = inject(data, args, stdin);
        assert_eq!(ran.code, Some(*code), "{args:?}: {:?} {}", ran.rows, ran.error);
        let [was, foreseen] = ended(&ran);
        assert_eq!((&was, &foreseen), (expected, expected), "{args:?}: {:?}", ran.rows);
        // Without a connection the same is foreseen.
        let dry = inject(data, &[args, &["--dry-run"][..]].concat(), stdin);
        assert_eq!(ended(&dry)[0].0, expected.0, "{args:?}: {:?}", dry.rows);
    }
    let clients = printed(data, &["ls", "peers"]);
    assert!(clients.iter().all(|row| row["client"] != "inject"), "all are closed: {clients:?}");
}

#[test]
fn frames_of_a_dry_run_are_judged_behind_a_hello_and_as_if_none_else_were_sent() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let pack = rl_console::mpp::manifest::Pack::sample();
    let hello =
        json!({"type": "hello", "pack_id": pack.id, "manifest_hash": pack.hash, "bridge_token": "$TOKEN"});
    let pull = json!({"type": "pull", "queue": "default"});
    let lines = [&hello, &pull, &pull, &hello, &pull].map(|body| json!({ "body": body }).to_string() + "\n");
    let file = data.join("frames.ndjson");
    std::fs::write(&file, lines.concat()).unwrap();
    let args = ["mpp", "--each", file.to_str().unwrap(), "--dry-run"];
    let dry = inject(data, &args, "");
    let of = |row: &Value| (row["verdict"].clone(), row["unsent_before"].as_u64());
    let foreseen: Vec<_> = dry.rows.iter().map(of).collect();
    let (accepted, refused) = (json!("accepted"), json!("refused"));
    let expected = [
        (accepted.clone(), None),
        (accepted.clone(), None),
        // As if the first pull were not there.
        (accepted, Some(1)),
        (refused.clone(), Some(2)),
        // That ended the connection.
        (refused, Some(3)),
    ];
    assert_eq!(foreseen, expected, "{:?}", dry.rows);
    let text = cli(data, &[&["inject"], &args[..]].concat());
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.lines().nth(2).unwrap().contains("as if the frame before it were not sent"), "{text}");
    assert!(text.lines().nth(4).unwrap().contains("as if the 3 frames before it were not sent"), "{text}");
    assert_eq!(text.matches("as if").count(), 3, "{text}");
}

#[test]
fn a_frame_that_is_not_whole_is_awaited_and_says_what_a_cut_would_be() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let ran = inject(data, &["mpp", "--as", "none", "--raw", "7b226d7070223a32", "--wait-ms", "100"], "");
    assert_eq!((ran.code, &ran.error["code"]), (Some(4), &json!("no_answer")));
    assert_eq!(ran.rows[0]["verdict"], "no answer");
    assert_eq!(ran.rows[0]["foreseen"]["missing_bytes"], 1);
    let dry = inject(data, &["rmp", "--as", "none", "--dry-run", "--raw", "00"], "");
    assert_eq!(
        (&dry.rows[0]["verdict"], &dry.rows[0]["foreseen"]["missing_bytes"]),
        (&json!("pending"), &json!(4))
    );
    assert_eq!(dry.rows[0]["foreseen"]["if_cut"], "TruncatedHeader");
}

#[test]
fn a_frame_that_comes_in_parts_is_judged_with_what_was_begun() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let station = OperatorClient::connect(data).await.unwrap();
        let open = WorkbenchCommand::Open { door: DoorSpec::Adapter { hello: true } };
        let opened = bench(&station, open).await.unwrap();
        let WorkbenchOutcome::Opened { door, .. } = opened else { panic!("{opened:?}") };
        let pieces = |parts: &[&str]| parts.iter().map(|it| PageBytes(it.as_bytes().to_vec())).collect();
        let send = |parts: &[&str], of| WorkbenchCommand::Send {
            door,
            pieces: pieces(parts),
            of,
            wait_ms: 500,
            answers: None,
            foreseen: Vec::new(),
        };
        let begun = bench(&station, send(&["{\"mpp\":2,"], None)).await.unwrap();
        let WorkbenchOutcome::Sent(begun) = begun else { panic!("{begun:?}") };
        assert_eq!((begun.own(), begun.closed.as_deref()), (None, None));
        let rest = "\"type\":\"heartbeat\"}\n";
        let bytes = PageBytes(rest.as_bytes().to_vec());
        let judged = station.query(Query::Judge { stand: Stand::Door(door), bytes }).await.unwrap();
        let Page::Judged(judged) = judged else { panic!("{judged:?}") };
        assert_eq!((&*judged.verdict, judged.taken_bytes), ("accepted", rest.len() as u64));
        let done = bench(&station, send(&rest.split_inclusive(':').collect::<Vec<_>>(), Some(Seq(7)))).await;
        let WorkbenchOutcome::Sent(done) = done.unwrap() else { panic!("no frame") };
        assert_eq!(done.own().and_then(|own| own.verdict.as_deref()), Some("accepted"), "{done:?}");
    });
}

#[test]
fn what_is_expected_decides_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let refused = ["rmp", "--topic", "a/b", "--break", "magic", "--expect"];
    assert_eq!(inject(data, &[&refused[..], &["invalidmagic"]].concat(), GREETING).code, Some(0));
    let other = inject(data, &[&refused[..], &["accepted"]].concat(), GREETING);
    assert_eq!((other.code, &other.error["code"]), (Some(5), &json!("unexpected")));
    let bad = inject(data, &["mpp"], "{");
    assert_eq!((bad.code, &bad.error["code"]), (Some(6), &json!("bad_input")));
    let nothing_to_break = inject(data, &["mpp", "--break", "magic"], PULL);
    assert_eq!((nothing_to_break.code, &nothing_to_break.error["code"]), (Some(2), &json!("usage")));
    for flags in [
        &["mpp", "--topic", "x"][..],
        &["rmp", "--from", "x"],
        &["rmp", "--as", "king"],
        &["plugin"],
        &["macp", "--rpc", "GetSession", "--as", "alice"],
        &["macp", "--as", "alice", "--raw", "0a00"],
    ] {
        assert_eq!(inject(data, flags, "{}").code, Some(2), "{flags:?}");
    }
    let none = inject(data, &["plugin", "--from", "x"], r#"{"body":{"id":1,"method":"ping","params":{}}}"#);
    assert_eq!((none.code, &none.error["code"]), (Some(1), &json!("peer_gone")));
}

#[test]
fn many_are_sent_over_one_connection_each_with_what_is_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let lines = data.join("each.ndjson");
    std::fs::write(&lines, "{\"body\":{\"payload\":{\"n\":2}}}\n\n{\"body\":{\"payload\":{\"n\":3}}}\n")
        .unwrap();
    let args = [
        "rmp",
        "-",
        "--topic",
        "a/b",
        "--each",
        lines.to_str().unwrap(),
        "--count",
        "2",
        "--set",
        "body.payload.m=[1]",
    ];
    let ran = inject(data, &args, GREETING).exits(0);
    assert_eq!(ran.rows.len(), 4);
    assert!(ran.rows.iter().all(|row| row["verdict"] == "accepted"), "{:?}", ran.rows);
    let traces: std::collections::HashSet<_> = ran.rows.iter().map(|row| row["trace"].to_string()).collect();
    assert_eq!(traces.len(), 4, "each has ids of its own");
    let foreseen: Vec<&Value> = ran.rows.iter().map(|row| &row["foreseen"]).collect();
    assert!(foreseen.iter().all(|it| it["verdict"] == "accepted"), "{foreseen:?}");
    // A line is judged once, however often it is sent.
    assert_eq!(
        (&foreseen[0]["at_ms"], &foreseen[2]["at_ms"]),
        (&foreseen[1]["at_ms"], &foreseen[3]["at_ms"])
    );
    assert!(ran.rows.iter().all(|row| row["answers"][0]["kind"] == "Ok"), "{:?}", ran.rows);
    let trace = ran.rows[3]["trace"].as_str().unwrap();
    let hops = printed(data, &["trace", trace]);
    let origin = hops[0]["origin"].as_str().unwrap_or_default();
    assert!(origin.starts_with("injected: operator, own connection "), "{hops:?}");
}

#[test]
fn a_frame_with_a_repeated_id_is_a_row_of_its_own_that_is_judged_after_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    // Duplicates are found for each subscription.
    let mut subscriber = Peer::greeted(&data.join("rmp.sock"), "agent", None);
    subscriber.subscribe(1, "a/b");
    let ran = inject(data, &["rmp", "--topic", "a/b", "--break", "repeated"], GREETING).exits(0);
    let verdicts: Vec<&Value> = ran.rows.iter().map(|row| &row["verdict"]).collect();
    assert_eq!(verdicts, ["accepted", "accepted"], "{:?}", ran.rows);
    let given: Vec<&Value> = ran.rows.iter().map(|row| &row["subscribers"]).collect();
    assert_eq!(given, [1, 0], "{:?}", ran.rows);
    assert_eq!(ran.rows[1]["foreseen"]["passed_over"][0]["why"], "duplicate", "{:?}", ran.rows);
    assert!(ran.rows.iter().all(|row| row["different"].is_null()), "{:?}", ran.rows);
    let expected = ["rmp", "--topic", "a/b", "--break", "repeated", "--expect", "accepted"];
    assert_eq!(inject(data, &expected, GREETING).exits(0).rows.len(), 2, "the first prepares it");
    // Bytes with two frames are sent at once.
    let two = [PULL, PULL].map(|json| {
        let encoded = crate::runs_cli::output(data, &["encode", "--link", "mpp", "--raw"], json);
        rl_console::words::hex(&encoded.stdout)
    });
    let raw = crate::runs_cli::output(data, &["inject", "mpp", "--raw", &two.concat()], "");
    let line = String::from_utf8_lossy(&raw.stdout);
    assert!(line.contains("not compared: of several frames the first was foreseen"), "{line}");
}

#[test]
fn what_is_behind_a_frame_that_ended_its_connection_goes_over_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let ran = inject(data, &["mpp", "--count", "5"], PULL);
    let ends: Vec<(&Value, &Value)> = ran.rows.iter().map(|row| (&row["verdict"], &row["code"])).collect();
    // Each connection has one pull parked; the next one ends it.
    let (taken, refused) = (json!("accepted"), (json!("refused"), json!("INVALID_FRAME")));
    let (taken, refused) = ((&taken, &Value::Null), (&refused.0, &refused.1));
    assert_eq!(ends, [taken, refused, taken, refused, taken], "{:?}", ran.rows);
    let numbers: Vec<&Value> = ran.rows.iter().map(|row| &row["frame"]).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    assert!(ran.rows[1]["closed"].is_string() && ran.rows[3]["closed"].is_string(), "{:?}", ran.rows);
    // It was judged again for the connection that came next.
    assert!(ran.rows.iter().all(|row| row["foreseen"]["verdict"] == "accepted"), "{:?}", ran.rows);
}

#[test]
fn a_frame_goes_in_the_adapters_place_and_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let token = pair(data);
    let station = Station::start(data);
    let none = inject(data, &["mpp", "--from", "adapter"], PULL);
    assert_eq!((none.code, &none.error["code"]), (Some(1), &json!("peer_gone")));
    let mut adapter = Adapter::ready(station.mpp, &token);
    let connected = inject(data, &["mpp"], PULL);
    assert_eq!((connected.code, &connected.error["code"]), (Some(1), &json!("already_connected")));
    let parked = inject(data, &["mpp", "--from", "adapter"], PULL).exits(0);
    assert_eq!(ended(&parked)[0], ended(&parked)[1]);
    let queues = printed(data, &["ls", "queues"]);
    assert!(queues.iter().any(|row| row["queue"] == "default" && row["parked"] == true), "{queues:?}");
    // To the adapter, as if the bridge had sent it.
    inject(data, &["mpp", "--to", "adapter"], r#"{"body":{"type":"heartbeat"}}"#).exits(0);
    assert_eq!(adapter.receive().unwrap()["type"], "heartbeat");
    // What has an effect in the game is asked about first.
    let invocation = r#"{"body":{"type":"invocation","id":46,"queue":"default","event":"x","params":{}}}"#;
    let asked = inject(data, &["mpp", "--to", "adapter"], invocation);
    assert_eq!((asked.code, &asked.error["code"], asked.rows.len()), (Some(1), &json!("needs_yes"), 0));
    inject(data, &["mpp", "--to", "adapter", "--yes"], invocation).exits(0);
    let received = std::iter::from_fn(|| adapter.receive()).find(|line| line["type"] == "invocation");
    assert_eq!(received.unwrap()["id"], 46);
    // The adapter's own line is begun: the border is waited for, a second long.
    std::io::Write::write_all(&mut adapter.socket(), b"{\"mpp\":2,").unwrap();
    let mid = loop {
        let ran = inject(data, &["mpp", "--from", "adapter"], r#"{"body":{"type":"heartbeat"}}"#);
        if ran.code != Some(0) {
            break ran;
        }
    };
    assert_eq!(mid.error["code"], "mid_frame");
    adapter.send("\"type\":\"heartbeat\"}").unwrap();
    let two = "{\"mpp\":2,\"type\":\"heartbeat\"}\n{}\n";
    let hex = rl_console::words::hex(two.as_bytes());
    let not_whole = inject(data, &["mpp", "--from", "adapter", "--raw", &hex], "");
    assert_eq!(not_whole.error["code"], "not_whole");
    // What breaks the protocol ends the adapter's connection, as was foreseen.
    let asked = inject(data, &["mpp", "--from", "adapter"], PULL);
    assert_eq!((asked.code, &asked.error["code"]), (Some(1), &json!("needs_yes")));
    let other = inject(data, &["mpp", "--from", "127.0.0.1:1", "--yes"], PULL);
    assert_eq!(other.error["code"], "peer_gone", "another adapter than the one that is named");
    let second = inject(data, &["mpp", "--from", "adapter", "--yes"], PULL);
    assert_eq!(second.code, Some(1));
    assert!(second.rows[0]["closed"].as_str().is_some(), "{:?}", second.rows);
    let [was, foreseen] = ended(&second);
    assert_eq!((was.1.clone(), was), (json!("INVALID_FRAME"), foreseen));
    assert_eq!(adapter.receive().unwrap()["type"], "protocol_error");
    assert!(adapter.receive().is_none());
}

#[test]
fn a_lent_token_stands_for_the_adapters() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let pack = rl_console::mpp::manifest::Pack::sample();
    let hello = json!({"body": {
        "type": "hello", "pack_id": pack.id, "manifest_hash": pack.hash, "bridge_token": "$TOKEN",
    }});
    let ran = inject(data, &["mpp"], &hello.to_string()).exits(0);
    assert_eq!(ended(&ran)[0], told("accepted", None, &["hello_ack"]));
    let other = json!({"body": {
        "type": "hello", "pack_id": pack.id, "manifest_hash": pack.hash, "bridge_token": "guess",
    }});
    let refused = inject(data, &["mpp"], &other.to_string());
    assert_eq!(ended(&refused)[0].1, "unpaired", "a token that is not lent needs a pairing");
}

#[test]
fn who_only_looks_or_cues_can_neither_judge_nor_inject() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    for token in ["viewer", "cue"] {
        let file = data.join(format!("{token}.token"));
        let found = std::fs::read_dir(data)
            .unwrap()
            .flatten()
            .map(|it| it.path())
            .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains(token)));
        let file = found.unwrap_or(file);
        let output = command(data)
            .args(["--token-file"])
            .arg(&file)
            .args(["--json", "inject", "mpp", "--dry-run", "--raw", "7b7d0a"])
            .output()
            .unwrap();
        let error: Value = serde_json::from_slice(&output.stderr).unwrap_or_default();
        assert_eq!(
            (output.status.code(), &error["error"]["code"]),
            (Some(1), &json!("forbidden")),
            "{token}: {error}"
        );
    }
}

#[test]
fn a_run_that_is_submitted_by_a_frame_is_foreseen_and_begins() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let opening = "version: 0\nname: endless\nnodes:\n  - {id: wait, use: 'agent:mute'}\nedges: []\n";
    let id = "trace:3f0c8f3e-0000-4000-8000-000000000007";
    let submit = json!({"header": {"trace_id": id}, "body": {"type": "intent.ctrl.request.v1", "payload": {
        "RunSubmit": {"request_id": id, "opening_yaml": opening},
    }}});
    let dry = inject(data, &["rmp", "--as", "ui", "--topic", "rlp/ctrl", "--dry-run"], &submit.to_string());
    let effect = dry.rows[0]["foreseen"]["effect"].as_str().unwrap_or_default().to_owned();
    let ran = inject(data, &["rmp", "--as", "ui", "--topic", "rlp/ctrl"], &submit.to_string()).exits(0);
    assert!(effect.contains("endless"), "{effect}: {:?}", dry.rows);
    let runs = printed(data, &["ls", "runs"]);
    assert_eq!(runs.len(), 1, "{runs:?}: {:?}", ran.rows);
    assert_eq!(runs[0]["name"], "endless");
}

/// Gives the workbench of a station a command.
async fn bench(
    station: &OperatorClient,
    command: WorkbenchCommand,
) -> Result<WorkbenchOutcome, WorkbenchError> {
    match station.command(Command::Workbench(command)).await {
        Ok(Outcome::Workbench(outcome)) => Ok(outcome),
        Err(PortError::Workbench(error)) => Err(error),
        other => panic!("{other:?}"),
    }
}

#[test]
fn doors_are_so_many_and_close_when_they_are_idle() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let config = data.join("home/config/rl-console");
    std::fs::create_dir_all(&config).unwrap();
    let limits = "[limits.workbench]\ndoors_max = 2\nidle_ms_max = 1000\nsend_bytes_max = 1024\n";
    std::fs::write(config.join("config.toml"), limits).unwrap();
    let _station = Station::start(data);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let station = OperatorClient::connect(data).await.unwrap();
        let peer = || WorkbenchCommand::Open {
            door: DoorSpec::Peer {
                dialect: Dialect::Frames,
                kind: Some(Kind::Agent),
                client: "made".to_owned(),
            },
        };
        let send = |door, bytes: &[u8]| WorkbenchCommand::Send {
            door,
            pieces: vec![PageBytes(bytes.to_vec())],
            of: None,
            wait_ms: 100,
            answers: None,
            foreseen: Vec::new(),
        };
        let first = bench(&station, peer()).await.unwrap();
        let WorkbenchOutcome::Opened { door, .. } = first else { panic!("{first:?}") };
        bench(&station, peer()).await.unwrap();
        let full = bench(&station, peer()).await.unwrap_err();
        assert_eq!(full, WorkbenchError::WorkbenchFull { open: 2 });
        let long = bench(&station, send(door, &[0; 1_025])).await.unwrap_err();
        assert_eq!(long, WorkbenchError::TooLong { bytes: 1_025, max: 1_024 });
        // A length that no frame has ends the stream, and the door says so.
        let broken = bench(&station, send(door, &[0xff; 8])).await.unwrap();
        let WorkbenchOutcome::Sent(done) = broken else { panic!("{broken:?}") };
        assert_eq!(done.own().and_then(|own| own.code.as_deref()), Some("BodyTooLarge"), "{done:?}");
        let gone = loop {
            match bench(&station, send(door, &[0])).await {
                Err(gone) => break gone,
                Ok(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        };
        assert!(matches!(gone, WorkbenchError::NoWorkbench { why: Some(_), .. }), "{gone:?}");
        // One that the host has closed makes room; the others close by themselves.
        bench(&station, peer()).await.unwrap();
        let mut opened = 0;
        while opened < 2 {
            tokio::time::sleep(Duration::from_millis(200)).await;
            opened += u64::from(bench(&station, peer()).await.is_ok());
        }
    });
}
