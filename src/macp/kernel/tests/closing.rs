//! How sessions end, are told of, and leave memory.

use super::test_kernel::{
    EvictedSession, TestKernel, accepted, acked, envelope, participants, refused, rounds, start,
};
use crate::{
    ids::Ticket,
    limits,
    macp::{
        Code, Ending, Fault, SessionState, Status, Transition,
        kernel::{Answer, Input, Lookup},
        proto::v1::{Envelope, SessionStartPayload},
    },
    time::Now,
};

pub(super) fn with_ttl(ttl_ms: i64) -> SessionStartPayload {
    SessionStartPayload { ttl_ms, ..SessionStartPayload::default() }
}

pub(super) fn endings(fixture: &TestKernel) -> Vec<(String, Ending, String)> {
    let ended = fixture.transitions.iter().filter_map(|(transition, text)| match transition {
        Transition::Ended { session, ending } => Some((session.id.to_string(), *ending, text.clone())),
        _ => None,
    });
    ended.collect()
}

#[test]
fn an_open_session_is_cancelled_once_with_its_reason_in_the_log() {
    let mut fixture = TestKernel::new();
    refused(&fixture.cancel("s", "x"), Fault::UnknownSession, Code::SessionNotFound);
    refused(&fixture.cancel("", "x"), Fault::UnknownSession, Code::SessionNotFound);
    accepted(&fixture.send(&start("s", "m", &with_ttl(0))));
    let ack = fixture.cancel("s", "it goes wrong");
    accepted(&ack);
    assert_eq!(ack.state, Some(SessionState::Expired));
    assert_eq!(endings(&fixture), [("s".to_owned(), Ending::Cancelled, "it goes wrong".to_owned())]);
    let records = fixture.log.len();
    let ack = fixture.cancel("s", "again");
    assert_eq!((ack.error, ack.state), (None, Some(SessionState::Expired)));
    accepted(&fixture.send(&start("r", "m", &with_ttl(0))));
    fixture.send_text("r", "Message", "m2", "a", "resolve");
    assert_eq!(fixture.cancel("r", "late").state, Some(SessionState::Resolved));
    assert_eq!(
        fixture.log.len(),
        records + 3,
        "a start, a message, its resolution: nothing of the cancellations"
    );
}

#[test]
fn who_cancels_or_looks_finds_the_ttl_applied() {
    let mut fixture = TestKernel::new();
    assert_eq!(fixture.state_of("s"), Err(Status::NotFound));
    for session in ["looked", "cancelled"] {
        accepted(&fixture.send(&start(session, "m", &with_ttl(100))));
        fixture.durable();
    }
    fixture.ms = 100;
    assert_eq!(fixture.state_of("looked"), Ok(SessionState::Open));
    fixture.ms = 101;
    assert_eq!(fixture.state_of("looked"), Ok(SessionState::Expired));
    accepted(&fixture.cancel("cancelled", "too late to be the reason"));
    let all: Vec<_> = endings(&fixture).into_iter().map(|(_, ending, text)| (ending, text)).collect();
    assert_eq!(all, [(Ending::TtlExpired, String::new()), (Ending::TtlExpired, String::new())]);
}

#[test]
fn ttls_go_on_evenly_when_the_wall_clock_is_set() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m", &with_ttl(100))));
    let set = Now { wall: crate::time::Wall(u64::MAX / 2), ..Now::at_ms(50) };
    fixture.kernel.handle(set, &Input::Timeout);
    assert!(fixture.kernel.poll_output().is_none() && fixture.kernel.open() == 1);
}

#[test]
fn what_ended_leaves_memory_by_count_and_by_age_once_it_is_durable() {
    let mut fixture =
        TestKernel::with(limits::Macp { closed_max: 2, closed_ms_max: 1_000, ..limits::Macp::default() });
    for n in 0..4 {
        accepted(&fixture.send(&start(&format!("s{n}"), "m", &with_ttl(0))));
        fixture.cancel(&format!("s{n}"), "");
    }
    accepted(&fixture.send(&start("open", "m", &with_ttl(86_400_000))));
    assert!(fixture.evict().is_empty(), "nothing is durable yet");
    fixture.durable();
    let gone: Vec<_> = fixture.evict().into_iter().map(|moved| moved.row.id).collect();
    assert_eq!(
        (gone, fixture.kernel.in_memory(), fixture.kernel.evicted_count()),
        (vec!["s0".to_owned(), "s1".to_owned()], 3, 2)
    );
    fixture.ms = 1_000;
    assert!(fixture.evict().is_empty());
    fixture.ms = 1_001;
    assert_eq!(fixture.evict().len(), 2);
    assert_eq!((fixture.kernel.in_memory(), fixture.kernel.open()), (1, 1));
    let evicted = fixture
        .transitions
        .iter()
        .filter(|(transition, _)| matches!(transition, Transition::Evicted { .. }))
        .count();
    assert_eq!(evicted, 4);
}

#[test]
fn a_session_whose_way_to_the_store_failed_stays() {
    let mut fixture = TestKernel::with(limits::Macp { closed_max: 0, ..limits::Macp::default() });
    accepted(&fixture.send(&start("s", "m", &with_ttl(0))));
    fixture.cancel("s", "");
    fixture.durable();
    for _ in 0..2 {
        let leaving = fixture.kernel.evict(fixture.now(), fixture.kernel.last_ticket(), 9);
        assert_eq!((leaving.len(), leaving[0].ids.count()), (1, 1));
        assert!(fixture.send_text("s", "Unheard", "m", "a", "").is_duplicate, "it is in memory as it was");
        fixture.kernel.cancel_eviction(leaving.iter().map(|it| it.row.number));
        assert!(fixture.send_text("s", "Unheard", "m", "a", "").is_duplicate);
    }
    let moved = fixture.evict();
    assert_eq!((moved.len(), moved[0].stored_session("m").accepted_ms), (1, Some(fixture.unix_ms())));
}

/// A session that is in the store alone.
fn gone(fixture: &mut TestKernel) -> EvictedSession {
    accepted(&fixture.send(&rounds("s", "m1", &["a", "b"])));
    fixture.ms += 5;
    accepted(&fixture.send_text("s", "Contribute", "m2", "a", r#"{"value":"x"}"#));
    fixture.ms += 5;
    assert_eq!(
        fixture.send_text("s", "Contribute", "m3", "b", r#"{"value":"x"}"#).state,
        Some(SessionState::Resolved)
    );
    fixture.durable();
    let mut gone = fixture.evict();
    fixture.ms += 5;
    gone.remove(0)
}

#[test]
fn a_session_in_the_store_alone_answers_as_it_did() {
    let mut fixture = TestKernel::with(limits::Macp { closed_max: 0, ..limits::Macp::default() });
    let moved = gone(&mut fixture);
    let at = Now::at_ms(5).wall.0;
    for message in [envelope("s", "Contribute", "m2", "a", ""), rounds("s", "m2", &["a"])] {
        let bytes = bytes::Bytes::new();
        let asked = fixture
            .input(Input::Message {
                envelope: &message,
                bytes,
                parsed: None,
                peer_sessions: 0,
                traceparent: None,
                lookup: Lookup::NotAsked,
            })
            .unwrap();
        assert_eq!(asked.unwrap_err().as_ref(), "s", "the store is asked");
        let ack = acked(fixture.receive_with(&message, Lookup::Found(Some(&moved.stored_session("m2")))));
        assert_eq!((ack.is_duplicate, ack.at_ms, ack.state), (true, at, Some(SessionState::Resolved)));
    }
    let kept = moved.stored_session("m9");
    let found = Lookup::Found(Some(&kept));
    let late = acked(fixture.receive_with(&envelope("s", "Contribute", "m9", "mallory", ""), found));
    refused(&late, Fault::SessionNotOpen, Code::SessionNotOpen);
    assert_eq!(late.state, Some(SessionState::Resolved));
    refused(
        &acked(fixture.receive_with(&rounds("s", "m9", &["a"]), found)),
        Fault::DuplicateSession,
        Code::InvalidEnvelope,
    );
    let ack = acked(
        fixture.input(Input::Cancel { session: "s", reason: "", by: "", lookup: found }).unwrap().unwrap(),
    );
    assert_eq!((ack.error, ack.state), (None, Some(SessionState::Resolved)));
    let Answer::Session { metadata, .. } =
        fixture.input(Input::Look { session: "s", lookup: found }).unwrap().unwrap()
    else {
        panic!()
    };
    assert_eq!(metadata, kept.metadata);
    assert_eq!((&*metadata.mode, metadata.state), ("macp.mode.multi_round.v1", SessionState::Resolved));
    // What is wrong before the session matters is told without the store.
    let mut wrong = envelope("s", "Vote", "m", "a", "");
    wrong.macp_version = "2".to_owned();
    assert_eq!(fixture.send(&wrong).state, Some(SessionState::Resolved));
}

#[test]
fn a_session_that_left_the_store_may_begin_again() {
    let mut fixture = TestKernel::with(limits::Macp { closed_max: 0, ..limits::Macp::default() });
    let kept = gone(&mut fixture);
    // The store says that it is not there any more.
    let again = start("s", "m1", &participants(&[]));
    accepted(&acked(fixture.receive_with(&again, Lookup::Found(None))));
    fixture.cancel("s", "");
    fixture.durable();
    fixture.evict();
    fixture.input(Input::Retired { numbers: &[kept.row.number] });
    assert_eq!(fixture.kernel.evicted_count(), 1, "the later one is there");
    let asked = fixture.input(Input::Look { session: "s", lookup: Lookup::NotAsked }).unwrap();
    assert!(asked.is_err());
    fixture.input(Input::Retired { numbers: &[2] });
    assert_eq!(fixture.state_of("s"), Err(Status::NotFound));
}

#[test]
fn an_answer_waits_for_all_that_it_tells_of() {
    let mut fixture = TestKernel::new();
    let begun = fixture.send(&start("s", "m1", &with_ttl(0)));
    let taken = fixture.send_text("s", "Unheard", "m2", "a", "");
    assert!(begun.after < taken.after);
    let look = |fixture: &mut TestKernel| match fixture
        .input(Input::Look { session: "s", lookup: Lookup::NotAsked })
        .unwrap()
        .unwrap()
    {
        Answer::Session { after, .. } => after,
        answer => panic!("{answer:?}"),
    };
    assert_eq!(look(&mut fixture), begun.after, "how it stands hangs on no message");
    let unversioned = Envelope { macp_version: String::new(), ..envelope("s", "Vote", "m3", "a", "") };
    assert_eq!(fixture.send(&unversioned).after, begun.after, "nor does what is wrong by itself");
    assert_eq!(fixture.send_text("s", "Signal", "m3", "a", "").after, Ticket(0), "a signal hangs on nothing");
    assert_eq!(
        fixture.send_text("s", "Vote", "m3", "a", "no json").after,
        taken.after,
        "a mode's rejection does"
    );
    assert_eq!(
        fixture.send_text("s", "Unheard", "m2", "a", "").after,
        taken.after,
        "a duplicate of what is not durable waits as it does"
    );
    let ended = fixture.cancel("s", "");
    assert_eq!(fixture.send_text("s", "Unheard", "m3", "a", "").after, ended.after);
    assert_eq!(look(&mut fixture), ended.after);
}

#[test]
fn a_context_that_is_json_with_a_trace_id_says_what_the_session_belongs_to() {
    let trace = "0191d3c2-7a41-7f00-8000-00000000a41f";
    let mut fixture = TestKernel::new();
    let cases: [(String, bool); 6] = [
        (format!(r#"{{"trace_id":"{trace}"}}"#), true),
        (format!(r#" {{"trace_id":"trace:{trace}","more":[1]}}"#), true),
        (r#"{"trace_id":7}"#.to_owned(), false),
        (format!(r#"["{trace}"]"#), false),
        ("no json".to_owned(), false),
        (format!(r#"{{"trace_id":"{trace}","long":"{}"}}"#, "x".repeat(70_000)), false),
    ];
    for (n, (context, belongs)) in cases.into_iter().enumerate() {
        let name = format!("s{n}");
        let payload =
            SessionStartPayload { context: context.into_bytes().into(), ..SessionStartPayload::default() };
        accepted(&fixture.send(&start(&name, "m", &payload)));
        assert_eq!(
            fixture.kernel.image(&name).unwrap().trace,
            belongs.then(|| trace.parse().unwrap()),
            "{n}"
        );
    }
}

#[test]
fn a_reason_past_its_bound_cancels_nothing() {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m", &with_ttl(0))));
    let reason = "x".repeat(4_097);
    let answer = fixture
        .input(Input::Cancel { session: "s", reason: &reason, by: "", lookup: Lookup::NotAsked })
        .unwrap()
        .unwrap();
    let Answer::Declined { status: Status::ResourceExhausted, why } = answer else { panic!("{answer:?}") };
    assert!(why.contains("limits.macp.reason_bytes_max"), "{why}");
    assert_eq!((fixture.state_of("s"), fixture.log.len()), (Ok(SessionState::Open), 1));
    accepted(&fixture.cancel("s", &reason[1..]));
    assert_eq!(fixture.state_of("s"), Ok(SessionState::Expired));
    let records = fixture.log.len();
    accepted(&fixture.cancel("s", &reason));
    assert_eq!(fixture.log.len(), records, "it is kept nowhere");
    fixture.durable();
    fixture.ms += 1_000_000;
    assert_eq!(fixture.evict().len(), 1);
    accepted(&fixture.cancel("s", &reason));
    accepted(&fixture.send(&start("over", "m", &with_ttl(1))));
    fixture.ms += 2;
    accepted(&fixture.cancel("over", &reason));
    assert_eq!(fixture.kernel.image("over").unwrap().end.unwrap().0, Ending::TtlExpired);
}

#[test]
fn nothing_is_cancelled_while_the_log_has_no_room_for_the_reason() {
    let mut fixture = TestKernel::with(limits::Macp { unsaved_bytes_max: 5_000, ..limits::Macp::default() });
    for session in ["s", "t"] {
        accepted(&fixture.send(&start(session, "m", &with_ttl(0))));
    }
    let reason = "x".repeat(4_000);
    accepted(&fixture.cancel("s", &reason));
    let answer = fixture
        .input(Input::Cancel { session: "t", reason: &reason, by: "", lookup: Lookup::NotAsked })
        .unwrap()
        .unwrap();
    let Answer::Declined { status: Status::Unavailable, why } = answer else { panic!("{answer:?}") };
    assert!(why.contains("limits.macp.unsaved_bytes_max"), "{why}");
    assert_eq!(fixture.state_of("t"), Ok(SessionState::Open));
    accepted(&fixture.cancel("s", &reason));
    fixture.durable();
    accepted(&fixture.cancel("t", &reason));
}

#[test]
fn sessions_that_ended_leave_first_where_messages_need_their_room() {
    let mut fixture = TestKernel::with(limits::Macp { bytes_max: 40_000, ..limits::Macp::default() });
    for session in ["ended", "open"] {
        accepted(&fixture.send(&start(session, "m", &with_ttl(0))));
        accepted(&fixture.send(&envelope(session, "Unheard", "m2", "a", vec![0; 13_000])));
    }
    fixture.durable();
    assert!(fixture.evict().is_empty());
    fixture.cancel("ended", "");
    fixture.durable();
    assert!(fixture.evict().is_empty(), "there is room");
    accepted(&fixture.send(&envelope("open", "Unheard", "m3", "a", vec![0; 2_000])));
    fixture.durable();
    let moved = fixture.evict();
    assert_eq!(moved.iter().map(|moved| moved.row.id.as_str()).collect::<Vec<_>>(), ["ended"]);
    assert!(fixture.kernel.message_bytes() < 20_000);
}

#[test]
fn sessions_that_ended_never_exhaust_the_room_of_open_ones() {
    let limits = limits::Macp { bytes_max: 100_000, ..limits::Macp::default() };
    let mut fixture = TestKernel::with(limits);
    let long = |session: &str, id: &str| envelope(session, "Unheard", id, "a", vec![0; 20_000]);
    for n in 0..4 {
        accepted(&fixture.send(&start(&format!("s{n}"), "m", &with_ttl(0))));
        accepted(&fixture.send(&long(&format!("s{n}"), "m2")));
        fixture.cancel(&format!("s{n}"), "");
    }
    accepted(&fixture.send(&start("open", "m", &with_ttl(0))));
    assert!(fixture.kernel.is_pressed() && fixture.kernel.message_bytes() > 80_000);
    accepted(&fixture.send(&long("open", "m2")));
    // Until they are in the store there is an end to it, which passes.
    let Answer::Declined { status: Status::Unavailable, why } = fixture.receive(&long("open", "m3")) else {
        panic!()
    };
    assert!(why.contains("limits.macp.bytes_max"), "{why}");
    fixture.durable();
    assert!(fixture.evict().len() >= 2);
    assert!(!fixture.kernel.is_pressed());
    for id in ["m3", "m4", "m5"] {
        accepted(&fixture.send(&long("open", id)));
        fixture.durable();
        fixture.evict();
    }
    let Answer::Declined { status: Status::ResourceExhausted, why } = fixture.receive(&long("open", "m6"))
    else {
        panic!()
    };
    assert!(why.contains("limits.macp.bytes_max"), "{why}");
    fixture.cancel("open", "");
    fixture.durable();
    fixture.evict();
    assert_eq!((fixture.kernel.message_bytes(), fixture.kernel.in_memory()), (0, 0));
}

#[test]
fn a_list_of_participants_past_its_bound_begins_nothing() {
    let mut fixture = TestKernel::with(limits::Macp { participants_max: 16, ..limits::Macp::default() });
    let listed = |count: usize| SessionStartPayload {
        participants: vec!["a".to_owned(); count],
        ..SessionStartPayload::default()
    };
    let Answer::Declined { status: Status::ResourceExhausted, why } =
        fixture.receive(&start("s", "m", &listed(17)))
    else {
        panic!()
    };
    assert!(why.contains("limits.macp.participants_max") && why.contains("17"), "{why}");
    assert_eq!((fixture.state_of("s"), fixture.log.len()), (Err(Status::NotFound), 0));
    accepted(&fixture.send(&start("s", "m", &listed(16))));
    // The rules come first.
    assert!(fixture.send(&start("s", "m", &listed(17))).is_duplicate);
    refused(&fixture.send(&start("s", "m2", &listed(17))), Fault::DuplicateSession, Code::InvalidEnvelope);
    let late = SessionStartPayload { ttl_ms: -1, ..listed(17) };
    refused(&fixture.send(&start("t", "m", &late)), Fault::InvalidTtl, Code::InvalidEnvelope);
    let rounds = Envelope { mode: "no such".to_owned(), ..start("t", "m", &listed(17)) };
    refused(&fixture.send(&rounds), Fault::UnknownMode, Code::ModeNotSupported);
}
