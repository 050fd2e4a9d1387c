//! Lines that end their connection, each with its breach (mpp-v2, error scenarios; rulings MPP 1 to 3).

use rl_console::{
    ids::{InvocationId, QueueName},
    mpp::{
        ErrorCode, Fault, FrameType, Head, HelloReason, Violation,
        frame::{Inbound, Phase, Refusal, decode, decode_outbound, token_ranges},
    },
};

const HELLO: &str = r#"{"mpp":2,"type":"hello","pack_id":"com.example.mypack","manifest_hash":"sha256:abc","bridge_token":"s3cret"}"#;

fn later(line: &str) -> Result<Inbound<'_>, Refusal> {
    decode(line.as_bytes(), Phase::Later)
}

fn breach(line: &[u8], phase: Phase) -> Violation {
    match decode(line, phase).unwrap_err().fault {
        Fault::Protocol { code: ErrorCode::InvalidFrame, violation } => violation,
        other => panic!("{other:?} for {}", String::from_utf8_lossy(line)),
    }
}

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
        for version in [
            "\"mpp\": 1, ",
            "\"mpp\": 3,",
            "\"mpp\":\"2\",",
            "\"mpp\":2.0,",
            "\"mpp\":2e0,",
            "\"mpp\":-2,",
            "\"mpp\":null,",
            "",
        ] {
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
        (
            br#"{"mpp":2,"type":"hello","manifest_hash":"h","bridge_token":"t"}"#,
            Violation::Missing("pack_id"),
        ),
        (
            br#"{"mpp":2,"type":"hello","pack_id":"p","bridge_token":"t"}"#,
            Violation::Missing("manifest_hash"),
        ),
        (
            br#"{"mpp":2,"type":"hello","pack_id":"p","manifest_hash":"h"}"#,
            Violation::Missing("bridge_token"),
        ),
        (
            br#"{"mpp":2,"type":"hello","pack_id":1,"manifest_hash":"h","bridge_token":"t"}"#,
            Violation::Mistyped("pack_id"),
        ),
        (
            br#"{"mpp":2,"type":"hello","pack_id":"p","manifest_hash":null,"bridge_token":"t"}"#,
            Violation::Mistyped("manifest_hash"),
        ),
        (
            br#"{"mpp":2,"type":"hello","pack_id":"p","manifest_hash":"h","bridge_token":{}}"#,
            Violation::Mistyped("bridge_token"),
        ),
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
    assert_eq!(
        refusal.head,
        Head { kind: Some(FrameType::Failed), id: Some(InvocationId(7)), queue: None, event: None }
    );
    assert_eq!(refusal.message, "`reason` is missing");
    let long = format!(r#"{{"mpp":2,"type":"{}"}}"#, "é".repeat(5_000));
    assert_eq!(
        later(&long).unwrap_err().message.len(),
        10_000 + "unknown type: ''".len(),
        "whole: a secret in it is masked before it is cut"
    );
}

#[test]
fn a_head_names_the_queue_of_a_pull_unless_it_is_too_long_to_be_one() {
    let head = later(r#"{"mpp":2,"type":"pull","queue":"boss"}"#).unwrap().head();
    assert_eq!(
        head,
        Head { kind: Some(FrameType::Pull), id: None, queue: Some(QueueName::new("boss")), event: None }
    );
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
        (
            r#"{"mpp":2,"type":"invocation","id":1,"queue":"q","event":"e","params":[]}"#,
            Violation::Mistyped("params"),
        ),
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
    assert!(matches!(
        later(&format!(r#"{{"mpp":2,"type":"heartbeat","x":{deep}}}"#)),
        Ok(Inbound::Heartbeat)
    ));
    assert_eq!(breach(deep.as_bytes(), Phase::Later), Violation::NotObject);
    assert_eq!(breach("[".repeat(65_000).as_bytes(), Phase::First), Violation::NotJson);
    assert_eq!(breach(r#"{"a":"#.repeat(10_000).as_bytes(), Phase::First), Violation::NotJson);
    assert!(token_ranges(deep.as_bytes()).is_none());
}
