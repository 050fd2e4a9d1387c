//! What the clauses and rulings ask of a session.

use rl_console::{
    limits,
    rmp::{
        Code, Refusal, Verdict,
        broker::{AnswerError, InboxCapacity, Input},
    },
    tap::entry::rmp::{CloseCause, Transition},
};

use super::test_broker::{OPERATOR, TestBroker, VIEWER};
use crate::rmp_bus::frames::{self, Header};

/// The wall clock at the virtual zero.
const EPOCH_MS: u64 = 1_790_000_000_000;

fn expiring(msg_id: u64, ttl_ms: u64) -> Vec<u8> {
    let header = Header { schema_id: 1, created_at_ms: EPOCH_MS, ttl_ms, trace_id: 5, msg_id };
    frames::frame(header, &frames::body("observation.note.v1", frames::map(vec![])))
}

fn code(fixture: &mut TestBroker, session: rl_console::ids::ConnectionId) -> Vec<String> {
    fixture
        .hear(session)
        .iter()
        .map(|frame| if frame.name() == "Error" { frame.error().1 } else { frame.name() })
        .collect()
}

#[test]
fn hello_comes_first_and_within_10_s() {
    let mut fixture = TestBroker::open();
    let (silent, busy) = (fixture.connect(1), fixture.connect(2));
    fixture.say(busy, "Ping", vec![]);
    assert_eq!(code(&mut fixture, busy), ["Unauthorized"]);
    assert_eq!(fixture.closed, [(busy, CloseCause::Refused(Refusal::Unauthorized))]);
    fixture.wait(9_999);
    assert_eq!(fixture.closed.len(), 1);
    fixture.wait(1);
    assert_eq!(fixture.closed[1], (silent, CloseCause::HelloTimeout));
    // What is no Hello in the JSON dialect does not put it off.
    let tool = fixture.connect(3);
    fixture.wait(9_000);
    fixture.put(Input::Unit { session: tool, unit: b"\0\0\0\x02{}" }, 6);
    fixture.wait(999);
    assert_eq!(fixture.closed.len(), 2);
    fixture.wait(1);
    assert_eq!(fixture.closed[2], (tool, CloseCause::HelloTimeout));
}

#[test]
fn a_confined_connection_is_an_agent_whatever_token_it_shows() {
    let mut fixture = TestBroker::open();
    for (id, kind, token) in [(1, "tui", Some(OPERATOR)), (2, "tui", Some(VIEWER)), (3, "tui", None)] {
        let session = fixture.connect(id);
        fixture.broker.confine(session);
        let mut fields = vec![("v", 1.into()), ("client", "c".into()), ("kind", kind.into())];
        fields.extend(token.map(|token| ("token", token.into())));
        fixture.say(session, "Hello", fields);
        assert_eq!(code(&mut fixture, session), ["Welcome"]);
        let Some(Transition::Greeted { kind, .. }) = fixture.transitions.last() else { panic!() };
        assert_eq!(kind.name(), "agent", "{token:?}");
    }
    let shown: Vec<_> = fixture.ignored.iter().map(|session| session.0).collect();
    assert_eq!(shown, [1, 2], "that a token was shown is told");
    let session = fixture.connect(4);
    fixture.broker.confine(session);
    let fields = vec![
        ("v", 1.into()),
        ("client", "c".into()),
        ("kind", "tui".into()),
        ("token", "none of ours".into()),
    ];
    fixture.say(session, "Hello", fields);
    assert_eq!(code(&mut fixture, session), ["Unauthorized"]);
}

#[test]
fn a_process_of_another_user_is_told_and_nothing_is_kept_of_it() {
    let mut fixture = TestBroker::open();
    let session = rl_console::ids::ConnectionId(1);
    fixture.put(Input::ForeignUser { session, peer: rl_console::ids::Peer::new("uid 2 pid 1") }, 0);
    let cause = CloseCause::Refused(Refusal::Unauthorized);
    assert_eq!(fixture.transitions[1..], [Transition::Disconnected { session, cause }]);
    fixture.say(session, "Ping", vec![]);
    assert!(
        fixture.verdicts.is_empty()
            && fixture.hear_bytes(session).is_empty()
            && fixture.broker.snapshot().peers.is_empty()
    );
}

#[test]
fn a_token_that_is_none_of_ours_closes() {
    let mut fixture = TestBroker::open();
    let session = fixture.connect(1);
    let fields =
        vec![("v", 1.into()), ("client", "c".into()), ("kind", "ui".into()), ("token", "guess".into())];
    fixture.say(session, "Hello", fields);
    assert_eq!(code(&mut fixture, session), ["Unauthorized"]);
    assert_eq!(fixture.closed, [(session, CloseCause::Refused(Refusal::Unauthorized))]);
    fixture.say(session, "Ping", vec![]);
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::TooLate));
}

#[test]
fn a_publish_is_answered_once_when_ack_and_refused_whether_or_not() {
    let mut fixture = TestBroker::open();
    let session = fixture.agent(1);
    let id = fixture.publish(session, "a", true, &frames::message(1, "x"));
    let heard = fixture.hear(session);
    assert_eq!((heard.len(), heard[0].name(), heard[0].number("re")), (1, "Ok".to_owned(), id));
    fixture.publish(session, "a", false, &frames::message(2, "x"));
    assert!(fixture.hear(session).is_empty());
    let id = fixture.publish(session, "a b", false, &frames::message(3, "x"));
    let heard = fixture.hear(session);
    assert_eq!((heard.len(), heard[0].error()), (1, (id, "InvalidTopic".to_owned())));
    fixture.say(session, "Ping", vec![]);
    assert_eq!(code(&mut fixture, session), ["Pong"], "its message was consumed");
}

#[test]
fn a_publish_at_fault_consumes_its_message_and_is_told_once() {
    let mut fixture = TestBroker::open();
    let session = fixture.agent(1);
    let good = frames::control(9, "Publish", vec![("topic", "a".into()), ("ack", true.into())]);
    let (mut timeless, mut flagged, mut longer) = (good.clone(), good.clone(), good.clone());
    timeless[32..40].fill(0);
    flagged[15] = 1;
    longer[23] += 1;
    let faulty = [
        (timeless, "InvalidTtl"),
        (flagged, "InvalidHeaderFlags"),
        (longer, "LengthMismatch"),
        (frames::control(9, "Publish", vec![("topic", "a".into())]), "BodyDecodeError"),
        (frames::control(9, "Publish", vec![("ack", true.into())]), "BodyDecodeError"),
    ];
    for is_steady in [false, true] {
        for (publish, fault) in &faulty {
            if is_steady {
                fixture.publish(session, "a", false, &frames::message(1, "x"));
            }
            let before = fixture.verdicts.len();
            fixture.send(session, publish);
            fixture.send(
                session,
                &frames::control(10, "Subscribe", vec![("sub", 1.into()), ("topic", "a".into())]),
            );
            assert_eq!(
                (code(&mut fixture, session), fixture.verdicts.len()),
                (vec![(*fault).to_owned()], before + 1)
            );
            fixture.say(session, "Ping", vec![]);
            assert_eq!(code(&mut fixture, session), ["Pong"]);
        }
    }
}

#[test]
fn a_duplicate_gets_ok_and_is_not_delivered_again() {
    let mut fixture = TestBroker::open();
    let (publisher, subscriber) = (fixture.agent(1), fixture.agent(2));
    let operator = fixture.operator(3);
    fixture.subscribe(subscriber, 1, "a");
    fixture.subscribe(operator, 1, "rlp/sys/drops");
    for _ in 0..2 {
        fixture.publish(publisher, "a", true, &frames::message(1, "x"));
        assert_eq!(code(&mut fixture, publisher), ["Ok"]);
    }
    assert_eq!(
        fixture.verdicts[fixture.verdicts.len() - 1],
        Verdict::Published { subscribers: 0, dropped: 1 }
    );
    assert_eq!(fixture.delivered(subscriber).len(), 1);
    let notices = fixture.delivered(operator);
    let notice = frames::field(&rmpv::decode::read_value(&mut &notices[0].1[68..]).unwrap(), "payload");
    assert_eq!(frames::field(&notice, "reason").as_str(), Some("duplicate"));
    assert_eq!(frames::field(&notice, "topic").as_str(), Some("a"));
    assert_eq!(frames::field(&notice, "trace_id").as_slice(), Some(&0xabc_u128.to_be_bytes()[..]));
    assert_eq!(
        (frames::field(&notice, "v").as_u64(), frames::field(&notice, "msg_id").as_u64()),
        (Some(1), Some(1))
    );
    assert_eq!(u64::from_be_bytes(notices[0].1[32..40].try_into().unwrap()), 5_000, "the notice's own TTL");
    let late = fixture.agent(4);
    fixture.subscribe(late, 9, "a");
    fixture.publish(publisher, "a", false, &frames::message(1, "x"));
    assert_eq!(fixture.delivered(late).len(), 1, "who came later has not seen it");
}

#[test]
fn an_expired_message_gets_error_expired_and_a_notice_and_its_body_goes_to_operators_alone() {
    let mut fixture = TestBroker::open();
    let (publisher, agent, operator) = (fixture.agent(1), fixture.agent(2), fixture.operator(3));
    fixture.subscribe(agent, 1, "**");
    fixture.subscribe(operator, 1, "rlp/sys/**");
    fixture.wait(1_000);
    let message = expiring(1, 1_000);
    fixture.publish(publisher, "a", true, &message);
    assert_eq!(code(&mut fixture, publisher), ["Expired"], "at its very moment it is");
    let to_agent: Vec<_> = fixture.delivered(agent).into_iter().map(|(_, wire)| wire).collect();
    assert_eq!(to_agent.len(), 1, "the notice");
    assert!(to_agent[0] != message);
    let to_operator: Vec<_> = fixture.delivered(operator).into_iter().map(|(_, wire)| wire).collect();
    assert!(to_operator.len() == 2 && to_operator.contains(&message));
}

#[test]
fn what_expires_in_a_queue_is_not_delivered() {
    let mut fixture = TestBroker::open();
    let (publisher, subscriber) = (fixture.agent(1), fixture.agent(2));
    fixture.subscribe(subscriber, 4, "a");
    fixture.publish(publisher, "a", false, &expiring(1, 500));
    fixture.publish(publisher, "a", false, &expiring(2, 5_000));
    fixture.wait(500);
    let delivered = fixture.delivered(subscriber);
    assert_eq!(delivered, [(4, expiring(2, 5_000))]);
    let lost = fixture.transitions.iter().find_map(|it| match it {
        Transition::Dropped { to, from, count, msg_id, .. } => Some((*to, *from, *count, *msg_id)),
        _ => None,
    });
    assert_eq!(lost, Some((Some((subscriber, 4)), Some(publisher), 1, 1)));
}

#[test]
fn rights_follow_kind_topic_and_schema() {
    let mut fixture = TestBroker::open();
    let (agent, viewer, operator) =
        (fixture.agent(1), fixture.greeted(2, "tui", Some(VIEWER)), fixture.greeted(3, "ui", Some(OPERATOR)));
    let of = |schema_id: u16, kind: &str| {
        let header = Header {
            schema_id,
            created_at_ms: EPOCH_MS,
            ttl_ms: 60_000,
            trace_id: 5,
            msg_id: u64::from(schema_id),
        };
        frames::frame(header, &frames::body(kind, frames::map(vec![])))
    };
    let decision = of(3_006, "toolresult.action.decision.v1");
    let event = of(8, "observation.run.event.v1");
    let mut judged = |session, topic: &str, frame: &[u8]| {
        fixture.publish(session, topic, true, frame);
        code(&mut fixture, session).remove(0)
    };
    for topic in ["action.decision", "any/topic"] {
        assert_eq!(judged(agent, topic, &decision), "Forbidden");
        assert_eq!(judged(viewer, topic, &decision), "Forbidden");
        assert_eq!(judged(operator, topic, &decision), "Ok");
    }
    for topic in ["rlp/sys/drops", "rlp/sys/x", "rlp/runs/trace:1/events", "rlp/runs/trace:1/mplp"] {
        assert_eq!(judged(agent, topic, &frames::message(1, "x")), "Forbidden", "{topic}");
        assert_eq!(judged(operator, topic, &frames::message(1, "x")), "Forbidden", "{topic}");
    }
    assert_eq!(judged(agent, "free", &event), "Forbidden");
    assert_eq!(judged(agent, "rlp/operator", &of(0x80, "intent.operator.request.v1")), "Forbidden");
    assert_eq!(judged(agent, "rlp/runs/trace:1/agents/x/1", &frames::message(1, "x")), "Ok");
    fixture.say(agent, "Subscribe", vec![("sub", 1.into()), ("topic", "rlp/sys/tap".into())]);
    assert_eq!(code(&mut fixture, agent), ["Forbidden"]);
}

#[test]
fn an_operators_request_reaches_the_station_alone_and_the_answer_its_asker_alone() {
    let mut fixture = TestBroker::open();
    let (asker, other) = (fixture.operator(1), fixture.operator(2));
    fixture.subscribe(asker, 1, "rlp/operator");
    fixture.subscribe(other, 1, "**");
    let before = fixture.verdicts.len();
    let header = Header { schema_id: 0x80, created_at_ms: EPOCH_MS, ttl_ms: 60_000, trace_id: 77, msg_id: 1 };
    let body = frames::body("intent.operator.request.v1", frames::map(vec![("v", 1.into())]));
    fixture.publish(asker, "rlp/operator", true, &frames::frame(header, &body));
    assert_eq!(code(&mut fixture, asker), ["Ok"]);
    assert_eq!(
        (fixture.asked.len(), fixture.asked[0].session, &fixture.asked[0].payload[..]),
        (1, asker, &body[..])
    );
    assert_eq!(fixture.verdicts.len(), before, "it is not tapped");
    let answer = frames::body("toolresult.operator.response.v1", frames::map(vec![]));
    fixture.broker.answer_operator(fixture.now, asker, fixture.asked[0].trace, &answer).unwrap();
    let delivered = fixture.delivered(asker);
    assert_eq!(delivered.len(), 1);
    assert_eq!((&delivered[0].1[68..], &delivered[0].1[40..56]), (&answer[..], &77_u128.to_be_bytes()[..]));
    assert!(fixture.delivered(other).is_empty());
}

#[test]
fn an_answer_that_has_to_wait_for_room_is_not_counted_as_lost() {
    let mut fixture = TestBroker::with(limits::Rmp { queued_bytes_max: 4_096, ..limits::Rmp::default() });
    let (asker, publisher, stalled) = (fixture.operator(1), fixture.agent(2), fixture.agent(3));
    fixture.subscribe(asker, 1, "rlp/operator");
    fixture.subscribe(stalled, 1, "a");
    let trace = rl_console::ids::TraceId(uuid::Uuid::from_u128(1));
    let answer = frames::body(
        "toolresult.operator.response.v1",
        frames::map(vec![("json", "x".repeat(1_000).into())]),
    );
    fixture.broker.answer_operator(fixture.now, asker, trace, &answer).unwrap();
    fixture.publish(publisher, "a", false, &frames::message(1, &"x".repeat(2_500)));
    assert_eq!(fixture.broker.answer_operator(fixture.now, asker, trace, &answer), Err(AnswerError::Full));
    fixture.wait(1_000);
    let gauge = fixture.fold.peers[&asker].subs[&1].gauge;
    assert_eq!((gauge.queued_messages, gauge.dropped), (1, [0; 3]), "it is tried again");
    fixture.hear_bytes(stalled);
    fixture.broker.answer_operator(fixture.now, asker, trace, &answer).unwrap();
}

#[test]
fn who_is_closed_is_told_why_in_frames() {
    let mut fixture = TestBroker::open();
    let (kicked, other) = (fixture.agent(1), fixture.agent(2));
    let tool = fixture.connect(3);
    let hello = br#"{"Hello":{"kind":"Agent"}}"#;
    let unit = [&u32::try_from(hello.len()).unwrap().to_be_bytes()[..], hello].concat();
    fixture.put(Input::Unit { session: tool, unit: &unit }, unit.len());
    fixture.hear_bytes(tool);
    assert!(fixture.broker.kick(fixture.now, kicked));
    fixture.broker.shut_down(fixture.now);
    fixture.drain(0);
    assert_eq!(
        (code(&mut fixture, kicked), code(&mut fixture, other)),
        (vec!["Forbidden".to_owned()], vec!["Busy".to_owned()])
    );
    assert!(fixture.hear_bytes(tool).is_empty(), "the JSON dialect answers what was asked");
}

#[test]
fn a_slow_subscriber_loses_what_does_not_fit_and_a_retry_reaches_it() {
    let mut fixture = TestBroker::with(limits::Rmp { queue_messages_max: 2, ..limits::Rmp::default() });
    let (publisher, subscriber) = (fixture.agent(1), fixture.agent(2));
    fixture.subscribe(subscriber, 1, "a");
    for id in 0..5 {
        fixture.publish(publisher, "a", false, &frames::message(id, "x"));
    }
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 0, dropped: 1 }));
    assert_eq!(fixture.delivered(subscriber).len(), 2);
    fixture.publish(publisher, "a", false, &frames::message(4, "x"));
    assert_eq!(fixture.delivered(subscriber).len(), 1);
}

#[test]
fn limits_of_connections_and_subscriptions_are_told_busy() {
    let limits = limits::Rmp { connections_max: 8, session_subscriptions_max: 2, ..limits::Rmp::default() };
    let mut fixture = TestBroker::with(limits);
    let sessions: Vec<_> = (1..=8).map(|id| fixture.agent(id)).collect();
    let one_more = fixture.connect(9);
    assert!(fixture.closed.is_empty(), "an operator may still say who it is");
    fixture.say(one_more, "Hello", vec![("v", 1.into()), ("client", "c9".into()), ("kind", "agent".into())]);
    assert_eq!(code(&mut fixture, one_more), ["Busy"]);
    assert_eq!(fixture.closed, [(one_more, CloseCause::NoToken)]);
    for sub in [1, 2] {
        fixture.subscribe(sessions[0], sub, "a");
    }
    for sub in [3, 1] {
        fixture.say(sessions[0], "Subscribe", vec![("sub", sub.into()), ("topic", "b".into())]);
        assert_eq!(code(&mut fixture, sessions[0]), ["Busy"]);
    }
    fixture.publish(sessions[1], "a", false, &frames::message(1, "x"));
    assert_eq!(
        fixture.delivered(sessions[0]).iter().map(|(sub, _)| *sub).collect::<Vec<_>>(),
        [1, 2],
        "each subscription gets its own"
    );
}

#[test]
fn a_peer_that_does_not_read_its_answers_is_closed() {
    let mut fixture = TestBroker::with(limits::Rmp { answer_bytes_max: 4_096, ..limits::Rmp::default() });
    let session = fixture.agent(1);
    for _ in 0..100 {
        fixture.say(session, "Ping", vec![]);
    }
    assert_eq!(fixture.closed, [(session, CloseCause::NotReading)]);
}

#[test]
fn a_fault_of_the_frame_comes_before_one_of_its_time() {
    let mut fixture = TestBroker::open();
    let session = fixture.agent(1);
    let mut frame = expiring(1, 1);
    fixture.wait(1_000);
    frame[17] = 0;
    fixture.publish(session, "a", true, &frame);
    assert_eq!(code(&mut fixture, session), ["UnknownSchema"]);
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Refused(Refusal::Fault(Code::UnknownSchema))));
    fixture.put(Input::Closed { session, cause: CloseCause::PeerClosed }, 0);
    assert_eq!(fixture.broker.forget(session), (0, 0));
}

#[test]
fn a_station_with_a_control_plane_takes_requests_duplicates_too_and_refuses_what_it_has_no_room_for() {
    let mut fixture = TestBroker::hearing();
    let session = fixture.agent(1);
    fixture.broker.set_inbox_capacity(InboxCapacity { messages: 2, bytes: 10_000 });
    fixture.publish(session, "rlp/ctrl", true, &frames::message(1, "x"));
    fixture.publish(session, "rlp/ctrl", true, &frames::message(1, "x"));
    assert_eq!(code(&mut fixture, session), ["Ok", "Ok"], "the control plane tells duplicates apart itself");
    assert_eq!(fixture.inbound.len(), 2);
    assert_eq!(
        (fixture.inbound[0].topic.as_str(), &*fixture.inbound[0].client, fixture.inbound[0].header.msg_id),
        ("rlp/ctrl", "c1", 1)
    );
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 1, dropped: 0 }));
    fixture.publish(session, "rlp/ctrl", true, &frames::message(2, "x"));
    assert_eq!(code(&mut fixture, session), ["Busy"], "nothing that accepted is lost");
    fixture.broker.set_inbox_capacity(InboxCapacity { messages: 2, bytes: 100 });
    fixture.publish(session, "rlp/ctrl", true, &frames::message(2, "x"));
    assert_eq!(code(&mut fixture, session), ["Busy"]);
    fixture.publish(session, "agent/writer", true, &frames::message(3, "x"));
    assert_eq!(code(&mut fixture, session), ["Ok"]);
    assert_eq!(fixture.inbound.len(), 2, "agents' topics are not the station's");
}

#[test]
fn a_station_without_a_control_plane_leaves_its_topic_to_others() {
    let mut fixture = TestBroker::open();
    let session = fixture.agent(1);
    fixture.publish(session, "rlp/ctrl", true, &frames::message(1, "x"));
    assert!(fixture.inbound.is_empty());
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 0, dropped: 0 }));
}
