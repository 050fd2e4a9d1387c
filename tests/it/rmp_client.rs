//! The bus's client and the subcommands that speak with it, against the real station (rmp-v0 §9.1, §12;
//! rulings RMP 1, 14, 15).

use std::{
    future::Future,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Stdio},
    time::Duration,
};

use rl_console::{
    private_files,
    rmp::{
        Body, Refusal, SchemaId,
        client::{Client, CloseReason, Error, Hello, Message},
        encode, json,
    },
};
use serde_json::{Value, json};

use super::rmp_codec::golden;
use crate::real::{Station, command, json as run_json};

/// Past this a test has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// A station on a folder of its own.
struct TestStation {
    folder: tempfile::TempDir,
    station: Station,
}

impl TestStation {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let station = Station::start(folder.path());
        Self { folder, station }
    }

    fn data(&self) -> &Path {
        self.folder.path()
    }

    fn socket(&self) -> PathBuf {
        PathBuf::from(self.station.ready["rmp"].as_str().unwrap())
    }

    async fn client(&self) -> Client {
        Client::connect(&self.socket(), Hello::agent("test")).await.unwrap()
    }
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(PATIENCE, test).await.unwrap() });
}

fn message(n: u64) -> Message {
    Message::of(SchemaId::OBSERVATION, "observation.test.v1", &n).unwrap()
}

/// A subcommand that goes on, with its lines.
struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Running {
    fn start(data: &Path, args: &[&str]) -> Self {
        let mut command = command(data);
        command.arg("--json").args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.out.read_line(&mut line).unwrap() > 0, "it ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    fn event(&mut self, name: &str) -> Value {
        loop {
            let line = self.line();
            if line["event"] == name {
                return line;
            }
        }
    }

    fn terminate(mut self) -> (Option<i32>, Vec<Value>) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let rest = self.out.lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
        (self.child.wait().unwrap().code(), rest)
    }
}

#[test]
fn the_documented_example_works() {
    let fixture = TestStation::open();
    run(async {
        let client = fixture.client().await;
        let mut greetings = client.subscribe("greetings/*").await.unwrap();
        let hello =
            Message::of(SchemaId::OBSERVATION, "observation.greeting.v1", &json!({"text": "hello"})).unwrap();
        client.publish("greetings/world", &hello).await.unwrap();
        client.post_all("greetings/world", &vec![hello; 100]).await.unwrap();
        let first = greetings.next().await.unwrap();
        assert_eq!(
            (first.topic.as_str(), first.body().unwrap().kind()),
            ("greetings/world", "observation.greeting.v1")
        );
        let mut batch = Vec::new();
        while batch.len() < 100 {
            assert!(greetings.next_batch(&mut batch).await > 0);
        }
        let ids: Vec<u64> = batch.iter().map(|delivery| delivery.header().msg_id).collect();
        assert!(first.header().msg_id < ids[0] && ids.is_sorted());
        assert_eq!((greetings.lost(), client.refusals()), (0, (0, None)));

        let weather = fixture.client().await;
        let mut questions = weather.subscribe("weather").await.unwrap();
        let answering = async {
            let question = questions.next().await.unwrap();
            let asked = question.body().unwrap().payload_value(100).unwrap();
            let reply_topic = asked.as_map().unwrap()[0].1.as_str().unwrap().to_owned();
            let answer = Message::of(SchemaId::TOOL_RESULT, "toolresult.weather.v1", &"rain").unwrap();
            weather.publish(&reply_topic, &answer.in_trace(question.header().trace_id)).await.unwrap();
        };
        let question =
            Message::of(SchemaId::INTENT, "intent.weather.v1", &json!({"reply_topic": "weather/replies/1"}))
                .unwrap();
        let asking = client.request("weather", "weather/replies/1", &question, Duration::from_secs(60));
        let (answer, ()) = tokio::join!(asking, answering);
        let answer = answer.unwrap();
        assert_eq!(
            (answer.body().unwrap().kind(), answer.header().trace_id),
            ("toolresult.weather.v1", question.trace_id)
        );
        client.ping().await.unwrap();
        client.unsubscribe(greetings).await.unwrap();
        client.close().await;
    });
}

#[test]
fn what_the_broker_refuses_is_told_by_its_name_and_the_session_goes_on() {
    let fixture = TestStation::open();
    run(async {
        let client = fixture.client().await;
        let name = |result: Result<u64, Error>| match result {
            Err(Error::Refused(refused)) => refused.refusal().unwrap(),
            other => panic!("{other:?}"),
        };
        assert_eq!(name(client.publish("rlp/sys/drops", &message(1)).await), Refusal::Forbidden);
        assert_eq!(name(client.publish("a", &message(1).for_ms(0)).await).name(), "InvalidTtl");
        let other_type = Message { schema_id: SchemaId::INTENT, ..message(1) };
        assert_eq!(name(client.publish("a", &other_type).await).name(), "BodyTypeMismatch");
        // rmp-v0 §8: made in 2024, worth a minute.
        assert_eq!(name(client.publish_frame("a", &golden()).await).name(), "Expired");
        client.post("rlp/sys/drops", &message(1)).await.unwrap();
        client.ping().await.unwrap();
        assert_eq!(client.refusals().0, 1);
        client.publish("a", &message(1)).await.unwrap();
        let refused = client.subscribe("rlp/sys/tap").await;
        assert!(matches!(refused, Err(Error::Refused(_))), "{refused:?}");
        assert_eq!(client.refusals().0, 1);
    });
}

#[test]
fn a_station_that_ends_ends_its_clients() {
    let fixture = TestStation::open();
    run(async {
        let client = fixture.client().await;
        let mut subscription = client.subscribe("**").await.unwrap();
        let socket = fixture.socket();
        fixture.station.kill();
        while subscription.next().await.is_some() {}
        let why = client.closed().await;
        assert!(matches!(why, CloseReason::ByStation(_) | CloseReason::Failed(_)), "{why:?}");
        assert!(matches!(client.publish("a", &message(1)).await, Err(Error::Closed(_))));
        let again = Client::connect(&socket, Hello::agent("again")).await;
        assert!(matches!(again, Err(Error::Unreachable { .. })), "{again:?}");
    });
}

#[test]
fn publish_and_tail_meet_by_the_data_folder() {
    let fixture = TestStation::open();
    let mut tail = Running::start(fixture.data(), &["tail", "notes/*", "other", "--decode", "--count", "2"]);
    assert_eq!(tail.line()["topics"], json!(["notes/*", "other"]));
    let sent = run_json(
        fixture.data(),
        &["publish", "notes/a", "--json", r#"{"n":1}"#, "--type", "observation.note.v1", "--ttl-ms", "60000"],
    );
    assert_eq!((&sent[0]["topic"], &sent[0]["ack"]), (&json!("notes/a"), &json!(true)));
    let came = tail.line();
    assert_eq!(
        (&came["topic"], &came["type"], &came["schema_id"]),
        (&json!("notes/a"), &json!("observation.note.v1"), &json!(1))
    );
    assert_eq!(
        (&came["msg_id"], &came["trace_id"], &came["ttl_ms"]),
        (&sent[0]["msg_id"], &sent[0]["trace_id"], &json!(60_000))
    );
    assert_eq!(came["body"], json!({"type": "observation.note.v1", "payload": {"n": 1}}));
    let body = encode::body::<_, ()>("error.report.v1", &7, None).unwrap();
    let now = u64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    let header = rl_console::rmp::Header {
        created_at_ms: now,
        msg_id: 42,
        schema_id: SchemaId::ERROR_REPORT,
        ..header()
    };
    let frame = encode::frame(&header, &body).unwrap();
    run_json(fixture.data(), &["publish", "other", "--frame", &digits(&frame)]);
    let came = tail.line();
    assert_eq!(
        (&came["msg_id"], &came["bytes"], &came["body"]["payload"]),
        (&json!(42), &json!(frame.len()), &json!(7))
    );
    assert_eq!(tail.child.wait().unwrap().code(), Some(0));
}

fn digits(bytes: &[u8]) -> String {
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles.map(|nibble| char::from_digit(nibble.into(), 16).unwrap()).collect()
}

fn header() -> rl_console::rmp::Header {
    rl_console::rmp::Header {
        schema_id: SchemaId::OBSERVATION,
        created_at_ms: 1,
        ttl_ms: 60_000,
        trace_id: rl_console::ids::TraceId(uuid::Uuid::from_u128(5)),
        msg_id: 1,
    }
}

/// Exit code and the error on stderr.
fn refused(data: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = command(data).arg("--json").args(args).stdin(Stdio::null()).output().unwrap();
    let error: Value = serde_json::from_slice(&output.stderr)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let text = |name: &str| error["error"][name].as_str().unwrap().to_owned();
    (output.status.code(), text("code"), text("message"))
}

#[test]
fn every_refusal_has_its_exit_code() {
    let fixture = TestStation::open();
    let codes = |args: &[&str]| {
        let (exit, code, _) = refused(fixture.data(), args);
        (exit.unwrap(), code)
    };
    let body = r#"{"type":"observation.note.v1","payload":1}"#;
    assert_eq!(codes(&["publish", "rlp/sys/x", "--json", body]), (1, "forbidden".to_owned()));
    assert_eq!(codes(&["publish", "a//b", "--json", body]), (2, "invalid_topic".to_owned()));
    assert_eq!(
        codes(&["publish", "a", "--json", "{\"type\":\"nonsense\",\"payload\":1}"]),
        (2, "usage".to_owned())
    );
    let body = encode::body::<_, ()>("error.report.v1", &7, None).unwrap();
    let hex = |header: &rl_console::rmp::Header| digits(&encode::frame(header, &body).unwrap());
    let report = rl_console::rmp::Header { schema_id: SchemaId::ERROR_REPORT, ..header() };
    assert_eq!(codes(&["publish", "a", "--frame", &hex(&report)]), (1, "expired".to_owned()));
    assert_eq!(codes(&["publish", "a", "--frame", &hex(&header())]), (6, "invalid_frame".to_owned()));
    let (exit, code, _) = refused(fixture.data(), &["tail", "rlp/sys/tap"]);
    assert_eq!((exit, code.as_str()), (Some(1), "forbidden"));
}

#[test]
fn a_token_of_the_data_folder_opens_a_session_of_its_kind() {
    let fixture = TestStation::open();
    let decision =
        ["publish", "action.decision", "--json", r#"{"type":"toolresult.action.decision.v1","payload":{}}"#];
    let with = |more: &[&'static str]| [&decision[..], more].concat();
    let mut tail = Running::start(
        fixture.data(),
        &["tail", "rlp/sys/drops/bodies", "action.decision", "--as", "viewer", "--count", "1"],
    );
    tail.event("subscribed");
    assert_eq!(refused(fixture.data(), &decision).1, "forbidden");
    run_json(fixture.data(), &with(&["--as", "ui"]));
    assert_eq!(tail.line()["schema_id"], 3_006);
    let wrong = fixture.data().join("wrong").display().to_string();
    let shown =
        || refused(fixture.data(), &[&decision[..], &["--as", "tui", "--token-file", &wrong]].concat());
    private_files::replace(wrong.as_ref(), "x".repeat(43).as_bytes()).unwrap();
    let (exit, code, _) = shown();
    assert_eq!((exit, code.as_str()), (Some(2), "usage"), "43 characters that are not 32 bytes");
    private_files::replace(wrong.as_ref(), "A".repeat(43).as_bytes()).unwrap();
    let (exit, code, _) = shown();
    assert_eq!((exit, code.as_str()), (Some(1), "unauthorized"));
    std::fs::set_permissions(&wrong, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (exit, code, message) = shown();
    assert_eq!((exit, code.as_str()), (Some(1), "file"));
    assert!(
        message.contains("other users can read or write it") && message.contains("chmod 600 "),
        "{message}"
    );
}

#[test]
fn the_bus_is_found_as_the_flags_say_and_every_vain_place_is_told() {
    let fixture = TestStation::open();
    let elsewhere = tempfile::tempdir().unwrap();
    let body = r#"{"type":"observation.note.v1","payload":1}"#;
    let socket = fixture.socket().display().to_string();
    run_json(elsewhere.path(), &["--socket", &socket, "publish", "a", "--json", body]);
    let (exit, code, message) = refused(elsewhere.path(), &["publish", "a", "--json", body]);
    assert_eq!((exit, code.as_str()), (Some(3), "unreachable"));
    assert!(message.contains("no station has recorded a bus address in"), "{message}");
    let nowhere = elsewhere.path().join("x.sock").display().to_string();
    let (exit, _, message) = refused(fixture.data(), &["--socket", &nowhere, "tail", "a"]);
    assert!(
        exit == Some(3) && message.starts_with(&format!("no station answers at {nowhere} (--socket): ")),
        "{message}"
    );
    let long = format!("/tmp/{}", "x".repeat(120));
    let (_, _, message) = refused(fixture.data(), &["--socket", &long, "tail", "a"]);
    assert!(message.contains("the path has 125 bytes; a socket path may have at most 107"), "{message}");
}

const SCRIPT: &str = r#"
[[rule]]
node = "slow"
delay_ms = 3600000

[[rule]]
node = "write"
attempt = 1
delay_ms = 2
progress = ["thinking"]
answer = "fail"
retryable = true
reason = "no quota"

[[rule]]
node = "write"
tokens = 7
[[rule.ports.out]]
type = "artifact.draft.email.v1"
value = { subject = "hello" }
"#;

fn ask(node: &str, attempt: u64, reply_topic: &str) -> Message {
    let payload = json!({"node": {"id": node, "use": "agent:writer", "with": {}}, "inputs": {}, "attempt": attempt, "reply_topic": reply_topic});
    let payload = json::parse(&payload.to_string()).unwrap();
    let body = encode::body("intent.executor.agent.request.v1", &payload, Some(&())).unwrap();
    Message::new(SchemaId::EXECUTOR_AGENT_REQUEST, body)
}

fn to_json(body: &Body<'_>) -> Value {
    serde_json::to_value(json::JsonView(&body.value(1_000).unwrap())).unwrap()
}

#[test]
fn a_simulated_agent_answers_by_its_script() {
    let fixture = TestStation::open();
    let script = fixture.data().join("agent.toml");
    std::fs::write(&script, SCRIPT).unwrap();
    let mut agent = Running::start(
        fixture.data(),
        &["sim", "agent", "writer", "--script", script.to_str().unwrap(), "--seed", "3"],
    );
    assert_eq!(agent.event("subscribed")["topic"], "agent/writer");
    run(async {
        let client = fixture.client().await;
        let patience = Duration::from_secs(60);
        let mut progress = client.subscribe("replies/1/progress").await.unwrap();
        let first = ask("write", 1, "replies/1");
        let reply = client.request("agent/writer", "replies/1", &first, patience).await.unwrap();
        let expected = json!({"type": "toolresult.executor.agent.response.v1", "payload": {"Failed": {"retryable": true, "reason": "no quota"}}});
        assert_eq!(
            (reply.header().schema_id, to_json(&reply.body().unwrap())),
            (SchemaId::EXECUTOR_AGENT_RESPONSE, expected)
        );
        assert_eq!(reply.header().trace_id, first.trace_id);
        let said = progress.next().await.unwrap();
        let expected = json!({"type": "observation.progress.v1", "payload": {"message": "thinking", "done": 1, "total": 1}});
        assert_eq!(to_json(&said.body().unwrap()), expected);
        let reply = client
            .request("agent/writer", "replies/2", &ask("write", 2, "replies/2"), patience)
            .await
            .unwrap();
        let shown_reply = to_json(&reply.body().unwrap());
        let out =
            json!([{"schema_id": 221, "type": "artifact.draft.email.v1", "value": {"subject": "hello"}}]);
        assert_eq!(
            (&shown_reply["payload"]["Completed"]["ports"]["out"], &shown_reply["meta"]),
            (&out, &json!({"tokens": 7}))
        );
        let cancel = Message::of(
            SchemaId::INTENT,
            "intent.run.cancel.v1",
            &json!({"node_id": "slow", "reply_topic": "replies/3"}),
        )
        .unwrap();
        let mut replies = client.subscribe("replies/3").await.unwrap();
        client.publish("agent/writer", &ask("slow", 1, "replies/3")).await.unwrap();
        client.publish("agent/writer", &cancel).await.unwrap();
        let reply = replies.next().await.unwrap();
        assert_eq!(to_json(&reply.body().unwrap())["payload"]["Failed"]["reason"], "cancelled");
    });
    let (code, rest) = agent.terminate();
    assert_eq!(code, Some(0));
    assert_eq!(
        *rest.last().unwrap(),
        json!({"event": "ended", "completed": 1, "failed": 1, "silent": 0, "cancelled": 1})
    );
}

#[test]
fn a_script_that_cannot_be_read_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("agent.toml");
    std::fs::write(&script, "[[rule]]\n\nanswr = \"fail\"\n").unwrap();
    let (exit, code, message) =
        refused(folder.path(), &["sim", "agent", "writer", "--script", script.to_str().unwrap()]);
    assert_eq!((exit, code.as_str()), (Some(1), "bad_input"));
    assert!(message.contains("agent.toml: line 3: unknown field `answr`"), "{message}");
    let (exit, _, message) = refused(folder.path(), &["sim", "agent", "a b"]);
    assert!(exit == Some(2) && message.contains("is not a valid agent name"), "{message}");
}
