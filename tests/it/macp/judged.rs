//! Requests judged by a runtime that is served, and then made over its socket: byte for byte the same.

use std::sync::mpsc::sync_channel;

use bytes::Bytes;
use prost::Message as _;
use rl_console::{
    gate::{Decision, NewRule, OnTimeout, Owner, Then},
    ids::Peer,
    judged::{Certainty, Judged},
    limits,
    macp::{
        Fault, Listener, Rpc, Stand, Status, Verdict,
        envelope::request,
        proto::v1::{
            CancelSessionRequest, GetSessionRequest, InitializeRequest, SendResponse, SessionStartPayload,
        },
    },
    station::gate_matchers,
    tap::entry::{Direction, Link, Verdict as AnyVerdict, station::OperatedBy},
    time::Clock,
};

use super::{raw, test_runtime::TestRuntime, test_station::envelope};
use crate::real::plugins::until;

pub(super) fn judge(fixture: &TestRuntime, rpc: Rpc, bytes: &[u8]) -> Judged {
    let bytes = Bytes::copy_from_slice(bytes);
    fixture.runtime.block_on(fixture.handle.judge(&Stand::new(rpc), &bytes)).unwrap()
}

pub(super) fn make(fixture: &TestRuntime, rpc: Rpc, bytes: Vec<u8>) -> Result<Bytes, tonic::Status> {
    let Listener::Listening(addr) = fixture.handle.snapshot().unwrap().1.listener else { panic!() };
    fixture.runtime.block_on(raw::call(addr, rpc, bytes))
}

/// A judgement and then the call: both say the same.
#[track_caller]
pub(super) fn both(fixture: &TestRuntime, rpc: Rpc, bytes: &[u8]) -> Judged {
    let judged = judge(fixture, rpc, bytes);
    match make(fixture, rpc, bytes.to_vec()) {
        Ok(answer) => {
            let [foreseen] = &judged.answers[..] else { panic!("{judged:?}") };
            // Times are those of the judgement: they have as many bytes.
            assert_eq!(foreseen.bytes.len(), answer.len(), "{rpc:?} {judged:?}");
            assert_eq!(judged.ends, None);
        }
        Err(status) => {
            let code = format!("{:?}", status.code()).to_uppercase();
            let ends = judged.ends.clone().unwrap();
            let (name, why) = ends.split_once(": ").unwrap();
            assert_eq!((name.replace('_', ""), why), (code, status.message()), "{rpc:?}");
            assert!(judged.answers.is_empty());
        }
    }
    judged
}

#[test]
fn what_is_judged_of_each_call_is_what_a_client_is_told() {
    let fixture = TestRuntime::open(limits::Macp { payload_bytes_max: 1_024, ..limits::Macp::default() });
    fixture.start("s").unwrap();
    let say = |session: &str, kind: &str, id: &str, payload: &str| {
        request(envelope(session, kind, id, "a", payload.to_owned())).encode_to_vec()
    };
    let versions = |version: &str| {
        let supported_protocol_versions = vec![version.to_owned()];
        InitializeRequest { supported_protocol_versions, ..InitializeRequest::default() }.encode_to_vec()
    };
    let look = |id: &str| GetSessionRequest { session_id: id.to_owned() }.encode_to_vec();
    let cancel =
        |id: &str| CancelSessionRequest { session_id: id.to_owned(), reason: String::new() }.encode_to_vec();
    for bytes in [&b""[..], b"\x0a\x02", b"\x0a\x03\x0a\x01\xff", &vec![0; 70_000]] {
        for rpc in Rpc::ALL {
            both(&fixture, rpc, bytes);
        }
    }
    for version in ["1.0", "0.9"] {
        both(&fixture, Rpc::Initialize, &versions(version));
    }
    for (n, rpc) in [Rpc::Send, Rpc::StreamSession].into_iter().enumerate() {
        both(&fixture, rpc, &say("s", "Proposal", &format!("m{n}"), r#"{"proposal_id":"p"}"#));
        both(&fixture, rpc, &say("s", "Proposal", &format!("m{n}"), ""));
        both(&fixture, rpc, &say("s", "Vote", "m9", "no JSON"));
        both(&fixture, rpc, &say("t", "Vote", "m9", ""));
        both(&fixture, rpc, &say("", "Signal", "m9", ""));
    }
    both(&fixture, Rpc::GetSession, &look("s"));
    both(&fixture, Rpc::GetSession, &look("t"));
    let judged = both(&fixture, Rpc::CancelSession, &cancel("s"));
    assert_eq!(judged.effect.as_deref(), Some("session s cancelled"));
    both(&fixture, Rpc::CancelSession, &cancel("s"));
    both(&fixture, Rpc::CancelSession, &cancel("t"));
}

fn vote(id: &str) -> Vec<u8> {
    request(envelope("s", "Vote", id, "a", "")).encode_to_vec()
}

/// A runtime that has a session in the store alone, and what is judged of a vote there without the store.
fn in_the_store_alone() -> (TestRuntime, Judged) {
    let limits = limits::Macp { closed_max: 0, closed_ms_max: 0, ..limits::Macp::default() };
    let fixture = TestRuntime::open(limits);
    fixture.start("s").unwrap();
    fixture.cancel("s").unwrap();
    // It leaves memory soon after its end, for which the store is there.
    let judged = (0..1_500).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        fixture.no_store(true);
        let judged = judge(&fixture, Rpc::Send, &vote("m"));
        fixture.no_store(false);
        Some(judged).filter(|it| it.certainty == Certainty::AfterALook)
    });
    (fixture, judged.expect("it is in the store alone"))
}

#[test]
fn a_session_in_the_store_alone_is_looked_up_and_without_the_store_that_is_said() {
    let (fixture, judged) = in_the_store_alone();
    let closed = Ok(AnyVerdict::Macp(Verdict::Refused(Fault::SessionNotOpen)));
    assert_eq!((judged.verdict, judged.answers), (closed.clone(), Vec::new()));
    let reads = fixture.metrics();
    let judged = judge(&fixture, Rpc::Send, &vote("start"));
    assert_eq!(judged.verdict, Ok(AnyVerdict::Macp(Verdict::Duplicate)), "it began the session");
    assert_eq!(judged.certainty, Certainty::AsOfNow);
    let answer = SendResponse::decode(judged.answers[0].bytes.as_slice()).unwrap().ack.unwrap();
    assert!(answer.ok && answer.duplicate);
    assert_eq!(fixture.metrics(), reads, "nothing is counted");
    assert_eq!(judge(&fixture, Rpc::Send, &vote("m")).verdict, closed);
}

/// Arms a rule that holds calls that end with a status.
fn arm_on_status(fixture: &TestRuntime) {
    let (filter, now) = ("link:macp clause:Transport", Clock::start().now());
    let (matcher, class_matcher) = gate_matchers(filter, now).unwrap();
    let rule = NewRule {
        by: OperatedBy::own_console(),
        owner: Owner::Nobody,
        filter: filter.into(),
        links: vec![Link::Macp],
        direction: Some(Direction::Inbound),
        asks_verdict: true,
        matcher,
        class_matcher,
        then: Then::Intercept,
        on_timeout: OnTimeout::Pass,
        frames_max: None,
        per_mille: 1_000,
        seed: 1,
        for_ms: 600_000,
    };
    fixture.gate.arm(now, rule).unwrap();
}

#[test]
fn a_rule_on_the_clause_stops_a_call_whose_session_the_store_does_not_tell_of() {
    let (fixture, _) = in_the_store_alone();
    arm_on_status(&fixture);
    make(&fixture, Rpc::Send, vote("m1")).unwrap();
    fixture.no_store(true);
    let Listener::Listening(addr) = fixture.handle.snapshot().unwrap().1.listener else { panic!() };
    let call = fixture.runtime.spawn(raw::call(addr, Rpc::Send, vote("m2")));
    let held = until(|| "nothing is held".to_owned(), || fixture.gate.held().pop());
    assert_eq!(held.frame.verdict, AnyVerdict::Macp(Verdict::Declined(Status::Unavailable)));
    fixture.gate.decide(held.number, Decision::Pass, &OperatedBy::own_console(), None).unwrap();
    let ended = fixture.runtime.block_on(call).unwrap();
    assert_eq!(ended.unwrap_err().code(), tonic::Code::Unavailable);
}

#[test]
fn a_store_that_does_not_answer_in_time_is_none_that_refuses_to_a_rule() {
    let (fixture, judged) = in_the_store_alone();
    assert_eq!(judged.verdict, Ok(AnyVerdict::Macp(Verdict::Refused(Fault::SessionNotOpen))));
    arm_on_status(&fixture);
    let (took, taken) = sync_channel(2);
    // Who answers is kept, in each thread that reads.
    let busy = [0, 1].map(|_| {
        let (release, released) = sync_channel::<()>(1);
        let took = took.clone();
        let keep = move |_| {
            took.send(()).unwrap();
            let _ = released.recv();
        };
        let store = fixture.store.as_ref().unwrap().handle();
        store.session_and_message("s".to_owned(), None, Box::new(keep)).unwrap();
        taken.recv().unwrap();
        release
    });
    let reads = fixture.metrics().store_reads;
    let Listener::Listening(addr) = fixture.handle.snapshot().unwrap().1.listener else { panic!() };
    let call = fixture.runtime.spawn(raw::call(addr, Rpc::Send, vote("m")));
    // It is behind the gate once it reads for itself.
    let is_behind = || (fixture.metrics().store_reads > reads).then_some(());
    until(|| format!("held: {:?}", fixture.gate.held()), is_behind);
    assert!(fixture.gate.held().is_empty());
    drop(busy);
    let answer = SendResponse::decode(fixture.runtime.block_on(call).unwrap().unwrap()).unwrap();
    assert!(!answer.ack.unwrap().ok, "the session is over");
}

#[test]
fn a_start_is_judged_by_the_share_of_the_peer_that_it_is_asked_for() {
    let fixture = TestRuntime::open(limits::Macp { peer_sessions_max: 1, ..limits::Macp::default() });
    fixture.start("s").unwrap();
    let payload = SessionStartPayload::default().encode_to_vec();
    let bytes = Bytes::from(request(envelope("t", "SessionStart", "m", "a", payload)).encode_to_vec());
    let judge = |peer: Option<Peer>| {
        let stand = Stand { rpc: Rpc::Send, peer };
        fixture.runtime.block_on(fixture.handle.judge(&stand, &bytes)).unwrap().verdict
    };
    let peer = fixture.handle.clients().unwrap()[0].peer.clone();
    let declined = Ok(AnyVerdict::Macp(Verdict::Declined(Status::ResourceExhausted)));
    assert_eq!(judge(Some(peer)), declined);
    let accepted = Ok(AnyVerdict::Macp(Verdict::Accepted));
    assert_eq!((judge(None), judge(Some(Peer::new("10.0.0.1:9")))), (accepted.clone(), accepted));
    assert_eq!(fixture.handle.snapshot().unwrap().1.totals.open, 1, "nothing began");
}
