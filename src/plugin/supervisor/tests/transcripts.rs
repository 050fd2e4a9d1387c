//! Transcripts of what both sides write, frame by frame, from the text of streamnook-plugin-v1,
//! streamnook-host and the rulings. Each frame of the host is compared with its header.

use serde_json::{Value, json};

use super::{
    super::{Installation, ProcessInput},
    kit::{FULL, example, installation, settings},
    pipes::{Do, Host, Ms, Pipes, Plugin, Step},
};
use crate::plugin::{Command, ExitStatus, Outcome, StreamCommand, Transition, framing::Broken};

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_default()
}

fn stream(command: StreamCommand) -> Step<'static> {
    Do(Command::Stream(command))
}

/// Lifecycle, with the messages of the text.
#[test]
fn the_messages_of_the_lifecycle_are_those_of_the_text() {
    let granted = ["on_watch_tick", "on_followed_live", "get_followed_live", "notify", "log"];
    let grant = granted.iter().chain(&["twitch.android", "panel"]).map(ToString::to_string).collect();
    let mut pipes = Pipes::with(Installation { grant: Some(grant), ..installation(FULL) });
    pipes.run(&[
        Host(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{
                "protocol_version": 1,
                "host_version": "7.8.6",
                "plugin_id": "community.example",
                "granted": {
                    "events": ["on_watch_tick", "on_followed_live"],
                    "host_methods": ["get_followed_live", "notify", "log"],
                    "credentials": ["twitch.android"],
                    "ui": ["panel"]
                },
                "data_dir": "/data/plugins/community.example/data",
                "log_dir": "/data/plugins/community.example/log"
            }}"#,
        ),
        Ms(9_999),
        Plugin(
            r#"{"jsonrpc":"2.0","id":1,"result":{
                "plugin_version": "1.2.0", "hooks": ["on_watch_tick", "on_followed_live"]}}"#,
        ),
        Host(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#),
        Ms(29_999),
        Ms(1),
        Host(r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{}}"#),
        Plugin(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#),
        Ms(20_001),
        Host(
            r#"{"jsonrpc":"2.0","method":"on_watch_tick","params":{
                "active_channel_id": null, "ts": "2026-09-21T14:31:00Z"}}"#,
        ),
        Do(Command::Disable { plugin: example() }),
        Host(r#"{"jsonrpc":"2.0","id":3,"method":"shutdown","params":{}}"#),
        Plugin(r#"{"jsonrpc":"2.0","id":3,"result":null}"#),
        Host(r#"{"jsonrpc":"2.0","method":"exit","params":{}}"#),
    ]);
    pipes.process(ProcessInput::Exited(ExitStatus::Code(0)));
    assert_eq!((pipes.kills, pipes.spawns), (0, 1));
}

/// Versioning rules: both sides ignore unknown fields in any payload.
#[test]
fn unknown_fields_are_ignored_in_every_payload() {
    let mut pipes = Pipes::with(installation(FULL));
    pipes.written.clear();
    pipes.run(&[
        Plugin(
            r#"{"jsonrpc":"2.0","id":1,"trace":[1],"result":{
                "plugin_version":"1.2.0","hooks":[],"protocol_version":1,"more":{"a":[]}}}"#,
        ),
        Host(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#),
        Plugin(r#"{"jsonrpc":"2.0","id":"a","more":1,"method":"get_followed_live","params":{"more":1}}"#),
        Host(r#"{"jsonrpc":"2.0","id":"a","result":{"channels":[]}}"#),
        Plugin(
            r#"{"jsonrpc":"2.0","id":"b","method":"notify","params":{
                "level":"info","message":"x","more":{}}}"#,
        ),
        Host(r#"{"jsonrpc":"2.0","id":"b","result":{}}"#),
        Plugin(r#"{"jsonrpc":"2.0","method":"log","params":{"level":"info","message":"x","more":{}}}"#),
        Plugin(
            r#"{"jsonrpc":"2.0","method":"set_status","params":{
                "slot":"example.state","value":1,"more":{}}}"#,
        ),
        Ms(30_000),
        Host(r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{}}"#),
        Plugin(r#"{"jsonrpc":"2.0","id":2,"result":{"load":0.5},"more":1}"#),
    ]);
}

/// Events: exactly the members of the table.
#[test]
fn every_event_has_the_members_of_the_table() {
    let hooks = r#"["on_stream_start","on_stream_stop","on_channel_change","on_watch_tick",
        "on_followed_live","on_chat_message","on_panel_change"]"#;
    let channel = r#"{"channel_id":"1","login":"alice","display_name":"Alice","game_id":"9",
        "game_name":"Chess","started_at":"2026-09-21T14:00:00Z","viewer_count":12}"#;
    let message = r#"{"id":"m","user_id":"2","login":"eve","display_name":"Eve","color":"red",
        "badges":[{"name":"moderator","version":"1"}],"text":"hi","is_action":true,"msg_type":"resub",
        "system_message":"s","bits":5,"ts":"2026-09-21T14:00:00Z"}"#;
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let of = |text: &str| serde_json::from_value(parsed(text)).unwrap();
    let event =
        |method: &str, params: &str| format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
    let mut pipes = Pipes::up(hooks);
    let messages = vec![serde_json::from_value(parsed(message)).unwrap()];
    pipes.run(&[
        stream(StreamCommand::Set { channel: of(channel) }),
        Host(&event("on_stream_start", &format!(r#"{{"channel":{channel}}}"#))),
        stream(StreamCommand::Live { channels: vec![of(channel)] }),
        Host(&event("on_followed_live", &format!(r#"{{"channels":[{channel}]}}"#))),
        stream(StreamCommand::Chat { messages }),
        Host(&event("on_chat_message", &format!(r#"{{"channel":"alice","message":{message}}}"#))),
        stream(StreamCommand::Set { channel: super::stream::channel("bob") }),
        Host(&event("on_channel_change", r#"{"channel_id":"bob","login":"bob"}"#)),
        stream(StreamCommand::Set { channel: super::stream::channel("bob") }),
        Ms(30_000),
        Host(r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{}}"#),
        Plugin(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#),
        Ms(29_999),
    ]);
    pipes.pass_ms(1);
    let first = pipes.read();
    let second = pipes.read();
    let tick = [first, second].into_iter().find(|it| it["method"] == "on_watch_tick").unwrap();
    assert_eq!(tick["params"], json!({"active_channel_id": "bob", "ts": "2026-09-21T14:31:00Z"}));
    pipes.run(&[
        stream(StreamCommand::Stop),
        Host(&event("on_stream_stop", r#"{"channel_id":"bob"}"#)),
        stream(StreamCommand::Stop),
    ]);
}

/// Ruling 9: `on_settings_change` is never sent of itself, and by hand in its reserved shape.
#[test]
fn a_change_of_settings_is_sent_by_hand_alone() {
    let asks = FULL.replace("\"on_panel_change\"]", "\"on_panel_change\", \"on_settings_change\"]");
    let mut pipes = Pipes::with(installation(&asks));
    pipes.written.clear();
    let by_hand = Command::Event {
        plugin: example(),
        name: "on_settings_change".to_owned(),
        params: json!({"keys": []}),
    };
    pipes.run(&[
        Plugin(
            r#"{"jsonrpc":"2.0","id":1,"result":{
            "plugin_version":"1.2.0","hooks":["on_settings_change"]}}"#,
        ),
        Host(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#),
        Do(by_hand),
        Host(r#"{"jsonrpc":"2.0","method":"on_settings_change","params":{"keys":[]}}"#),
    ]);
}

/// Host methods: params → result.
#[test]
fn every_method_has_the_result_of_the_table() {
    let mut pipes = Pipes::up(r#"["on_panel_change"]"#);
    pipes.command(Command::Stream(StreamCommand::AddSession { id: "s1".to_owned() }));
    let panel = r#"{"schema":{"title":"T","sections":[{"label":"L","fields":[
        {"type":"folder","key":"f","label":"F","default":""},{"type":"text","key":"t","label":"T"}]}]}}"#;
    for (method, params, result) in [
        ("get_followed_live", "{}", r#"{"channels":[]}"#),
        ("set_upstream", r#"{"stream_id":"s1","playlist_url":"https://x/y.m3u8"}"#, "{}"),
        ("notify", r#"{"level":"error","message":"m"}"#, "{}"),
        ("log", r#"{"level":"warning","message":"m"}"#, "{}"),
        ("get_panel_values", "{}", r#"{"values":{}}"#),
        ("register_panel", panel, "{}"),
        ("get_panel_values", "null", r#"{"values":{"f":""}}"#),
        ("set_status", r#"{"slot":"example.state","value":[1]}"#, "{}"),
        ("set_status", r#"{"slot":"not.declared","value":[1]}"#, "{}"),
    ] {
        let expected: Value = serde_json::from_str(result).unwrap();
        assert_eq!(pipes.call(method, params)["result"], expected, "{method}");
    }
    pipes.run(&[
        Do(Command::Set { plugin: example(), key: "t".to_owned(), value: Some(json!("x")) }),
        Host(r#"{"jsonrpc":"2.0","method":"on_panel_change","params":{"values":{"f":"","t":"x"}}}"#),
        Plugin(r#"{"jsonrpc":"2.0","id":"c","method":"get_credential","params":{"kind":"twitch.android"}}"#),
        Ms(1_000),
        Do(Command::Allow { plugin: example(), always: false }),
        Host(
            r#"{"jsonrpc":"2.0","id":"c","result":{"kind":"twitch.android","token":"abc123abc123",
                "client_id":"c","user_id":null,"device_id":null,"expires_at":null}}"#,
        ),
    ]);
}

/// Ruling 2: method known, shutting down, gate, params, rate; each is judged before what follows it.
#[test]
fn what_is_wrong_first_is_what_is_answered() {
    let mut pipes = Pipes::up("[]");
    assert_eq!(code(&pipes.call("nothing", "3")), -32601);
    for _ in 0..3 {
        pipes.call("notify", r#"{"level":"info","message":"m"}"#);
    }
    assert_eq!(code(&pipes.call("notify", "{}")), -32602);
    assert_eq!(code(&pipes.call("notify", r#"{"level":"info","message":"m"}"#)), -32003);
    let bare = Installation { grant: Some(Vec::new()), ..installation(FULL) };
    let mut bare = Pipes::with(bare);
    bare.written.clear();
    assert_eq!(code(&bare.call("notify", "3")), -32000);
    bare.command(Command::Disable { plugin: example() });
    assert_eq!(bare.read()["method"], "shutdown");
    assert_eq!(code(&bare.call("nothing", "3")), -32601);
    for method in ["notify", "log", "get_credential", "set_status"] {
        assert_eq!(code(&bare.call(method, "3")), -32004, "{method}");
    }
}

/// Transport: notifications receive no response, including no error response; ruling 5: nor do answers.
#[test]
fn notifications_and_answers_are_not_answered_whatever_they_are() {
    let mut pipes = Pipes::up("[]");
    for body in [
        r#"{"jsonrpc":"2.0","method":"nothing"}"#,
        r#"{"jsonrpc":"2.0","method":"notify","params":{"level":"info","message":"m"}}"#,
        r#"{"jsonrpc":"2.0","method":"get_credential","params":{"kind":"twitch.android"}}"#,
        r#"{"jsonrpc":"2.0","method":"log","params":[]}"#,
        r#"{"jsonrpc":"2.0","method":"set_status","params":{}}"#,
        r#"{"jsonrpc":"1.0","method":"log","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
        r#"{"id":1,"result":{},"error":{}}"#,
    ] {
        pipes.run(&[Plugin(body)]);
    }
    let notified = pipes.moved.iter().any(|it| matches!(it, Transition::Notified { .. }));
    assert!(!notified, "a request method without an id is dropped");
}

/// Ruling 5: over 4 MiB nothing is sent.
#[test]
fn a_result_over_4_mib_is_an_internal_error() {
    let mut pipes = Pipes::up(r#"["on_followed_live"]"#);
    let mut channel = super::stream::channel("alice");
    channel.display_name = "x".repeat(1_000_000);
    let channels = vec![channel; 5];
    pipes.run(&[stream(StreamCommand::Live { channels })]);
    let answer = pipes.call("get_followed_live", "{}");
    assert_eq!(code(&answer), -32603);
    assert!(answer["error"].get("data").is_none());
    let dropped = pipes.moved.iter().any(|it| matches!(it, Transition::EventsDropped { events: 1, .. }));
    assert!(dropped);
}

/// Transport and ruling 5: a malformed or oversized frame ends the process, and that counts.
#[test]
fn what_is_no_frame_ends_the_process_and_counts() {
    let long = [b"Content-Length: 2\r\nA: ".as_slice(), &[b'x'; 4_096], b"\r\n\r\n{}"].concat();
    for bytes in [
        b"Content-Length: 4194305\r\n\r\n".as_slice(),
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Type: x\r\n\r\n{}",
        b"Content-Length: +2\r\n\r\n{}",
        b"{}\r\n\r\n",
        &long,
    ] {
        let mut pipes = Pipes::up(r#"["on_stream_start"]"#);
        assert!(pipes.writes(bytes).is_some(), "{}", String::from_utf8_lossy(&bytes[..bytes.len().min(40)]));
        assert_eq!(pipes.kills, 1);
        pipes.command(Command::Stream(super::stream::set("alice")));
        pipes.is_silent();
        pipes.process(ProcessInput::Exited(ExitStatus::Signal(9)));
        assert!(pipes.moved.iter().any(|it| matches!(it, Transition::Waiting { nth: 1, .. })));
        pipes.pass_ms(1_000);
        assert_eq!(pipes.spawns, 2);
    }
    let mut within = Pipes::up("[]");
    assert!(within.writes(b"Content-Length: 5\r\n\r\n{").is_none());
    let broken: Broken = within.framer.end().unwrap_err();
    within.process(ProcessInput::Broken(broken));
    assert_eq!(within.kills, 1, "the end of stdout within a frame");
    let mut equal = Pipes::up("[]");
    let body = r#"{"jsonrpc":"2.0","id":7,"method":"get_followed_live"}"#;
    equal.writes_body(&(" ".repeat(4_194_304 - body.len()) + body));
    assert_eq!(equal.read()["result"], json!({"channels": []}));
}

/// Shutdown: the plugin finishes in-flight work; ruling 6: then `exit`, whatever the answer is.
#[test]
fn an_action_in_flight_is_finished_while_the_plugin_is_stopped() {
    let mut pipes = Pipes::up("[]");
    let invoke = Command::Invoke {
        action: "clip.create".to_owned(),
        args: json!({}),
        plugin: None,
        timeout_ms: 30_000,
    };
    pipes.run(&[
        Do(invoke),
        Host(
            r#"{"jsonrpc":"2.0","id":2,"method":"invoke_action","params":{
                "action":"clip.create","args":{}}}"#,
        ),
        Do(Command::Disable { plugin: example() }),
        Host(r#"{"jsonrpc":"2.0","id":3,"method":"shutdown","params":{}}"#),
        Plugin(r#"{"jsonrpc":"2.0","id":2,"result":{"declined":true}}"#),
        Plugin(r#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no"}}"#),
        Host(r#"{"jsonrpc":"2.0","method":"exit","params":{}}"#),
    ]);
    let invoked = Outcome::Invoked { plugin: example(), result: json!({"declined": true}) };
    assert!(pipes.replies.values().any(|it| *it == Ok(invoked.clone())), "{:?}", pipes.replies);
}

/// Ruling 4: by hand nothing is counted, and it is started without the wait.
#[test]
fn what_waits_for_its_restart_is_started_at_once_by_hand() {
    let mut pipes = Pipes::up("[]");
    pipes.process(ProcessInput::Exited(ExitStatus::Code(0)));
    assert_eq!(pipes.spawns, 1);
    pipes.command(Command::Restart { plugin: example() });
    assert_eq!(pipes.spawns, 2);
    pipes.process(ProcessInput::Exited(ExitStatus::Code(0)));
    pipes.pass_ms(1_000);
    assert_eq!(pipes.spawns, 3, "the exit before was forgotten");
}

/// Errors: each code with its name, on the request that it is about.
#[test]
fn each_error_of_the_host_carries_its_name() {
    let name = |answer: &Value| {
        let data = &answer["error"]["data"];
        assert!(data.as_object().unwrap().contains_key("retry_after_ms"));
        (code(answer), data["name"].as_str().unwrap().to_owned())
    };
    let credential = r#"{"kind":"twitch.android"}"#;
    let mut pipes = Pipes::up("[]");
    let answer = pipes.call("get_credential", r#"{"kind":"other"}"#);
    assert_eq!(name(&answer), (-32000, "capability_denied".to_owned()));
    let upstream = r#"{"stream_id":"solo","playlist_url":"https://x/y"}"#;
    assert_eq!(name(&pipes.call("set_upstream", upstream)), (-32002, "unknown_stream".to_owned()));
    pipes.command(Command::Revoke { plugin: example(), capabilities: vec!["twitch.android".to_owned()] });
    assert_eq!(name(&pipes.call("get_credential", credential)), (-32001, "consent_denied".to_owned()));
    let mut without = settings();
    without.sources.clear();
    let mut pipes = Pipes::up("[]");
    pipes.core.settings = without;
    let answer = pipes.call("get_credential", credential);
    assert_eq!(name(&answer), (-32005, "credential_unavailable".to_owned()));
}
