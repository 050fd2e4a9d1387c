use serde_json::{Value, json};

use super::kit::{FULL, TestHost, example, installation, settings};
use crate::plugin::{Command, Lint, StreamCommand, Transition, Verdict};

fn code(answer: &Value) -> Value {
    answer["error"]["code"].clone()
}

/// With a plugin that was granted nothing.
fn empty() -> TestHost {
    let mut host = TestHost::with(settings());
    let bare = crate::plugin::supervisor::Installation { grant: Some(Vec::new()), ..installation(FULL) };
    host.install(bare).unwrap();
    host.bring_up(&example(), &[]);
    host
}

#[test]
fn outside_the_grant_a_request_is_denied_and_a_notification_dropped() {
    let mut host = empty();
    for (method, params) in [
        ("get_followed_live", json!({})),
        ("set_upstream", json!({"wrong": true})),
        ("get_credential", json!({"kind": "twitch.android"})),
        ("notify", json!({})),
        ("log", json!({"level": "info", "message": "x"})),
        ("register_panel", json!({})),
        ("get_panel_values", json!({})),
    ] {
        let answer = host.calls(method, params);
        assert_eq!(code(&answer), -32000, "{method}: the gate comes before the params");
        assert_eq!(answer["error"]["data"], json!({"name": "capability_denied", "retry_after_ms": null}));
    }
    host.says(&example(), json!({"jsonrpc": "2.0", "method": "log", "params": {"message": "x"}}));
    assert_eq!(host.verdicts.last(), Some(&Verdict::Ignored(Lint::NotGranted)));
    assert!(host.logged.is_empty());
}

#[test]
fn params_that_are_no_object_are_refused_with_their_path_and_null_is_none() {
    let mut host = TestHost::up();
    for params in [json!([]), json!(3), json!("x")] {
        let answer = host.calls("get_followed_live", params);
        assert_eq!(code(&answer), -32602);
    }
    assert!(host.calls("get_followed_live", Value::Null)["result"].is_object());
    let answer = host.calls("notify", json!({"level": "loud", "message": "x"}));
    assert_eq!(code(&answer), -32602);
    assert!(answer["error"]["message"].as_str().unwrap().starts_with("params.level"), "{answer}");
    assert_eq!(code(&host.calls("notify", json!({"level": "info"}))), -32602);
    assert_eq!(code(&host.calls("notify", json!({"level": "debug", "message": "x"}))), -32602);
}

#[test]
fn notify_has_a_burst_of_three_and_its_bucket_outlives_the_process() {
    let mut host = TestHost::up();
    let params = json!({"level": "warning", "message": "look"});
    for _ in 0..3 {
        assert_eq!(host.calls("notify", params.clone())["result"], json!({}));
    }
    let answer = host.calls("notify", params.clone());
    assert_eq!(answer["error"]["data"], json!({"name": "rate_limited", "retry_after_ms": 10_000}));
    assert_eq!(code(&host.calls("notify", json!({}))), -32602, "params come before the rate");
    host.pass_ms(1);
    host.done(Command::Restart { plugin: example() });
    host.exits(&example(), crate::plugin::ExitStatus::Code(0));
    host.bring_up(&example(), &[]);
    let answer = host.calls("notify", params.clone());
    assert_eq!(answer["error"]["data"]["retry_after_ms"], 9_999);
    host.pass_ms(9_999);
    assert_eq!(host.calls("notify", params)["result"], json!({}));
    let notices = host.moved.iter().filter(|(it, _)| matches!(it, Transition::Notified { .. })).count();
    assert_eq!(notices, 4);
}

#[test]
fn log_as_a_request_is_answered_and_what_it_lacks_is_noted() {
    let mut host = TestHost::up();
    assert_eq!(host.calls("log", json!({"level": "debug", "message": "a"}))["result"], json!({}));
    assert_eq!(host.calls("log", json!({}))["result"], json!({}));
    assert_eq!(host.logged, ["a", ""]);
    assert_eq!(host.moves().iter().filter(|it| it.starts_with("lint")).count(), 1);
}

#[test]
fn set_upstream_needs_a_url_and_a_session() {
    let mut host = TestHost::up();
    let call = |host: &mut TestHost, id: &str, url: &str| {
        host.calls("set_upstream", json!({"stream_id": id, "playlist_url": url}))
    };
    assert_eq!(code(&call(&mut host, "s1", "ftp://x/y")), -32602);
    assert_eq!(code(&call(&mut host, "s1", "https://")), -32602);
    let answer = call(&mut host, "s1", "https://x/y.m3u8");
    assert_eq!(answer["error"]["data"]["name"], "unknown_stream");
    host.done(Command::Stream(StreamCommand::AddSession { id: "s1".to_owned() }));
    assert_eq!(call(&mut host, "s1", "HTTP://x/y.m3u8")["result"], json!({}));
    assert_eq!(code(&call(&mut host, "solo", "https://x/y.m3u8")), -32002);
    host.done(Command::Stream(super::stream::set("alice")));
    assert_eq!(call(&mut host, "solo", "https://x/z.m3u8")["result"], json!({}));
    let sessions = host.core.stream_detail().sessions;
    let urls: Vec<_> = sessions.iter().map(|(id, url)| (id.as_str(), url.as_deref().unwrap())).collect();
    assert_eq!(urls, [("s1", "HTTP://x/y.m3u8"), ("solo", "https://x/z.m3u8")]);
}

#[test]
fn a_status_is_the_last_value_of_a_declared_slot_and_goes_with_the_process() {
    let mut host = TestHost::up();
    host.moves();
    let set = |host: &mut TestHost, slot: &str, value: Value| {
        host.says(
            &example(),
            json!({"jsonrpc": "2.0", "method": "set_status", "params": {"slot": slot, "value": value}}),
        )
    };
    assert!(set(&mut host, "example.state", json!({"a": 1})).is_empty());
    set(&mut host, "other.state", json!(1));
    set(&mut host, "example.state", json!("x".repeat(65_536)));
    assert_eq!(host.calls("set_status", json!({"slot": "example.state", "value": 2}))["result"], json!({}));
    assert_eq!(code(&host.calls("set_status", json!({"slot": 3, "value": 2}))), -32602);
    host.exits(&example(), crate::plugin::ExitStatus::Code(0));
    let moves = host.moves();
    let status: Vec<_> = moves.iter().filter(|it| it.starts_with("status")).collect();
    assert_eq!(status, ["status: {\"a\":1}", "status: 2", "status"]);
    assert_eq!(moves.iter().filter(|it| it.starts_with("lint")).count(), 2);
}

fn panel() -> Value {
    json!({"schema": {"title": "Example", "sections": [{"label": "Main", "fields": [
        {"type": "toggle", "key": "on", "label": "On", "default": true},
        {"type": "number", "key": "count", "label": "Count", "min": 1, "max": 5},
    ]}]}})
}

#[test]
fn a_panel_is_registered_and_its_values_are_stored_default_or_left_out() {
    let mut host = TestHost::up();
    assert_eq!(host.calls("get_panel_values", json!({}))["result"], json!({"values": {}}));
    assert_eq!(host.calls("register_panel", panel())["result"], json!({}));
    assert_eq!(host.calls("get_panel_values", json!({}))["result"], json!({"values": {"on": true}}));
    host.sent.clear();
    let set = |key: &str, value| Command::Set { plugin: example(), key: key.to_owned(), value };
    host.done(set("count", Some(json!(3))));
    let changed = json!({"jsonrpc": "2.0", "method": "on_panel_change", "params": {"values": {"on": true, "count": 3}}});
    assert_eq!(host.sent[0].body, changed);
    assert!(host.command(set("count", Some(json!(9)))).unwrap().is_err());
    assert!(host.command(set("nothing", Some(json!(9)))).unwrap().is_err());
    host.done(set("count", None));
    assert_eq!(host.sent[1].body["params"], json!({"values": {"on": true}}));
}

#[test]
fn a_wrong_panel_is_refused_with_the_path_of_the_fault() {
    let mut host = TestHost::up();
    for (params, path) in [
        (json!({}), "schema"),
        (json!({"schema": {"title": "", "sections": []}}), "title"),
        (json!({"schema": {"title": "x", "sections": {}}}), "sections"),
        (json!({"schema": {"title": "x".repeat(300_000), "sections": []}}), "schema"),
    ] {
        let answer = host.calls("register_panel", params);
        assert_eq!(code(&answer), -32602);
        assert!(answer["error"]["message"].as_str().unwrap().contains(path), "{answer}");
    }
}
