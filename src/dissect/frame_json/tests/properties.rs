//! Any frame, any bytes and any change of them come back byte for byte, or with a named fault.

use proptest::prelude::*;
use prost::Message as _;

use super::kit::{comes_back, printed, units, units_in};
use crate::{
    dissect::frame_json::{Format, RmpUnits},
    ids::{InvocationId, SessionId},
    macp::{
        Rpc,
        proto::v1::{Envelope, SendRequest, SessionStartPayload},
    },
    mpp::{
        Level,
        frame::{Persisted, encode as e},
    },
    plugin::rpc,
};

/// All formats there are.
fn formats() -> Vec<Format> {
    let units = [RmpUnits::Frames, RmpUnits::Session, RmpUnits::Json].map(Format::Rmp);
    let calls = Rpc::ALL.map(Format::Macp);
    units.into_iter().chain(calls).chain([Format::Mpp, Format::Plugin]).collect()
}

/// JSON values with few leaves, as texts.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|it| it.to_string()),
        any::<u128>().prop_map(|it| it.to_string()),
        any::<i64>().prop_map(|it| it.to_string()),
        any::<f64>().prop_map(|it| serde_json::to_string(&it).unwrap()),
        ".{0,8}".prop_map(|it| serde_json::to_string(&it).unwrap()),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let member = ("[a-z\"\\\\$.é]{0,4}", inner.clone())
            .prop_map(|(name, value)| format!("{}:{value}", serde_json::to_string(&name).unwrap()));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|it| format!("[{}]", it.join(","))),
            prop::collection::vec(member, 0..4).prop_map(|it| format!("{{{}}}", it.join(","))),
        ]
    })
}

fn object() -> impl Strategy<Value = String> {
    json().prop_filter("an object", |it| it.starts_with('{'))
}

/// A line of MPP as either side sends it.
fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        (".{0,8}", ".{0,8}", ".{0,8}").prop_map(|(a, b, c)| e::hello(&a, &b, &c)),
        (".{0,8}", any::<u64>(), ".{0,8}", json(), any::<Option<bool>>()).prop_map(
            |(login, id, key, value, scope)| {
                let scope = scope.map(|_| key.clone().into());
                e::hello_ack(
                    &login,
                    SessionId(id),
                    &[Persisted { key: key.into(), value: value.into(), scope }],
                )
            }
        ),
        (any::<u64>(), ".{0,8}", ".{0,8}", object()).prop_map(|(id, queue, event, params)| e::invocation(
            InvocationId(id),
            &queue,
            &event,
            &params
        )),
        ".{0,8}".prop_map(|queue| e::pull(&queue)),
        any::<u64>().prop_map(|id| e::ack(InvocationId(id))),
        (any::<u64>(), object()).prop_map(|(id, result)| e::applied(InvocationId(id), Some(&result))),
        any::<u64>().prop_map(|id| e::done(InvocationId(id))),
        (any::<u64>(), ".{0,8}", any::<bool>()).prop_map(|(id, why, refund)| e::failed(
            InvocationId(id),
            &why,
            refund
        )),
        Just(e::heartbeat()),
        ".{0,8}".prop_map(|message| e::log(Level::Info, &message)),
        (".{0,8}", json()).prop_map(|(key, value)| e::state_write(&key, &value, Some("s"))),
        (".{0,8}", ".{0,8}").prop_map(|(code, message)| e::protocol_error(&code, &message)),
    ]
}

/// A request of MACP whose payload is any of those that there are.
fn request() -> impl Strategy<Value = Vec<u8>> {
    let payload = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..24),
        json().prop_map(String::into_bytes),
        (".{0,8}", any::<i64>(), prop::collection::vec(any::<u8>(), 0..4)).prop_map(
            |(intent, ttl_ms, context)| {
                let participants = vec![intent.clone(), String::new()];
                SessionStartPayload {
                    intent,
                    ttl_ms,
                    participants,
                    context: context.into(),
                    ..Default::default()
                }
                .encode_to_vec()
            }
        ),
    ];
    let kind = prop::sample::select(vec!["SessionStart", "Signal", "Vote", "Contribute", "Message", ""]);
    (payload, kind, ".{0,8}", any::<i64>()).prop_map(|(payload, kind, id, timestamp_unix_ms)| {
        let envelope = Envelope {
            macp_version: "1.0".to_owned(),
            message_type: kind.to_owned(),
            message_id: id.clone(),
            session_id: id,
            timestamp_unix_ms,
            payload: payload.into(),
            ..Envelope::default()
        };
        SendRequest { envelope: Some(envelope) }.encode_to_vec()
    })
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    (any::<u64>(), ".{0,8}", json(), any::<bool>()).prop_map(|(id, method, params, spaced)| {
        let params: Box<serde_json::value::RawValue> =
            serde_json::value::RawValue::from_string(params).unwrap();
        let frame = rpc::request(id, &method, &params).unwrap();
        let lines = if spaced { "A: b\r\n" } else { "" };
        [lines.as_bytes(), &frame].concat()
    })
}

/// A unit of the dialect around any JSON.
fn unit() -> impl Strategy<Value = Vec<u8>> {
    let bytes = prop::collection::vec(any::<u8>(), 0..12);
    let message = (bytes, any::<u128>()).prop_map(|(body, trace)| {
        format!(r#"{{"Publish":{{"id":1,"topic":"a","message":{{"header":{{"trace_id":{trace}}},"body":{body:?}}}}}}}"#)
    });
    prop_oneof![json(), message]
        .prop_map(|text| [&u32::try_from(text.len()).unwrap().to_be_bytes()[..], text.as_bytes()].concat())
}

fn frame() -> impl Strategy<Value = (Format, Vec<u8>)> {
    prop_oneof![
        line().prop_map(|it| (Format::Mpp, it)),
        request().prop_map(|it| (Format::Macp(Rpc::Send), it)),
        message().prop_map(|it| (Format::Plugin, it)),
        unit().prop_map(|it| (Format::Rmp(RmpUnits::Json), it)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_frame_comes_back((format, wire) in frame()) {
        let rows = comes_back(format, &wire);
        prop_assert_eq!(rows.len(), 1);
        prop_assert_eq!(&rows[0]["bytes"], wire.len());
    }

    #[test]
    fn a_changed_frame_comes_back_and_differs(
        (format, wire) in frame(),
        at in any::<prop::sample::Index>(),
        byte: u8,
    ) {
        let mut changed = wire.clone();
        let at = at.index(wire.len());
        prop_assume!(wire[at] != byte);
        changed[at] = byte;
        comes_back(format, &changed);
        let all = |bytes: &[u8]| units(format, bytes).iter().map(printed).collect::<Vec<_>>();
        prop_assert_ne!(all(&wire), all(&changed));
    }

    #[test]
    fn any_bytes_come_back_or_have_a_fault(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        piece in 1_usize..40,
    ) {
        for format in formats() {
            let rows = units_in(format, &bytes, piece);
            let read: usize = rows.iter().map(|unit| unit.wire.len()).sum();
            prop_assert!(read == bytes.len() || rows.iter().any(|unit| unit.fault.is_some()));
            let whole = units(format, &bytes);
            prop_assert_eq!(rows.len(), whole.len());
            // Of a frame of the bus that was not cut no bytes are given.
            let is_given = !matches!(format, Format::Rmp(RmpUnits::Frames | RmpUnits::Session));
            if is_given {
                comes_back(format, &bytes);
            }
        }
    }
}
