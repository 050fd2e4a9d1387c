//! The twelve frames of MPP v2 as bytes: the specification's examples, and anything at all (mpp-v2, envelope
//! and frames; ruling MPP 3).

use proptest::prelude::*;
use rl_console::{
    ids::{InvocationId, SessionId},
    mpp::{
        Fault, FrameType, HelloReason, Level, Violation,
        frame::{
            Inbound, Outbound, Persisted, Phase, Refusal, decode, decode_outbound, encode, token_ranges,
        },
    },
};

/// The specification's examples from the adapter, verbatim, and what our encoder makes of the same frame.
const FROM_ADAPTER: &[(Phase, &str, &str)] = &[
    (
        Phase::First,
        r#"{"mpp": 2, "type": "hello", "pack_id": "com.example.mypack", "manifest_hash": "sha256:abc123...", "bridge_token": "<raw-token>"}"#,
        r#"{"mpp":2,"type":"hello","pack_id":"com.example.mypack","manifest_hash":"sha256:abc123...","bridge_token":"<raw-token>"}"#,
    ),
    (
        Phase::Later,
        r#"{"mpp": 2, "type": "pull", "queue": "default"}"#,
        r#"{"mpp":2,"type":"pull","queue":"default"}"#,
    ),
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

fn write_inbound(frame: &Inbound<'_>) -> Vec<u8> {
    match frame {
        Inbound::Hello { pack_id, manifest_hash, bridge_token } => {
            encode::hello(pack_id, manifest_hash, bridge_token)
        }
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
        Outbound::HelloAck { broadcaster_login, session_id, persisted } => {
            encode::hello_ack(broadcaster_login, *session_id, persisted)
        }
        Outbound::HelloRefused { reason } => {
            encode::hello_refused(HelloReason::ALL.into_iter().find(|known| known.code() == reason).unwrap())
        }
        Outbound::Invocation { id, queue, event, params } => {
            encode::invocation(*id, queue, event, params.get())
        }
        Outbound::Heartbeat => encode::heartbeat(),
        Outbound::ProtocolError { code, message } => encode::protocol_error(code, message),
    }
}

fn later(line: &str) -> Result<Inbound<'_>, Refusal> {
    decode(line.as_bytes(), Phase::Later)
}

#[test]
fn every_example_from_an_adapter_is_read_and_written_again() {
    for (phase, spec, ours) in FROM_ADAPTER {
        for end in ["\n", "\r\n", ""] {
            let wire = format!("{spec}{end}");
            let frame =
                decode(wire.as_bytes(), *phase).unwrap_or_else(|refusal| panic!("{spec}: {refusal:?}"));
            assert_eq!(String::from_utf8(write_inbound(&frame)).unwrap(), format!("{ours}\n"));
        }
    }
}

#[test]
fn every_example_from_a_bridge_is_read_and_written_again() {
    for (spec, ours) in FROM_BRIDGE {
        for end in ["\n", "\r\n", ""] {
            let wire = format!("{spec}{end}");
            let frame =
                decode_outbound(wire.as_bytes()).unwrap_or_else(|violation| panic!("{spec}: {violation}"));
            assert_eq!(String::from_utf8(write_outbound(&frame)).unwrap(), format!("{ours}\n"));
        }
    }
}

#[test]
fn the_twelve_types_have_an_example_each() {
    let all: Vec<_> = FROM_ADAPTER
        .iter()
        .map(|(_, spec, _)| *spec)
        .chain(FROM_BRIDGE.iter().map(|(spec, _)| *spec))
        .collect();
    for kind in FrameType::ALL {
        let needle = format!("\"type\": \"{}\"", kind.name());
        assert!(all.iter().any(|spec| spec.contains(&needle)), "{}", kind.name());
    }
}

#[test]
fn every_reason_code_is_written_and_read() {
    for reason in HelloReason::ALL {
        let wire = encode::hello_refused(reason);
        let Ok(Outbound::HelloRefused { reason: read }) = decode_outbound(&wire) else {
            panic!("not a refusal")
        };
        assert_eq!(read, reason.code());
    }
}

#[test]
fn keys_come_in_any_order_and_unknown_ones_are_ignored() {
    let line = r#"{"future":{"deep":[1,{"type":"done"}]},"refund":false,"reason":"r","id":9,"x":null,"type":"failed","mpp":2}"#;
    let Ok(Inbound::Failed { id: InvocationId(9), reason, refund: false }) = later(line) else {
        panic!("not read")
    };
    assert_eq!(reason, "r");
}

#[test]
fn keys_that_a_frame_does_not_use_are_ignored_even_when_mistyped() {
    for kind in ["ack", "done"] {
        let line = format!(
            r#"{{"mpp":2,"type":"{kind}","id":1,"queue":7,"pack_id":[],"broadcaster_login":{{}},"params":1,"ok":"x"}}"#
        );
        assert_eq!(later(&line).unwrap().id(), Some(InvocationId(1)));
    }
    assert!(matches!(
        later(r#"{"mpp":2,"type":"heartbeat","id":-1,"queue":null,"level":0}"#),
        Ok(Inbound::Heartbeat)
    ));
}

#[test]
fn the_last_of_two_equal_keys_counts() {
    let Ok(Inbound::Pull { queue }) =
        later(r#"{"mpp":1,"type":"done","queue":"a","queue":"b","type":"pull","mpp":2}"#)
    else {
        panic!("not read")
    };
    assert_eq!(queue, "b");
    let Fault::Protocol { violation, .. } =
        later(r#"{"mpp":2,"type":"ack","id":1,"mpp":1}"#).unwrap_err().fault
    else {
        panic!("no breach")
    };
    assert_eq!(violation, Violation::Version);
}

#[test]
fn escapes_are_read_in_keys_types_and_values() {
    let Ok(Inbound::Pull { queue }) =
        later(r#"{"\u006dpp":2,"type":"pu\u006cl","queue":"d\u00e9\n\ud83d\ude00"}"#)
    else {
        panic!("not read")
    };
    assert_eq!(queue, "dé\n😀");
}

#[test]
fn an_absent_result_reads_as_null() {
    for line in
        [r#"{"mpp":2,"type":"applied","id":1}"#, r#"{"mpp":2,"type":"applied","id":1,"result": null }"#]
    {
        assert!(matches!(later(line), Ok(Inbound::Applied { id: InvocationId(1), result: None })), "{line}");
    }
    assert_eq!(
        encode::applied(InvocationId(1), None),
        b"{\"mpp\":2,\"type\":\"applied\",\"id\":1,\"result\":null}\n"
    );
}

#[test]
fn null_is_a_value_of_a_state_write_and_text_is_kept_as_it_came() {
    let Ok(Inbound::StateWrite { value, scope: None, .. }) =
        later(r#"{"mpp":2,"type":"state_write","key":"k","value":null}"#)
    else {
        panic!("not read")
    };
    assert_eq!(value.get(), "null");
    let Ok(Inbound::StateWrite { value, .. }) =
        later(r#"{"mpp":2,"type":"state_write","key":"k","value": {"b": 1.00, "a":1e400 } }"#)
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
        assert_eq!(later(&line).unwrap_err().message, "`id` has the wrong type or value", "{id}");
    }
}

#[test]
fn every_level_is_read() {
    for level in Level::ALL {
        let wire = encode::log(level, "m");
        assert!(matches!(decode(&wire, Phase::Later), Ok(Inbound::Log { level: read, .. }) if read == level));
    }
}

#[test]
fn text_with_line_breaks_stays_one_line() {
    let frame = encode::invocation(
        InvocationId(1),
        "q\n",
        "e",
        "{\n  \"a b\": \"x \\\" y\\\\\",\n\t\"b\": [1,\r\n 2]\n}\n",
    );
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
    assert_eq!(
        whole,
        bare + encode::PERSISTED_BYTES + encode::persisted_row_len(&row) + encode::persisted_row_len(&other)
    );
}

/// Every example as one stream, with both ends of line.
pub(crate) fn fixtures() -> Vec<u8> {
    let mut stream = Vec::new();
    for spec in FROM_ADAPTER.iter().map(|(_, spec, _)| spec).chain(FROM_BRIDGE.iter().map(|(spec, _)| spec)) {
        stream.extend_from_slice(spec.as_bytes());
        stream.extend_from_slice(if stream.len() % 2 == 0 { b"\n" } else { b"\r\n" });
    }
    stream
}

/// What must hold of any line, whatever it is.
fn judge(wire: &[u8]) {
    for phase in [Phase::First, Phase::Later] {
        match decode(wire, phase) {
            Ok(frame) => {
                let again = write_inbound(&frame);
                assert_eq!(again.iter().position(|byte| *byte == b'\n'), Some(again.len() - 1));
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
    fn random_json_like_text_never_panics(
        line in r#"\{("(mpp|type|id|queue|result|value)" ?: ?(2|"pull"|"ack"|"\\u00[0-9a-f]{2}|null|\{|\[|\]|\}|,)?)*\}?"#,
    ) {
        judge(line.as_bytes());
    }

    #[test]
    fn any_text_survives_being_written_and_read(
        queue in ".*",
        event in "\\PC*",
        id in any::<u64>(),
        text in any::<String>(),
    ) {
        let params =
            serde_json::to_string_pretty(&serde_json::json!({ text.clone(): [text.clone(), 1, {}] }))
                .unwrap();
        let wire = encode::invocation(InvocationId(id), &queue, &event, &params);
        prop_assert_eq!(wire.len(), encode::invocation_len(InvocationId(id), &queue, &event, &params));
        prop_assert_eq!(wire.iter().position(|byte| *byte == b'\n'), Some(wire.len() - 1));
        let read = decode_outbound(&wire);
        let Ok(Outbound::Invocation {
            id: id_read,
            queue: queue_read,
            event: event_read,
            params: params_read,
        }) = read
        else {
            return Err(TestCaseError::fail("not read"));
        };
        prop_assert_eq!((id_read.0, &*queue_read, &*event_read), (id, &*queue, &*event));
        let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
        prop_assert_eq!(value(params_read.get()), value(&params));
    }
}
