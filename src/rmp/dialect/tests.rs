//! The dialect's exchanges, byte for byte as the facts have them.

use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::{
    limits,
    rmp::{Checks, RawFrame, Registry, decode},
};

/// The golden vector of rmp-v0 §8.
const GOLDEN: [u8; 164] = [
    0x00, 0x00, 0x00, 0xa0, 0x52, 0x4d, 0x50, 0x30, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x0a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x60, 0x00, 0x00, 0x01, 0x93, 0x23, 0x64, 0x5c, 0x7b, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0xea, 0x60, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb,
    0xcc, 0xdd, 0xee, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x2a, 0x00, 0x00, 0x00, 0x00,
    0x83, 0xa4, 0x74, 0x79, 0x70, 0x65, 0xaf, 0x65, 0x72, 0x72, 0x6f, 0x72, 0x2e, 0x72, 0x65, 0x70, 0x6f,
    0x72, 0x74, 0x2e, 0x76, 0x31, 0xa7, 0x70, 0x61, 0x79, 0x6c, 0x6f, 0x61, 0x64, 0x82, 0xa4, 0x63, 0x6f,
    0x64, 0x65, 0xb0, 0x74, 0x6f, 0x6f, 0x6c, 0x2e, 0x75, 0x6e, 0x61, 0x76, 0x61, 0x69, 0x6c, 0x61, 0x62,
    0x6c, 0x65, 0xa7, 0x6d, 0x65, 0x73, 0x73, 0x61, 0x67, 0x65, 0xae, 0x6d, 0x61, 0x69, 0x6c, 0x65, 0x72,
    0x20, 0x6f, 0x66, 0x66, 0x6c, 0x69, 0x6e, 0x65, 0xa4, 0x6d, 0x65, 0x74, 0x61, 0x81, 0xaa, 0x6f, 0x70,
    0x65, 0x6e, 0x69, 0x6e, 0x67, 0x5f, 0x69, 0x64, 0xcd, 0x04, 0xd2,
];

/// The golden vector's header: 0x112233…ff00 is this number.
const HEADER: &str = r#"{"header_version":0,"header_len":64,"flags":0,"schema_id":10,"body_len":96,"created_at_ms":1731465600123,"ttl_ms":60000,"trace_id":22774453838368691933757882222884355840,"msg_id":42}"#;

fn golden_message() -> String {
    let body: Vec<String> = GOLDEN[68..].iter().map(u8::to_string).collect();
    format!(r#"{{"header":{HEADER},"body":[{}]}}"#, body.join(","))
}

fn unit(json: &str) -> Vec<u8> {
    [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat()
}

fn client(json: &str) -> FromClient<'_> {
    FromClient::decode(json.as_bytes()).unwrap()
}

#[test]
fn reads_what_tools_say() {
    for (name, kind) in [("Ui", HelloKind::Ui), ("Tui", HelloKind::Tui), ("Agent", HelloKind::Agent)] {
        assert_eq!(client(&format!(r#"{{"Hello":{{"kind":"{name}"}}}}"#)), FromClient::Hello { kind });
    }
    let subscribe = FromClient::Subscribe { id: 2, topic: "a/é".into(), sub_id: 1 };
    assert_eq!(client(r#"{"Subscribe":{"id":2,"topic":"a/\u00e9","sub_id":1,"more":[1]}}"#), subscribe);
    assert_eq!(client(r#"{"Unsubscribe":{"sub_id":1}}"#), FromClient::Unsubscribe { sub_id: 1 });
}

#[test]
fn a_published_message_is_the_very_frame_that_it_stands_for() {
    let json = format!(r#"{{"Publish":{{"id":1,"topic":"agent/x","message":{}}}}}"#, golden_message());
    let FromClient::Publish { id: 1, topic, message } = client(&json) else { panic!("not a Publish") };
    assert_eq!((&*topic, message.frame()), ("agent/x", GOLDEN.to_vec()));
    assert_eq!(message.header.trace_id, 0x1122_3344_5566_7788_99aa_bbcc_ddee_ff00);
}

#[test]
fn a_trace_id_has_all_of_its_128_bits() {
    let json = format!(r#"{{"Publish":{{"id":1,"topic":"a","message":{}}}}}"#, golden_message());
    let read = |number: &str| {
        let json = json.replace("22774453838368691933757882222884355840", number);
        FromClient::decode(json.as_bytes()).map(|it| match it {
            FromClient::Publish { message, .. } => message.header.trace_id,
            _ => 1,
        })
    };
    assert_eq!(read("340282366920938463463374607431768211455"), Ok(u128::MAX));
    assert_eq!(read("0"), Ok(0));
    for wrong in ["340282366920938463463374607431768211456", "-1", "1.0", "\"1\""] {
        assert_eq!(read(wrong).unwrap_err().request, Some(RequestRef::Publish(1)), "{wrong}");
    }
}

#[test]
fn says_what_the_facts_have() {
    let said = |say: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        say(&mut out);
        out
    };
    assert_eq!(said(&append_hello_ack), b"\x00\x00\x00\x0a\"HelloAck\"");
    assert_eq!(
        said(&|out| append_publish_ack(out, 1, Ok(()))),
        unit(r#"{"PublishAck":{"id":1,"result":{"Ok":null}}}"#)
    );
    assert_eq!(
        said(&|out| append_subscribe_ack(out, 2, Ok(()))),
        unit(r#"{"SubscribeAck":{"id":2,"result":{"Ok":null}}}"#)
    );
    let closed = said(&|out| append_publish_ack(out, u64::MAX, Err(&JsonRefusal::Closed)));
    assert_eq!(closed, unit(r#"{"PublishAck":{"id":18446744073709551615,"result":{"Err":"Closed"}}}"#));
    let forbidden =
        said(&|out| append_subscribe_ack(out, 2, Err(&JsonRefusal::named("InvalidTopic", "\"a//b\""))));
    assert_eq!(
        forbidden,
        unit(r#"{"SubscribeAck":{"id":2,"result":{"Err":{"Forbidden":"InvalidTopic: \"a//b\""}}}}"#)
    );
}

#[test]
fn a_delivered_message_is_the_facts_message() {
    let tail = message_tail(&RawFrame::split(&GOLDEN).unwrap(), 8_388_608).unwrap();
    let mut out = Vec::new();
    append_message_head(&mut out, 1, tail.len());
    out.extend_from_slice(&tail);
    assert_eq!(out, unit(&format!(r#"{{"Message":{{"sub_id":1,"message":{}}}}}"#, golden_message())));
    assert!(serde_json::from_slice::<serde_json::Value>(&out[4..]).is_ok());
}

#[test]
fn what_is_delivered_stands_for_the_frame_that_came() {
    let tail = message_tail(&RawFrame::split(&GOLDEN).unwrap(), 8_388_608).unwrap();
    assert_eq!(frame_of_tail(&tail).as_deref(), Some(&GOLDEN[..]));
    assert!(tail.len() as u64 <= tail_bytes_max(GOLDEN.len() as u64));
    for broken in [&tail[..tail.len() - 1], &tail[1..], golden_message().as_bytes(), b"", b"}}"] {
        assert_eq!(frame_of_tail(broken), None);
    }
    let largest = [&GOLDEN[..4], &b"RMP0"[..], &[255; 56], &[0; 4], &[255; 1_000]].concat();
    let tail = message_tail(&RawFrame::split(&largest).unwrap(), 8_388_608).unwrap();
    assert!(tail.len() as u64 <= tail_bytes_max(1_068));
}

#[test]
fn a_message_that_fits_no_unit_is_told_and_the_last_that_fits_is_made() {
    let mut wire = GOLDEN[..68].to_vec();
    wire.extend_from_slice(&[255; 1_000]);
    let frame = RawFrame::split(&wire).unwrap();
    let tail = message_tail(&frame, 1 << 20).unwrap();
    let mut out = Vec::new();
    append_message_head(&mut out, 10, tail.len());
    let bytes = (out.len() + tail.len()) as u64;
    let head = |sub_id, body_bytes_max| message_head_bytes(sub_id, tail.len(), body_bytes_max);
    assert_eq!(head(10, bytes - 68), Ok(out.len()));
    assert_eq!(head(100, bytes - 68), Err(UnitTooLarge { bytes: bytes + 1, bytes_max: bytes }));
    assert!(message_tail(&frame, bytes - 68 - 1).is_ok(), "it fits under a shorter number");
    assert_eq!(
        message_tail(&frame, bytes - 68 - 2),
        Err(UnitTooLarge { bytes: bytes - 1, bytes_max: bytes - 2 })
    );
}

/// What the checks say of a message changed in one field.
fn refused(change: impl FnOnce(&mut Message)) -> String {
    let json = format!(r#"{{"Publish":{{"id":1,"topic":"a","message":{}}}}}"#, golden_message());
    let FromClient::Publish { mut message, .. } = client(&json) else { panic!("not a Publish") };
    change(&mut message);
    let (registry, wire) = (Registry::default(), message.frame());
    let checks =
        Checks { now_ms: Some(1_731_465_600_123), ..Checks::new(&registry, &limits::Rmp::default()) };
    decode(&wire, &checks).map_or_else(|error| JsonRefusal::from(&error).to_string(), |_| "taken".to_owned())
}

#[test]
fn every_refusal_has_the_form_of_the_facts() {
    assert_eq!(refused(|_| {}), "taken");
    assert_eq!(refused(|it| it.header.created_at_ms = 1), r#""MessageExpired""#);
    assert_eq!(refused(|it| it.header.ttl_ms = 0), r#"{"InvalidTtl":0}"#);
    assert_eq!(
        refused(|it| it.header.body_len = 95),
        r#"{"BodyLengthMismatch":{"expected":95,"actual":96}}"#
    );
    assert_eq!(refused(|it| it.body.push(0)), r#"{"BodyLengthMismatch":{"expected":96,"actual":97}}"#);
    assert_eq!(
        refused(|it| it.header.schema_id = 1),
        r#"{"BodyTypeMismatch":{"expected":1,"actual":"error.report.v1"}}"#
    );
    let expiry = refused(|it| (it.header.created_at_ms, it.header.ttl_ms) = (u64::MAX, 2));
    assert_eq!(expiry, r#"{"InvalidExpiry":{"created_at_ms":18446744073709551615,"ttl_ms":2}}"#);
    assert_eq!(refused(|it| it.header.schema_id = 0), r#"{"UnknownSchema":0}"#);
    let version = refused(|it| it.header.header_version = 1);
    assert_eq!(
        version,
        r#"{"Forbidden":"UnsupportedVersion: header_version is 1 and header_len 64, not 0 and 64"}"#
    );
    assert!(refused(|it| it.header.flags = 1).starts_with(r#"{"Forbidden":"InvalidHeaderFlags: "#));
    assert!(refused(|it| it.body[0] = 0xc1).starts_with(r#"{"Forbidden":"BodyDecodeError: "#));
    assert!(refused(|it| it.header.body_len = u32::MAX).starts_with(r#"{"Forbidden":"BodyTooLarge: "#));
    let topic = JsonRefusal::BackpressureTimeout { topic: "a".to_owned() };
    assert_eq!(topic.to_string(), r#"{"BackpressureTimeout":{"topic":"a"}}"#);
}

#[test]
fn the_first_of_two_faults_is_the_frames() {
    let both = refused(|it| (it.header.schema_id, it.header.ttl_ms) = (0, 0));
    assert_eq!(both, r#"{"UnknownSchema":0}"#);
    let both = refused(|it| (it.header.header_len, it.header.body_len) = (65, 1));
    assert!(both.contains("UnsupportedVersion"), "{both}");
}

#[test]
fn what_is_not_of_the_dialect_is_told_and_whom_to_answer() {
    let asked = |json: &str| FromClient::decode(json.as_bytes()).unwrap_err().request;
    for json in [
        "",
        "{",
        "null",
        r#""HelloAck""#,
        r#"{"Hello":{}}"#,
        r#"{"Hello":{"kind":"Viewer"}}"#,
        r#"{"Ping":{}}"#,
        "{} {}",
    ] {
        assert_eq!(asked(json), None, "{json}");
    }
    assert_eq!(asked(r#"{"Publish":{"id":7,"topic":"a"}}"#), Some(RequestRef::Publish(7)));
    assert_eq!(asked(r#"{"Subscribe":{"topic":1,"id":8}}"#), Some(RequestRef::Subscribe(8)));
    let error = FromClient::decode(br#"{"Publish":{"id":7,"topic":"a"}}"#).unwrap_err();
    assert_eq!(error.to_string(), "missing field `message` at line 1 column 31");
    let body = golden_message().replace("131,164,", "131,256,");
    assert_eq!(
        asked(&format!(r#"{{"Publish":{{"id":1,"topic":"a","message":{body}}}}}"#)),
        Some(RequestRef::Publish(1))
    );
}

#[test]
fn the_first_byte_behind_the_length_tells_the_dialect() {
    assert_eq!(is_json(b"\x00\x00\x00\x0a"), None);
    assert_eq!(is_json(b"\x00\x00\x00\x0a{"), Some(true));
    assert_eq!(is_json(b"\x00\x00\x00\x0a\"x"), Some(true));
    assert_eq!(is_json(&GOLDEN), Some(false));
}

#[test]
fn a_length_over_the_limit_ends_the_stream_before_anything_is_read() {
    let mut framer = Framer::new(8_388_608);
    framer.buffer().extend_from_slice(&(8_388_676_u32).to_be_bytes());
    assert_eq!(framer.next(), None, "4 + 64 + 8 MiB are taken");
    assert!(framer.buffer().capacity() < 1 << 20);
    let mut framer = Framer::new(8_388_608);
    framer.buffer().extend_from_slice(&(8_388_677_u32).to_be_bytes());
    assert_eq!(framer.next(), Some(Unit::TooLarge { bytes: 8_388_677, bytes_max: 8_388_676 }));
    framer.buffer().extend_from_slice(b"more");
    assert_eq!((framer.next(), framer.pending_bytes()), (None, 0));
}

#[test]
fn a_tool_reads_what_the_broker_says() {
    let (mut hello, mut publish, mut subscribe, mut message) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    append_hello_ack(&mut hello);
    append_publish_ack(&mut publish, 4, Ok(()));
    append_subscribe_ack(&mut subscribe, 5, Err(&JsonRefusal::UnknownSchema(7)));
    let tail = message_tail(&RawFrame::split(&GOLDEN).unwrap(), 8_388_608).unwrap();
    append_message_head(&mut message, 6, tail.len());
    message.extend_from_slice(&tail);
    let read = |unit: &[u8]| FromBroker::decode(&unit[4..]).unwrap();
    assert!(matches!(read(&hello), FromBroker::HelloAck));
    assert!(matches!(read(&publish), FromBroker::PublishAck(Ack { id: 4, result: AckResult::Ok(()) })));
    assert!(matches!(read(&subscribe), FromBroker::SubscribeAck(Ack { id: 5, result: AckResult::Err(_) })));
    let FromBroker::Message { sub_id: 6, message } = read(&message) else { panic!("not a Message") };
    assert_eq!(message.frame(), GOLDEN);
    assert!(FromBroker::decode(br#"{"Hello":{"kind":"Ui"}}"#).is_err());
}

proptest! {
    #[test]
    fn units_come_out_as_they_went_in_however_they_are_cut(
        texts in proptest::collection::vec("[ -~]{0,40}", 1..8),
        cuts in proptest::collection::vec(1_usize..30, 1..40),
    ) {
        let stream: Vec<u8> = texts.iter().flat_map(|text| unit(text)).collect();
        let mut framer = Framer::new(1_024);
        let mut found = Vec::new();
        let (mut rest, mut cuts) = (&stream[..], cuts.iter().cycle());
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at((*cuts.next().unwrap()).min(rest.len()));
            framer.buffer().extend_from_slice(piece);
            rest = behind;
            while let Some(Unit::Whole(whole)) = framer.next() {
                found.push(whole);
            }
        }
        let json = |whole: &Bytes| String::from_utf8(Unit::json(whole).to_vec()).unwrap();
        prop_assert_eq!(found.iter().map(json).collect::<Vec<_>>(), texts);
        prop_assert_eq!(framer.pending_bytes(), 0);
    }

    #[test]
    fn whatever_comes_is_read_or_told(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(FromClient::decode(&bytes).is_err());
    }

    #[test]
    fn a_body_of_any_bytes_comes_back(body in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut wire = GOLDEN[..68].to_vec();
        wire.extend_from_slice(&body);
        let tail = message_tail(&RawFrame::split(&wire).unwrap(), 8_388_608).unwrap();
        prop_assert_eq!(tail.len(), tail.capacity());
        let message: Message = serde_json::from_slice(&tail[..tail.len() - 2]).unwrap();
        prop_assert_eq!(message.body, body);
    }
}
