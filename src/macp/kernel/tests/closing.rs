//! How sessions end, are told of, and leave memory.

use super::house::{House, accepted, acked, envelope, participants, refused, rounds, start};
use crate::{
    ids::Ticket,
    limits,
    macp::{
        Code, Ending, Fault, SessionState, Status, Transition,
        kernel::{Answer, Input, Kept, Lookup},
        proto::v1::{Envelope, SessionStartPayload},
    },
    time::Now,
};

fn with_ttl(ttl_ms: i64) -> SessionStartPayload {
    SessionStartPayload { ttl_ms, ..SessionStartPayload::default() }
}

fn endings(house: &House) -> Vec<(String, Ending, String)> {
    let ended = house.transitions.iter().filter_map(|(transition, text)| match transition {
        Transition::Ended { session, ending } => Some((session.id.to_string(), *ending, text.clone())),
        _ => None,
    });
    ended.collect()
}

#[test]
fn an_open_session_is_cancelled_once_with_its_reason_in_the_log() {
    let mut house = House::new();
    refused(&house.cancel("s", "x"), Fault::UnknownSession, Code::SessionNotFound);
    refused(&house.cancel("", "x"), Fault::UnknownSession, Code::SessionNotFound);
    accepted(&house.send(&start("s", "m", &with_ttl(0))));
    let ack = house.cancel("s", "it goes wrong");
    accepted(&ack);
    assert_eq!(ack.state, Some(SessionState::Expired));
    assert_eq!(endings(&house), [("s".to_owned(), Ending::Cancelled, "it goes wrong".to_owned())]);
    let records = house.log.len();
    let ack = house.cancel("s", "again");
    assert_eq!((ack.error, ack.state), (None, Some(SessionState::Expired)));
    accepted(&house.send(&start("r", "m", &with_ttl(0))));
    house.say("r", "Message", "m2", "a", "resolve");
    assert_eq!(house.cancel("r", "late").state, Some(SessionState::Resolved));
    assert_eq!(house.log.len(), records + 3, "a start, a message, its resolution: nothing of the cancellations");
}

#[test]
fn who_cancels_or_looks_finds_the_ttl_applied() {
    let mut house = House::new();
    assert_eq!(house.look("s"), Err(Status::NotFound));
    for session in ["looked", "cancelled"] {
        accepted(&house.send(&start(session, "m", &with_ttl(100))));
        house.durable();
    }
    house.ms = 100;
    assert_eq!(house.look("looked"), Ok(SessionState::Open));
    house.ms = 101;
    assert_eq!(house.look("looked"), Ok(SessionState::Expired));
    accepted(&house.cancel("cancelled", "too late to be the reason"));
    let all: Vec<_> = endings(&house).into_iter().map(|(_, ending, text)| (ending, text)).collect();
    assert_eq!(all, [(Ending::TtlExpired, String::new()), (Ending::TtlExpired, String::new())]);
}

#[test]
fn the_sweep_ends_what_is_over_and_nothing_on_the_wire_tells_of_it() {
    let drive = |sweeps: bool| {
        let mut house = House::new();
        let mut told = Vec::new();
        accepted(&house.send(&start("s", "m1", &with_ttl(100))));
        accepted(&house.send(&start("t", "m1", &with_ttl(500))));
        for ms in [100, 101, 102, 499] {
            house.ms = ms;
            if sweeps {
                house.input(Input::Timeout);
            }
            told.push(house.say("s", "Unheard", "m1", "a", ""));
            told.push(house.send(&start("s", "m1", &with_ttl(0))));
            told.push(house.send(&start("s", "m9", &with_ttl(0))));
            if ms > 101 {
                told.push(house.say("s", "Unheard", "m2", "a", ""));
            }
            told.push(house.say("t", "Unheard", &format!("x{ms}"), "a", ""));
        }
        told.push(house.cancel("s", ""));
        let said =
            |ack: &crate::macp::kernel::Acked| (ack.error.as_ref().map(|(fault, _)| fault.code()), ack.is_duplicate, ack.state, ack.at_ms);
        (told.iter().map(said).collect::<Vec<_>>(), house.log.len(), endings(&house))
    };
    assert_eq!(drive(true), drive(false));
}

#[test]
fn the_sweep_is_due_just_behind_each_expiry() {
    let mut house = House::new();
    assert_eq!(house.kernel.timeout(), None);
    accepted(&house.send(&start("late", "m", &with_ttl(200))));
    accepted(&house.send(&start("soon", "m", &with_ttl(100))));
    assert_eq!(house.kernel.timeout(), Some(Now::at_ms(101).mono));
    house.ms = 100;
    house.input(Input::Timeout);
    assert_eq!(house.kernel.open(), 2);
    house.ms = 101;
    house.input(Input::Timeout);
    assert_eq!(house.kernel.open(), 1);
    let ended = endings(&house);
    assert_eq!(ended, [("soon".to_owned(), Ending::TtlExpired, String::new())]);
    assert_eq!(house.kernel.timeout(), Some(Now::at_ms(201).mono));
}

#[test]
fn ttls_go_on_evenly_when_the_wall_clock_is_set() {
    let mut house = House::new();
    accepted(&house.send(&start("s", "m", &with_ttl(100))));
    let set = Now { wall: crate::time::Wall(u64::MAX / 2), ..Now::at_ms(50) };
    house.kernel.handle(set, &Input::Timeout);
    assert!(house.kernel.poll_output().is_none() && house.kernel.open() == 1);
}

#[test]
fn what_ended_leaves_memory_by_count_and_by_age_once_it_is_durable() {
    let mut house = House::with(limits::Macp { closed_max: 2, closed_ms_max: 1_000, ..limits::Macp::default() });
    for n in 0..4 {
        accepted(&house.send(&start(&format!("s{n}"), "m", &with_ttl(0))));
        house.cancel(&format!("s{n}"), "");
    }
    accepted(&house.send(&start("open", "m", &with_ttl(86_400_000))));
    assert!(house.evict().is_empty(), "nothing is durable yet");
    house.durable();
    let gone: Vec<_> = house.evict().iter().map(|kept| kept.metadata.id.to_string()).collect();
    assert_eq!((gone, house.kernel.in_memory(), house.kernel.gone()), (vec!["s0".to_owned(), "s1".to_owned()], 3, 2));
    house.ms = 1_000;
    assert!(house.evict().is_empty());
    house.ms = 1_001;
    assert_eq!(house.evict().len(), 2);
    assert_eq!((house.kernel.in_memory(), house.kernel.open()), (1, 1));
    let evicted = house.transitions.iter().filter(|(transition, _)| matches!(transition, Transition::Evicted { .. })).count();
    assert_eq!(evicted, 4);
}

#[test]
fn a_session_whose_way_to_the_store_failed_stays() {
    let mut house = House::with(limits::Macp { closed_max: 0, ..limits::Macp::default() });
    accepted(&house.send(&start("s", "m", &with_ttl(0))));
    house.cancel("s", "");
    house.durable();
    let rows = house.kernel.evict(house.now(), house.kernel.last_ticket(), 9);
    assert_eq!(rows.len(), 1);
    house.kernel.keep_leaving(rows.iter().map(|row| row.number));
    assert_eq!(house.evict().len(), 1);
}

/// A session that is in the store alone.
fn gone(house: &mut House) -> Kept {
    accepted(&house.send(&rounds("s", "m1", &["a", "b"])));
    house.ms += 5;
    accepted(&house.say("s", "Contribute", "m2", "a", r#"{"value":"x"}"#));
    house.ms += 5;
    assert_eq!(house.say("s", "Contribute", "m3", "b", r#"{"value":"x"}"#).state, Some(SessionState::Resolved));
    house.durable();
    let mut gone = house.evict();
    house.ms += 5;
    gone.remove(0)
}

#[test]
fn a_session_in_the_store_alone_answers_as_it_did() {
    let mut house = House::with(limits::Macp { closed_max: 0, ..limits::Macp::default() });
    let kept = gone(&mut house);
    let at = Now::at_ms(5).wall.0;
    for message in [envelope("s", "Contribute", "m2", "a", ""), rounds("s", "m2", &["a"])] {
        let bytes = bytes::Bytes::new();
        let asked = house.input(Input::Message { envelope: &message, bytes, lookup: Lookup::NotAsked }).unwrap();
        assert_eq!(asked.unwrap_err().as_ref(), "s", "the store is asked");
        let ack = acked(house.hear_with(&message, Lookup::Found(Some(&kept))));
        assert_eq!((ack.is_duplicate, ack.at_ms, ack.state), (true, at, Some(SessionState::Resolved)));
    }
    let found = Lookup::Found(Some(&kept));
    let late = acked(house.hear_with(&envelope("s", "Contribute", "m9", "mallory", ""), found));
    refused(&late, Fault::SessionNotOpen, Code::SessionNotOpen);
    assert_eq!(late.state, Some(SessionState::Resolved));
    refused(&acked(house.hear_with(&rounds("s", "m9", &["a"]), found)), Fault::DuplicateSession, Code::InvalidEnvelope);
    let ack = acked(house.input(Input::Cancel { session: "s", reason: "", by: "", lookup: found }).unwrap().unwrap());
    assert_eq!((ack.error, ack.state), (None, Some(SessionState::Resolved)));
    let Answer::Session { metadata, .. } = house.input(Input::Look { session: "s", lookup: found }).unwrap().unwrap() else { panic!() };
    assert_eq!(metadata, kept.metadata);
    assert_eq!((&*metadata.mode, metadata.state), ("macp.mode.multi_round.v1", SessionState::Resolved));
    // What is wrong before the session matters is told without the store.
    let mut wrong = envelope("s", "Vote", "m", "a", "");
    wrong.macp_version = "2".to_owned();
    assert_eq!(house.send(&wrong).state, Some(SessionState::Resolved));
}

#[test]
fn a_session_that_left_the_store_may_begin_again() {
    let mut house = House::with(limits::Macp { closed_max: 0, ..limits::Macp::default() });
    let kept = gone(&mut house);
    // The store says that it is not there any more.
    let again = start("s", "m1", &participants(&[]));
    accepted(&acked(house.hear_with(&again, Lookup::Found(None))));
    house.cancel("s", "");
    house.durable();
    house.evict();
    house.input(Input::Retired { numbers: &[kept.number] });
    assert_eq!(house.kernel.gone(), 1, "the later one is there");
    let asked = house.input(Input::Look { session: "s", lookup: Lookup::NotAsked }).unwrap();
    assert!(asked.is_err());
    house.input(Input::Retired { numbers: &[2] });
    assert_eq!(house.look("s"), Err(Status::NotFound));
}

#[test]
fn an_answer_waits_for_all_that_it_tells_of() {
    let mut house = House::new();
    let begun = house.send(&start("s", "m1", &with_ttl(0)));
    let taken = house.say("s", "Unheard", "m2", "a", "");
    assert!(begun.after < taken.after);
    let look = |house: &mut House| match house.input(Input::Look { session: "s", lookup: Lookup::NotAsked }).unwrap().unwrap() {
        Answer::Session { after, .. } => after,
        answer => panic!("{answer:?}"),
    };
    assert_eq!(look(&mut house), begun.after, "how it stands hangs on no message");
    let unversioned = Envelope { macp_version: String::new(), ..envelope("s", "Vote", "m3", "a", "") };
    assert_eq!(house.send(&unversioned).after, begun.after, "nor does what is wrong by itself");
    assert_eq!(house.say("s", "Signal", "m3", "a", "").after, Ticket(0), "a signal hangs on nothing");
    assert_eq!(house.say("s", "Vote", "m3", "a", "no json").after, taken.after, "a mode's rejection does");
    assert_eq!(house.say("s", "Unheard", "m2", "a", "").after, taken.after, "a duplicate of what is not durable waits as it does");
    let ended = house.cancel("s", "");
    assert_eq!(house.say("s", "Unheard", "m3", "a", "").after, ended.after);
    assert_eq!(look(&mut house), ended.after);
}

#[test]
fn a_context_that_is_json_with_a_trace_id_says_what_the_session_belongs_to() {
    let trace = "0191d3c2-7a41-7f00-8000-00000000a41f";
    let mut house = House::new();
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
        let payload = SessionStartPayload { context: context.into_bytes().into(), ..SessionStartPayload::default() };
        accepted(&house.send(&start(&name, "m", &payload)));
        assert_eq!(house.kernel.image(&name).unwrap().trace, belongs.then(|| trace.parse().unwrap()), "{n}");
    }
}

#[test]
fn a_reason_past_its_bound_cancels_nothing() {
    let mut house = House::new();
    accepted(&house.send(&start("s", "m", &with_ttl(0))));
    let reason = "x".repeat(4_097);
    let answer = house.input(Input::Cancel { session: "s", reason: &reason, by: "", lookup: Lookup::NotAsked }).unwrap().unwrap();
    let Answer::Declined { status: Status::ResourceExhausted, why } = answer else { panic!("{answer:?}") };
    assert!(why.contains("limits.macp.reason_bytes_max"), "{why}");
    assert_eq!((house.look("s"), house.log.len()), (Ok(SessionState::Open), 1));
    accepted(&house.cancel("s", &reason[1..]));
    assert_eq!(house.look("s"), Ok(SessionState::Expired));
}

#[test]
fn sessions_that_ended_leave_first_where_messages_need_their_room() {
    let mut house = House::with(limits::Macp { bytes_max: 10_000, ..limits::Macp::default() });
    for session in ["ended", "open"] {
        accepted(&house.send(&start(session, "m", &with_ttl(0))));
        accepted(&house.send(&envelope(session, "Unheard", "m2", "a", vec![0; 3_700])));
    }
    house.durable();
    assert!(house.evict().is_empty());
    house.cancel("ended", "");
    house.durable();
    assert!(house.evict().is_empty(), "there is room");
    accepted(&house.send(&envelope("open", "Unheard", "m3", "a", vec![0; 500])));
    house.durable();
    let kept = house.evict();
    assert_eq!(kept.iter().map(|kept| &*kept.metadata.id).collect::<Vec<_>>(), ["ended"]);
    assert!(house.kernel.message_bytes() < 5_000);
}
