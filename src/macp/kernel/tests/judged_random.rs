//! Requests of all calls at random: what is judged of each is what the call is told then, byte for byte.

use std::cell::Cell;

use bytes::Bytes;
use proptest::{collection::vec, prelude::*, test_runner::TestRunner};
use prost::Message as _;

use super::{
    closing::with_ttl,
    judged::{answer, judge, verdict},
    test_kernel::{TestKernel, envelope, rounds, start},
};
use crate::{
    limits,
    macp::{
        Answered, Rpc,
        envelope::request,
        kernel::{Answer, Input, Lookup},
        proto::v1::{
            CancelSessionRequest, GetManifestRequest, GetSessionRequest, InitializeRequest, SendRequest,
        },
        reply,
    },
};

/// Requests of every call, some of them well.
fn any_request(chance: &mut fastrand::Rng) -> (Rpc, Bytes) {
    let session = ["s", "t", "r", ""][chance.usize(..4)];
    let kind = ["Proposal", "Vote", "Commitment", "Contribute", "Signal", "SessionStart"][chance.usize(..6)];
    let payload = [r#"{"proposal_id":"p"}"#, r#"{"value":"x"}"#, "{}", ""][chance.usize(..4)];
    let id = format!("m{}", chance.u8(..40));
    let message = match kind {
        "SessionStart" if session == "r" => rounds("r", &id, &["a", "b"]),
        "SessionStart" => start(session, &id, &with_ttl(chance.i64(-1..3_000))),
        _ => envelope(session, kind, &id, ["a", "b"][chance.usize(..2)], payload),
    };
    let rpc = *chance.choice(&Rpc::ALL).unwrap();
    let mut bytes = match rpc {
        Rpc::Initialize => {
            let supported_protocol_versions = vec![["1.0", "0.9"][chance.usize(..2)].to_owned()];
            InitializeRequest { supported_protocol_versions, ..Default::default() }.encode_to_vec()
        }
        Rpc::GetManifest => GetManifestRequest { agent_id: id }.encode_to_vec(),
        Rpc::CancelSession => {
            CancelSessionRequest { session_id: session.to_owned(), reason: id }.encode_to_vec()
        }
        Rpc::GetSession => GetSessionRequest { session_id: session.to_owned() }.encode_to_vec(),
        _ => request(message).encode_to_vec(),
    };
    match chance.u8(..8) {
        0 => bytes.truncate(chance.usize(..=bytes.len())),
        1 if !bytes.is_empty() => {
            let at = chance.usize(..bytes.len());
            bytes[at] ^= 1 << chance.u8(..8);
        }
        _ => {}
    }
    (rpc, bytes.into())
}

/// Makes the call by the kernel's own inputs: what was answered, as the judgement has it.
fn made(fixture: &mut TestKernel, rpc: Rpc, bytes: &Bytes) -> Option<Answer> {
    let asked = |fixture: &mut TestKernel, input: Input<'_>| fixture.input(input).unwrap().unwrap();
    match rpc {
        Rpc::Send | Rpc::StreamSession => {
            let envelope = SendRequest::decode(bytes.clone()).ok()?.envelope?;
            Some(fixture.receive(&envelope))
        }
        Rpc::GetSession => {
            let session = GetSessionRequest::decode(bytes.clone()).ok()?.session_id;
            Some(asked(fixture, Input::Look { session: &session, lookup: Lookup::NotAsked }))
        }
        Rpc::CancelSession => {
            let asks = CancelSessionRequest::decode(bytes.clone()).ok()?;
            let CancelSessionRequest { session_id, reason } = asks;
            let lookup = Lookup::NotAsked;
            Some(asked(fixture, Input::Cancel { session: &session_id, reason: &reason, by: "", lookup }))
        }
        _ => None,
    }
}

/// The answer's bytes on the wire: what the kernel answers, in the message of the call.
fn wire(rpc: Rpc, request: &Bytes, told: Answer) -> Vec<u8> {
    match (rpc, told) {
        (Rpc::Send | Rpc::StreamSession, Answer::Acked(ack)) => {
            let envelope = SendRequest::decode(request.clone()).unwrap().envelope.unwrap();
            match rpc {
                Rpc::StreamSession => reply::streamed(envelope, &ack).encode_to_vec(),
                _ => reply::sent(ack, envelope.session_id, envelope.message_id).encode_to_vec(),
            }
        }
        (Rpc::CancelSession, Answer::Acked(ack)) => {
            let session = CancelSessionRequest::decode(request.clone()).unwrap().session_id;
            reply::cancelled(ack, session).encode_to_vec()
        }
        (Rpc::GetSession, Answer::Session { metadata, .. }) => reply::session(metadata).encode_to_vec(),
        (rpc, told) => panic!("{rpc:?} {told:?}"),
    }
}

/// Plays some steps, whose choices follow from their numbers; how many calls the kernel was asked, and how
/// many of them ended with a status.
fn play(steps: &[u64]) -> (u64, u64) {
    let (mut asked, mut ended) = (0, 0);
    let limits = limits::Macp { open_max: 2, session_messages_max: 8, ..limits::Macp::default() };
    let mut fixture = TestKernel::with(limits);
    for step in steps {
        let mut chance = fastrand::Rng::with_seed(*step);
        fixture.ms += chance.u64(..200);
        let before = format!("{:?}", fixture.kernel);
        for _ in 0..2 {
            let (rpc, bytes) = any_request(&mut chance);
            let _ = judge(&fixture, rpc, &bytes);
        }
        let (rpc, bytes) = any_request(&mut chance);
        let judged = judge(&fixture, rpc, &bytes);
        assert_eq!(format!("{:?}", fixture.kernel), before);
        assert!(fixture.kernel.poll_output().is_none());
        assert_eq!(judged.answers.len() + usize::from(judged.ends.is_some()), 1, "{judged:?}");
        let verdicts = fixture.verdicts.len();
        let Some(made) = made(&mut fixture, rpc, &bytes) else { continue };
        asked += 1;
        assert_eq!(fixture.verdicts[verdicts..], [verdict(&judged)]);
        let says = match &made {
            Answer::Acked(ack) => ack.answered(),
            Answer::Session { .. } => Answered::Ok,
            Answer::Declined { status, why } => {
                ended += 1;
                assert_eq!(judged.ends, Some(format!("{}: {why}", status.name())));
                continue;
            }
        };
        assert_eq!(answer(&judged), (says, wire(rpc, &bytes, made).into()));
    }
    (asked, ended)
}

#[test]
fn what_is_judged_is_what_is_done_then_and_judging_changes_nothing() {
    let counts = Cell::new((0, 0));
    let config = ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() };
    let played = TestRunner::new(config).run(&vec(any::<u64>(), 1..160), |steps| {
        let ((asked, ended), (asked_before, ended_before)) = (play(&steps), counts.get());
        counts.set((asked_before + asked, ended_before + ended));
        Ok(())
    });
    played.unwrap();
    let (asked, ended) = counts.get();
    assert!(asked > 700 && ended > 70, "{asked} {ended}");
}
