//! Messages of plugins.

use serde_json::json;

use super::kit::{comes_back, every_edit_shows, made, not_made, shown, units_in};
use crate::{
    dissect::frame_json::Format,
    plugin::rpc::{self, RequestId},
    tap::entry::plugin::Code,
};

const PLUGIN: Format = Format::Plugin;

fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[test]
fn a_message_is_its_header_and_its_body() {
    let wire = framed(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}"#);
    let row = &comes_back(PLUGIN, &wire)[0];
    let expected = json!({
        "frame": 1, "offset": 0, "bytes": wire.len(), "valid": true, "kind": "request",
        "header": {"Content-Length": 52},
        "body": {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}},
    });
    assert_eq!(row, &expected);
    every_edit_shows(PLUGIN, &wire);
}

#[test]
fn what_the_host_sends_comes_back() {
    let id = RequestId::from(4);
    for (wire, kind) in [
        (rpc::request(1, "ping", &json!({})).unwrap(), "request"),
        (rpc::notification("on_watch_tick", &json!({"ts": "é\n"})).unwrap(), "notification"),
        (rpc::result(&id, &json!(null)).unwrap(), "answer"),
        (rpc::error(Some(&id), Code::RateLimited, "wait", Some(5)), "answer"),
        (rpc::error(None, Code::ParseError, "bad", None), "answer"),
    ] {
        let row = &comes_back(PLUGIN, &wire)[0];
        assert_eq!(
            (&row["kind"], row.get("body_bytes"), row.get("header_bytes")),
            (&json!(kind), None, None)
        );
    }
}

#[test]
fn other_spellings_are_given_as_bytes() {
    let body = r#"{"jsonrpc": "2.0", "method": "\u0061"}"#;
    let header = |lines: &str| format!("{lines}{body}").into_bytes();
    for (lines, shown_header, lints) in [
        ("Content-Length: 38\r\n\r\n", json!({"Content-Length": 38}), json!(null)),
        (
            "Content-Length: 38\r\nContent-Type: application/json\r\n\r\n",
            json!({"Content-Length": 38, "Content-Type": "application/json"}),
            json!(null),
        ),
        ("content-length:  038\r\n\r\n", json!({"content-length": " 038"}), json!(null)),
        ("Content-Length:38\r\n\r\n", json!(null), json!(null)),
        ("A: 1\r\nA: 2\r\nContent-Length: 38\r\n\r\n", json!(null), json!(null)),
        ("Content-Length: 38\n\n", json!(null), json!(["bare_lf"])),
    ] {
        let row = &comes_back(PLUGIN, &header(lines))[0];
        assert_eq!((&row["header"], &row["lints"]), (&shown_header, &lints), "{lines:?}");
        assert_eq!(row["header_bytes"].is_string(), shown_header.is_null(), "{lines:?}");
        assert_eq!((&row["body"]["method"], row["body_bytes"].is_string()), (&json!("a"), true));
    }
}

#[test]
fn faults_have_their_names_and_places() {
    for (wire, name, offset, ends) in [
        ("Content-Length: 2\r\n\r\n{}", "invalid_request", 21, false),
        ("Content-Length: 1\r\n\r\n{", "parse_error", 21, false),
        ("Content-Length: 0\r\n\r\n", "parse_error", 21, false),
        ("A: 1\r\n\r\n", "no_length", 7, true),
        ("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "two_lengths", 19, true),
        ("A: 1\r\nContent-Length: x\r\n\r\n", "length_not_decimal", 6, true),
        ("hello\n", "no_colon", 0, true),
        ("Content-Length: 4194305\r\n\r\n", "body_too_long", 0, true),
        ("Content-Length: 5\r\n\r\n{}", "end_in_frame", 23, true),
        ("Content-Len", "end_in_frame", 11, true),
    ] {
        let rows = comes_back(PLUGIN, wire.as_bytes());
        let error = &rows[0]["error"];
        assert_eq!((&error["name"], &error["offset"]), (&json!(name), &json!(offset)), "{wire:?}: {error}");
        assert_eq!(error["ends_stream"], ends, "{wire:?}");
        let texts = ["clause", "says", "message", "expected", "got"];
        assert!(texts.iter().all(|text| name == "parse_error" || error[*text] != ""), "{error}");
    }
    let stream =
        [framed(r#"{"jsonrpc":"2.0","method":"a"}"#), framed("[]"), framed(r#"{"id":1,"result":2}"#)];
    for piece in [1, 20, 1_000] {
        let units = units_in(PLUGIN, &stream.concat(), piece);
        let valid: Vec<_> = units.iter().map(|unit| unit.fault.is_none()).collect();
        assert_eq!(valid, [true, false, true]);
        assert_eq!(units[1].offset, stream[0].len() as u64);
    }
}

#[test]
fn what_is_missing_is_filled_in() {
    let (wire, fault) = made(PLUGIN, r#"{"body":{"method":"log","params":{"level":"info","message":"é"}}}"#);
    assert_eq!(fault, None);
    let body = r#"{"jsonrpc":"2.0","method":"log","params":{"level":"info","message":"é"}}"#;
    assert_eq!(wire, framed(body));
    // A length of one's own cuts the frame elsewhere.
    let (wire, fault) = made(PLUGIN, r#"{"header":{"Content-Length":3},"body":{"method":"a"}}"#);
    assert!(wire.starts_with(b"Content-Length: 3\r\n\r\n{\"jsonrpc\""));
    assert_eq!(fault.unwrap().name, "parse_error");
    let (_, fault) = made(PLUGIN, r#"{"header":{"Content-Length":300},"body":{"method":"a"}}"#);
    assert_eq!(fault.unwrap().name, "end_in_frame");
    assert_eq!(not_made(PLUGIN, r#"{"header":{}}"#), "`body` or `body_bytes` is required");
    assert!(not_made(PLUGIN, r#"{"header":{"A":[]},"body":{}}"#).contains("a string or a number"));
    let changed = shown(PLUGIN, b"Content-Length: 3\r\n\r\n{ }").to_string().replace("{}", "{\"a\":1}");
    assert!(not_made(PLUGIN, &changed).ends_with("differ: give only one of them"));
}
