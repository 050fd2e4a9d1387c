//! The twelve frames of MPP.

use serde_json::json;

use super::kit::{comes_back, every_edit_shows, made, not_made, shown, units, units_in};
use crate::{
    dissect::frame_json::Format,
    ids::{InvocationId, SessionId},
    mpp::{
        HelloReason, Level,
        frame::{Persisted, encode as e},
    },
};

const MPP: Format = Format::Mpp;

/// The lines of mpp-v2 as they are printed there, with who sends them.
const SPECIFIED: [(&str, &str, &str); 15] = [
    (
        r#"{"mpp": 2, "type": "hello", "pack_id": "com.example.mypack", "manifest_hash": "sha256:abc123...", "bridge_token": "<raw-token>"}"#,
        "hello",
        "adapter",
    ),
    (
        r#"{"mpp": 2, "type": "hello_ack", "ok": true, "broadcaster_login": "streamer_login", "session_id": 42}"#,
        "hello_ack",
        "bridge",
    ),
    (
        r#"{"mpp": 2, "type": "hello_ack", "ok": false, "reason": "manifest_hash_mismatch"}"#,
        "hello_ack",
        "bridge",
    ),
    (
        r#"{"mpp": 2, "type": "invocation", "id": 123, "queue": "default", "event": "give_item", "params": {"item_id": 4, "count": 1}}"#,
        "invocation",
        "bridge",
    ),
    (r#"{"mpp": 2, "type": "pull", "queue": "default"}"#, "pull", "adapter"),
    (r#"{"mpp": 2, "type": "ack", "id": 123}"#, "ack", "adapter"),
    (
        r#"{"mpp": 2, "type": "applied", "id": 123, "result": {"resolved_item_id": 4, "resolved_count": 1}}"#,
        "applied",
        "adapter",
    ),
    (r#"{"mpp": 2, "type": "done", "id": 123}"#, "done", "adapter"),
    (
        r#"{"mpp": 2, "type": "failed", "id": 123, "reason": "item not found in inventory"}"#,
        "failed",
        "adapter",
    ),
    (
        r#"{"mpp": 2, "type": "failed", "id": 124, "reason": "target already fainted", "refund": true}"#,
        "failed",
        "adapter",
    ),
    (r#"{"mpp": 2, "type": "heartbeat"}"#, "heartbeat", "adapter or bridge"),
    (r#"{"mpp": 2, "type": "log", "level": "info", "message": "loaded ROM in 12 ms"}"#, "log", "adapter"),
    (
        r#"{"mpp": 2, "type": "state_write", "key": "resets", "value": 3, "scope": "trainer:42"}"#,
        "state_write",
        "adapter",
    ),
    (
        r#"{"mpp": 2, "type": "protocol_error", "code": "INVALID_FRAME", "message": "unknown type: 'foo'"}"#,
        "protocol_error",
        "adapter or bridge",
    ),
    (
        r#"{"mpp": 2, "type": "hello_ack", "ok": true, "broadcaster_login": "l", "session_id": 42, "persisted": [{"key": "k", "value": null}]}"#,
        "hello_ack",
        "bridge",
    ),
];

#[test]
fn the_lines_of_the_specification_are_shown_and_come_back() {
    for (line, kind, from) in SPECIFIED {
        let wire = format!("{line}\n");
        let rows = comes_back(MPP, wire.as_bytes());
        let body: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(rows.len(), 1);
        let row = &rows[0];
        assert_eq!((&row["valid"], &row["type"], &row["from"]), (&json!(true), &json!(kind), &json!(from)));
        assert_eq!(row["body"], body, "{line}");
        assert!(row["body_bytes"].is_string(), "the specification writes spaces");
        // Without them there is nothing but the object.
        let plain = serde_json::to_string(&body).unwrap();
        assert!(comes_back(MPP, format!("{plain}\n").as_bytes())[0].get("body_bytes").is_none(), "{plain}");
    }
    let stream = SPECIFIED.map(|(line, ..)| line.to_owned() + "\n").concat();
    for piece in [1, 7, 64, 5_000] {
        let units = units_in(MPP, stream.as_bytes(), piece);
        let at: Vec<_> = units.iter().map(|unit| unit.offset).collect();
        assert_eq!((units.len(), at[1]), (15, SPECIFIED[0].0.len() as u64 + 1));
    }
}

#[test]
fn what_we_send_is_its_json_and_nothing_else() {
    let rows = [Persisted { key: "k".into(), value: "[1,{}]".into(), scope: Some("s".into()) }];
    for wire in [
        e::hello("p", "sha256:0", "token"),
        e::hello_ack("login", SessionId(u64::MAX), &rows),
        e::hello_refused(HelloReason::InvalidToken),
        e::invocation(InvocationId(1), "q", "e", r#"{"a":-1.5}"#),
        e::pull("a\"é\u{1}"),
        e::ack(InvocationId(1)),
        e::applied(InvocationId(1), None),
        e::done(InvocationId(1)),
        e::failed(InvocationId(1), "why", true),
        e::heartbeat(),
        e::log(Level::Warn, "a\nb"),
        e::state_write("k", "null", None),
        e::protocol_error("INVALID_FRAME", "why"),
    ] {
        let rows = comes_back(MPP, &wire);
        assert_eq!((rows.len(), &rows[0]["valid"]), (1, &json!(true)), "{}", wire.escape_ascii());
        assert!(rows[0].get("body_bytes").is_none(), "{}", rows[0]);
        every_edit_shows(MPP, &wire);
    }
}

#[test]
fn faults_have_their_names_and_places() {
    for (line, name, offset, expected) in [
        ("", "INVALID_FRAME", 1, "one JSON object"),
        ("[]", "INVALID_FRAME", 0, "one JSON object"),
        (r#"{"mpp":2,"type":"pull","queue":"a"#, "INVALID_FRAME", 23, "one JSON object"),
        (r#"{"mpp":2,"type":"pull","queue":4}"#, "INVALID_FRAME", 23, "`queue`: a string"),
        (r#"{"mpp":2,"type":"pull"}"#, "INVALID_FRAME", 22, "`queue`: a string"),
        (r#"{"mpp":2,"type":"pul"}"#, "INVALID_FRAME", 9, "`type`: one of the twelve frame types"),
        (r#"{"mpp":1,"type":"pull","queue":"a"}"#, "INVALID_FRAME", 1, "`mpp`: 2"),
        (r#"{"mpp":1,"type":"hello"}"#, "unsupported_mpp_version", 1, "`mpp`: 2"),
        (r#"{"mpp":2,"type":"hello","pack_id":"a"}"#, "INVALID_FRAME", 37, "`manifest_hash`: a string"),
        (r#"{"mpp":2,"type":"invocation","id":-1}"#, "INVALID_FRAME", 29, "`id`: an unsigned integer"),
        (r#"{"mpp":2,"type":"log","level":"loud","message":""}"#, "INVALID_FRAME", 22, "`level`: trace"),
    ] {
        let wire = format!("{line}\n");
        let rows = comes_back(MPP, wire.as_bytes());
        let error = &rows[0]["error"];
        assert_eq!((&error["name"], &error["offset"]), (&json!(name), &json!(offset)), "{line}: {error}");
        assert!(error["expected"].as_str().unwrap().starts_with(expected), "{line}: {error}");
        assert!(!error["says"].as_str().unwrap().is_empty() && error["ends_stream"] == false, "{error}");
    }
    let not_utf8 = comes_back(MPP, b"{\"mpp\":\xff}\n");
    assert_eq!((&not_utf8[0]["error"]["offset"], not_utf8[0].get("body")), (&json!(7), None));
    assert_eq!(not_utf8[0]["body_bytes"], "eyJtcHAiOv99Cg==");
}

#[test]
fn what_is_cut_off_or_too_long_ends_the_stream() {
    let stream = [&e::heartbeat()[..], b"{\"mpp\":2"].concat();
    let rows = comes_back(MPP, &stream);
    let error = &rows[1]["error"];
    assert_eq!(
        (&error["message"], &error["ends_stream"]),
        (&json!("the input ends inside a line"), &json!(true))
    );
    assert_eq!((&rows[1]["offset"], &rows[1]["bytes"]), (&json!(29), &json!(8)));
    let long = [vec![b' '; 65_536], e::heartbeat()].concat();
    let rows = comes_back(MPP, &long);
    assert_eq!((rows.len(), &rows[0]["error"]["name"]), (1, &json!("FRAME_TOO_LARGE")));
    assert_eq!(units(MPP, &[vec![b' '; 65_535 - 29], e::heartbeat()].concat()).len(), 1);
}

#[test]
fn what_is_missing_is_filled_in_and_a_change_is_never_lost() {
    let (wire, fault) = made(MPP, r#"{"body": {"type": "pull", "queue": "a"}}"#);
    assert_eq!((wire, fault), (e::pull("a"), None));
    let decoded = shown(MPP, b"{\"mpp\": 2, \"type\": \"pull\", \"queue\": \"a\"}\n").to_string();
    let changed = decoded.replace("\"queue\":\"a\"", "\"queue\":\"b\"");
    assert_eq!(not_made(MPP, &changed), "`body` and `body_bytes` differ: give only one of them");
    assert_eq!(not_made(MPP, "{}"), "`body` or `body_bytes` is required");
    assert!(not_made(MPP, r#"{"body":{},"boddy":1}"#).contains("boddy"));
    assert!(not_made(MPP, r#"{"body_bytes":"?"}"#).starts_with("`body_bytes` is not base64"));
    let (_, fault) = made(MPP, r#"{"body":{"type":"pull"}}"#);
    assert_eq!(fault.unwrap().to_string(), "INVALID_FRAME (mpp-v2, frame fields): `queue` is missing");
    // Of members of one name the last one counts, and the bytes are given.
    let twice = shown(MPP, b"{\"mpp\":2,\"type\":\"pull\",\"queue\":1,\"queue\":\"a\"}\n");
    assert_eq!((&twice["valid"], &twice["body"]["queue"]), (&json!(true), &json!("a")));
    assert!(twice["body_bytes"].is_string());
}
