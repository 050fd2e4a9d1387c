//! MPP v2 on the wire: framing, the twelve frames, what is refused and how (mpp-v2, rulings MPP 1 to 4 and 13).

use std::ops::Range;

use proptest::prelude::*;
use rl_console::{
    ids::{InvocationId, QueueName, SessionId},
    mpp::{
        ErrorCode, Fault, FrameType, Head, HelloReason, Level, Violation,
        frame::{Inbound, Outbound, Persisted, Phase, Refusal, decode, decode_outbound, encode, mask_occurrences, token_ranges},
        framing::{Framed, Framer},
    },
};

/// The specification's examples from the adapter, verbatim, and what our encoder makes of the same frame.
const FROM_ADAPTER: &[(Phase, &str, &str)] = &[
    (
        Phase::First,
        r#"{"mpp": 2, "type": "hello", "pack_id": "com.example.mypack", "manifest_hash": "sha256:abc123...", "bridge_token": "<raw-token>"}"#,
        r#"{"mpp":2,"type":"hello","pack_id":"com.example.mypack","manifest_hash":"sha256:abc123...","bridge_token":"<raw-token>"}"#,
    ),
    (Phase::Later, r#"{"mpp": 2, "type": "pull", "queue": "default"}"#, r#"{"mpp":2,"type":"pull","queue":"default"}"#),
    (Phase::Later, r#"{"mpp": 2, "type": "ack", "id": 123}"#, r#"{"mpp":2,"type":"ack","id":123}"#),
    (
        Phase::Later,
        r#"{"mpp": 2, "type": "applied", "id": 123, "result": {"resolved_item_id": 4, "resolved_count": 1}}"#,
        r#"{"mpp":2,"type":"applied","id":123,"result":{"resolved_item_id": 4, "resolved_count": 1}}"#,
    ),
    (Phase::Later, r#"{"mpp": 2, "type": "done", "id": 123}"#, r#"{"mpp":2,"type":"done","id":123}"#),
    (
        Phase::Later,
        r#"{"mpp": 2, "type": "failed", "id": 123, "reason": "item not found in inventory"}"#,
        r#"{"mpp":2,"type":"failed","id":123,"reason":"item not found in inventory"}"#,
    ),
    (
        Phase::Later,
        r#"{"mpp": 2, "type": "failed", "id": 124, "reason": "target already fainted", "refund": true}"#,
        r#"{"mpp":2,"type":"failed","id":124,"reason":"target already fainted","refund":true}"#,
    ),
    (Phase::Later, r#"{"mpp": 2, "type": "heartbeat"}"#, r#"{"mpp":2,"type":"heartbeat"}"#),
    (
        Phase::Later,
        r#"{"mpp": 2, "type": "log", "level": "info", "message": "loaded ROM in 12 ms"}"#,
        r#"{"mpp":2,"type":"log","level":"info","message":"loaded ROM in 12 ms"}"#,
    ),
    (
        Phase::Later,
        r#"{"mpp": 2, "type": "state_write", "key": "resets", "value": 3, "scope": "trainer:42"}"#,
        r#"{"mpp":2,"type":"state_write","key":"resets","value":3,"scope":"trainer:42"}"#,
    ),
    (
        Phase::Later,
        r#"{"mpp": 2, "type": "protocol_error", "code": "INVALID_FRAME", "message": "unknown type: 'foo'"}"#,
        r#"{"mpp":2,"type":"protocol_error","code":"INVALID_FRAME","message":"unknown type: 'foo'"}"#,
    ),
];

/// The specification's examples from the bridge.
const FROM_BRIDGE: &[(&str, &str)] = &[
    (
        r#"{"mpp": 2, "type": "hello_ack", "ok": true, "broadcaster_login": "streamer_login", "session_id": 42}"#,
        r#"{"mpp":2,"type":"hello_ack","ok":true,"broadcaster_login":"streamer_login","session_id":42}"#,
    ),
    (
        r#"{"mpp": 2, "type": "hello_ack", "ok": true, "broadcaster_login": "streamer_login", "session_id": 42, "persisted": [{"key": "resets", "value": 3, "scope": "trainer:42"}]}"#,
        r#"{"mpp":2,"type":"hello_ack","ok":true,"broadcaster_login":"streamer_login","session_id":42,"persisted":[{"key":"resets","value":3,"scope":"trainer:42"}]}"#,
    ),
    (
        r#"{"mpp": 2, "type": "hello_ack", "ok": false, "reason": "manifest_hash_mismatch"}"#,
        r#"{"mpp":2,"type":"hello_ack","ok":false,"reason":"manifest_hash_mismatch"}"#,
    ),
    (
        r#"{"mpp": 2, "type": "hello_ack", "ok": false, "reason": "unsupported_mpp_version"}"#,
        r#"{"mpp":2,"type":"hello_ack","ok":false,"reason":"unsupported_mpp_version"}"#,
    ),
    (
        r#"{"mpp": 2, "type": "invocation", "id": 123, "queue": "default", "event": "give_item", "params": {"item_id": 4, "count": 1}}"#,
        r#"{"mpp":2,"type":"invocation","id":123,"queue":"default","event":"give_item","params":{"item_id": 4, "count": 1}}"#,
    ),
    (r#"{"mpp": 2, "type": "heartbeat"}"#, r#"{"mpp":2,"type":"heartbeat"}"#),
    (
        r#"{"mpp": 2, "type": "protocol_error", "code": "INVALID_FRAME", "message": "unknown type: 'foo'"}"#,
        r#"{"mpp":2,"type":"protocol_error","code":"INVALID_FRAME","message":"unknown type: 'foo'"}"#,
    ),
];

const HELLO: &str = r#"{"mpp":2,"type":"hello","pack_id":"com.example.mypack","manifest_hash":"sha256:abc","bridge_token":"s3cret"}"#;

fn write_inbound(frame: &Inbound<'_>) -> Vec<u8> {
    match frame {
        Inbound::Hello { pack_id, manifest_hash, bridge_token } => encode::hello(pack_id, manifest_hash, bridge_token),
        Inbound::Pull { queue } => encode::pull(queue),
        Inbound::Ack { id } => encode::ack(*id),
        Inbound::Applied { id, result } => encode::applied(*id, result.map(serde_json::value::RawValue::get)),
        Inbound::Done { id } => encode::done(*id),
        Inbound::Failed { id, reason, refund } => encode::failed(*id, reason, *refund),
        Inbound::Heartbeat => encode::heartbeat(),
        Inbound::Log { level, message } => encode::log(*level, message),
        Inbound::StateWrite { key, value, scope } => encode::state_write(key, value.get(), scope.as_deref()),
        Inbound::ProtocolError { code, message } => encode::protocol_error(code, message),
    }
}

fn write_outbound(frame: &Outbound<'_>) -> Vec<u8> {
    match frame {
        Outbound::HelloAck { broadcaster_login, session_id, persisted } => encode::hello_ack(broadcaster_login, *session_id, persisted),
        Outbound::HelloRefused { reason } => {
            encode::hello_refused(HelloReason::ALL.into_iter().find(|known| known.code() == reason).unwrap())
        }
        Outbound::Invocation { id, queue, event, params } => encode::invocation(*id, queue, event, params.get()),
        Outbound::Heartbeat => encode::heartbeat(),
        Outbound::ProtocolError { code, message } => encode::protocol_error(code, message),
    }
}

fn later(line: &str) -> Result<Inbound<'_>, Refusal> {
    decode(line.as_bytes(), Phase::Later)
}

fn breach(line: &[u8], phase: Phase) -> Violation {
    match decode(line, phase).unwrap_err().fault {
        Fault::Protocol { code: ErrorCode::InvalidFrame, violation } => violation,
        other => panic!("{other:?} for {}", String::from_utf8_lossy(line)),
    }
}

// The frames.

#[test]
fn every_example_from_an_adapter_is_read_and_written_again() {
    for (phase, spec, ours) in FROM_ADAPTER {
        for end in ["\n", "\r\n", ""] {
            let wire = format!("{spec}{end}");
            let frame = decode(wire.as_bytes(), *phase).unwrap_or_else(|refusal| panic!("{spec}: {refusal:?}"));
            assert_eq!(String::from_utf8(write_inbound(&frame)).unwrap(), format!("{ours}\n"));
        }
    }
}

#[test]
fn every_example_from_a_bridge_is_read_and_written_again() {
    for (spec, ours) in FROM_BRIDGE {
        for end in ["\n", "\r\n", ""] {
            let wire = format!("{spec}{end}");
            let frame = decode_outbound(wire.as_bytes()).unwrap_or_else(|violation| panic!("{spec}: {violation}"));
            assert_eq!(String::from_utf8(write_outbound(&frame)).unwrap(), format!("{ours}\n"));
        }
    }
}

#[test]
fn the_twelve_types_have_an_example_each() {
    let all: Vec<_> = FROM_ADAPTER.iter().map(|(_, spec, _)| *spec).chain(FROM_BRIDGE.iter().map(|(spec, _)| *spec)).collect();
    for kind in FrameType::ALL {
        let needle = format!("\"type\": \"{}\"", kind.name());
        assert!(all.iter().any(|spec| spec.contains(&needle)), "{}", kind.name());
    }
}

#[test]
fn every_reason_code_is_written_and_read() {
    for reason in HelloReason::ALL {
        let wire = encode::hello_refused(reason);
        let Ok(Outbound::HelloRefused { reason: read }) = decode_outbound(&wire) else { panic!("not a refusal") };
        assert_eq!(read, reason.code());
    }
}

#[test]
fn keys_come_in_any_order_and_unknown_ones_are_ignored() {
    let line = r#"{"future":{"deep":[1,{"type":"done"}]},"refund":false,"reason":"r","id":9,"x":null,"type":"failed","mpp":2}"#;
    let Ok(Inbound::Failed { id: InvocationId(9), reason, refund: false }) = later(line) else { panic!("not read") };
    assert_eq!(reason, "r");
}

#[test]
fn keys_that_a_frame_does_not_use_are_ignored_even_when_mistyped() {
    for kind in ["ack", "done"] {
        let line = format!(r#"{{"mpp":2,"type":"{kind}","id":1,"queue":7,"pack_id":[],"broadcaster_login":{{}},"params":1,"ok":"x"}}"#);
        assert_eq!(later(&line).unwrap().id(), Some(InvocationId(1)));
    }
    assert!(matches!(later(r#"{"mpp":2,"type":"heartbeat","id":-1,"queue":null,"level":0}"#), Ok(Inbound::Heartbeat)));
}

#[test]
fn the_last_of_two_equal_keys_counts() {
    let Ok(Inbound::Pull { queue }) = later(r#"{"mpp":1,"type":"done","queue":"a","queue":"b","type":"pull","mpp":2}"#) else {
        panic!("not read")
    };
    assert_eq!(queue, "b");
    assert_eq!(breach(br#"{"mpp":2,"type":"ack","id":1,"mpp":1}"#, Phase::Later), Violation::Version);
}

#[test]
fn escapes_are_read_in_keys_types_and_values() {
    let Ok(Inbound::Pull { queue }) = later(r#"{"\u006dpp":2,"type":"pu\u006cl","queue":"d\u00e9\n\ud83d\ude00"}"#) else {
        panic!("not read")
    };
    assert_eq!(queue, "dé\n😀");
}

#[test]
fn an_absent_result_reads_as_null() {
    for line in [r#"{"mpp":2,"type":"applied","id":1}"#, r#"{"mpp":2,"type":"applied","id":1,"result": null }"#] {
        assert!(matches!(later(line), Ok(Inbound::Applied { id: InvocationId(1), result: None })), "{line}");
    }
    assert_eq!(encode::applied(InvocationId(1), None), b"{\"mpp\":2,\"type\":\"applied\",\"id\":1,\"result\":null}\n");
}

#[test]
fn null_is_a_value_of_a_state_write_and_text_is_kept_as_it_came() {
    let Ok(Inbound::StateWrite { value, scope: None, .. }) = later(r#"{"mpp":2,"type":"state_write","key":"k","value":null}"#) else {
        panic!("not read")
    };
    assert_eq!(value.get(), "null");
    let Ok(Inbound::StateWrite { value, .. }) = later(r#"{"mpp":2,"type":"state_write","key":"k","value": {"b": 1.00, "a":1e400 } }"#)
    else {
        panic!("not read")
    };
    assert_eq!(value.get(), r#"{"b": 1.00, "a":1e400 }"#);
}

#[test]
fn ids_span_64_bits() {
    let line = format!(r#"{{"mpp":2,"type":"ack","id":{}}}"#, u64::MAX);
    assert_eq!(later(&line).unwrap().id(), Some(InvocationId(u64::MAX)));
    assert_eq!(encode::ack(InvocationId(u64::MAX)), format!("{line}\n").into_bytes());
    for id in ["18446744073709551616", "-1", "-0", "1.0", "1e0", "\"1\"", "null", "true", "[1]"] {
        let line = format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#);
        assert_eq!(breach(line.as_bytes(), Phase::Later), Violation::Mistyped("id"), "{id}");
    }
}

#[test]
fn every_level_is_read() {
    for level in Level::ALL {
        let wire = encode::log(level, "m");
        assert!(matches!(decode(&wire, Phase::Later), Ok(Inbound::Log { level: read, .. }) if read == level));
    }
}

// What is refused.

#[test]
fn a_version_other_than_2_refuses_a_first_frame_before_its_type_and_fields_are_looked_at() {
    let bodies = [
        r#""type": "hello", "pack_id": "com.example.mypack", "manifest_hash": "sha256:abc123...", "bridge_token": "<raw-token>""#,
        r#""type": "hello""#,
        r#""type": "pull", "queue": 1"#,
        r#""type": "nonsense""#,
        r#""x": 1"#,
    ];
    for body in bodies {
        for version in ["\"mpp\": 1, ", "\"mpp\": 3,", "\"mpp\":\"2\",", "\"mpp\":2.0,", "\"mpp\":2e0,", "\"mpp\":-2,", "\"mpp\":null,", ""]
        {
            let line = format!("{{{version}{body}}}");
            let refusal = decode(line.as_bytes(), Phase::First).unwrap_err();
            assert_eq!(refusal.fault, Fault::Hello(HelloReason::UnsupportedMppVersion), "{line}");
        }
    }
}

#[test]
fn a_first_frame_is_refused_for_what_it_is() {
    let cases: &[(&[u8], Violation)] = &[
        (b"\n", Violation::NotJson),
        (b"GET / HTTP/1.1\r\n", Violation::NotJson),
        (b"{\"mpp\":2,\"type\":\"hello\"", Violation::NotJson),
        (b"{\"mpp\":2,\"type\":\"hello\"} {}", Violation::NotJson),
        (b"[{\"mpp\":2}]", Violation::NotObject),
        (b"null", Violation::NotObject),
        (b"{\"mpp\":2,\"type\":\"he\xffllo\"}", Violation::NotUtf8),
        (br#"{"mpp":2}"#, Violation::NoType),
        (br#"{"mpp":2,"type":2}"#, Violation::NoType),
        (br#"{"mpp":2,"type":"helo"}"#, Violation::UnknownType),
        (br#"{"mpp":2,"type":"pull","queue":"default"}"#, Violation::HelloFirst),
        (br#"{"mpp":2,"type":"hello_ack","ok":true}"#, Violation::HelloFirst),
        (br#"{"mpp":2,"type":"heartbeat"}"#, Violation::HelloFirst),
        (br#"{"mpp":2,"type":"hello","manifest_hash":"h","bridge_token":"t"}"#, Violation::Missing("pack_id")),
        (br#"{"mpp":2,"type":"hello","pack_id":"p","bridge_token":"t"}"#, Violation::Missing("manifest_hash")),
        (br#"{"mpp":2,"type":"hello","pack_id":"p","manifest_hash":"h"}"#, Violation::Missing("bridge_token")),
        (br#"{"mpp":2,"type":"hello","pack_id":1,"manifest_hash":"h","bridge_token":"t"}"#, Violation::Mistyped("pack_id")),
        (br#"{"mpp":2,"type":"hello","pack_id":"p","manifest_hash":null,"bridge_token":"t"}"#, Violation::Mistyped("manifest_hash")),
        (br#"{"mpp":2,"type":"hello","pack_id":"p","manifest_hash":"h","bridge_token":{}}"#, Violation::Mistyped("bridge_token")),
    ];
    for (line, violation) in cases {
        assert_eq!(breach(line, Phase::First), *violation, "{}", String::from_utf8_lossy(line));
    }
}

#[test]
fn a_later_frame_is_refused_for_what_it_is() {
    let cases: &[(&[u8], Violation)] = &[
        (b"\r\n", Violation::NotJson),
        (b"{\"mpp\":2,\"type\":\"heartbeat\"}x", Violation::NotJson),
        (b"\xef\xbb\xbf{\"mpp\":2,\"type\":\"heartbeat\"}", Violation::NotJson),
        (b"{\"mpp\":2,\"type\":\"heartbeat\",}", Violation::NotJson),
        (b"{\"mpp\":2,\"type\":\"log\",\"level\":\"info\",\"message\":\"a\tb\"}", Violation::NotJson),
        (b"\"heartbeat\"", Violation::NotObject),
        (b" 2 ", Violation::NotObject),
        (b"{\"mpp\":2,\"type\":\"heartbeat\",\"x\":\"\xc3\x28\"}", Violation::NotUtf8),
        (br#"{"type":"heartbeat"}"#, Violation::Version),
        (br#"{"mpp":1,"type":"heartbeat"}"#, Violation::Version),
        (br#"{"mpp":"2","type":"heartbeat"}"#, Violation::Version),
        (br#"{"mpp":1,"type":"foo"}"#, Violation::Version),
        (br#"{"mpp":2}"#, Violation::NoType),
        (br#"{"mpp":2,"type":null}"#, Violation::NoType),
        (br#"{"mpp":2,"type":"foo"}"#, Violation::UnknownType),
        (br#"{"mpp":2,"type":"Heartbeat"}"#, Violation::UnknownType),
        (HELLO.as_bytes(), Violation::SecondHello),
        (br#"{"mpp":2,"type":"hello"}"#, Violation::SecondHello),
        (br#"{"mpp":2,"type":"hello_ack","ok":true}"#, Violation::WrongDirection),
        (br#"{"mpp":2,"type":"invocation","id":1}"#, Violation::WrongDirection),
        (br#"{"mpp":2,"type":"pull"}"#, Violation::Missing("queue")),
        (br#"{"mpp":2,"type":"pull","queue":1}"#, Violation::Mistyped("queue")),
        (br#"{"mpp":2,"type":"pull","queue":"\ud800"}"#, Violation::Mistyped("queue")),
        (br#"{"mpp":2,"type":"ack"}"#, Violation::Missing("id")),
        (br#"{"mpp":2,"type":"applied","result":{}}"#, Violation::Missing("id")),
        (br#"{"mpp":2,"type":"applied","id":1,"result":[]}"#, Violation::Mistyped("result")),
        (br#"{"mpp":2,"type":"applied","id":1,"result":"ok"}"#, Violation::Mistyped("result")),
        (br#"{"mpp":2,"type":"done"}"#, Violation::Missing("id")),
        (br#"{"mpp":2,"type":"failed","reason":"r"}"#, Violation::Missing("id")),
        (br#"{"mpp":2,"type":"failed","id":1}"#, Violation::Missing("reason")),
        (br#"{"mpp":2,"type":"failed","id":1,"reason":7}"#, Violation::Mistyped("reason")),
        (br#"{"mpp":2,"type":"failed","id":1,"reason":"r","refund":"true"}"#, Violation::Mistyped("refund")),
        (br#"{"mpp":2,"type":"failed","id":1,"reason":"r","refund":null}"#, Violation::Mistyped("refund")),
        (br#"{"mpp":2,"type":"log","message":"m"}"#, Violation::Missing("level")),
        (br#"{"mpp":2,"type":"log","level":"fatal","message":"m"}"#, Violation::Mistyped("level")),
        (br#"{"mpp":2,"type":"log","level":"INFO","message":"m"}"#, Violation::Mistyped("level")),
        (br#"{"mpp":2,"type":"log","level":"info"}"#, Violation::Missing("message")),
        (br#"{"mpp":2,"type":"state_write","value":1}"#, Violation::Missing("key")),
        (br#"{"mpp":2,"type":"state_write","key":"k"}"#, Violation::Missing("value")),
        (br#"{"mpp":2,"type":"state_write","key":"k","value":1,"scope":7}"#, Violation::Mistyped("scope")),
        (br#"{"mpp":2,"type":"protocol_error","message":"m"}"#, Violation::Missing("code")),
        (br#"{"mpp":2,"type":"protocol_error","code":"X","message":[]}"#, Violation::Mistyped("message")),
    ];
    for (line, violation) in cases {
        assert_eq!(breach(line, Phase::Later), *violation, "{}", String::from_utf8_lossy(line));
    }
}

#[test]
fn a_refusal_says_what_could_be_read_and_what_is_wrong() {
    let refusal = later(r#"{"mpp": 2, "type": "foo"}"#).unwrap_err();
    assert_eq!(refusal.message, "unknown type: 'foo'");
    assert_eq!(refusal.head, Head::default());
    let refusal = later(r#"{"mpp": 2, "type": "failed", "id": 7}"#).unwrap_err();
    assert_eq!(refusal.head, Head { kind: Some(FrameType::Failed), id: Some(InvocationId(7)), queue: None, event: None });
    assert_eq!(refusal.message, "`reason` is missing");
    let long = format!(r#"{{"mpp":2,"type":"{}"}}"#, "é".repeat(5_000));
    assert!(later(&long).unwrap_err().message.len() < 200);
}

#[test]
fn a_head_names_the_queue_of_a_pull_unless_it_is_too_long_to_be_one() {
    let head = later(r#"{"mpp":2,"type":"pull","queue":"boss"}"#).unwrap().head();
    assert_eq!(head, Head { kind: Some(FrameType::Pull), id: None, queue: Some(QueueName::new("boss")), event: None });
    let long = format!(r#"{{"mpp":2,"type":"pull","queue":"{}"}}"#, "q".repeat(65));
    assert_eq!(later(&long).unwrap().head().queue, None);
}

#[test]
fn an_adapter_refuses_what_no_bridge_sends() {
    let cases: &[(&str, Violation)] = &[
        (r#"{"mpp":1,"type":"heartbeat"}"#, Violation::Version),
        (r#"{"mpp":2,"type":"pull","queue":"q"}"#, Violation::WrongDirection),
        (r#"{"mpp":2,"type":"hello_ack"}"#, Violation::Missing("ok")),
        (r#"{"mpp":2,"type":"hello_ack","ok":1}"#, Violation::Mistyped("ok")),
        (r#"{"mpp":2,"type":"hello_ack","ok":false}"#, Violation::Missing("reason")),
        (r#"{"mpp":2,"type":"hello_ack","ok":true,"session_id":1}"#, Violation::Missing("broadcaster_login")),
        (
            r#"{"mpp":2,"type":"hello_ack","ok":true,"broadcaster_login":"b","session_id":1,"persisted":{}}"#,
            Violation::Mistyped("persisted"),
        ),
        (
            r#"{"mpp":2,"type":"hello_ack","ok":true,"broadcaster_login":"b","session_id":1,"persisted":[{"key":"k"}]}"#,
            Violation::Missing("value"),
        ),
        (r#"{"mpp":2,"type":"invocation","id":1,"queue":"q","event":"e","params":[]}"#, Violation::Mistyped("params")),
        (r#"{"mpp":2,"type":"invocation","id":1,"queue":"q","params":{}}"#, Violation::Missing("event")),
    ];
    for (line, violation) in cases {
        assert_eq!(decode_outbound(line.as_bytes()).unwrap_err(), *violation, "{line}");
    }
}

#[test]
fn nesting_to_the_frames_end_is_read_without_recursion() {
    let depth = 32_000;
    let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let line = format!(r#"{{"mpp":2,"type":"state_write","key":"k","value":{deep}}}"#);
    assert!(matches!(later(&line), Ok(Inbound::StateWrite { value, .. }) if value.get() == deep));
    assert!(matches!(later(&format!(r#"{{"mpp":2,"type":"heartbeat","x":{deep}}}"#)), Ok(Inbound::Heartbeat)));
    assert_eq!(breach(deep.as_bytes(), Phase::Later), Violation::NotObject);
    assert_eq!(breach("[".repeat(65_000).as_bytes(), Phase::First), Violation::NotJson);
    assert_eq!(breach(r#"{"a":"#.repeat(10_000).as_bytes(), Phase::First), Violation::NotJson);
    assert!(token_ranges(deep.as_bytes()).is_none());
}

// Writing.

#[test]
fn text_with_line_breaks_stays_one_line() {
    let frame = encode::invocation(InvocationId(1), "q\n", "e", "{\n  \"a b\": \"x \\\" y\\\\\",\n\t\"b\": [1,\r\n 2]\n}\n");
    assert_eq!(
        std::str::from_utf8(&frame).unwrap(),
        "{\"mpp\":2,\"type\":\"invocation\",\"id\":1,\"queue\":\"q\\n\",\"event\":\"e\",\"params\":{\"a b\":\"x \\\" y\\\\\",\"b\":[1,2]}}\n"
    );
    let Ok(Outbound::Invocation { queue, .. }) = decode_outbound(&frame) else { panic!("not read") };
    assert_eq!(queue, "q\n");
}

#[test]
fn the_length_of_a_hello_ack_is_the_sum_of_its_parts() {
    let row = Persisted { key: "resets".into(), value: "3".into(), scope: Some("trainer:42".into()) };
    let other = Persisted { key: "k\"".into(), value: "{\n\"a\": 1}".into(), scope: None };
    let rows = [row.clone(), other.clone()];
    let whole = encode::hello_ack("login", SessionId(42), &rows).len();
    assert_eq!(whole, encode::hello_ack_len("login", SessionId(42), &rows));
    let bare = encode::hello_ack_len("login", SessionId(42), &[]);
    assert_eq!(whole, bare + encode::PERSISTED_BYTES + encode::persisted_row_len(&row) + encode::persisted_row_len(&other));
}

// The token.

fn masked(line: &str, ranges: &[Range<u32>]) -> String {
    let mut bytes = line.as_bytes().to_vec();
    for range in ranges {
        bytes[usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap()].fill(b'*');
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_hellos_token_is_masked_wherever_it_stands() {
    let ranges = token_ranges(HELLO.as_bytes()).unwrap();
    assert_eq!(masked(HELLO, &ranges), HELLO.replace("s3cret", "******"));

    let line =
        r#"{"bridge_token":"first","mpp":1,"type":"hello","pack_id":"s3cret","x":{"s3cret":"as3cretb"},"bridge_token": "s3\u0063ret"}"#;
    let shown = masked(line, &token_ranges(line.as_bytes()).unwrap());
    assert_eq!(
        shown,
        r#"{"bridge_token":"*****","mpp":1,"type":"hello","pack_id":"******","x":{"******":"a******b"},"bridge_token": "***********"}"#
    );

    let line = r#"{"mpp":2,"type":"hello","bridge_token":["s3cret", 1]}"#;
    assert_eq!(masked(line, &token_ranges(line.as_bytes()).unwrap()), r#"{"mpp":2,"type":"hello","bridge_token":*************}"#);
}

#[test]
fn a_first_line_whose_token_cannot_be_found_is_to_be_withheld() {
    for line in [
        "",
        "s3cret\n",
        "[\"s3cret\"]",
        r#"{"mpp":2,"type":"hello","bridge_tokn":"s3cret"}"#,
        r#"{"mpp":2,"type":"helo","bridge_token":"s3cret"}"#,
        r#"{"mpp":2,"bridge_token":"s3cret"}"#,
        r#"{"mpp":2,"type":"hello","bridge_token":"s3cret""#,
        r#"{"mpp":2,"type":"hello","bridge_token":"s3cret"}{}"#,
    ] {
        assert_eq!(token_ranges(line.as_bytes()), None, "{line}");
    }
    assert_eq!(token_ranges(b"{\"type\":\"hello\",\"bridge_token\":\"s3cret\xff\"}"), None);
}

#[test]
fn a_token_in_a_later_line_is_found_verbatim() {
    let line = r#"{"mpp":2,"type":"log","level":"info","message":"token s3crets3cret!"}"#;
    let ranges = mask_occurrences(line.as_bytes(), "s3cret");
    assert_eq!(masked(line, &ranges), line.replace("s3cret", "******"));
    assert!(mask_occurrences(line.as_bytes(), "").is_empty());
}

// Framing.

/// Feeds the chunks one after another, taking out everything in between; a `TooLarge` comes as `Err`.
fn framed<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Result<Vec<u8>, usize>> {
    let mut framer = Framer::new();
    let mut out = Vec::new();
    for mut chunk in chunks {
        while !chunk.is_empty() {
            let spare = framer.spare();
            assert!(!spare.is_empty() && spare.len() <= 65_536);
            let n = spare.len().min(chunk.len());
            spare[..n].copy_from_slice(&chunk[..n]);
            framer.filled(n);
            chunk = &chunk[n..];
            while let Some(found) = framer.next() {
                out.push(match found {
                    Framed::Line(line) => Ok(line.to_vec()),
                    Framed::TooLarge(bytes) => Err(bytes.len()),
                });
            }
        }
    }
    out
}

fn fixtures() -> Vec<u8> {
    let mut stream = Vec::new();
    for spec in FROM_ADAPTER.iter().map(|(_, spec, _)| spec).chain(FROM_BRIDGE.iter().map(|(spec, _)| spec)) {
        stream.extend_from_slice(spec.as_bytes());
        stream.extend_from_slice(if stream.len() % 2 == 0 { b"\n" } else { b"\r\n" });
    }
    stream
}

#[test]
fn lines_come_out_the_same_wherever_the_stream_is_split() {
    let stream = fixtures();
    let whole: Vec<_> = stream.split_inclusive(|byte| *byte == b'\n').map(|line| Ok(line.to_vec())).collect();
    assert_eq!(whole.len(), FROM_ADAPTER.len() + FROM_BRIDGE.len());
    for at in 0..=stream.len() {
        assert_eq!(framed([&stream[..at], &stream[at..]]), whole, "split at {at}");
    }
    assert_eq!(framed(stream.chunks(1)), whole);
}

#[test]
fn a_line_whose_lf_is_byte_65536_is_taken() {
    let mut line = vec![b' '; 65_535];
    line.push(b'\n');
    for chunk in [1, 7, 4_096, 65_536] {
        let mut stream = b"{}\n".to_vec();
        stream.extend_from_slice(&line);
        stream.extend_from_slice(b"{}\n");
        let out = framed(stream.chunks(chunk));
        assert_eq!(out, [Ok(b"{}\n".to_vec()), Ok(line.clone()), Ok(b"{}\n".to_vec())], "in chunks of {chunk}");
    }
}

#[test]
fn bytes_65536_without_an_lf_are_too_large_and_nothing_follows() {
    let mut stream = b"{}\n".to_vec();
    stream.resize(3 + 65_536, b'x');
    stream.extend_from_slice(b"\n{}\n{}\n");
    for chunk in [1, 7, 4_096, 65_536, 200_000] {
        assert_eq!(framed(stream.chunks(chunk)), [Ok(b"{}\n".to_vec()), Err(65_536)], "in chunks of {chunk}");
    }
    let not_yet = vec![b'x'; 65_535];
    assert_eq!(framed([&not_yet[..]]), []);
}

#[test]
fn what_was_not_taken_is_told() {
    let mut framer = Framer::new();
    framer.spare()[..5].copy_from_slice(b"a\nbcd");
    framer.filled(5);
    assert_eq!(framer.next(), Some(Framed::Line(b"a\n")));
    assert_eq!(framer.next(), None);
    assert_eq!(framer.pending_bytes(), 3);
}

// Anything at all.

/// What must hold of any line, whatever it is.
fn judge(wire: &[u8]) {
    for phase in [Phase::First, Phase::Later] {
        match decode(wire, phase) {
            Ok(frame) => {
                let again = write_inbound(&frame);
                assert_eq!(again.iter().filter(|byte| **byte == b'\n').count(), 1);
                let reread = decode(&again, phase).unwrap();
                assert_eq!(write_inbound(&reread), again);
                assert_eq!(reread.head(), frame.head());
            }
            Err(refusal) => assert!(refusal.message.len() < 400),
        }
    }
    if let Ok(frame) = decode_outbound(wire)
        && !matches!(frame, Outbound::HelloRefused { .. })
    {
        let again = write_outbound(&frame);
        assert_eq!(write_outbound(&decode_outbound(&again).unwrap()), again);
    }
    for range in token_ranges(wire).unwrap_or_default() {
        assert!(range.start < range.end && usize::try_from(range.end).unwrap() <= wire.len());
    }
}

fn any_fixture() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<Vec<u8>> = fixtures().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    proptest::sample::select(lines)
}

proptest! {
    #[test]
    fn mutated_fixtures_never_panic(
        mut line in any_fixture(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        for (at, byte) in flips {
            let at = at.index(line.len());
            line[at] = byte;
        }
        if is_cut {
            line.truncate(cut.index(line.len()));
        }
        judge(&line);
    }

    #[test]
    fn random_bytes_never_panic(line in prop::collection::vec(any::<u8>(), 0..512)) {
        judge(&line);
    }

    #[test]
    fn random_json_like_text_never_panics(line in r#"\{("(mpp|type|id|queue|result|value)" ?: ?(2|"pull"|"ack"|"\\u00[0-9a-f]{2}|null|\{|\[|\]|\}|,)?)*\}?"#) {
        judge(line.as_bytes());
    }

    #[test]
    fn any_text_survives_being_written_and_read(queue in ".*", event in "\\PC*", id in any::<u64>(), text in any::<String>()) {
        let params = serde_json::to_string_pretty(&serde_json::json!({ text.clone(): [text.clone(), 1, {}] })).unwrap();
        let wire = encode::invocation(InvocationId(id), &queue, &event, &params);
        prop_assert_eq!(wire.len(), encode::invocation_len(InvocationId(id), &queue, &event, &params));
        prop_assert_eq!(wire.iter().position(|byte| *byte == b'\n'), Some(wire.len() - 1));
        let Ok(Outbound::Invocation { id: id_read, queue: queue_read, event: event_read, params: params_read }) = decode_outbound(&wire) else {
            return Err(TestCaseError::fail("not read"));
        };
        prop_assert_eq!((id_read.0, &*queue_read, &*event_read), (id, &*queue, &*event));
        let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
        prop_assert_eq!(value(params_read.get()), value(&params));
    }

    #[test]
    fn a_framer_cuts_like_a_plain_split(
        lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3_000), 0..60),
        sizes in prop::collection::vec(1_usize..20_000, 1..40),
    ) {
        let stream = lines.join(&b'\n');
        let mut rest = &stream[..];
        let mut chunks = Vec::new();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (chunk, behind) = rest.split_at((*size).min(rest.len()));
            chunks.push(chunk);
            rest = behind;
        }
        let expected: Vec<_> =
            stream.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")).map(|line| Ok(line.to_vec())).collect();
        prop_assert_eq!(framed(chunks), expected);
    }
}
