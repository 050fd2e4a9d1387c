//! The golden vector, each error of the taxonomy, and the order of checks.

use std::cell::RefCell;

use rl_console::{
    ids::TraceId,
    limits,
    rmp::{
        Body, Checks, Code, Error, Header, Lengths, RawFrame, Registry, SchemaId, SizeField, decode, encode,
        json,
    },
};
use rmpv::Value;

use super::frames::*;

#[test]
fn the_golden_vector_says_what_section_8_says() {
    let wire = golden();
    assert_eq!(wire.len(), 164);
    let frame = judge(&wire).unwrap();
    assert_eq!(frame.wire, wire);
    let header = Header {
        schema_id: SchemaId::ERROR_REPORT,
        created_at_ms: CREATED_AT_MS,
        ttl_ms: TTL_MS,
        trace_id: TraceId(uuid::Uuid::from_u128(TRACE)),
        msg_id: 42,
    };
    assert_eq!((frame.header, frame.expires_at_ms), (header, CREATED_AT_MS + TTL_MS));
    let raw = RawFrame::split(&wire).unwrap();
    assert_eq!((raw.frame_len, raw.header.body_len, raw.body.len()), (160, 96, 96));
    assert_eq!(frame.body.kind(), "error.report.v1");
    let expected = r#"{"type":"error.report.v1","payload":{"code":"tool.unavailable","message":"mailer offline"},"meta":{"opening_id":1234}}"#;
    assert_eq!(serde_json::to_string(&json::JsonView(&frame.body.value(1_000).unwrap())).unwrap(), expected);
    assert_eq!(
        serde_json::to_string(&json::JsonView(&frame.body.meta_value(1_000).unwrap())).unwrap(),
        r#"{"opening_id":1234}"#
    );
}

#[test]
fn the_golden_vector_is_made_byte_for_byte() {
    let map = |pairs: &[(&str, Value)]| {
        Value::Map(pairs.iter().map(|(key, value)| ((*key).into(), value.clone())).collect())
    };
    let payload = map(&[("code", "tool.unavailable".into()), ("message", "mailer offline".into())]);
    let body = encode::body("error.report.v1", &payload, Some(&map(&[("opening_id", 1234.into())]))).unwrap();
    let header = Header {
        schema_id: SchemaId(10),
        created_at_ms: CREATED_AT_MS,
        ttl_ms: TTL_MS,
        trace_id: TraceId(uuid::Uuid::from_u128(TRACE)),
        msg_id: 42,
    };
    assert_eq!(encode::frame(&header, &body).unwrap(), golden());
    assert_eq!(RawFrame::split(&golden()).unwrap().encode(), golden());
}

#[test]
fn the_golden_vector_is_expired_only_when_somebody_says_what_time_it_is() {
    let wire = golden();
    let expires_at_ms = CREATED_AT_MS + TTL_MS;
    assert!(judge_at(&wire, Some(expires_at_ms - 1), false).is_ok());
    let error = judge_at(&wire, Some(expires_at_ms), false).unwrap_err();
    assert_eq!(error, Error::Expired { expires_at_ms, now_ms: expires_at_ms });
}

/// One fixture for each error, in the taxonomy's order, with where it is and whether the stream ends.
fn taxonomy() -> Vec<(Vec<u8>, Error, usize, bool)> {
    let schema_id = SchemaId(2);
    let trace_id = TraceId(uuid::Uuid::from_u128(0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f));
    let mut rows = vec![
        (Fields { magic: "524d5031", ..VALID }, Error::InvalidMagic { got: *b"RMP1" }, 4, true),
        (
            Fields { header_version: "0001", ..VALID },
            Error::UnsupportedVersion { header_version: 1, header_len: 64 },
            8,
            true,
        ),
        // The whole header is announced, and 63 bytes of it are there.
        (
            Fields { reserved4: "000000", body: "", ..VALID },
            Error::TruncatedHeader { header_bytes: 63 },
            67,
            true,
        ),
        (
            Fields { flags: "00000001", ..VALID },
            Error::InvalidHeaderFlags { flags: 1, reserved2: 0, reserved4: 0 },
            12,
            false,
        ),
        (
            Fields { body_len: "0000001a", ..VALID },
            Error::LengthMismatch(Lengths::Announced { frame_len: 91, header_and_body: 90 }),
            0,
            false,
        ),
        (Fields { schema_id: "0000", ..VALID }, Error::UnknownSchema { schema_id: SchemaId(0) }, 16, false),
        (
            Fields { body_len: "00800001", ..VALID },
            Error::BodyTooLarge {
                announced_by: SizeField::BodyLen,
                body_bytes: 8_388_609,
                body_bytes_max: 8_388_608,
            },
            20,
            false,
        ),
        (Fields { ttl_ms: "0000000000000000", ..VALID }, Error::InvalidTtl, 32, false),
        (
            Fields { created_at_ms: "fffffffffffffe0c", ..VALID },
            Error::InvalidExpiry { created_at_ms: u64::MAX - 499, ttl_ms: 500 },
            24,
            false,
        ),
        (VALID, Error::Expired { expires_at_ms: 1_500, now_ms: 1_500 }, 24, false),
        (VALID, Error::Duplicate { trace_id, msg_id: 7 }, 40, false),
    ];
    let mut rows: Vec<_> =
        rows.drain(..).map(|(fields, error, at, ends)| (fields.wire(), error, at, ends)).collect();
    // c1 begins no value; it stands where the payload does.
    let body = Fields { body: "82 a474797065 ab696e74656e742e612e7631 a77061796c6f6164 c1", ..VALID };
    let fault = Body::decode(&hex(body.body), 64).unwrap_err();
    rows.push((body.wire(), Error::BodyDecodeError(fault), 68 + 26, false));
    let wrong = Fields {
        schema_id: "0002",
        body: "82 a474797065 ab6572726f722e61622e7631 a77061796c6f6164 c0",
        ..VALID
    };
    let mismatch = Error::BodyTypeMismatch {
        schema_id,
        expected: "intent.<kind>.v<N>".into(),
        got: "error.ab.v1".into(),
        at: 6,
    };
    rows.push((wrong.wire(), mismatch, 68 + 6, false));
    rows
}

#[test]
fn each_error_of_the_taxonomy_has_its_fixture() {
    assert!(judge_at(&VALID.wire(), Some(1_499), false).is_ok(), "without its fault the fixture is valid");
    let mut seen = Vec::new();
    for (wire, expected, at, ends_stream) in taxonomy() {
        let now_ms = if let Error::Expired { now_ms, .. } = expected { Some(now_ms) } else { None };
        let error = judge_at(&wire, now_ms, matches!(expected, Error::Duplicate { .. })).unwrap_err();
        assert_eq!(error, expected);
        assert_eq!((error.offset(), error.ends_stream()), (at, ends_stream), "{}", error.name());
        assert!(
            !error.expected().is_empty()
                && error.expected() != error.got()
                && error.clause().starts_with("rmp-v0 §"),
            "{error:?}"
        );
        seen.push(error.code());
    }
    assert_eq!(seen, Code::ALL);
}

#[test]
fn other_ways_to_the_same_errors() {
    let of = |fields: Fields<'_>| refusal(&fields.wire());
    let name = |fields: Fields<'_>| of(fields).name();
    assert_eq!(
        of(Fields { header_len: "0041", ..VALID }),
        Error::UnsupportedVersion { header_version: 0, header_len: 65 }
    );
    // Little-endian lengths are another version and another magic.
    assert_eq!(name(Fields { header_len: "4000", ..VALID }), "UnsupportedVersion");
    assert_eq!(name(Fields { magic: "30504d52", ..VALID }), "InvalidMagic");
    assert_eq!(of(Fields { reserved2: "0001", ..VALID }).offset(), 18);
    assert_eq!(of(Fields { reserved4: "80000000", ..VALID }).offset(), 64);
    assert_eq!(name(Fields { frame_len: "0000003f", ..VALID }), "TruncatedHeader");
    assert_eq!(of(Fields { frame_len: "00000000", ..VALID }), Error::TruncatedHeader { header_bytes: 0 });
    assert_eq!(refusal(&[]), Error::TruncatedHeader { header_bytes: 0 });
    assert_eq!(refusal(&[0, 0, 0]), Error::TruncatedHeader { header_bytes: 0 });
    assert_eq!(name(Fields { schema_id: "000b", ..VALID }), "UnknownSchema");
    assert_eq!(name(Fields { schema_id: "1000", ..VALID }), "UnknownSchema");
    let large = Error::BodyTooLarge {
        announced_by: SizeField::FrameLen,
        body_bytes: 8_388_609,
        body_bytes_max: 8_388_608,
    };
    assert_eq!(of(Fields { frame_len: "00800041", ..VALID }), large);
    assert!(large.ends_stream() && large.offset() == 0);
    let more = [VALID.wire(), vec![0]].concat();
    assert_eq!(refusal(&more), Error::LengthMismatch(Lengths::Available { frame_len: 91, bytes: 92 }));
    let wire = VALID.wire();
    assert_eq!(refusal(&wire[..94]), Error::LengthMismatch(Lengths::Available { frame_len: 91, bytes: 90 }));
    // A type whose family is right and whose id takes one type alone.
    assert_eq!(name(Fields { schema_id: "0009", ..VALID }), "BodyTypeMismatch");
    assert_eq!(name(Fields { schema_id: "0003", ..VALID }), "BodyTypeMismatch");
}

#[test]
fn bodies_that_are_no_envelope_are_body_decode_errors() {
    let body = |body: &str| {
        let bytes = hex(body).len();
        let (frame_len, body_len) = (format!("{:08x}", 64 + bytes), format!("{bytes:08x}"));
        refusal(&Fields { frame_len: &frame_len, body_len: &body_len, body, ..VALID }.wire()).name()
    };
    for no_envelope in [
        "",
        "c0",
        "90",
        // Ends within the type, the map, a length.
        "82 a474797065 ab696e74",
        "82 a474797065 ab696e74656e742e612e7631",
        "df ffffffff",
        // Without payload, without type.
        "81 a474797065 ab696e74656e742e612e7631",
        "81 a77061796c6f6164 c0",
        // A byte more.
        "82 a474797065 ab696e74656e742e612e7631 a77061796c6f6164 c0 c0",
        // A type that is nil, bytes, not UTF-8.
        "82 a474797065 c0 a77061796c6f6164 c0",
        "82 a474797065 c401 69 a77061796c6f6164 c0",
        "82 a474797065 a1ff a77061796c6f6164 c0",
        // The type, the payload twice.
        "83 a474797065 ab696e74656e742e612e7631 a77061796c6f6164 c0 a77061796c6f6164 c0",
        // A payload of 2^32 - 1 bytes that are not there.
        "82 a474797065 ab696e74656e742e612e7631 a77061796c6f6164 c6ffffffff 00",
    ] {
        assert_eq!(body(no_envelope), "BodyDecodeError", "{no_envelope}");
    }
    for no_type in
        ["82 a474797065 a0 a77061796c6f6164 c0", "82 a474797065 a6696e74656e74 a77061796c6f6164 c0"]
    {
        assert_eq!(body(no_type), "BodyTypeMismatch", "{no_type}");
    }
}

/// Nested containers beyond the limit are refused, before anything is made of them.
#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| {
        let payload = format!("{}c0", "91".repeat(depth));
        let body = format!("82 a474797065 ab696e74656e742e612e7631 a77061796c6f6164 {payload}");
        let bytes = hex(&body).len();
        let (frame_len, body_len) = (format!("{:08x}", 64 + bytes), format!("{bytes:08x}"));
        Fields { frame_len: &frame_len, body_len: &body_len, body: &body, ..VALID }.wire()
    };
    assert!(judge(&nested(63)).is_ok());
    assert_eq!(refusal(&nested(64)).name(), "BodyDecodeError");
    assert_eq!(refusal(&nested(1_000_000)).name(), "BodyDecodeError");
    let wire = nested(63);
    assert!(judge(&wire).unwrap().body.payload_value(1_000).is_some());
}

/// Faults in the order of their checks. A frame that has all from one on is refused for that one.
#[test]
fn the_first_fault_in_the_ruled_order_is_told() {
    let broken = Fields {
        frame_len: "0000005c",
        magic: "00000000",
        header_version: "0100",
        header_len: "0000",
        flags: "ffffffff",
        schema_id: "0000",
        body_len: "ffffffff",
        created_at_ms: "ffffffffffffffff",
        ttl_ms: "0000000000000000",
        body: "c1",
        ..VALID
    };
    let fixed = |steps: usize| {
        let mut fields = broken;
        let mends: [fn(&mut Fields<'_>); 9] = [
            |it| it.magic = VALID.magic,
            |it| (it.header_version, it.header_len) = (VALID.header_version, VALID.header_len),
            |it| it.flags = VALID.flags,
            // Within the limit, and still not what frame_len says.
            |it| it.body_len = "0000001d",
            |it| {
                (it.frame_len, it.body_len) = (VALID.frame_len, VALID.body_len);
                it.body = "c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1";
            },
            // A schema that takes another type than the body's.
            |it| it.schema_id = "000a",
            |it| it.ttl_ms = VALID.ttl_ms,
            |it| it.created_at_ms = VALID.created_at_ms,
            |it| it.body = VALID.body,
        ];
        mends.iter().take(steps).for_each(|mend| mend(&mut fields));
        fields
    };
    let order = [
        "InvalidMagic",
        "UnsupportedVersion",
        "InvalidHeaderFlags",
        "BodyTooLarge",
        "LengthMismatch",
        "UnknownSchema",
        "InvalidTtl",
        "InvalidExpiry",
        "BodyDecodeError",
        "BodyTypeMismatch",
    ];
    for (steps, name) in order.into_iter().enumerate() {
        let wire = fixed(steps).wire();
        assert_eq!(judge_at(&wire, Some(u64::MAX), true).unwrap_err().name(), name);
        assert_eq!(refusal(&wire[..67]).name(), "TruncatedHeader", "before {name}");
    }
    let valid = VALID.wire();
    assert_eq!(judge_at(&valid, Some(1_500), true).unwrap_err().name(), "Expired");
    assert_eq!(judge_at(&valid, Some(1_499), true).unwrap_err().name(), "Duplicate");
}

#[test]
fn what_is_refused_leaves_no_mark_among_what_was_seen() {
    let seen = RefCell::new(Vec::new());
    let is_duplicate = |trace: TraceId, msg_id: u64| {
        seen.borrow_mut().push((trace, msg_id));
        false
    };
    let registry = Registry::default();
    let mut checks = Checks::new(&registry, &limits::Rmp::default());
    checks.is_duplicate = Some(&is_duplicate);
    checks.now_ms = Some(1_500);
    assert!(decode(&VALID.wire(), &checks).is_err());
    assert_eq!(seen.borrow().len(), 0, "an expired frame is not asked about");
    checks.now_ms = None;
    assert!(decode(&VALID.wire(), &checks).is_ok());
    assert_eq!(seen.borrow().len(), 1);
}

#[test]
fn every_byte_of_the_golden_vector_changed_has_a_verdict() {
    let golden = golden();
    for at in 0..golden.len() {
        for flip in 1..=u8::MAX {
            let mut wire = golden.clone();
            wire[at] ^= flip;
            match judge_at(&wire, Some(CREATED_AT_MS), false) {
                Ok(frame) => assert!(
                    (24..=63).contains(&at) || at >= 68,
                    "byte {at} ^ {flip:#04x} is still {:?}",
                    frame.header
                ),
                Err(error) => {
                    assert!(Code::ALL.contains(&error.code()));
                    assert!(error.offset() <= wire.len(), "{error:?}");
                }
            }
        }
    }
}

#[test]
fn every_start_of_the_golden_vector_is_refused() {
    let golden = golden();
    for len in 0..golden.len() {
        let name = refusal(&golden[..len]).name();
        assert_eq!(name, if len < 68 { "TruncatedHeader" } else { "LengthMismatch" }, "{len} bytes");
    }
}
