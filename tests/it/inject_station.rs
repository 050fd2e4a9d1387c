//! What the station itself would make of a message that the bus takes for it: in either dialect, and whoever
//! said the hello.

use rl_console::{
    ids::TraceId,
    port::{
        Command, DoorSpec, JudgedRow, Operator, Outcome, Page, PageBytes, Query, Stand, WorkbenchCommand,
        WorkbenchOutcome,
    },
    rmp::{
        Dialect, Kind,
        control::{self, FromClient},
    },
    station::OperatorClient,
    words,
};
use serde_json::{Value, json};

use crate::{
    real::{Station, json as printed},
    runs_cli::{output, run},
};

const OPENING: &str = "version: 0\nname: endless\nnodes:\n  - {id: wait, use: 'agent:mute'}\nedges: []\n";
const TRACE: u128 = 0x3f0c_8f3e_0000_4000_8000_0000_0000_0007;

fn submit() -> Value {
    let id = format!("trace:{}", uuid::Uuid::from_u128(TRACE));
    json!({"type": "intent.ctrl.request.v1", "payload": {
        "RunSubmit": {"request_id": id, "opening_yaml": OPENING},
    }})
}

fn now_ms() -> u64 {
    u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap()
}

fn control(message: &FromClient<'_>, msg_id: u64) -> Vec<u8> {
    let mut wire = Vec::new();
    control::append(
        &mut wire,
        &control::header(now_ms(), TraceId(uuid::Uuid::from_u128(1)), msg_id),
        message,
    );
    wire
}

/// What `encode` makes of a JSON.
fn encoded(data: &std::path::Path, args: &[&str], json: &str) -> Vec<u8> {
    let output = output(data, &[&["encode", "--raw"], args].concat(), json);
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

/// The submission in frames, behind its `Publish`.
fn in_frames(data: &std::path::Path) -> Vec<u8> {
    let id = format!("trace:{}", uuid::Uuid::from_u128(TRACE));
    let whole = json!({"header": {"trace_id": id, "created_at_ms": now_ms()}, "body": submit()});
    let publish = control(&FromClient::Publish { topic: "rlp/ctrl", ack: true }, 7);
    [publish, encoded(data, &[], &whole.to_string())].concat()
}

struct Bench {
    station: OperatorClient,
}

impl Bench {
    async fn open(&self, dialect: Dialect, kind: Option<Kind>) -> u64 {
        let door = DoorSpec::Peer { dialect, kind, client: "made".to_owned() };
        let opened = self.station.command(Command::Workbench(WorkbenchCommand::Open { door })).await;
        match opened {
            Ok(Outcome::Workbench(WorkbenchOutcome::Opened { door, .. })) => door,
            other => panic!("{other:?}"),
        }
    }

    async fn send(&self, door: u64, bytes: &[u8]) {
        let pieces = vec![PageBytes(bytes.to_vec())];
        let send = WorkbenchCommand::Send {
            door,
            pieces,
            of: None,
            wait_ms: 2_000,
            answers: None,
            foreseen: Vec::new(),
        };
        self.station.command(Command::Workbench(send)).await.unwrap();
    }

    async fn judge(&self, door: u64, bytes: &[u8]) -> JudgedRow {
        let query = Query::Judge { stand: Stand::Door(door), bytes: PageBytes(bytes.to_vec()) };
        match self.station.query(query).await {
            Ok(Page::Judged(row)) => *row,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_submission_is_foreseen_behind_a_hello_of_ones_own_too() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let frames = in_frames(data);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let bench = Bench { station: OperatorClient::connect(data).await.unwrap() };
        let said = bench.open(Dialect::Frames, Some(Kind::Agent)).await;
        let made = bench.open(Dialect::Frames, None).await;
        let before = bench.judge(made, &frames).await;
        assert_eq!(before.code.as_deref(), Some("Unauthorized"), "no hello was sent: {before:?}");
        bench
            .send(made, &control(&FromClient::Hello { v: 1, client: "own", kind: "agent", token: None }, 1))
            .await;
        let expected = bench.judge(said, &frames).await;
        assert!(expected.effect.as_ref().is_some_and(|effect| effect.contains("endless")), "{expected:?}");
        let judged = bench.judge(made, &frames).await;
        assert_eq!((&judged.effect, judged.certainty), (&expected.effect, expected.certainty));
        assert_eq!(judged.answers.len(), expected.answers.len(), "{judged:?}");
    });
    assert!(printed(data, &["ls", "runs"]).is_empty(), "nothing of it was done");
}

#[test]
fn a_request_of_an_operator_is_judged_as_the_station_would_answer_it_and_is_not_done() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let judged = |kind: &str, question: &str| {
        let body =
            json!({"body": {"type": "intent.operator.request.v1", "payload": {"v": 1, "json": question}}});
        let args = ["inject", "rmp", "--as", kind, "--topic", "rlp/operator", "--dry-run"];
        let ran = run(data, &args, &body.to_string());
        ran.rows[0]["foreseen"].clone()
    };
    let answers = |row: &Value| row["answers"].as_array().map_or(0, Vec::len);
    for (kind, question, effect) in [
        ("ui", r#""about""#, "the station says which one it is"),
        ("ui", r#"{"query":"peers"}"#, "the station answers the query peers"),
        ("viewer", r#"{"query":"peers"}"#, "the station answers the query peers"),
        ("tui", r#"{"command":"stop"}"#, "the station is given the command stop"),
    ] {
        let row = judged(kind, question);
        assert_eq!((&row["verdict"], &row["effect"]), (&json!("accepted"), &json!(effect)), "{kind}: {row}");
    }
    let taken = answers(&judged("ui", r#""about""#));
    for (question, said) in [
        (r#"{"query":"peers"}"#, r#"{"page":{"peers""#),
        (r#"{"command":{"clip":{"seconds":0,"path":null}}}"#, "a clip has 1 second at least"),
        (r#"{"command":{"mark":{"text":"x","entry":99999999}}}"#, "no_entry"),
    ] {
        let row = judged("ui", question);
        let said = words::hex(said.as_bytes());
        let mut answers = row["answers"].as_array().unwrap().iter();
        assert!(answers.any(|it| it["hex"].as_str().unwrap().contains(&said)), "{question}: {row}");
        let is_refusal = question.contains("command");
        let effect = row["effect"].as_str().unwrap();
        assert_eq!(effect.starts_with("the station refuses it: "), is_refusal, "{question}: {row}");
        assert_eq!(row["certainty"], "as_of_now", "{row}");
    }
    assert_eq!(answers(&judged("tui", r#"{"command":{"mark":{"text":"x"}}}"#)), taken, "it would be taken");
    for (kind, question, why) in [
        ("viewer", r#"{"command":"stop"}"#, "its token is read-only"),
        ("cue", r#"{"query":"peers"}"#, "its token only allows enqueueing and submitting"),
        ("ui", r#""of_tomorrow""#, "unknown variant"),
        ("ui", "{", "EOF while parsing"),
    ] {
        let row = judged(kind, question);
        let effect = row["effect"].as_str().unwrap_or_default();
        assert!(effect.starts_with("the station refuses it: ") && effect.contains(why), "{kind}: {row}");
        assert_eq!(answers(&row), taken + 1, "with the answer that it gets: {row}");
    }
    let agent = judged("agent", r#""about""#);
    assert_eq!((&agent["verdict"], &agent["code"]), (&json!("refused"), &json!("Forbidden")), "{agent}");
    assert!(!printed(data, &["ls", "health"]).is_empty(), "it still runs");
}

/// A message of MPLP with one event, which has this type.
fn event(event_type: &str) -> Value {
    let id = "5a0e8400-e29b-41d4-a716-446655440000";
    let object = json!({
        "event_id": id, "event_type": event_type, "event_family": "graph_update",
        "timestamp": "2026-01-01T00:00:00Z", "graph_id": id, "update_kind": "bulk", "node_delta": 0,
        "edge_delta": 0,
    });
    let items = json!([{"schema": "graph-update-event", "object": object}]);
    json!({"body": {"type": "observation.mplp.event.v1", "payload": {"v": 1, "items": items}}})
}

#[test]
fn what_an_mplp_object_in_a_frame_breaks_is_foreseen_by_its_rule_and_path() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let broken = json!(["$.event.event_type: obs_event_type_non_empty requires a text that is not blank"]);
    for (event_type, findings) in [("bulk_import", Value::Null), ("", broken)] {
        let judged =
            run(data, &["inject", "rmp", "--topic", "a/b", "--dry-run"], &event(event_type).to_string());
        let foreseen = &judged.exits(0).rows[0]["foreseen"];
        assert_eq!(foreseen["verdict"], "accepted", "the bus judges no objects: {foreseen:#}");
        assert_eq!(foreseen["findings"], findings, "{foreseen:#}");
    }
}
