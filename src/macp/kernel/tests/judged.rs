//! Requests of all calls, judged by their bytes before they are made.

use bytes::Bytes;
use prost::Message as _;

use super::{
    closing::with_ttl,
    test_kernel::{TestKernel, accepted, envelope, participants, start},
};
use crate::{
    ids::TraceId,
    judged::{Certainty, Doubt, Judged},
    limits,
    macp::{
        Answered, Fault, Rpc, SessionState, Stand, Status, Verdict,
        envelope::request,
        kernel::Lookup,
        proto::v1::{
            CancelSessionRequest, CancelSessionResponse, ClientInfo, Envelope, GetSessionRequest,
            GetSessionResponse, InitializeRequest, InitializeResponse, SendResponse, SessionStartPayload,
            SessionState as WireState, StreamSessionResponse,
        },
    },
    tap::entry::{Head, Verdict as AnyVerdict},
    time::Now,
};

pub(super) fn judge(fixture: &TestKernel, rpc: Rpc, bytes: &[u8]) -> Judged {
    let bytes = Bytes::copy_from_slice(bytes);
    let peer_sessions = fixture.peer_sessions;
    fixture.kernel.judge(fixture.now(), &Stand::new(rpc), &bytes, peer_sessions, Lookup::NotAsked)
}

fn judge_message(fixture: &TestKernel, envelope: &Envelope) -> Judged {
    judge(fixture, Rpc::Send, &request(envelope.clone()).encode_to_vec())
}

pub(super) fn verdict(judged: &Judged) -> Verdict {
    match judged.verdict {
        Ok(AnyVerdict::Macp(verdict)) => verdict,
        ref other => panic!("{other:?}"),
    }
}

/// What a judgement's one answer says, with its bytes.
pub(super) fn answer(judged: &Judged) -> (Answered, Bytes) {
    let [answer] = &judged.answers[..] else { panic!("{judged:?}") };
    let Head::Macp(head) = &answer.head else { panic!("{answer:?}") };
    (head.answer.unwrap(), Bytes::copy_from_slice(&answer.bytes))
}

/// A session of alice, bob and carol that is open for a minute, with a proposal and a vote.
fn voting() -> TestKernel {
    let mut fixture = TestKernel::new();
    accepted(&fixture.send(&start("s", "m0", &participants(&["alice", "bob", "carol"]))));
    accepted(&fixture.send_text("s", "Proposal", "m1", "alice", r#"{"proposal_id":"p2","option":"o"}"#));
    accepted(&fixture.send_text("s", "Vote", "m2", "alice", r#"{"proposal_id":"p2","vote":"approve"}"#));
    fixture
}

#[test]
fn bytes_that_are_no_request_end_the_call_with_the_transports_status() {
    let limits = limits::Macp { payload_bytes_max: 1_024, ..limits::Macp::default() };
    let fixture = TestKernel::with(limits);
    // Field 1: an envelope of five bytes, of which three came.
    let judged = judge(&fixture, Rpc::Send, b"\x0a\x05\x0a\x031");
    assert_eq!(verdict(&judged), Verdict::Declined(Status::Internal));
    assert!(judged.ends.as_ref().unwrap().starts_with("INTERNAL: "), "{judged:?}");
    let shortfall = judged.shortfall.unwrap();
    assert_eq!((shortfall.expected.as_str(), shortfall.byte), ("a field that ends within the message", 0));
    assert_eq!((judged.certainty, judged.taken_bytes, judged.answers.len()), (Certainty::Certain, 5, 0));
    for rpc in [Rpc::Send, Rpc::StreamSession] {
        let judged = judge(&fixture, rpc, b"");
        assert_eq!(verdict(&judged), Verdict::Declined(Status::InvalidArgument));
        assert_eq!(judged.ends.as_deref(), Some("INVALID_ARGUMENT: the request has no envelope"));
    }
    for rpc in Rpc::ALL {
        let judged = judge(&fixture, rpc, &vec![0; 66_561]);
        assert_eq!(verdict(&judged), Verdict::Declined(Status::ResourceExhausted), "{rpc:?}");
        assert!(judged.ends.unwrap().contains("limits.macp.payload_bytes_max"));
    }
    for rpc in [Rpc::WatchModeRegistry, Rpc::WatchRoots] {
        let judged = judge(&fixture, rpc, b"\xff");
        assert_eq!(verdict(&judged), Verdict::Declined(Status::Unimplemented));
        assert_eq!(judged.ends, Some(format!("UNIMPLEMENTED: {} is not implemented", rpc.name())));
    }
}

#[test]
fn calls_that_concern_no_session_are_certain() {
    let fixture = TestKernel::new();
    let initialize = |version: &str| {
        let client_info = Some(ClientInfo { name: "planner".to_owned(), ..ClientInfo::default() });
        let supported_protocol_versions = vec![version.to_owned()];
        InitializeRequest { supported_protocol_versions, client_info, capabilities: None }.encode_to_vec()
    };
    let judged = judge(&fixture, Rpc::Initialize, &initialize("1.0"));
    let (says, bytes) = answer(&judged);
    let response = InitializeResponse::decode(bytes).unwrap();
    assert_eq!((says, response.selected_protocol_version.as_str()), (Answered::Ok, "1.0"));
    assert_eq!(judged.effect.as_deref(), Some("client planner introduced"));
    let judged = judge(&fixture, Rpc::Initialize, &initialize("0.9"));
    assert_eq!(verdict(&judged), Verdict::Declined(Status::InvalidArgument));
    assert_eq!((judged.certainty, judged.effect), (Certainty::Certain, None));
    for rpc in [Rpc::GetManifest, Rpc::ListModes, Rpc::ListRoots] {
        let judged = judge(&fixture, rpc, b"");
        assert_eq!((verdict(&judged), answer(&judged).0), (Verdict::Accepted, Answered::Ok), "{rpc:?}");
        assert_eq!((judged.certainty, judged.doubts), (Certainty::Certain, vec![]));
    }
    // An ambient message is accepted, and its session is said to be open (macp-v1, The Ack Response).
    let judged = judge_message(&fixture, &envelope("", "Signal", "m", "a", ""));
    let ack = SendResponse::decode(answer(&judged).1).unwrap().ack.unwrap();
    assert_eq!((ack.ok, ack.session_state(), judged.certainty), (true, WireState::Open, Certainty::Certain));
}

/// A message, and what is made of it in [`voting`].
type Case = (Envelope, Result<Verdict, Fault>, &'static str, Certainty);

fn cases() -> Vec<Case> {
    let says = |kind: &str, id: &str, sender: &str, payload: &str| {
        envelope("s", kind, id, sender, payload.to_owned())
    };
    let (sure, now) = (Certainty::Certain, Certainty::AsOfNow);
    let long = vec![b'x'; (4 << 20) + 1];
    vec![
        (
            Envelope { macp_version: "v1".to_owned(), ..says("Vote", "m9", "bob", "") },
            Err(Fault::InvalidMacpVersion),
            "UNSUPPORTED_PROTOCOL_VERSION",
            sure,
        ),
        (says("Vote", "", "bob", ""), Err(Fault::InvalidEnvelope), "INVALID_ENVELOPE", sure),
        (envelope("s", "Vote", "m9", "bob", long), Err(Fault::PayloadTooLarge), "PAYLOAD_TOO_LARGE", sure),
        (
            Envelope { mode: "chess".to_owned(), ..start("t", "m9", &with_ttl(0)) },
            Err(Fault::UnknownMode),
            "MODE_NOT_SUPPORTED",
            sure,
        ),
        (start("t", "m9", &with_ttl(86_400_001)), Err(Fault::InvalidTtl), "INVALID_ENVELOPE", sure),
        (
            envelope("t", "SessionStart", "m9", "a", "\u{1}"),
            Err(Fault::InvalidEnvelope),
            "INVALID_ENVELOPE",
            sure,
        ),
        (start("s", "m9", &with_ttl(0)), Err(Fault::DuplicateSession), "INVALID_ENVELOPE", now),
        (start("s", "m1", &with_ttl(0)), Ok(Verdict::Duplicate), "", now),
        (start("t", "m9", &with_ttl(0)), Ok(Verdict::Accepted), "", now),
        (envelope("t", "Vote", "m9", "bob", ""), Err(Fault::UnknownSession), "SESSION_NOT_FOUND", now),
        (says("Vote", "m9", "mallory", ""), Err(Fault::InvalidEnvelope), "INVALID_ENVELOPE", now),
        (says("Vote", "m9", "bob", "no JSON"), Err(Fault::InvalidPayload), "INVALID_ENVELOPE", now),
        (says("Vote", "m2", "bob", ""), Ok(Verdict::Duplicate), "", now),
        (
            says("Vote", "m9", "bob", r#"{"proposal_id":"p2","vote":"reject"}"#),
            Ok(Verdict::Accepted),
            "",
            now,
        ),
    ]
}

#[test]
fn every_internal_error_that_a_message_can_have_is_foreseen_with_the_code_in_its_ack() {
    let fixture = voting();
    for (message, expected, code, certainty) in cases() {
        let judged = judge_message(&fixture, &message);
        let expected = expected.unwrap_or_else(Verdict::Refused);
        assert_eq!((verdict(&judged), judged.certainty), (expected, certainty), "{message:?}");
        let (says, bytes) = answer(&judged);
        let ack = SendResponse::decode(bytes).unwrap().ack.unwrap();
        assert_eq!(ack.error.map(|error| error.code).unwrap_or_default(), code);
        assert_eq!((ack.message_id, ack.session_id), (message.message_id, message.session_id));
        assert_eq!(ack.duplicate, says == Answered::Duplicate);
        assert_eq!(judged.ends, None);
    }
    let mut fixture = voting();
    fixture.ms = 60_001;
    let late = envelope("s", "Vote", "m9", "bob", r#"{"vote":"approve"}"#);
    let judged = judge_message(&fixture, &late);
    assert_eq!(verdict(&judged), Verdict::Refused(Fault::TtlExpired));
    assert_eq!(judged.effect.as_deref(), Some("session s expired: its TTL is over"));
    fixture.receive(&late);
    let judged = judge_message(&fixture, &late);
    assert_eq!((verdict(&judged), judged.effect), (Verdict::Refused(Fault::SessionNotOpen), None));
}

#[test]
fn a_vote_says_how_many_have_voted_then_and_holds_until_the_session_ends() {
    let mut fixture = voting();
    fixture.durable();
    fixture.ms = 1_000;
    let vote = |id: &str, sender: &str| {
        envelope("s", "Vote", id, sender, r#"{"proposal_id":"p2","vote":"approve"}"#)
    };
    let judged = judge_message(&fixture, &vote("m9", "bob"));
    assert_eq!(judged.effect.as_deref(), Some("vote approve on p2, 2 of 3 voted"));
    assert_eq!(judged.holds_until, Some(Now::at_ms(60_001)), "at the expiry itself it is not over");
    assert_eq!(judged.doubts, [Doubt::AnotherPeer, Doubt::SameIdFirst, Doubt::Time, Doubt::Commit]);
    let again = judge_message(&fixture, &vote("m9", "alice"));
    assert_eq!(again.effect.as_deref(), Some("vote approve on p2, 1 of 3 voted"), "in the place of hers");
    let judged = judge_message(&fixture, &vote("m2", "alice"));
    assert_eq!((judged.holds_until, judged.doubts), (None, vec![]), "a duplicate stays one");
    let commitment = envelope("s", "Commitment", "m9", "bob", r#"{"commitment_id":"c","action":"go"}"#);
    let judged = judge_message(&fixture, &commitment);
    assert_eq!(judged.effect.as_deref(), Some("decision committed; session s resolved"));
    let ack = SendResponse::decode(answer(&judged).1).unwrap().ack.unwrap();
    assert_eq!(ack.session_state(), WireState::Resolved);
}

#[test]
fn a_session_that_opens_is_told_to_the_watchers_of_its_trace() {
    let fixture = TestKernel::new();
    let trace: TraceId = "0191d3c2-7a41-7f00-8000-00000000a41f".parse().unwrap();
    let payload = SessionStartPayload {
        ttl_ms: 50_000,
        context: r#"{"trace_id":"0191d3c2-7a41-7f00-8000-00000000a41f"}"#.into(),
        ..participants(&["alice", "bob"])
    };
    let judged = judge_message(&fixture, &start("s1", "m", &payload));
    assert_eq!(judged.effect.as_deref(), Some("session s1 opens: decision, 2 participants, expires in 50s"));
    assert_eq!((judged.to, judged.to_count), (vec![format!("watchers of {trace}")], 1));
    assert!(judged.doubts.contains(&Doubt::SameIdFirst) && judged.doubts.contains(&Doubt::Commit));
}

#[test]
fn starts_past_a_bound_are_declined_until_the_first_session_ends() {
    let limits = limits::Macp { open_max: 1, peer_sessions_max: 2, ..limits::Macp::default() };
    let mut fixture = TestKernel::with(limits);
    accepted(&fixture.send(&start("s", "m", &with_ttl(5_000))));
    fixture.ms = 10;
    let judged = judge_message(&fixture, &start("t", "m", &with_ttl(0)));
    assert_eq!(verdict(&judged), Verdict::Declined(Status::ResourceExhausted));
    assert!(judged.ends.unwrap().starts_with("RESOURCE_EXHAUSTED: 1 sessions are open"));
    assert_eq!(judged.holds_until, Some(Now::at_ms(5_001)));
    let mut fixture = TestKernel::with(limits);
    fixture.peer_sessions = 2;
    let judged = judge_message(&fixture, &start("t", "m", &with_ttl(0)));
    assert!(judged.ends.unwrap().contains("limits.macp.peer_sessions_max"));
    let fixture = TestKernel::with(limits::Macp { unsaved_bytes_max: 10, ..limits::Macp::default() });
    let judged = judge_message(&fixture, &start("t", "m", &with_ttl(0)));
    assert_eq!(verdict(&judged), Verdict::Declined(Status::Unavailable));
    assert!(judged.ends.unwrap().starts_with("UNAVAILABLE: "));
}

#[test]
fn who_looks_or_cancels_is_told_what_the_call_would_be() {
    let mut fixture = voting();
    let look = |id: &str| GetSessionRequest { session_id: id.to_owned() }.encode_to_vec();
    let cancel = |id: &str| {
        CancelSessionRequest { session_id: id.to_owned(), reason: "enough".to_owned() }.encode_to_vec()
    };
    let judged = judge(&fixture, Rpc::GetSession, &look("t"));
    assert_eq!(verdict(&judged), Verdict::Declined(Status::NotFound));
    assert_eq!(judged.ends.as_deref(), Some("NOT_FOUND: no session `t`"));
    let judged = judge(&fixture, Rpc::GetSession, &look("s"));
    let told = GetSessionResponse::decode(answer(&judged).1).unwrap().metadata.unwrap();
    assert_eq!((told.session_id.as_str(), told.state()), ("s", WireState::Open));
    let judged = judge(&fixture, Rpc::CancelSession, &cancel("s"));
    let ack = CancelSessionResponse::decode(answer(&judged).1).unwrap().ack.unwrap();
    assert_eq!((ack.ok, ack.session_state()), (true, WireState::Expired));
    assert_eq!(judged.effect.as_deref(), Some("session s cancelled"));
    let judged = judge(&fixture, Rpc::CancelSession, &cancel("t"));
    assert_eq!(verdict(&judged), Verdict::Refused(Fault::UnknownSession));
    fixture.ms = 60_001;
    let judged = judge(&fixture, Rpc::GetSession, &look("s"));
    assert_eq!(judged.effect.as_deref(), Some("session s expired: its TTL is over"));
    assert_eq!(fixture.state_of("s"), Ok(SessionState::Expired));
    let judged = judge(&fixture, Rpc::CancelSession, &cancel("s"));
    assert_eq!((verdict(&judged), judged.effect), (Verdict::Accepted, None), "it has ended: no change");
}

#[test]
fn on_a_stream_the_answer_is_an_envelope_of_the_runtimes() {
    let fixture = voting();
    let judge = |message: Envelope| {
        let judged = judge(&fixture, Rpc::StreamSession, &request(message).encode_to_vec());
        StreamSessionResponse::decode(answer(&judged).1).unwrap().envelope.unwrap()
    };
    // Ruling MACP 3, word for word.
    let ack = judge(envelope("s", "Vote", "m9", "bob", r#"{"proposal_id":"p2","vote":"approve"}"#));
    assert_eq!(
        (ack.message_type.as_str(), ack.message_id.as_str(), ack.sender.as_str(), &ack.payload[..]),
        ("Ack", "ack-m9", "_runtime", &br#"{"duplicate":false,"ok":true,"session_state":"Open"}"#[..])
    );
    let error = judge(envelope("t", "Vote", "m9", "bob", ""));
    assert_eq!((error.message_type.as_str(), error.message_id.as_str()), ("Error", "err-m9"));
    assert!(error.payload.starts_with(br#"{"code":"SESSION_NOT_FOUND","#));
}

#[test]
fn a_session_in_the_store_alone_is_judged_after_a_look() {
    let limits = limits::Macp { closed_max: 0, ..limits::Macp::default() };
    let mut fixture = TestKernel::with(limits);
    accepted(&fixture.send(&start("s", "m0", &participants(&[]))));
    fixture.cancel("s", "enough");
    fixture.durable();
    assert_eq!(fixture.evict().len(), 1);
    let vote = envelope("s", "Vote", "m0", "a", "");
    let judged = judge_message(&fixture, &vote);
    assert_eq!((judged.certainty, judged.answers.len()), (Certainty::AfterALook, 0));
    assert_eq!(verdict(&judged), Verdict::Refused(Fault::SessionNotOpen), "unless it accepted the message");
    let kept = fixture.store["s"].stored_session("m0");
    let bytes = Bytes::from(request(vote).encode_to_vec());
    let stand = Stand::new(Rpc::Send);
    let judged = fixture.kernel.judge(fixture.now(), &stand, &bytes, 0, Lookup::Found(Some(&kept)));
    assert_eq!((verdict(&judged), judged.certainty), (Verdict::Duplicate, Certainty::AsOfNow));
    let judged = fixture.kernel.judge(fixture.now(), &stand, &bytes, 0, Lookup::Found(None));
    assert_eq!(verdict(&judged), Verdict::Refused(Fault::UnknownSession));
}
