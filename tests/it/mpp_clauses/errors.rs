//! Every error code and what leads to it (mpp-v2, `protocol_error`, error scenarios; rulings MPP 1, 3 and 4).

use rl_console::mpp::{CloseCause, ErrorCode, Fault, Verdict};

use super::dispatch::PULL;
use crate::harness::TestBridge;

#[test]
fn protocol_error_each_scenario_has_its_code_and_closes() {
    let cases = [
        ("nonsense", "INVALID_FRAME"),
        ("[]", "INVALID_FRAME"),
        (r#"{"type":"heartbeat"}"#, "INVALID_FRAME"),
        (r#"{"mpp":1,"type":"heartbeat"}"#, "INVALID_FRAME"),
        (r#"{"mpp":"2","type":"heartbeat"}"#, "INVALID_FRAME"),
        (r#"{"mpp":2}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"foo"}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"hello_ack","ok":true}"#, "INVALID_FRAME"),
        (
            r#"{"mpp":2,"type":"invocation","id":1,"queue":"default","event":"free","params":{}}"#,
            "INVALID_FRAME",
        ),
        (r#"{"mpp":2,"type":"pull"}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"pull","queue":7}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"ack"}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"ack","id":"1"}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"ack","id":-1}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"applied","id":1,"result":7}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"failed","id":1}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"failed","id":1,"reason":"x","refund":"yes"}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"log","level":"loud","message":"x"}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"state_write","key":"mood"}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"state_write","key":"nope","value":1}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"state_write","key":"goal","value":1}"#, "INVALID_FRAME"),
        (r#"{"mpp":2,"type":"ack","id":7}"#, "UNKNOWN_INVOCATION_ID"),
        (r#"{"mpp":2,"type":"pull","queue":"nope"}"#, "UNKNOWN_QUEUE"),
        (r#"{"mpp":2,"type":"state_write","key":"resets","value":"three"}"#, "SCHEMA_VIOLATION"),
        (r#"{"mpp":2,"type":"done","id":1}"#, "UNEXPECTED_STATE_TRANSITION"),
    ];
    let mut seen = std::collections::BTreeSet::new();
    for (line, code) in cases {
        let (mut world, conn) = TestBridge::connected();
        world.enqueue("free", "{}");
        world.line(conn, PULL);
        let Verdict::Refused(fault) = world.line(conn, line) else { panic!("{line} was taken") };
        assert_eq!(world.frames().len(), 1, "{line}");
        let start = format!(r#"{{"mpp":2,"type":"protocol_error","code":"{code}","message":""#);
        assert!(world.frames()[0].starts_with(&start), "{line}: {:?}", world.frames());
        assert_eq!(world.closed, [(conn, CloseCause::Fault(fault))], "{line}");
        assert_eq!(world.line(conn, PULL), Verdict::TooLate, "what follows is not looked at");
        seen.insert(code);
    }
    seen.insert("FRAME_TOO_LARGE");
    assert_eq!(seen.len(), ErrorCode::ALL.len());
}

#[test]
fn protocol_error_an_unknown_type_is_named_as_in_the_example() {
    let (mut world, conn) = TestBridge::connected();
    world.line(conn, r#"{"mpp": 2, "type": "foo"}"#);
    assert_eq!(
        world.frames(),
        [r#"{"mpp":2,"type":"protocol_error","code":"INVALID_FRAME","message":"unknown type: 'foo'"}"#]
    );
}

#[test]
fn framing_65536_bytes_without_an_lf_are_too_large() {
    for active in [false, true] {
        let mut world = TestBridge::new();
        let conn = if active { world.connect() } else { world.open() };
        let verdict = world.bytes(conn, &vec![b' '; 65_536]);
        assert!(matches!(verdict, Verdict::Refused(Fault::Protocol { code: ErrorCode::FrameTooLarge, .. })));
        assert_eq!(
            world.frames(),
            [
                r#"{"mpp":2,"type":"protocol_error","code":"FRAME_TOO_LARGE","message":"the line exceeds 65536 bytes"}"#
            ]
        );
        assert_eq!(world.closed.len(), 1);
    }
}

#[test]
fn framing_a_token_cut_by_the_limit_is_masked_as_far_as_it_goes() {
    let (mut world, conn) = TestBridge::connected();
    let mut wire = vec![b' '; 65_536 - 6];
    wire.extend_from_slice(b"<raw-t");
    world.bytes(conn, &wire);
    let (_, rl_console::tap::entry::Redaction::Masked(ranges)) = world.received.last().unwrap() else {
        panic!("not masked")
    };
    assert_eq!(ranges.iter().map(|range| (range.start, range.end)).collect::<Vec<_>>(), [(65_530, 65_536)]);
}

#[test]
fn framing_a_cr_before_the_lf_is_tolerated() {
    let (mut world, conn) = TestBridge::connected();
    assert_eq!(world.bytes(conn, b"{\"mpp\":2,\"type\":\"heartbeat\"}\r\n"), Verdict::Accepted);
}

#[test]
fn framing_bytes_that_are_not_utf8_are_an_invalid_frame() {
    let (mut world, conn) = TestBridge::connected();
    let verdict = world.bytes(conn, b"{\"mpp\":2,\"type\":\"heartbeat\",\"x\":\"\xff\"}\n");
    assert!(matches!(verdict, Verdict::Refused(Fault::Protocol { code: ErrorCode::InvalidFrame, .. })));
}

#[test]
fn pinning_identity_in_later_frames_is_ignored_even_when_mistyped() {
    let (mut world, conn) = TestBridge::connected();
    world.enqueue("free", "{}");
    world.line(conn, r#"{"mpp":2,"type":"pull","queue":"default","pack_id":7,"broadcaster_login":[]}"#);
    assert_eq!(world.dispatched.len(), 1);
    assert_eq!(
        world.line(conn, r#"{"type":"applied","queue":{},"later":"field","id":1,"mpp":2}"#),
        Verdict::Accepted
    );
}
