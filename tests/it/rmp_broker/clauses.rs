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

fn code(house: &mut TestBroker, session: rl_console::ids::ConnectionId) -> Vec<String> {
    house
        .hear(session)
        .iter()
        .map(|frame| if frame.name() == "Error" { frame.error().1 } else { frame.name() })
        .collect()
}

#[test]
fn hello_comes_first_and_within_10_s() {
    let mut house = TestBroker::open();
    let (silent, busy) = (house.connect(1), house.connect(2));
    house.say(busy, "Ping", vec![]);
    assert_eq!(code(&mut house, busy), ["Unauthorized"]);
    assert_eq!(house.closed, [(busy, CloseCause::Refused(Refusal::Unauthorized))]);
    house.wait(9_999);
    assert_eq!(house.closed.len(), 1);
    house.wait(1);
    assert_eq!(house.closed[1], (silent, CloseCause::HelloTimeout));
    // What is no Hello in the JSON dialect does not put it off.
    let tool = house.connect(3);
    house.wait(9_000);
    house.put(Input::Unit { session: tool, unit: b"\0\0\0\x02{}" }, 6);
    house.wait(999);
    assert_eq!(house.closed.len(), 2);
    house.wait(1);
    assert_eq!(house.closed[2], (tool, CloseCause::HelloTimeout));
}

#[test]
fn a_process_of_another_user_is_told_and_nothing_is_kept_of_it() {
    let mut house = TestBroker::open();
    let session = rl_console::ids::ConnectionId(1);
    house.put(Input::ForeignUser { session, peer: rl_console::ids::Peer::new("uid 2 pid 1") }, 0);
    let cause = CloseCause::Refused(Refusal::Unauthorized);
    assert_eq!(house.transitions[1..], [Transition::Disconnected { session, cause }]);
    house.say(session, "Ping", vec![]);
    assert!(
        house.verdicts.is_empty()
            && house.hear_bytes(session).is_empty()
            && house.broker.snapshot().peers.is_empty()
    );
}

#[test]
fn a_token_that_is_none_of_ours_closes() {
    let mut house = TestBroker::open();
    let session = house.connect(1);
    let fields =
        vec![("v", 1.into()), ("client", "c".into()), ("kind", "ui".into()), ("token", "guess".into())];
    house.say(session, "Hello", fields);
    assert_eq!(code(&mut house, session), ["Unauthorized"]);
    assert_eq!(house.closed, [(session, CloseCause::Refused(Refusal::Unauthorized))]);
    house.say(session, "Ping", vec![]);
    assert_eq!(house.verdicts.last(), Some(&Verdict::TooLate));
}

#[test]
fn a_publish_is_answered_once_when_ack_and_refused_whether_or_not() {
    let mut house = TestBroker::open();
    let session = house.agent(1);
    let id = house.publish(session, "a", true, &frames::message(1, "x"));
    let heard = house.hear(session);
    assert_eq!((heard.len(), heard[0].name(), heard[0].number("re")), (1, "Ok".to_owned(), id));
    house.publish(session, "a", false, &frames::message(2, "x"));
    assert!(house.hear(session).is_empty());
    let id = house.publish(session, "a b", false, &frames::message(3, "x"));
    let heard = house.hear(session);
    assert_eq!((heard.len(), heard[0].error()), (1, (id, "InvalidTopic".to_owned())));
    house.say(session, "Ping", vec![]);
    assert_eq!(code(&mut house, session), ["Pong"], "its message was consumed");
}

#[test]
fn a_publish_at_fault_consumes_its_message_and_is_told_once() {
    let mut house = TestBroker::open();
    let session = house.agent(1);
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
                house.publish(session, "a", false, &frames::message(1, "x"));
            }
            let before = house.verdicts.len();
            house.send(session, publish);
            house.send(
                session,
                &frames::control(10, "Subscribe", vec![("sub", 1.into()), ("topic", "a".into())]),
            );
            assert_eq!(
                (code(&mut house, session), house.verdicts.len()),
                (vec![(*fault).to_owned()], before + 1)
            );
            house.say(session, "Ping", vec![]);
            assert_eq!(code(&mut house, session), ["Pong"]);
        }
    }
}

#[test]
fn a_duplicate_gets_ok_and_is_not_delivered_again() {
    let mut house = TestBroker::open();
    let (publisher, subscriber) = (house.agent(1), house.agent(2));
    let operator = house.operator(3);
    house.subscribe(subscriber, 1, "a");
    house.subscribe(operator, 1, "rlp/sys/drops");
    for _ in 0..2 {
        house.publish(publisher, "a", true, &frames::message(1, "x"));
        assert_eq!(code(&mut house, publisher), ["Ok"]);
    }
    assert_eq!(house.verdicts[house.verdicts.len() - 1], Verdict::Published { subscribers: 0, dropped: 1 });
    assert_eq!(house.delivered(subscriber).len(), 1);
    let notices = house.delivered(operator);
    let notice = frames::field(&rmpv::decode::read_value(&mut &notices[0].1[68..]).unwrap(), "payload");
    assert_eq!(frames::field(&notice, "reason").as_str(), Some("duplicate"));
    assert_eq!(frames::field(&notice, "topic").as_str(), Some("a"));
    assert_eq!(frames::field(&notice, "trace_id").as_slice(), Some(&0xabc_u128.to_be_bytes()[..]));
    assert_eq!(
        (frames::field(&notice, "v").as_u64(), frames::field(&notice, "msg_id").as_u64()),
        (Some(1), Some(1))
    );
    assert_eq!(u64::from_be_bytes(notices[0].1[32..40].try_into().unwrap()), 5_000, "the notice's own TTL");
    let late = house.agent(4);
    house.subscribe(late, 9, "a");
    house.publish(publisher, "a", false, &frames::message(1, "x"));
    assert_eq!(house.delivered(late).len(), 1, "who came later has not seen it");
}

#[test]
fn an_expired_message_gets_error_expired_and_a_notice_and_its_body_goes_to_operators_alone() {
    let mut house = TestBroker::open();
    let (publisher, agent, operator) = (house.agent(1), house.agent(2), house.operator(3));
    house.subscribe(agent, 1, "**");
    house.subscribe(operator, 1, "rlp/sys/**");
    house.wait(1_000);
    let message = expiring(1, 1_000);
    house.publish(publisher, "a", true, &message);
    assert_eq!(code(&mut house, publisher), ["Expired"], "at its very moment it is");
    let to_agent: Vec<_> = house.delivered(agent).into_iter().map(|(_, wire)| wire).collect();
    assert_eq!(to_agent.len(), 1, "the notice");
    assert!(to_agent[0] != message);
    let to_operator: Vec<_> = house.delivered(operator).into_iter().map(|(_, wire)| wire).collect();
    assert!(to_operator.len() == 2 && to_operator.contains(&message));
}

#[test]
fn what_expires_in_a_queue_is_not_delivered() {
    let mut house = TestBroker::open();
    let (publisher, subscriber) = (house.agent(1), house.agent(2));
    house.subscribe(subscriber, 4, "a");
    house.publish(publisher, "a", false, &expiring(1, 500));
    house.publish(publisher, "a", false, &expiring(2, 5_000));
    house.wait(500);
    let delivered = house.delivered(subscriber);
    assert_eq!(delivered, [(4, expiring(2, 5_000))]);
    let lost = house.transitions.iter().find_map(|it| match it {
        Transition::Dropped { to, from, count, msg_id, .. } => Some((*to, *from, *count, *msg_id)),
        _ => None,
    });
    assert_eq!(lost, Some((Some((subscriber, 4)), Some(publisher), 1, 1)));
}

#[test]
fn rights_follow_kind_topic_and_schema() {
    let mut house = TestBroker::open();
    let (agent, viewer, operator) =
        (house.agent(1), house.greeted(2, "tui", Some(VIEWER)), house.greeted(3, "ui", Some(OPERATOR)));
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
        let before = house.broker.judge(house.now, session, topic, frame);
        house.publish(session, topic, true, frame);
        assert_eq!(house.verdicts.last(), Some(&before), "the dry run says what happens");
        code(&mut house, session).remove(0)
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
    house.say(agent, "Subscribe", vec![("sub", 1.into()), ("topic", "rlp/sys/tap".into())]);
    assert_eq!(code(&mut house, agent), ["Forbidden"]);
}

#[test]
fn an_operators_request_reaches_the_station_alone_and_the_answer_its_asker_alone() {
    let mut house = TestBroker::open();
    let (asker, other) = (house.operator(1), house.operator(2));
    house.subscribe(asker, 1, "rlp/operator");
    house.subscribe(other, 1, "**");
    let before = house.verdicts.len();
    let header = Header { schema_id: 0x80, created_at_ms: EPOCH_MS, ttl_ms: 60_000, trace_id: 77, msg_id: 1 };
    let body = frames::body("intent.operator.request.v1", frames::map(vec![("v", 1.into())]));
    house.publish(asker, "rlp/operator", true, &frames::frame(header, &body));
    assert_eq!(code(&mut house, asker), ["Ok"]);
    assert_eq!(
        (house.asked.len(), house.asked[0].session, &house.asked[0].payload[..]),
        (1, asker, &body[..])
    );
    assert_eq!(house.verdicts.len(), before, "it is not tapped");
    let answer = frames::body("toolresult.operator.response.v1", frames::map(vec![]));
    house.broker.answer_operator(house.now, asker, house.asked[0].trace, &answer).unwrap();
    let delivered = house.delivered(asker);
    assert_eq!(delivered.len(), 1);
    assert_eq!((&delivered[0].1[68..], &delivered[0].1[40..56]), (&answer[..], &77_u128.to_be_bytes()[..]));
    assert!(house.delivered(other).is_empty());
}

#[test]
fn an_answer_that_has_to_wait_for_room_is_not_counted_as_lost() {
    let mut house = TestBroker::with(limits::Rmp { queued_bytes_max: 4_096, ..limits::Rmp::default() });
    let (asker, publisher, stalled) = (house.operator(1), house.agent(2), house.agent(3));
    house.subscribe(asker, 1, "rlp/operator");
    house.subscribe(stalled, 1, "a");
    let trace = rl_console::ids::TraceId(uuid::Uuid::from_u128(1));
    let answer = frames::body(
        "toolresult.operator.response.v1",
        frames::map(vec![("json", "x".repeat(1_000).into())]),
    );
    house.broker.answer_operator(house.now, asker, trace, &answer).unwrap();
    house.publish(publisher, "a", false, &frames::message(1, &"x".repeat(2_500)));
    assert_eq!(house.broker.answer_operator(house.now, asker, trace, &answer), Err(AnswerError::Full));
    house.wait(1_000);
    let gauge = house.fold.peers[&asker].subs[&1].gauge;
    assert_eq!((gauge.queued_messages, gauge.dropped), (1, [0; 3]), "it is tried again");
    house.hear_bytes(stalled);
    house.broker.answer_operator(house.now, asker, trace, &answer).unwrap();
}

#[test]
fn who_is_closed_is_told_why_in_frames() {
    let mut house = TestBroker::open();
    let (kicked, other) = (house.agent(1), house.agent(2));
    let tool = house.connect(3);
    let hello = br#"{"Hello":{"kind":"Agent"}}"#;
    let unit = [&u32::try_from(hello.len()).unwrap().to_be_bytes()[..], hello].concat();
    house.put(Input::Unit { session: tool, unit: &unit }, unit.len());
    house.hear_bytes(tool);
    assert!(house.broker.kick(house.now, kicked));
    house.broker.shut_down(house.now);
    house.drain(0);
    assert_eq!(
        (code(&mut house, kicked), code(&mut house, other)),
        (vec!["Forbidden".to_owned()], vec!["Busy".to_owned()])
    );
    assert!(house.hear_bytes(tool).is_empty(), "the JSON dialect answers what was asked");
}

#[test]
fn a_slow_subscriber_loses_what_does_not_fit_and_a_retry_reaches_it() {
    let mut house = TestBroker::with(limits::Rmp { queue_messages_max: 2, ..limits::Rmp::default() });
    let (publisher, subscriber) = (house.agent(1), house.agent(2));
    house.subscribe(subscriber, 1, "a");
    for id in 0..5 {
        house.publish(publisher, "a", false, &frames::message(id, "x"));
    }
    assert_eq!(house.verdicts.last(), Some(&Verdict::Published { subscribers: 0, dropped: 1 }));
    assert_eq!(house.delivered(subscriber).len(), 2);
    house.publish(publisher, "a", false, &frames::message(4, "x"));
    assert_eq!(house.delivered(subscriber).len(), 1);
}

#[test]
fn limits_of_connections_and_subscriptions_are_told_busy() {
    let limits = limits::Rmp { connections_max: 8, session_subscriptions_max: 2, ..limits::Rmp::default() };
    let mut house = TestBroker::with(limits);
    let sessions: Vec<_> = (1..=8).map(|id| house.agent(id)).collect();
    let one_more = house.connect(9);
    assert_eq!(code(&mut house, one_more), ["Busy"]);
    assert_eq!(house.closed, [(one_more, CloseCause::TooManyConnections)]);
    for sub in [1, 2] {
        house.subscribe(sessions[0], sub, "a");
    }
    for sub in [3, 1] {
        house.say(sessions[0], "Subscribe", vec![("sub", sub.into()), ("topic", "b".into())]);
        assert_eq!(code(&mut house, sessions[0]), ["Busy"]);
    }
    house.publish(sessions[1], "a", false, &frames::message(1, "x"));
    assert_eq!(
        house.delivered(sessions[0]).iter().map(|(sub, _)| *sub).collect::<Vec<_>>(),
        [1, 2],
        "each subscription gets its own"
    );
}

#[test]
fn a_peer_that_does_not_read_its_answers_is_closed() {
    let mut house = TestBroker::with(limits::Rmp { answer_bytes_max: 4_096, ..limits::Rmp::default() });
    let session = house.agent(1);
    for _ in 0..100 {
        house.say(session, "Ping", vec![]);
    }
    assert_eq!(house.closed, [(session, CloseCause::NotReading)]);
}

#[test]
fn a_fault_of_the_frame_comes_before_one_of_its_time() {
    let mut house = TestBroker::open();
    let session = house.agent(1);
    let mut frame = expiring(1, 1);
    house.wait(1_000);
    frame[17] = 0;
    house.publish(session, "a", true, &frame);
    assert_eq!(code(&mut house, session), ["UnknownSchema"]);
    assert_eq!(house.verdicts.last(), Some(&Verdict::Refused(Refusal::Fault(Code::UnknownSchema))));
    house.put(Input::Closed { session, cause: CloseCause::PeerClosed }, 0);
    assert_eq!(house.broker.forget(session), (0, 0));
}

#[test]
fn a_station_with_a_control_plane_takes_requests_duplicates_too_and_refuses_what_it_has_no_room_for() {
    let mut house = TestBroker::hearing();
    let session = house.agent(1);
    house.broker.set_inbox_capacity(InboxCapacity { messages: 2, bytes: 10_000 });
    house.publish(session, "rlp/ctrl", true, &frames::message(1, "x"));
    house.publish(session, "rlp/ctrl", true, &frames::message(1, "x"));
    assert_eq!(code(&mut house, session), ["Ok", "Ok"], "the control plane tells duplicates apart itself");
    assert_eq!(house.inbound.len(), 2);
    assert_eq!(
        (house.inbound[0].topic.as_str(), &*house.inbound[0].client, house.inbound[0].header.msg_id),
        ("rlp/ctrl", "c1", 1)
    );
    assert_eq!(house.verdicts.last(), Some(&Verdict::Published { subscribers: 1, dropped: 0 }));
    house.publish(session, "rlp/ctrl", true, &frames::message(2, "x"));
    assert_eq!(code(&mut house, session), ["Busy"], "nothing that was accepted is lost");
    house.broker.set_inbox_capacity(InboxCapacity { messages: 2, bytes: 100 });
    house.publish(session, "rlp/ctrl", true, &frames::message(2, "x"));
    assert_eq!(code(&mut house, session), ["Busy"]);
    house.publish(session, "agent/writer", true, &frames::message(3, "x"));
    assert_eq!(code(&mut house, session), ["Ok"]);
    assert_eq!(house.inbound.len(), 2, "agents' topics are not the station's");
}

#[test]
fn a_station_without_a_control_plane_leaves_its_topic_to_others() {
    let mut house = TestBroker::open();
    let session = house.agent(1);
    house.publish(session, "rlp/ctrl", true, &frames::message(1, "x"));
    assert!(house.inbound.is_empty());
    assert_eq!(house.verdicts.last(), Some(&Verdict::Published { subscribers: 0, dropped: 0 }));
}
