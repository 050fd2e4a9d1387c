//! Calls of the coordination runtime.

use prost::Message as _;
use std::collections::BTreeMap;

use rl_console::{
    limits::Limits,
    macp::{
        self,
        proto::v1::{
            CancelSessionRequest, Envelope, SendRequest, StreamSessionRequest,
            macp_runtime_service_client::MacpRuntimeServiceClient,
        },
    },
    port::{GateCommand, Way},
    tap::{
        entry::{Transition, Verdict, What},
        recorded::OwnedEntry,
    },
};
use tonic::{Code, transport::Channel};

use super::Gated;
use crate::macp::test_station::{envelope, participants};

pub(crate) type Client = MacpRuntimeServiceClient<Channel>;

pub(super) fn client(gated: &Gated) -> Client {
    let addr = gated.ready.macp.clone().unwrap();
    Client::new(gated.block_on(Channel::from_shared(format!("http://{addr}")).unwrap().connect()).unwrap())
}

fn start(session: &str) -> Envelope {
    let payload = participants(&["alice", "bob"]);
    let start = envelope(session, "SessionStart", "start", "alice", payload.encode_to_vec());
    Envelope { mode: "macp.mode.decision.v1".to_owned(), ..start }
}

/// A session that is open.
pub(super) fn opened(gated: &Gated, session: &str) -> Client {
    let mut client = client(gated);
    let sent = gated.block_on(client.send(SendRequest { envelope: Some(start(session)) })).unwrap();
    assert!(sent.into_inner().ack.unwrap().ok);
    client
}

/// A client of the runtime that listens there.
#[cfg(target_os = "linux")]
pub(crate) fn connected(runtime: &tokio::runtime::Runtime, addr: &str) -> Client {
    let channel = Channel::from_shared(format!("http://{addr}")).unwrap();
    Client::new(runtime.block_on(channel.connect()).unwrap())
}

/// Opens a session.
#[cfg(target_os = "linux")]
pub(crate) fn started(runtime: &tokio::runtime::Runtime, client: &mut Client, session: &str) {
    let sent = runtime.block_on(client.send(SendRequest { envelope: Some(start(session)) })).unwrap();
    assert!(sent.into_inner().ack.unwrap().ok, "{session}");
}

#[test]
fn a_held_call_waits_by_itself_and_goes_on_as_decided() {
    let gated = Gated::open();
    let client = opened(&gated, "held");
    gated.arm("link:macp type:Proposal", Way::In);
    let propose = |id: &str, sender: &str| {
        let payload = format!(r#"{{"proposal_id":"{id}","option":"x"}}"#);
        SendRequest { envelope: Some(envelope("held", "Proposal", id, sender, payload)) }
    };
    let send = |request: SendRequest| {
        let mut client = client.clone();
        gated.spawn(async move { client.send(request).await })
    };
    let (first, second, third) =
        (send(propose("p1", "alice")), send(propose("p2", "bob")), send(propose("p3", "alice")));
    let held = gated.wait_held(3);
    // Another session is not held up by them, on the same connection.
    opened(&gated, "free");
    let id = |frame: u64| {
        let request = SendRequest::decode(&gated.bytes(frame)[..]).unwrap();
        request.envelope.unwrap().message_id
    };
    let ids: BTreeMap<String, u64> = held.iter().map(|row| (id(row.frame), row.frame)).collect();
    let of = |id: &str| ids[id];
    gated.pass(of("p1"));
    let acked = gated.block_on(first).unwrap().unwrap().into_inner().ack.unwrap();
    assert!(acked.ok, "{acked:?}");
    gated.command(GateCommand::Drop { frames: vec![of("p2")] }).unwrap();
    assert_eq!(gated.block_on(second).unwrap().unwrap_err().code(), Code::Cancelled);
    gated.edit(of("p3"), propose("p4", "bob").encode_to_vec(), false).unwrap();
    let edited = gated.block_on(third).unwrap().unwrap().into_inner().ack.unwrap();
    assert_eq!((edited.ok, edited.message_id.as_str()), (true, "p4"), "{edited:?}");
}

#[test]
fn a_rule_on_the_verdict_looks_into_the_store_for_a_session_that_is_there_alone() {
    let mut limits = Limits::default();
    (limits.macp.closed_max, limits.macp.closed_ms_max) = (0, 0);
    let gated = Gated::with(&limits);
    let mut tap = gated.tap();
    let mut client = opened(&gated, "s");
    let cancel = CancelSessionRequest { session_id: "s".to_owned(), reason: String::new() };
    assert!(gated.block_on(client.cancel_session(cancel)).unwrap().into_inner().ack.unwrap().ok);
    let evicted = |it: &OwnedEntry| {
        matches!(it.entry.what, What::Transition(Transition::Macp(macp::Transition::Evicted { .. })))
    };
    gated.read_until(&mut tap, |entries| entries.iter().any(evicted));
    gated.arm("link:macp verdict:fault", Way::In);
    // What began it is no fault.
    let again = gated.block_on(client.send(SendRequest { envelope: Some(start("s")) })).unwrap();
    assert!(again.into_inner().ack.unwrap().duplicate);
    let duplicate = Verdict::Macp(macp::Verdict::Duplicate);
    let is_said = |it: &OwnedEntry| matches!(&it.entry.what, What::Frame(it) if it.verdict == duplicate);
    let seen = gated.read_until(&mut tap, |entries| entries.iter().any(is_said));
    let is_stopped = |it: &OwnedEntry| matches!(it.entry.what, What::Intercepted(_));
    assert!(!seen.iter().any(is_stopped), "it was let through");
    let vote = envelope("s", "Vote", "v1", "alice", r#"{"proposal_id":"p","vote":"approve"}"#);
    let sent = gated.spawn(async move { client.send(SendRequest { envelope: Some(vote) }).await });
    let held = gated.wait_held(1).pop().unwrap();
    let clause = held.clause.as_deref();
    assert_eq!((held.verdict.as_str(), clause), ("refused", Some("macp-v1, Validation Rules 9")));
    gated.pass(held.frame);
    assert!(!gated.block_on(sent).unwrap().unwrap().into_inner().ack.unwrap().ok);
}

#[test]
fn a_message_of_a_stream_holds_its_stream_and_an_answer_is_held_too() {
    let gated = Gated::open();
    let mut client = opened(&gated, "s");
    gated.arm("link:macp type:Proposal", Way::In);
    let say = |id: &str| {
        let payload = format!(r#"{{"proposal_id":"{id}","option":"x"}}"#);
        StreamSessionRequest { envelope: Some(envelope("s", "Proposal", id, "alice", payload)) }
    };
    let messages = futures_util::stream::iter([say("p1"), say("p2")]);
    let mut answers = gated.block_on(client.stream_session(messages)).unwrap().into_inner();
    let first = gated.wait_held(1).pop().unwrap();
    gated.pass(first.frame);
    assert!(gated.block_on(answers.message()).unwrap().is_some());
    let second = gated.wait_held(1).pop().unwrap();
    gated.command(GateCommand::Disarm { rule: None }).unwrap();
    let _ = second;
    assert!(gated.block_on(answers.message()).unwrap().is_some());
    gated.arm("link:macp", Way::Out);
    let mut another = client.clone();
    let asked = gated.spawn(async move {
        let request = rl_console::macp::proto::v1::GetSessionRequest { session_id: "s".to_owned() };
        another.get_session(request).await
    });
    let answer = gated.wait_held(1).pop().unwrap();
    assert_eq!(answer.way, Way::Out);
    gated.pass(answer.frame);
    assert!(gated.block_on(asked).unwrap().is_ok());
}
