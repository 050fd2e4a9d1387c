//! Every breakage, and what it is refused for.

use prost::Message as _;

use crate::{
    dissect::frame_json::{Breakage, BrokenFormat, Fill, Format, RmpUnits, Setup, codec},
    limits::Limits,
    macp::{
        Rpc,
        proto::v1::{Envelope, SendRequest, SessionStartPayload},
    },
    rmp::Registry,
};

/// The name of the first fault that a codec finds in bytes.
fn fault(format: Format, wire: &[u8]) -> Option<String> {
    let (registry, limits, now) = (Registry::default(), Limits::default(), || 5_000);
    let codec = codec(format, Setup { registry: &registry, limits: &limits, now_ms: Some(&now) });
    let mut decoder = codec.decoder();
    decoder.push(wire);
    let mut units: Vec<_> = std::iter::from_fn(|| decoder.next()).collect();
    units.extend(decoder.finish());
    units.into_iter().find_map(|unit| unit.fault.map(|fault| fault.name.into_owned()))
}

const FILL: Fill = Fill {
    created_at_ms: 4_000,
    ttl_ms: 30_000,
    msg_id: 1,
    trace_id: crate::ids::TraceId(uuid::Uuid::from_u128(1)),
};

/// The bytes of a frame.
fn made(format: Format, json: &str) -> Vec<u8> {
    let (registry, limits) = (Registry::default(), Limits::default());
    let codec = codec(format, Setup { registry: &registry, limits: &limits, now_ms: None });
    codec.encode(json, &FILL).unwrap().wire
}

/// A frame of each kind that has all that can be broken in such a one.
fn examples() -> [(Format, Vec<u8>); 5] {
    let message = r#"{"body":{"type":"observation.greeting.v1","payload":{}}}"#;
    let session = Format::Rmp(RmpUnits::Session);
    let publish = made(session, r#"{"control":{"Publish":{"topic":"a","ack":true}}}"#);
    let published = [publish, made(Format::Rmp(RmpUnits::Frames), message)].concat();
    let unit = format!(r#"{{"body":{{"Publish":{{"id":1,"topic":"header","message":{message}}}}}}}"#);
    let start = r#"{"body":{"envelope":{"message_type":"SessionStart","message_id":"m1","session_id":"s",
        "sender":"alice","mode":"decision",
        "payload":{"intent":"x","participants":["alice"],"ttl_ms":60000}}}}"#;
    let (json, send) = (Format::Rmp(RmpUnits::Json), Format::Macp(Rpc::Send));
    [
        (Format::Mpp, made(Format::Mpp, r#"{"body":{"type":"pull","queue":"default"}}"#)),
        (session, published),
        (json, made(json, &unit)),
        (send, made(send, start)),
        (Format::Plugin, made(Format::Plugin, r#"{"body":{"id":1,"method":"ping","params":{}}}"#)),
    ]
}

#[test]
fn each_kind_of_frame_can_be_broken_in_each_way_that_the_table_has_for_it_and_in_no_other() {
    for ((format, wire), kind) in examples().into_iter().zip(BrokenFormat::ALL) {
        assert_eq!(BrokenFormat::from(format), kind);
        for breakage in Breakage::ALL {
            let broken = breakage.apply(format, &wire);
            let is_of_it = breakage.formats().contains(&kind);
            assert_eq!(broken.is_some(), is_of_it, "{} of {}", breakage.name(), kind.name());
            assert_ne!(broken.as_ref(), Some(&wire), "{} of {}", breakage.name(), kind.name());
            assert!(!breakage.about().is_empty());
        }
    }
}

#[test]
fn what_is_broken_in_a_unit_of_the_json_dialect_is_what_it_is_refused_for() {
    let [_, _, (format, whole), ..] = examples();
    assert_eq!(fault(format, &whole), None);
    for (breakage, name) in [
        (Breakage::Version, "UnsupportedVersion"),
        (Breakage::Flags, "InvalidHeaderFlags"),
        (Breakage::TtlZero, "InvalidTtl"),
        (Breakage::TtlOverflow, "InvalidExpiry"),
        (Breakage::Expired, "Expired"),
        (Breakage::UnknownSchema, "UnknownSchema"),
        (Breakage::LengthUp, "LengthMismatch"),
        (Breakage::Oversized, "BodyTooLarge"),
        (Breakage::WrongType, "BodyDecodeError"),
        (Breakage::Trailing, "BodyDecodeError"),
        (Breakage::BadUtf8, "BodyDecodeError"),
    ] {
        let broken = breakage.apply(format, &whole).unwrap();
        assert_eq!(fault(format, &broken).as_deref(), Some(name), "{breakage:?}");
    }
}

#[test]
fn what_is_broken_in_a_session_start_leaves_the_rest_whole() {
    let [.., (format, whole), _] = examples();
    let read = |wire: &[u8]| SendRequest::decode(wire).unwrap().envelope.unwrap();
    let broken = |breakage: Breakage| breakage.apply(format, &whole).unwrap();
    let start = read(&whole);
    let typed = read(&broken(Breakage::WrongType));
    assert_eq!(typed, Envelope { message_type: "nonsense".to_owned(), ..start.clone() });
    let late = read(&broken(Breakage::TtlOverflow));
    let payload = SessionStartPayload::decode(&start.payload[..]).unwrap();
    let payload = SessionStartPayload { ttl_ms: i64::MAX, ..payload }.encode_to_vec();
    assert_eq!(late, Envelope { payload: payload.into(), ..start.clone() });
    assert!(SendRequest::decode(&broken(Breakage::BadUtf8)[..]).is_err());
    let vote = Envelope { message_type: "Vote".to_owned(), ..start };
    let vote = SendRequest { envelope: Some(vote) }.encode_to_vec();
    assert_eq!(Breakage::TtlOverflow.apply(format, &vote), None);
    assert_eq!(Breakage::WrongType.apply(Format::Macp(Rpc::GetSession), b"\x0a\x01s"), None);
}

#[test]
fn a_byte_that_is_no_utf8_goes_into_the_first_text_of_a_request_without_an_envelope() {
    let names = Rpc::ALL.map(|rpc| (rpc, Breakage::BadUtf8.apply(Format::Macp(rpc), b"\x0a\x01s")));
    for (rpc, broken) in names {
        let has_text =
            matches!(rpc, Rpc::Initialize | Rpc::GetSession | Rpc::CancelSession | Rpc::GetManifest);
        assert_eq!(broken.as_deref(), has_text.then_some(&b"\x0a\x01\xff"[..]), "{}", rpc.name());
        if let Some(broken) = broken {
            assert_eq!(fault(Format::Macp(rpc), &broken).as_deref(), Some("INTERNAL"), "{}", rpc.name());
        }
    }
    for other in [&b""[..], b"\x0a", b"\x0a\x00", b"\x0a\x02s", b"\x12\x01s"] {
        assert_eq!(Breakage::BadUtf8.apply(Format::Macp(Rpc::GetSession), other), None);
    }
}

#[test]
fn what_is_broken_in_a_frame_of_the_bus_is_what_it_is_refused_for() {
    let json = r#"{"header":{"created_at_ms":4000,"ttl_ms":30000,"msg_id":1},"body":{"type":"observation.greeting.v1","payload":{}}}"#;
    let format = Format::Rmp(RmpUnits::Frames);
    let whole = made(format, json);
    assert_eq!(fault(format, &whole), None);
    for (breakage, name) in [
        (Breakage::Magic, "InvalidMagic"),
        (Breakage::Version, "UnsupportedVersion"),
        (Breakage::Flags, "InvalidHeaderFlags"),
        (Breakage::Reserved, "InvalidHeaderFlags"),
        (Breakage::TtlZero, "InvalidTtl"),
        (Breakage::TtlOverflow, "InvalidExpiry"),
        (Breakage::Expired, "Expired"),
        (Breakage::UnknownSchema, "UnknownSchema"),
        (Breakage::LengthUp, "LengthMismatch"),
        (Breakage::LengthDown, "LengthMismatch"),
        (Breakage::WrongType, "BodyTypeMismatch"),
        (Breakage::BadUtf8, "BodyDecodeError"),
        (Breakage::Trailing, "BodyDecodeError"),
    ] {
        let broken = breakage.apply(format, &whole).unwrap();
        assert_eq!(fault(format, &broken).as_deref(), Some(name), "{breakage:?}");
    }
    for breakage in [Breakage::Truncated, Breakage::Oversized] {
        let broken = breakage.apply(format, &whole).unwrap();
        assert!(fault(format, &broken).is_some(), "{breakage:?}");
    }
    assert_eq!(Breakage::NoLf.apply(format, &whole), None);
    let two = [&whole[..], &whole].concat();
    assert_eq!(Breakage::RepeatedId.apply(format, &whole), Some(two));
}

#[test]
fn what_is_broken_in_a_line_is_broken_there_alone() {
    let line = b"{\"mpp\":2,\"type\":\"ack\",\"id\":2}\n";
    let broken = |breakage: Breakage| breakage.apply(Format::Mpp, line).unwrap();
    assert_eq!(broken(Breakage::Version), b"{\"mpp\":3,\"type\":\"ack\",\"id\":2}\n");
    assert_eq!(broken(Breakage::WrongType), b"{\"mpp\":2,\"type\":\"nonsense\",\"id\":2}\n");
    assert_eq!(broken(Breakage::NoLf), b"{\"mpp\":2,\"type\":\"ack\",\"id\":2}");
    assert_eq!(broken(Breakage::Oversized).len(), 65_537);
    assert!(std::str::from_utf8(&broken(Breakage::BadUtf8)).is_err());
    assert_eq!(Breakage::Magic.apply(Format::Mpp, line), None);
}

#[test]
fn what_is_broken_in_a_plugins_message_leaves_the_rest_whole() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"log"}"#;
    let wire = format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes();
    let broken = |breakage: Breakage| {
        String::from_utf8_lossy(&breakage.apply(Format::Plugin, &wire).unwrap()).into_owned()
    };
    assert_eq!(broken(Breakage::LengthUp), format!("Content-Length: {}\r\n\r\n{body}", body.len() + 1));
    assert_eq!(broken(Breakage::Oversized), format!("Content-Length: 4194305\r\n\r\n{body}"));
    assert!(broken(Breakage::Version).contains(r#""jsonrpc":"1.0""#));
    assert!(broken(Breakage::WrongType).contains(r#""method":"nonsense""#));
}

#[test]
fn a_request_has_another_version_and_a_unit_another_length() {
    let envelope = b"\x0a\x07\x0a\x031.0\x1a\x00";
    let broken = Breakage::Version.apply(Format::Macp(Rpc::Send), envelope).unwrap();
    assert_eq!(broken, b"\x0a\x07\x0a\x039.9\x1a\x00");
    let unit = b"\0\0\0\x02{}";
    let json = Format::Rmp(RmpUnits::Json);
    assert_eq!(Breakage::LengthUp.apply(json, unit).unwrap(), b"\0\0\0\x03{}");
    assert_eq!(Breakage::WrongType.apply(json, unit).unwrap(), b"\0\0\0\x0a\"nonsense\"");
    for breakage in Breakage::ALL {
        assert_eq!(Breakage::from_name(breakage.name()), Some(*breakage));
    }
}
