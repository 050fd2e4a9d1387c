//! The session without I/O, against bytes written by hand (rmp-v0 §1, §2; ruling RMP 1).

use super::{Event, Hello, Message, ReceiveHalf, SendError, Session, Start, Violation};
use crate::{
    ids::TraceId,
    rmp::{Error, Kind, SchemaId},
};

const NOW_MS: u64 = 1_731_456_000_123;
const TRACE: u128 = 0x1122_3344_5566_7788_99aa_bbcc_ddee_ff00;

fn session() -> Session {
    let start = Start { now_ms: NOW_MS, first_id: 7, trace: TraceId(uuid::Uuid::from_u128(TRACE)) };
    Session::new(&Hello::with_token("t", Kind::Tui, "s3cret"), start)
}

/// A frame by the table of rmp-v0 §1.1.
fn frame(schema_id: u16, trace: u128, msg_id: u64, body: &[u8]) -> Vec<u8> {
    let body_len = u32::try_from(body.len()).unwrap();
    let mut out = (64 + body_len).to_be_bytes().to_vec();
    out.extend_from_slice(b"RMP0\x00\x00\x00\x40\x00\x00\x00\x00");
    out.extend_from_slice(&schema_id.to_be_bytes());
    out.extend_from_slice(&[0, 0]);
    out.extend_from_slice(&body_len.to_be_bytes());
    out.extend_from_slice(&NOW_MS.to_be_bytes());
    out.extend_from_slice(&30_000_u64.to_be_bytes());
    out.extend_from_slice(&trace.to_be_bytes());
    out.extend_from_slice(&msg_id.to_be_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(body);
    out
}

fn control(msg_id: u64, trace: u128, payload: &[u8]) -> Vec<u8> {
    frame(
        9,
        trace,
        msg_id,
        &[b"\x82\xa4type\xb1intent.control.v1\xa7payload\x81".as_slice(), payload].concat(),
    )
}

fn sent_bytes(session: &mut Session) -> Vec<u8> {
    let mut bytes = Vec::new();
    session.sending.take(&mut bytes);
    bytes
}

const WELCOME: &[u8] =
    b"\xa7Welcome\x84\xa7session\x05\xa4kind\xa3tui\xaebody_bytes_max\xcd\x04\x00\xa6server\xa2rl";

fn welcome() -> Vec<u8> {
    control(1, 0, WELCOME)
}

fn deliver(sub: u8, topic: &str) -> Vec<u8> {
    let len = 0xa0 | u8::try_from(topic.len()).unwrap();
    control(
        2,
        0,
        &[b"\xa7Deliver\x82\xa3sub".as_slice(), &[sub], b"\xa5topic", &[len], topic.as_bytes()].concat(),
    )
}

fn events(receiving: &mut ReceiveHalf) -> Vec<Event> {
    std::iter::from_fn(|| receiving.next()).collect()
}

#[test]
fn says_hello_first_and_never_shows_its_token() {
    let hello = b"\xa5Hello\x84\xa1v\x01\xa6client\xa1t\xa4kind\xa3tui\xa5token\xa6s3cret";
    let mut session = session();
    assert_eq!(sent_bytes(&mut session), control(7, TRACE, hello));
    assert!(!format!("{:?}", Hello::with_token("t", Kind::Tui, "s3cret")).contains("s3cret"));
}

#[test]
fn a_publication_is_two_frames_with_one_number_in_the_messages_trace() {
    let mut session = session();
    sent_bytes(&mut session);
    let trace = TraceId(uuid::Uuid::from_u128(0xaa));
    let message = Message::new(SchemaId::ERROR_REPORT, &b"\x80"[..]).in_trace(trace);
    for (ack, flag, id) in [(true, b"\xc3", 8), (false, b"\xc2", 9), (true, b"\xc3", 10)] {
        assert_eq!(session.sending.publish(NOW_MS, "a/b", &message, ack).unwrap(), id);
        let announced =
            control(id, 0xaa, &[b"\xa7Publish\x82\xa5topic\xa3a/b\xa3ack".as_slice(), flag].concat());
        assert_eq!(sent_bytes(&mut session), [announced, frame(10, 0xaa, id, b"\x80")].concat());
    }
}

#[test]
fn many_topics_are_announced_as_they_are_whatever_is_remembered() {
    let mut session = session();
    sent_bytes(&mut session);
    let message = Message::new(SchemaId::INTENT, &b"\x80"[..]).in_trace(TraceId(uuid::Uuid::from_u128(1)));
    for round in 0..3_u64 {
        for n in 0..20_u64 {
            let id = session.sending.publish(NOW_MS, &format!("t/{n:02}"), &message, false).unwrap();
            assert_eq!(id, 8 + round * 20 + n);
            let publish =
                [b"\xa7Publish\x82\xa5topic\xa4".as_slice(), format!("t/{n:02}").as_bytes(), b"\xa3ack\xc2"]
                    .concat();
            assert_eq!(
                sent_bytes(&mut session),
                [control(id, 1, &publish), frame(2, 1, id, b"\x80")].concat()
            );
        }
    }
}

#[test]
fn subscriptions_are_numbered_and_ended_by_their_numbers() {
    let mut session = session();
    sent_bytes(&mut session);
    assert_eq!(session.sending.subscribe(NOW_MS, "a/**").unwrap(), (8, 1));
    assert_eq!(sent_bytes(&mut session), control(8, TRACE, b"\xa9Subscribe\x82\xa3sub\x01\xa5topic\xa4a/**"));
    assert_eq!(session.sending.subscribe(NOW_MS, "b").unwrap(), (9, 2));
    session.sending.unsubscribe(NOW_MS, 1);
    session.sending.ping(NOW_MS);
    let expected = [
        control(9, TRACE, b"\xa9Subscribe\x82\xa3sub\x02\xa5topic\xa1b"),
        control(10, TRACE, b"\xabUnsubscribe\x81\xa3sub\x01"),
        control(11, TRACE, b"\xa4Ping\x80"),
    ];
    assert_eq!(sent_bytes(&mut session), expected.concat());
}

#[test]
fn what_cannot_be_taken_is_not_sent() {
    let mut session = session();
    sent_bytes(&mut session);
    session.sending.limit_bodies(4);
    let message = |bytes: usize| Message::new(SchemaId::INTENT, vec![0xc0; bytes]);
    let fault = |topic: &str, bytes: usize, session: &mut Session| {
        session.sending.publish(NOW_MS, topic, &message(bytes), true).unwrap_err()
    };
    assert!(matches!(fault("a", 5, &mut session), SendError::TooLarge { bytes: 5, bytes_max: 4 }));
    assert_eq!(
        fault("a//b", 1, &mut session).to_string(),
        "\"a//b\" is not a topic: the segment at byte 2 is empty"
    );
    assert!(matches!(fault("a/*", 1, &mut session), SendError::Topic { .. }));
    assert!(session.sending.subscribe(NOW_MS, "a/*/b").is_err());
    let whole = frame(10, 5, 3, b"\x80");
    assert!(session.sending.publish_frame(NOW_MS, "a", &whole[..whole.len() - 1], true).is_err());
    assert!(session.sending.publish_frame(NOW_MS, "a", &[0, 0], true).is_err());
    assert!(sent_bytes(&mut session).is_empty());
    let id = session.sending.publish_frame(NOW_MS, "a", &whole, false).unwrap();
    assert_eq!(
        sent_bytes(&mut session),
        [control(id, 5, b"\xa7Publish\x82\xa5topic\xa1a\xa3ack\xc2"), whole].concat()
    );
}

#[test]
fn hears_everything_however_it_is_cut() {
    let message = frame(1, 0xbb, 4, b"\x82\xa4type\xb6observation.generic.v1\xa7payload\x07");
    let refused = control(3, 0, b"\xa5Error\x83\xa2re\x08\xa4code\xacInvalidTopic\xa7message\xa2no");
    let stream = [
        welcome(),
        control(2, 0, b"\xa2Ok\x81\xa2re\xcc\xc8"),
        refused,
        deliver(1, "a/b"),
        message.clone(),
        deliver(1, "a/b"),
        message.clone(),
        deliver(2, "a/c"),
        message.clone(),
        control(9, 0, b"\xa4Pong\x80"),
    ]
    .concat();
    let mut whole = session();
    whole.receiving.buffer().extend_from_slice(&stream);
    let expected = events(&mut whole.receiving);
    assert_eq!((expected.len(), whole.receiving.pending_bytes()), (7, 0));
    let Event::Welcome(welcome) = &expected[0] else { unreachable!() };
    assert_eq!(
        (welcome.session.0, welcome.kind, welcome.body_bytes_max, &*welcome.server),
        (5, Kind::Tui, 1_024, "rl")
    );
    assert_eq!(expected[1], Event::Answer { re: 200, result: Ok(()) });
    let Event::Answer { re: 8, result: Err(refused) } = &expected[2] else { unreachable!() };
    assert_eq!(
        (refused.to_string().as_str(), refused.refusal()),
        ("InvalidTopic: no", Some(crate::rmp::Refusal::InvalidTopic))
    );
    for (event, (sub, topic)) in expected[3..6].iter().zip([(1, "a/b"), (1, "a/b"), (2, "a/c")]) {
        let Event::Delivery(delivery) = event else { unreachable!() };
        assert_eq!((delivery.sub, delivery.topic.as_str(), &*delivery.wire), (sub, topic, &message[..]));
        assert_eq!((delivery.header().msg_id, delivery.header().schema_id), (4, SchemaId::OBSERVATION));
        assert_eq!(
            (delivery.body().unwrap().kind(), delivery.body().unwrap().payload()),
            ("observation.generic.v1", &[7][..])
        );
    }
    assert_eq!(expected[6], Event::Pong);
    for cut in 1..stream.len() {
        let mut session = session();
        let mut heard = Vec::new();
        for part in [&stream[..cut], &stream[cut..]] {
            session.receiving.buffer().extend_from_slice(part);
            heard.extend(events(&mut session.receiving));
        }
        assert_eq!(heard, expected, "cut at {cut}");
    }
}

#[test]
fn what_a_broker_may_not_say_ends_the_session() {
    let fault = |stream: &[u8]| {
        let mut session = session();
        session.receiving.buffer().extend_from_slice(stream);
        match events(&mut session.receiving).pop() {
            Some(Event::Broken(fault)) => fault,
            other => panic!("{other:?}"),
        }
    };
    assert!(matches!(fault(&control(1, 0, b"\xa4Pong\x80")), Violation::NotWelcomed("Pong")));
    assert!(matches!(fault(&[welcome(), welcome()].concat()), Violation::WelcomedAgain));
    assert!(matches!(
        fault(&[welcome(), frame(1, 0, 1, b"\x80")].concat()),
        Violation::NotControl(SchemaId::OBSERVATION)
    ));
    assert!(matches!(
        fault(&[welcome(), control(1, 0, b"\xa4Ping\x80")].concat()),
        Violation::Frame(Error::BodyDecodeError(_))
    ));
    assert!(matches!(
        fault(b"\x00\x00\x00\x40{\"a\":1}".repeat(8).as_slice()),
        Violation::Frame(Error::InvalidMagic { .. })
    ));
    assert!(matches!(fault(b"\x00\x00\x00\x02{}"), Violation::Frame(Error::TruncatedHeader { .. })));
    // Welcome names 1,024 bytes.
    let large = frame(1, 0, 1, &[0xc0; 1_025]);
    assert!(matches!(
        fault(&[welcome(), deliver(1, "a"), large].concat()),
        Violation::Frame(Error::BodyTooLarge { .. })
    ));
    let unknown =
        WELCOME.to_vec().iter().map(|byte| if *byte == b'u' { b'o' } else { *byte }).collect::<Vec<_>>();
    assert!(matches!(fault(&control(1, 0, &unknown)), Violation::UnknownKind(kind) if &*kind == "toi"));
}

#[test]
fn nothing_is_heard_behind_a_fault() {
    let mut session = session();
    session.receiving.buffer().extend_from_slice(&[control(1, 0, b"\xa4Pong\x80"), welcome()].concat());
    assert_eq!(events(&mut session.receiving).len(), 1);
    session.receiving.buffer().extend_from_slice(&welcome());
    assert_eq!((session.receiving.next(), session.receiving.pending_bytes()), (None, 0));
}

#[test]
fn whatever_comes_is_an_event_or_one_fault() {
    let message = frame(1, 0xbb, 4, b"\x82\xa4type\xb6observation.generic.v1\xa7payload\x07");
    let stream = [
        welcome(),
        control(2, 0, b"\xa2Ok\x81\xa2re\xcc\xc8"),
        deliver(1, "a/b"),
        message.clone(),
        deliver(1, "a/b"),
        message,
    ]
    .concat();
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..20_000 {
        let mut bytes = stream.clone();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..bytes.len());
            bytes[at] = rng.u8(..);
        }
        let mut session = session();
        for part in bytes.chunks(rng.usize(1..=bytes.len())) {
            session.receiving.buffer().extend_from_slice(part);
            let heard = events(&mut session.receiving);
            let broken = heard.iter().position(|event| matches!(event, Event::Broken(_)));
            assert!(broken.is_none_or(|at| at + 1 == heard.len()));
            for event in heard {
                if let Event::Delivery(delivery) = event {
                    // Its body may be anything by now; its header is there.
                    assert!(delivery.body().is_ok_and(|body| body.values() > 0) || delivery.body().is_err());
                    assert!(delivery.wire.len() >= 68);
                }
            }
        }
    }
}
