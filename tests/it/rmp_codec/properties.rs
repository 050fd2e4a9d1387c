//! Any value, and any bytes at all.

use proptest::prelude::*;
use rl_console::{
    ids::TraceId,
    rmp::{Header, RawFrame, SchemaId, encode, json},
};
use rmpv::Value;

use super::frames::*;

/// Any value of `MsgPack`, three levels deep at most.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u32>().prop_map(|bits| Value::F32(f32::from_bits(bits))),
        any::<u64>().prop_map(|bits| Value::F64(f64::from_bits(bits))),
        any::<f64>().prop_map(Value::F64),
        ".{0,40}".prop_map(Value::from),
        "\\$?[a-z]{0,4}".prop_map(Value::from),
        prop::collection::vec(any::<u8>(), 0..300).prop_map(Value::Binary),
        (any::<i8>(), prop::collection::vec(any::<u8>(), 0..20))
            .prop_map(|(kind, bytes)| Value::Ext(kind, bytes)),
    ];
    leaf.prop_recursive(3, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::Array),
            prop::collection::vec(("\\$?[a-c]{0,2}".prop_map(Value::from), inner.clone()), 0..5)
                .prop_map(Value::Map),
            prop::collection::vec((inner.clone(), inner), 0..5).prop_map(Value::Map),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded_to_the_same(
        kind in "[a-z_]{1,12}(\\.[a-z]{1,6}){0,2}",
        payload in value(),
        meta in prop::option::of(value()),
        (created_at_ms, ttl_ms) in (0..u64::MAX / 2, 1..u64::MAX / 2),
        (trace, msg_id) in any::<(u128, u64)>(),
    ) {
        let kind = format!("intent.{kind}.v3");
        let body = encode::body(&kind, &payload, meta.as_ref()).unwrap();
        let trace_id = TraceId(uuid::Uuid::from_u128(trace));
        let header = Header { schema_id: SchemaId::INTENT, created_at_ms, ttl_ms, trace_id, msg_id };
        let wire = encode::frame(&header, &body).unwrap();
        let frame = judge(&wire).unwrap();
        prop_assert_eq!((frame.header, frame.expires_at_ms), (header, created_at_ms + ttl_ms));
        prop_assert_eq!(frame.body.kind(), kind.as_str());
        prop_assert_eq!(frame.body.payload(), encode::value(&payload).unwrap());
        let meta = meta.filter(|meta| *meta != Value::Nil).map(|meta| encode::value(&meta).unwrap());
        prop_assert_eq!(frame.body.meta().map(<[u8]>::to_vec), meta);
        prop_assert_eq!(encode::frame(&frame.header, frame.body.bytes()).unwrap(), wire.clone());
        prop_assert_eq!(RawFrame::split(&wire).unwrap().encode(), wire);
    }

    #[test]
    fn json_leads_back_to_the_same_bytes(value in value()) {
        let text = serde_json::to_string(&json::JsonView(&value)).unwrap();
        let again = json::parse(&text).unwrap();
        prop_assert_eq!(encode::value(&again).unwrap(), encode::value(&value).unwrap(), "{}", text);
    }

    #[test]
    fn any_bytes_have_a_verdict(
        wire in prop::collection::vec(any::<u8>(), 0..400),
        is_framed in any::<bool>(),
    ) {
        let mut wire = wire;
        if is_framed && wire.len() >= 68 {
            // Lengths, magic and version that fit, so that the checks behind them are reached.
            let rest = u32::try_from(wire.len() - 4).unwrap();
            wire[..4].copy_from_slice(&rest.to_be_bytes());
            wire[4..12].copy_from_slice(b"RMP0\0\0\0\x40");
            wire[12..16].fill(0);
            wire[16..20].copy_from_slice(&[0, 2, 0, 0]);
            wire[20..24].copy_from_slice(&(rest - 64).to_be_bytes());
            wire[64..68].fill(0);
        }
        match judge(&wire) {
            Ok(frame) => prop_assert_eq!(frame.wire, &wire[..]),
            Err(error) => prop_assert!(error.offset() <= wire.len().max(68)),
        }
    }
}
