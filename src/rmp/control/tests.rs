//! Control frames against bytes written by hand from ruling RMP 1 and the MsgPack specification.

use proptest::prelude::*;

use super::*;
use crate::{
    ids::TraceId,
    limits,
    rmp::{Body, Breach, Checks, Registry, SchemaId, decode},
};

const TYPE: &[u8] = b"\x82\xa4type\xb1intent.control.v1\xa7payload";

fn body(payload: &[u8]) -> Vec<u8> {
    [TYPE, payload].concat()
}

fn client(payload: &[u8]) -> Result<String, (usize, Breach)> {
    let bytes = body(payload);
    let body = Body::decode(&bytes, 64).unwrap();
    let message = FromClient::decode(&body).map_err(|fault| (fault.at - TYPE.len(), fault.breach))?;
    Ok(format!("{message:?}"))
}

#[track_caller]
fn both_ways_client(payload: &[u8], message: &FromClient<'_>) {
    let bytes = body(payload);
    assert_eq!(FromClient::decode(&Body::decode(&bytes, 64).unwrap()), Ok(message.clone()));
    assert_eq!(message.body(), bytes, "{message:?}");
}

#[track_caller]
fn both_ways_broker(payload: &[u8], message: &FromBroker<'_>) {
    let bytes = body(payload);
    assert_eq!(FromBroker::decode(&Body::decode(&bytes, 64).unwrap()), Ok(message.clone()));
    assert_eq!(message.body(), bytes, "{message:?}");
}

#[test]
fn what_a_client_says_stands_on_the_wire_as_ruled() {
    let hello = FromClient::Hello { v: 1, client: "cli", kind: "tui", token: Some(Token("s3cret")) };
    both_ways_client(
        b"\x81\xa5Hello\x84\xa1v\x01\xa6client\xa3cli\xa4kind\xa3tui\xa5token\xa6s3cret",
        &hello,
    );
    let hello = FromClient::Hello { v: 1, client: "", kind: "agent", token: None };
    both_ways_client(b"\x81\xa5Hello\x83\xa1v\x01\xa6client\xa0\xa4kind\xa5agent", &hello);
    let subscribe = FromClient::Subscribe { sub: 200, topic: "rlp/sys/**" };
    both_ways_client(b"\x81\xa9Subscribe\x82\xa3sub\xcc\xc8\xa5topic\xaarlp/sys/**", &subscribe);
    both_ways_client(b"\x81\xabUnsubscribe\x81\xa3sub\xcd\x01\x00", &FromClient::Unsubscribe { sub: 256 });
    both_ways_client(
        b"\x81\xa7Publish\x82\xa5topic\xa3a/b\xa3ack\xc3",
        &FromClient::Publish { topic: "a/b", ack: true },
    );
    both_ways_client(
        b"\x81\xa7Publish\x82\xa5topic\xa3a/b\xa3ack\xc2",
        &FromClient::Publish { topic: "a/b", ack: false },
    );
    both_ways_client(b"\x81\xa4Ping\x80", &FromClient::Ping {});
}

#[test]
fn what_the_broker_says_stands_on_the_wire_as_ruled() {
    let welcome = FromBroker::Welcome { session: 7, kind: "agent", body_bytes_max: 8_388_608, server: "x" };
    both_ways_broker(b"\x81\xa7Welcome\x84\xa7session\x07\xa4kind\xa5agent\xaebody_bytes_max\xce\x00\x80\x00\x00\xa6server\xa1x", &welcome);
    both_ways_broker(
        b"\x81\xa2Ok\x81\xa2re\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
        &FromBroker::Ok { re: u64::MAX },
    );
    let error = FromBroker::Error { re: 0, code: "InvalidMagic", message: "no" };
    both_ways_broker(b"\x81\xa5Error\x83\xa2re\x00\xa4code\xacInvalidMagic\xa7message\xa2no", &error);
    both_ways_broker(
        b"\x81\xa7Deliver\x82\xa3sub\x7f\xa5topic\xa1a",
        &FromBroker::Deliver { sub: 127, topic: "a" },
    );
    both_ways_broker(b"\x81\xa4Pong\x80", &FromBroker::Pong {});
    let (long, longer) = ("x".repeat(255), "x".repeat(70_000));
    for text in [&long, &longer] {
        let bytes = FromBroker::Error { re: 1, code: "Busy", message: text }.body();
        let body = Body::decode(&bytes, 64).unwrap();
        assert_eq!(FromBroker::decode(&body), Ok(FromBroker::Error { re: 1, code: "Busy", message: text }));
    }
}

#[test]
fn a_number_is_read_in_whatever_form_and_unknown_keys_are_passed_over() {
    let unsubscribe = |number: &[u8]| client(&[b"\x81\xabUnsubscribe\x81\xa3sub", number].concat());
    for number in [
        &b"\x05"[..],
        b"\xcc\x05",
        b"\xcd\x00\x05",
        b"\xce\x00\x00\x00\x05",
        b"\xcf\x00\x00\x00\x00\x00\x00\x00\x05",
        b"\xd0\x05",
    ] {
        assert_eq!(unsubscribe(number), Ok("Unsubscribe { sub: 5 }".to_owned()));
    }
    assert!(unsubscribe(b"\xff").is_err(), "-1");
    assert!(unsubscribe(b"\xca\x00\x00\x00\x00").is_err(), "0.0");
    assert_eq!(client(b"\x81\xa4Ping\x83\xa1x\x93\x01\x02\x03\x01\x02\xa3sub\xc0"), Ok("Ping".to_owned()));
    let nil = client(b"\x81\xa5Hello\x84\xa5token\xc0\xa4kind\xa2ui\xa6client\xa1c\xa1v\x02");
    assert_eq!(nil, Ok("Hello { v: 2, client: \"c\", kind: \"ui\", token: None }".to_owned()));
}

#[test]
fn every_fault_has_its_place() {
    let text = "a string of UTF-8";
    let number = "a number from 0 to 18446744073709551615";
    let cases: [(&[u8], usize, Breach); 14] = [
        (b"\xc0", 0, Breach::NotMessage),
        (b"\xa4Ping", 0, Breach::NotMessage),
        (b"\x80", 0, Breach::NotMessage),
        (b"\x82\xa4Ping\x80\xa4Pong\x80", 0, Breach::NotMessage),
        (b"\x81\x01\x80", 1, Breach::NotMessage),
        (b"\x81\xa4Pong\x80", 1, Breach::UnknownMessage),
        (b"\x81\xa4ping\x80", 1, Breach::UnknownMessage),
        (b"\x81\xa4Ping\xc0", 6, Breach::Mistyped { field: "Ping", takes: "a map of its fields" }),
        (
            b"\x81\xa9Subscribe\x92\x01\xa1a",
            11,
            Breach::Mistyped { field: "Subscribe", takes: "a map of its fields" },
        ),
        (b"\x81\xa9Subscribe\x81\xa3sub\x01", 11, Breach::Missing("topic")),
        (
            b"\x81\xa9Subscribe\x82\xa3sub\xa11\xa5topic\xa1a",
            16,
            Breach::Mistyped { field: "sub", takes: number },
        ),
        (
            b"\x81\xa9Subscribe\x82\xa3sub\x01\xa5topic\xa1\xff",
            23,
            Breach::Mistyped { field: "topic", takes: text },
        ),
        (
            b"\x81\xa7Publish\x82\xa5topic\xa1a\xa3ack\x01",
            22,
            Breach::Mistyped { field: "ack", takes: "true or false" },
        ),
        (b"\x81\xabUnsubscribe\x82\xa3sub\x01\xa3sub\x02", 19, Breach::Twice("sub")),
    ];
    for (payload, at, breach) in cases {
        assert_eq!(client(payload), Err((at, breach)), "{payload:x?}");
    }
    let broker = body(b"\x81\xa4Ping\x80");
    let fault = FromBroker::decode(&Body::decode(&broker, 64).unwrap()).unwrap_err();
    assert_eq!(fault.breach, Breach::UnknownMessage);
}

#[test]
fn a_whole_frame_passes_the_checks_and_says_the_same() {
    let trace_id = TraceId(uuid::Uuid::from_u128(5));
    let header = header(1_000, trace_id, 42);
    let message = FromBroker::Deliver { sub: 3, topic: "agent/x" };
    let mut out = b"before".to_vec();
    append(&mut out, &header, &message);
    let first = out.split_off(6);
    append_body(&mut out, &header, &message.body());
    assert_eq!(out[6..], first);
    assert_eq!(&first[..8], [&u32::try_from(first.len() - 4).unwrap().to_be_bytes()[..], b"RMP0"].concat());
    let registry = Registry::default();
    // Long past its expiry, and still not judged.
    let frame = decode(&first, &Checks::new(&registry, &limits::Rmp::default())).unwrap();
    assert_eq!(
        (frame.header.schema_id, frame.header.msg_id, frame.header.ttl_ms),
        (SchemaId::CONTROL, 42, TTL_MS)
    );
    assert_eq!(FromBroker::decode(&frame.body), Ok(message));
}

#[test]
fn a_frame_with_more_tokens_or_places_of_one_than_are_looked_for_is_withheld() {
    // A map of 32 bit.
    let fields = |count: u32| [&b"\x81\xa5Hello\xdf"[..], &count.to_be_bytes()].concat();
    let tokens = [fields(800_000), b"\xa5token\xa1a".repeat(800_000)].concat();
    let places = [fields(2), b"\xa5token\xa1a\xa1b\xdb\0\x80\0\0".to_vec(), b"a".repeat(8 << 20)].concat();
    let hellos = [b"\xdf\0\x0a\0\0".to_vec(), b"\xa5Hello\x81\xa5token\xa1a".repeat(10 << 16)].concat();
    for payload in [tokens, places, hellos] {
        let wire = [vec![0; 68], body(&payload)].concat();
        assert_eq!(token_ranges(&wire), None);
    }
}

/// The body as it is shown.
fn masked(bytes: &[u8]) -> String {
    let mut wire = vec![0; 68];
    wire.extend_from_slice(bytes);
    for range in token_ranges(&wire).unwrap() {
        wire[range.start as usize..range.end as usize].fill(b'*');
    }
    String::from_utf8_lossy(&wire[68..]).into_owned()
}

#[test]
fn a_token_is_found_wherever_it_stands_and_whatever_else_is_wrong() {
    for (payload, what) in [
        (&b"\x81\xa5Hello\x84\xa1v\x01\xa5token\xa6s3cret\xa6client\xa0\xa4kind\xa2ui"[..], "a Hello"),
        (b"\x81\xa5Hello\x81\xa5token\xa6s3cret", "fields are missing"),
        (b"\x81\xa5Hello\x81\xa5token\xc4\x06s3cret", "not a text"),
        (b"\x81\xa5Hello\xa6s3cret", "not a map"),
        (b"\x81\xa5Hello\x82\xa5token\xa6s3cret\xa5token\xa6s3cret", "twice"),
        (b"\x81\xa5Hello\x81\xa5token\xa9s3cret", "cut off"),
        (b"\x81\xa5Hello\x82\xa6s3cret\xa5token", "cut off, before the word"),
        (b"\x81\xa5Hello\x82\xa6client\xa8as3cretb\xa5token\xa6s3cret", "as its client's name"),
        (b"\x81\xa5Hello\x82\xa6s3cret\xc0\xa5token\xa6s3cret", "as a key"),
        (b"\x82\xa5Hello\x81\xa5token\xa6s3cret\xa6s3cret\x80", "beside the Hello"),
    ] {
        let shown = masked(&body(payload));
        assert!(!shown.contains("s3cret") && shown.contains('*'), "{what}: {shown}");
    }
    for payload in [
        &b"\x81\xa7Publish\x82\xa5topic\xa5token\xa3ack\xc3"[..],
        b"\x81\xa5Hello\x83\xa1v\x01\xa6client\xa5token\xa4kind\xa2ui",
    ] {
        assert_eq!(masked(&body(payload)), String::from_utf8_lossy(&body(payload)));
    }
    assert_eq!(token_ranges(&[0; 10]), Some(Vec::new()));
    assert!(
        !format!("{:?}", FromClient::Hello { v: 1, client: "", kind: "", token: Some(Token("s3cret")) })
            .contains("s3cret")
    );
}

#[test]
fn a_publish_at_fault_announces_its_message_as_long_as_its_name_can_be_read() {
    let announces = |schema_id: u16, body: &[u8]| {
        let mut wire = vec![0; 68];
        wire[16..18].copy_from_slice(&schema_id.to_be_bytes());
        wire.extend_from_slice(body);
        announces_message(&wire)
    };
    for payload in [
        &b"\x81\xa7Publish\x81\xa3ack\xc3"[..],
        b"\x81\xa7Publish\xc0",
        b"\x82\xa7Publish\x80\xc1",
        b"\x81\xa7Publish",
    ] {
        assert!(announces(9, &body(payload)), "{payload:x?}");
    }
    assert!(announces(9, b"\x82\xa4type\x01\xa7payload\x81\xa7Publish\x80"), "its type is none");
    assert!(!announces(1, &body(b"\x81\xa7Publish\x80")));
    for payload in
        [&b"\x81\xa4Ping\x80"[..], b"\xa7Publish", b"\x80", b"\x81\xa7Publis", b"\x91\xa7Publish", b""]
    {
        assert!(!announces(9, &body(payload)), "{payload:x?}");
    }
    assert!(!announces_message(&[0; 67]));
}

proptest! {
    /// Well-formed payloads with one byte changed, and any bytes at all: read or told, and a token that is
    /// there is found or the rest hidden.
    #[test]
    fn whatever_comes_is_read_or_told(
        at in 0_usize..60,
        byte in any::<u8>(),
        any in proptest::collection::vec(any::<u8>(), 0..60),
    ) {
        let hello =
            FromClient::Hello { v: 1, client: "cli", kind: "tui", token: Some(Token("s3cret")) }.body();
        let mut mutated = hello.clone();
        let at = at.min(hello.len() - 1);
        mutated[at] = byte;
        for bytes in [mutated.clone(), body(&any)] {
            if let Ok(read) = Body::decode(&bytes, 64) {
                let place = |fault: crate::rmp::BodyFault| fault.at <= bytes.len();
                prop_assert!(FromClient::decode(&read).map_or_else(place, |_| true));
                prop_assert!(FromBroker::decode(&read).map_or_else(place, |_| true));
            }
            masked(&bytes);
        }
        // The words that lead to the token stand, so it is not shown.
        let token_at = hello.len() - 6;
        if at >= token_at {
            prop_assert!(masked(&mutated).contains('*'));
        }
    }
}
