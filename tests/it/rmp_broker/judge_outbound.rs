//! Judgements of bytes that go to a client as if the station had sent them (ruling RMP 1: Welcome, Ok, Error,
//! Deliver with its message, Pong).

use rl_console::{
    ids::ConnectionId,
    judged::{Certainty, Judged},
    rmp::{Stand, Verdict},
    tap::entry::Verdict as AnyVerdict,
};

use super::test_broker::{TestBroker, unit};
use crate::rmp_bus::frames;

fn towards(fixture: &TestBroker, session: ConnectionId, bytes: &[u8]) -> Judged {
    fixture.broker.judge(fixture.now, &Stand::Towards(session), bytes)
}

fn deliver(sub: u64, topic: &str) -> Vec<u8> {
    frames::control(1, "Deliver", vec![("sub", sub.into()), ("topic", topic.into())])
}

fn refusal(judged: &Judged) -> &'static str {
    match judged.verdict {
        Ok(AnyVerdict::Rmp(Verdict::Refused(refusal))) => refusal.name(),
        ref other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_delivery_reaches_a_subscription_that_is_there_and_has_room() {
    let mut fixture = TestBroker::open();
    let agent = fixture.agent(1);
    fixture.subscribe(agent, 3, "a/*");
    let message = frames::message(1, "x");
    let unit = |sub, topic, message: &[u8]| [&deliver(sub, topic)[..], message].concat();
    let good = unit(3, "a/b", &message);
    let judged = towards(&fixture, agent, &good);
    assert_eq!((judged.verdict, judged.to), (Ok(AnyVerdict::Sent), vec!["c1 (session 1)".to_owned()]));
    assert_eq!((judged.certainty, judged.taken_bytes), (Certainty::ThePeers, good.len()));
    let cases = [
        (unit(4, "a/b", &message), "it has no such subscription"),
        (unit(3, "b", &message), "its subscription does not match the topic"),
        (unit(3, "a/b", &frames::message_of(1, "x", true)), "the message is expired"),
    ];
    for (bytes, why) in cases {
        let judged = towards(&fixture, agent, &bytes);
        assert_eq!((judged.to_count, judged.passed_over[0].why), (0, why));
    }
    let judged = towards(&fixture, agent, &deliver(3, "a/b"));
    assert_eq!(judged.verdict.unwrap_err().missing_bytes, Some(68), "its message follows at once");
}

#[test]
fn what_a_client_cannot_read_is_refused_by_the_name_that_it_has() {
    let mut fixture = TestBroker::open();
    let agent = fixture.agent(1);
    let mut magic = frames::control(1, "Pong", vec![]);
    magic[4] = b'Q';
    let mut broken = frames::message(1, "x");
    broken[68] = 0xc1;
    let cases = [
        ("InvalidMagic", 4, magic),
        ("BodyTypeMismatch", 74, frames::message(1, "x")),
        ("BodyDecodeError", deliver(1, "a").len() + 68, [deliver(1, "a"), broken].concat()),
    ];
    for (name, at, bytes) in cases {
        let judged = towards(&fixture, agent, &bytes);
        assert_eq!((refusal(&judged), judged.shortfall.as_ref().unwrap().byte), (name, at));
        assert_eq!((judged.certainty, judged.is_harmful), (Certainty::ThePeers, true));
    }
    assert_eq!(refusal(&towards(&fixture, agent, &frames::control(1, "Ping", vec![]))), "BodyDecodeError");
    let judged = towards(&fixture, agent, &frames::control(1, "Pong", vec![]));
    assert_eq!((judged.verdict, judged.to_count, judged.is_harmful), (Ok(AnyVerdict::Sent), 1, false));
    let gone = towards(&fixture, ConnectionId(9), &frames::control(1, "Pong", vec![]));
    assert_eq!(gone.verdict, Ok(AnyVerdict::Rmp(Verdict::TooLate)));
}

#[test]
fn a_tool_is_sent_units() {
    let mut fixture = TestBroker::open();
    let tool = fixture.tool(1);
    let judged = towards(&fixture, tool, &unit(r#""HelloAck""#));
    assert_eq!((judged.verdict, judged.to_count), (Ok(AnyVerdict::Sent), 1));
    assert_eq!(refusal(&towards(&fixture, tool, &unit(r#""Goodbye""#))), "BodyDecodeError");
    let message = r#"{"Message":{"sub_id":1,"message":{"header":{"header_version":0,"header_len":64,"flags":0,"schema_id":0,"body_len":1,"created_at_ms":1,"ttl_ms":1,"trace_id":1,"msg_id":1},"body":[192]}}}"#;
    assert_eq!(refusal(&towards(&fixture, tool, &unit(message))), "UnknownSchema");
}
