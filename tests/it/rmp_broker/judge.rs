//! Judgements by stand and frame, with every name of rmp-v0 §7 and ruling RMP 1 that a broker tells.

use rl_console::{
    ids::ConnectionId,
    judged::{Certainty, Judged},
    limits,
    rmp::{Dialect, Kind, Refusal, Stand, Verdict, broker::InboxCapacity},
    tap::entry::{Head as AnyHead, Verdict as AnyVerdict},
    time::Now,
};

use super::test_broker::{CUE, OPERATOR, TestBroker, unit};
use crate::rmp_bus::frames::{self, Frame, Header};

const EPOCH_MS: u64 = 1_790_000_000_000;
const NEWCOMER: Stand = Stand::Newcomer { dialect: Dialect::Frames, kind: None };

fn judge(fixture: &TestBroker, stand: &Stand, bytes: &[u8]) -> Judged {
    fixture.broker.judge(fixture.now, stand, bytes)
}

fn on(fixture: &TestBroker, session: ConnectionId, bytes: &[u8]) -> Judged {
    judge(fixture, &Stand::Connection(session), bytes)
}

fn refusal(judged: &Judged) -> &'static str {
    match judged.verdict {
        Ok(AnyVerdict::Rmp(Verdict::Refused(refusal))) => refusal.name(),
        ref other => panic!("not refused: {other:?}"),
    }
}

fn published(subscribers: u32, dropped: u32) -> AnyVerdict {
    AnyVerdict::Rmp(Verdict::Published { subscribers, dropped })
}

const ACCEPTED: Result<AnyVerdict, rl_console::judged::Pending> = Ok(AnyVerdict::Rmp(Verdict::Accepted));

fn answers(judged: &Judged) -> Vec<Frame> {
    judged.answers.iter().map(|answer| Frame { wire: answer.bytes.clone() }).collect()
}

fn json_answer(judged: &Judged) -> String {
    let [answer] = &judged.answers[..] else { panic!("{judged:?}") };
    String::from_utf8(answer.bytes[4..].to_vec()).unwrap()
}

fn publish(topic: &str, ack: bool) -> Vec<u8> {
    frames::control(9, "Publish", vec![("topic", topic.into()), ("ack", ack.into())])
}

fn publication(topic: &str, message: &[u8]) -> Vec<u8> {
    [&publish(topic, true)[..], message].concat()
}

fn with(mut frame: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
    frame[at..at + bytes.len()].copy_from_slice(bytes);
    frame
}

fn of(schema_id: u16, kind: &str, created_at_ms: u64, ttl_ms: u64) -> Vec<u8> {
    let header = Header { schema_id, created_at_ms, ttl_ms, trace_id: 5, msg_id: 1 };
    frames::frame(header, &frames::body(kind, frames::map(vec![])))
}

/// A message at fault: its name, where it is wrong, and whether the stream ends (rmp-v0 §1.1, §7; rulings RMP
/// 2, 3).
fn faults() -> Vec<(&'static str, usize, bool, Vec<u8>)> {
    let good = || frames::message(1, "x");
    let observation = "observation.note.v1";
    let type_at = 4 + 64 + 1 + 5;
    vec![
        ("TruncatedHeader", 4 + 63, true, with(good(), 0, &[0, 0, 0, 63])),
        ("BodyTooLarge", 0, true, with(good(), 0, &[0x7f, 0, 0, 0])),
        ("InvalidMagic", 4, true, with(good(), 4, b"Q")),
        ("UnsupportedVersion", 8, true, with(good(), 8, &[0, 1])),
        ("UnsupportedVersion", 10, true, with(good(), 10, &[0, 65])),
        ("InvalidHeaderFlags", 12, false, with(good(), 12, &[1])),
        ("InvalidHeaderFlags", 18, false, with(good(), 18, &[0, 1])),
        ("InvalidHeaderFlags", 64, false, with(good(), 64, &[0, 0, 0, 1])),
        ("BodyTooLarge", 20, false, with(good(), 20, &[0x7f, 0, 0, 0])),
        ("LengthMismatch", 0, false, with(good(), 20, &[0, 0, 0, 1])),
        ("UnknownSchema", 16, false, with(good(), 16, &[0, 0])),
        ("InvalidTtl", 32, false, of(1, observation, EPOCH_MS, 0)),
        ("InvalidExpiry", 24, false, of(1, observation, u64::MAX, 1)),
        ("BodyDecodeError", 68, false, with(good(), 68, &[0xc1])),
        ("BodyTypeMismatch", type_at, false, of(1, "intent.note.v1", EPOCH_MS, 9)),
        ("Expired", 24, false, of(1, observation, EPOCH_MS - 9, 9)),
    ]
}

#[test]
fn every_fault_of_a_message_has_its_name_its_place_and_its_answer() {
    let mut fixture = TestBroker::open();
    let agent = fixture.agent(1);
    let before = publish("a", false).len();
    for (name, at, ends, message) in faults() {
        let judged = on(&fixture, agent, &publication("a", &message));
        assert_eq!(refusal(&judged), name);
        assert_eq!(judged.ends.as_deref(), ends.then_some(name), "{name}");
        let [answer] = &answers(&judged)[..] else { panic!("{name}: {judged:?}") };
        assert_eq!(answer.error(), (9, name.to_owned()), "it names the Publish");
        assert_eq!(judged.shortfall.as_ref().unwrap().byte, before + at, "{name}");
        assert_eq!(judged.certainty, Certainty::Certain, "{name}");
        let taken = if ends { before + 68 } else { before + message.len() };
        assert_eq!(judged.taken_bytes, taken, "{name}");
    }
    // The message alone, once its Publish has come.
    fixture.send(agent, &publish("a", false));
    for (name, at, _, message) in faults() {
        let judged = on(&fixture, agent, &message);
        assert_eq!((refusal(&judged), judged.shortfall.as_ref().unwrap().byte), (name, at));
    }
}

#[test]
fn faults_of_control_frames_have_the_same_names() {
    let mut fixture = TestBroker::open();
    let agent = fixture.agent(1);
    let ping = || frames::control(4, "Ping", vec![]);
    let cases = [
        ("InvalidMagic", true, with(ping(), 4, b"Q")),
        ("InvalidHeaderFlags", false, with(ping(), 12, &[1])),
        ("BodyTypeMismatch", false, frames::message(4, "x")),
        ("BodyDecodeError", false, frames::control(4, "Pong", vec![])),
    ];
    for (name, ends, frame) in cases {
        let judged = on(&fixture, agent, &frame);
        assert_eq!((refusal(&judged), judged.ends.is_some()), (name, ends));
        let re = if ends { 0 } else { 4 };
        assert_eq!(answers(&judged)[0].error(), (re, name.to_owned()));
    }
    let hello =
        frames::control(1, "Hello", vec![("v", 2.into()), ("client", "x".into()), ("kind", "agent".into())]);
    let judged = judge(&fixture, &NEWCOMER, &hello);
    assert_eq!(
        (refusal(&judged), judged.ends.as_deref()),
        ("UnsupportedVersion", Some("UnsupportedVersion"))
    );
}

#[test]
fn the_five_names_of_the_session_layer() {
    let mut fixture = TestBroker::open();
    let agent = fixture.agent(1);
    fixture.subscribe(agent, 3, "a");
    let hello = frames::control(
        1,
        "Hello",
        vec![("v", 1.into()), ("client", "x".into()), ("kind", "ui".into()), ("token", "no".into())],
    );
    let sub = |sub: u64, topic: &str| {
        frames::control(1, "Subscribe", vec![("sub", sub.into()), ("topic", topic.into())])
    };
    let open = Stand::Connection(agent);
    let cases = [
        ("Forbidden", &open, hello.clone(), false),
        ("Forbidden", &open, sub(4, "rlp/sys/tap"), false),
        ("Forbidden", &open, publication("rlp/sys/x", &frames::message(1, "x")), false),
        ("InvalidTopic", &open, sub(4, "a//b"), false),
        ("InvalidTopic", &open, publication("a/*", &frames::message(1, "x")), false),
        ("NotSubscribed", &open, frames::control(1, "Unsubscribe", vec![("sub", 9.into())]), false),
        ("Busy", &open, sub(3, "b"), false),
        ("Unauthorized", &NEWCOMER, hello, true),
        ("Unauthorized", &NEWCOMER, frames::control(1, "Ping", vec![]), true),
    ];
    for (name, stand, bytes, ends) in cases {
        let judged = judge(&fixture, stand, &bytes);
        assert_eq!((refusal(&judged), judged.ends.as_deref()), (name, ends.then_some(name)), "{judged:?}");
        assert_eq!(answers(&judged)[0].error().1, name);
        // What is no topic is none whatever others do.
        let certainty = if name == "InvalidTopic" { Certainty::Certain } else { Certainty::AsOfNow };
        assert_eq!(judged.certainty, certainty, "{name}");
    }
    let judged = judge(
        &fixture,
        &Stand::Newcomer { dialect: Dialect::Frames, kind: Some(Kind::Agent) },
        &publication("rlp/operator", &of(0x80, "intent.operator.request.v1", EPOCH_MS, 9)),
    );
    assert_eq!(refusal(&judged), "Forbidden");
    assert_eq!(Refusal::OF_SESSION.len(), 5);
}

#[test]
fn what_a_client_says_is_taken_and_answered_with_the_bytes_of_now() {
    let mut fixture = TestBroker::open();
    let agent = fixture.agent(1);
    fixture.subscribe(agent, 3, "a");
    let hello = frames::control(
        1,
        "Hello",
        vec![("v", 1.into()), ("client", "me".into()), ("kind", "tui".into()), ("token", OPERATOR.into())],
    );
    let judged = judge(&fixture, &NEWCOMER, &hello);
    let welcome = &answers(&judged)[0];
    assert_eq!((judged.verdict.clone(), welcome.name().as_str()), (ACCEPTED, "Welcome"));
    assert_eq!((welcome.number("session"), welcome.text("kind")), (2, "tui".to_owned()));
    assert_eq!(judged.effect.as_deref(), Some("session 2 opens: me, tui (binary)"));

    let judged = on(&fixture, agent, &frames::control(7, "Ping", vec![]));
    assert_eq!((answers(&judged)[0].name().as_str(), judged.effect), ("Pong", None));
    let subscribe = frames::control(8, "Subscribe", vec![("sub", 4.into()), ("topic", "b/*".into())]);
    let judged = on(&fixture, agent, &subscribe);
    assert_eq!((judged.verdict.clone(), answers(&judged)[0].number("re")), (ACCEPTED, 8));
    assert_eq!(judged.effect.as_deref(), Some("c1 (session 1) subscribes to b/* (sub 4)"));
    let judged = on(&fixture, agent, &frames::control(8, "Unsubscribe", vec![("sub", 3.into())]));
    assert_eq!(judged.effect.as_deref(), Some("sub 3 of c1 (session 1) ends"));

    // The second frame is not judged.
    let two = [frames::control(7, "Ping", vec![]), vec![0xff; 99]].concat();
    assert_eq!(on(&fixture, agent, &two).taken_bytes, frames::control(7, "Ping", vec![]).len());
    let closed = on(&fixture, ConnectionId(77), &two);
    assert_eq!(closed.verdict, Ok(AnyVerdict::Rmp(Verdict::TooLate)));
}

#[test]
fn bytes_that_end_within_a_unit_say_what_is_missing_and_what_a_cut_is_called() {
    let mut fixture = TestBroker::open();
    let agent = fixture.agent(1);
    let message = frames::message(1, "x");
    let before = publish("a", true);
    let all = publication("a", &message);
    let json = unit(r#"{"Hello":{"kind":"Agent"}}"#);
    let open = Stand::Connection(agent);
    let cases: [(&Stand, &[u8], u64, &str); 10] = [
        (&NEWCOMER, b"", 5, "peer_closed"),
        (&NEWCOMER, b"\0\0", 3, "TruncatedHeader"),
        (&NEWCOMER, &json[..9], 21, "LengthMismatch"),
        (&open, b"", 68, "peer_closed"),
        (&open, &before[..3], 65, "TruncatedHeader"),
        (&open, &before[..40], before.len() as u64 - 40, "TruncatedHeader"),
        (&open, &before[..80], before.len() as u64 - 80, "LengthMismatch"),
        // A Publish awaits its message.
        (&open, &before, 68, "TruncatedHeader"),
        (&open, &all[..before.len() + 70], message.len() as u64 - 70, "LengthMismatch"),
        (&open, &all[..all.len() - 1], 1, "LengthMismatch"),
    ];
    for (stand, bytes, missing, if_cut) in cases {
        let judged = judge(&fixture, stand, bytes);
        let pending = judged.verdict.unwrap_err();
        assert_eq!((pending.missing_bytes, pending.if_cut), (Some(missing), if_cut), "{}", bytes.len());
        let frame_ms_max = limits::Rmp::default().frame_ms_max;
        let until = (!bytes.is_empty()).then(|| Now::at_ms(frame_ms_max));
        assert_eq!(judged.holds_until, until, "{}", bytes.len());
    }
    // Magic and version are judged before the rest has come (ruling RMP 2).
    let judged = on(&fixture, agent, &with(before, 4, b"Q")[..68]);
    assert_eq!((refusal(&judged), judged.ends.as_deref()), ("InvalidMagic", Some("InvalidMagic")));
}

#[test]
fn receivers_and_those_left_out_are_named() {
    let mut fixture = TestBroker::with(limits::Rmp {
        queue_messages_max: 1,
        body_bytes_max: 400,
        ..limits::Rmp::default()
    });
    let publisher = fixture.agent(1);
    let message = frames::message(1, &"x".repeat(200));
    let judged = on(&fixture, publisher, &publication("a", &message));
    assert_eq!((judged.verdict, judged.to_count), (Ok(published(0, 0)), 0));
    assert_eq!(judged.effect.as_deref(), Some("no subscriber on a"));

    let (full, had, tool) = (fixture.agent(2), fixture.agent(3), fixture.tool(4));
    for session in [full, had] {
        fixture.subscribe(session, 1, "a");
    }
    fixture.unit(tool, r#"{"Subscribe":{"id":1,"topic":"a","sub_id":1}}"#);
    fixture.publish(publisher, "a", false, &frames::message(7, "x"));
    fixture.hear_bytes(had);
    fixture.hear_bytes(tool);
    let judged = on(&fixture, publisher, &publication("a", &message));
    let passed_over = |judged: &Judged| -> Vec<_> {
        judged.passed_over.iter().map(|it| (it.name.clone(), it.why)).collect()
    };
    assert_eq!(
        (judged.verdict.clone(), judged.to.clone()),
        (Ok(published(1, 2)), vec!["c3 (session 3)".to_owned()])
    );
    assert_eq!(
        passed_over(&judged),
        [
            ("c2 (session 2)".to_owned(), "its queue is full"),
            ("runloop agent (session 4)".to_owned(), "too long for the JSON dialect"),
        ]
    );
    let judged = on(&fixture, publisher, &publication("a", &frames::message(7, "x")));
    assert_eq!(judged.verdict, Ok(published(0, 3)));
    assert!(judged.passed_over.iter().all(|it| it.why == "duplicate"), "{judged:?}");
    assert_eq!(answers(&judged)[0].name(), "Ok", "a duplicate gets Ok (ruling RMP 1)");

    let cue = fixture.greeted(9, "cue", Some(CUE));
    fixture.subscribe(cue, 1, "rlp/*");
    let judged = on(&fixture, publisher, &publication("rlp/ctrl", &frames::message(8, "x")));
    assert_eq!(judged.verdict, Ok(published(0, 0)));
    assert_eq!(passed_over(&judged), [("c9 (session 9)".to_owned(), "it may not receive this")]);
}

#[test]
fn the_station_is_a_receiver_and_a_message_holds_until_it_expires() {
    let mut fixture = TestBroker::hearing();
    let (agent, operator) = (fixture.agent(1), fixture.operator(2));
    let asks = publication("rlp/ctrl", &of(1, "observation.note.v1", EPOCH_MS, 30_000));
    assert_eq!(refusal(&on(&fixture, agent, &asks)), "Busy", "the station has no room");
    fixture.broker.set_inbox_capacity(InboxCapacity { messages: 9, bytes: 9_999 });
    let judged = on(&fixture, agent, &asks);
    assert_eq!((judged.to.clone(), judged.certainty), (vec!["station".to_owned()], Certainty::AsOfNow));
    assert_eq!((judged.verdict, judged.holds_until), (Ok(published(1, 0)), Some(Now::at_ms(30_000))));

    let request = of(0x80, "intent.operator.request.v1", EPOCH_MS, 60_000);
    let judged = on(&fixture, operator, &publication("rlp/operator", &request));
    assert_eq!((judged.verdict.clone(), &judged.to[..]), (ACCEPTED, &["station".to_owned()][..]));
    assert_eq!(judged.holds_until, Some(Now::at_ms(60_000)));
    assert_eq!(answers(&judged)[0].name(), "Ok");
    fixture.publish(operator, "rlp/operator", true, &request);
    let judged = on(&fixture, operator, &publication("rlp/operator", &request));
    assert_eq!((judged.to_count, judged.passed_over[0].why), (0, "duplicate"));
}

/// The golden vector's fields in the dialect, with one of them another.
fn json_publish(from: &str, to: &str) -> Vec<u8> {
    let body: Vec<String> = frames::message(1, "x")[68..].iter().map(u8::to_string).collect();
    let json = format!(
        r#"{{"Publish":{{"id":5,"topic":"a","message":{{"header":{{"header_version":0,"header_len":64,"flags":0,"schema_id":1,"body_len":{},"created_at_ms":{EPOCH_MS},"ttl_ms":60000,"trace_id":7,"msg_id":1}},"body":[{}]}}}}}}"#,
        body.len(),
        body.join(",")
    );
    assert!(json.contains(from), "{from}");
    unit(&json.replace(from, to))
}

#[test]
fn the_forms_of_the_json_dialect() {
    let mut fixture = TestBroker::open();
    let tool = fixture.tool(1);
    let cases = [
        ("x", "x", r#"{"Ok":null}"#),
        (r#""ttl_ms":60000"#, r#""ttl_ms":0"#, r#"{"Err":{"InvalidTtl":0}}"#),
        (r#""schema_id":1"#, r#""schema_id":0"#, r#"{"Err":{"UnknownSchema":0}}"#),
        ("1790000000000", "1", r#"{"Err":"MessageExpired"}"#),
        (
            "1790000000000",
            "18446744073709551615",
            r#"{"Err":{"InvalidExpiry":{"created_at_ms":18446744073709551615,"ttl_ms":60000}}}"#,
        ),
        (
            r#""schema_id":1"#,
            r#""schema_id":2"#,
            r#"{"Err":{"BodyTypeMismatch":{"expected":2,"actual":"observation.note.v1"}}}"#,
        ),
        (r#""body_len":"#, r#""body_len":1"#, r#"{"Err":{"BodyLengthMismatch""#),
        (r#""topic":"a""#, r#""topic":"a//b""#, r#"{"Err":{"Forbidden":"InvalidTopic: "#),
        (r#""flags":0"#, r#""flags":1"#, r#"{"Err":{"Forbidden":"InvalidHeaderFlags: "#),
        (r#""flags":0,"#, "", r#"{"Err":{"Forbidden":"BodyDecodeError: "#),
    ];
    for (from, to, result) in cases {
        let json = if from == to { json_publish("a", "a") } else { json_publish(from, to) };
        let judged = on(&fixture, tool, &json);
        let told = json_answer(&judged);
        assert!(told.starts_with(&format!(r#"{{"PublishAck":{{"id":5,"result":{result}"#)), "{told}");
        assert_eq!((judged.ends, judged.taken_bytes), (None, json.len()), "{told}");
    }
    let json = unit(r#"{"Subscribe":{"id":2,"topic":"a","sub_id":1}}"#);
    let stand = Stand::Newcomer { dialect: Dialect::Json, kind: Some(Kind::Ui) };
    assert_eq!(
        json_answer(&judge(&fixture, &stand, &json)),
        r#"{"SubscribeAck":{"id":2,"result":{"Ok":null}}}"#
    );
    let judged = judge(&fixture, &NEWCOMER, &json);
    assert_eq!((refusal(&judged), judged.ends.as_deref()), ("Unauthorized", Some("Unauthorized")));
    // Nothing answers these.
    let again = on(&fixture, tool, &unit(r#"{"Hello":{"kind":"Agent"}}"#));
    assert_eq!((refusal(&again), again.answers.len(), again.ends), ("Forbidden", 0, None));
    let gone = on(&fixture, tool, &unit(r#"{"Unsubscribe":{"sub_id":9}}"#));
    assert_eq!((refusal(&gone), gone.answers.len()), ("NotSubscribed", 0));
    let long = on(&fixture, tool, b"\x7f\0\0\0{");
    assert_eq!(
        (refusal(&long), long.answers.len(), long.ends.as_deref()),
        ("BodyTooLarge", 0, Some("BodyTooLarge"))
    );
    let hello = judge(&fixture, &NEWCOMER, &unit(r#"{"Hello":{"kind":"Tui"}}"#));
    assert_eq!(json_answer(&hello), r#""HelloAck""#);
    let AnyHead::Rmp(head) = hello.head else { panic!("another link") };
    assert_eq!(head.dialect, Dialect::Json, "the first bytes tell the dialect");
}

#[test]
fn a_session_that_reads_no_answers_ends_over_one_more() {
    let mut fixture = TestBroker::with(limits::Rmp { answer_bytes_max: 200, ..limits::Rmp::default() });
    let agent = fixture.agent(1);
    let ping = frames::control(7, "Ping", vec![]);
    fixture.send(agent, &ping);
    let judged = on(&fixture, agent, &ping);
    assert_eq!((judged.verdict, judged.answers.len()), (ACCEPTED, 0));
    assert_eq!(judged.ends.as_deref(), Some("not_reading"));
}

#[test]
fn who_has_not_said_who_it_is_has_ten_seconds() {
    let mut fixture = TestBroker::open();
    let session = fixture.connect(1);
    let judged = on(&fixture, session, b"");
    assert_eq!(judged.holds_until, Some(Now::at_ms(10_000)), "ruling RMP 1");
    let full = TestBroker::with(limits::Rmp {
        connections_max: 0,
        operator_connections_max: 0,
        ..limits::Rmp::default()
    });
    let judged = judge(&full, &NEWCOMER, &frames::control(1, "Ping", vec![]));
    assert_eq!(judged.ends.as_deref(), Some("too_many_connections"));
    assert_eq!(answers(&judged)[0].error(), (0, "Busy".to_owned()));
}

#[test]
fn a_token_comes_back_in_no_text() {
    let fixture = TestBroker::open();
    let secret = "s3cret-of-mine";
    let hello = |v: u64, kind: &str| {
        let fields = vec![
            ("v", v.into()),
            ("client", secret.into()),
            ("kind", "tui".into()),
            ("token", secret.into()),
        ];
        let body = frames::body(kind, frames::map(vec![("Hello", frames::map(fields))]));
        frames::frame(Header { schema_id: 9, created_at_ms: 1, ttl_ms: 1, trace_id: 7, msg_id: 1 }, &body)
    };
    let cases = [
        hello(1, "intent.control.v1"),
        hello(2, "intent.control.v1"),
        hello(1, secret),
        hello(1, "intent.control.v1")[..90].to_vec(),
        unit(&format!(r#"{{"Hello":{{"kind":"{secret}","token":"{secret}"}}}}"#)),
        unit(&format!(r#"{{"Hello":{{"kind":"Agent","token":"{secret}"}}}}"#)),
    ];
    for bytes in cases {
        let judged = judge(&fixture, &NEWCOMER, &bytes);
        let texts = format!("{judged:?}");
        assert!(!texts.contains(secret), "{texts}");
        for answer in &judged.answers {
            let bytes = String::from_utf8_lossy(&answer.bytes);
            assert!(!bytes.contains(secret), "{bytes}");
        }
    }
}
