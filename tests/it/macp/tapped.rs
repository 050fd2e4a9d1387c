//! What the tap keeps of the runtime (ruling MACP 9).

use prost::Message as _;
use rl_console::{
    ids::Seq,
    macp::{
        Answered, Effect, Ending, Rpc, Status, Transition, Verdict,
        proto::v1::{SendRequest, SendResponse, SessionStartPayload, StreamSessionRequest},
    },
    port::{Page, Query},
    tap::entry::{Direction, Frame, Head, Link, Transition as Any, Verdict as AnyVerdict, What},
};
use tonic::Code;

use super::{
    raw::Raw,
    test_station::{TestStation, envelope, participants},
};

/// A frame of the runtime with its bytes.
type Tapped = (Frame, Vec<u8>);

/// Entries of the runtime since the reader began.
fn drain(reader: &mut rl_console::tap::Reader) -> (Vec<Tapped>, Vec<(Transition, String)>) {
    let (mut frames, mut transitions) = (Vec::new(), Vec::new());
    while let Some(batch) = reader.read() {
        assert_eq!(batch.lost, 0);
        for entry in batch.iter().filter(|entry| entry.entry.link == Link::Macp) {
            match &entry.entry.what {
                What::Frame(frame) => frames.push((frame.clone(), entry.bytes.to_vec())),
                What::Transition(Any::Macp(transition)) => {
                    transitions.push((transition.clone(), entry.text().into_owned()));
                }
                _ => {}
            }
        }
    }
    (frames, transitions)
}

#[test]
fn a_call_and_its_answer_are_kept_byte_for_byte_with_what_they_caused() {
    let fixture = TestStation::open();
    let mut reader = fixture.port().entries().unwrap();
    fixture.start("s", "", &participants(&["alice"]));
    let message = envelope("s", "Proposal", "m1", "alice", r#"{"proposal_id":"p","option":"go"}"#);
    let request = SendRequest { envelope: Some(message.clone()) };
    let ack = fixture.send(message);
    fixture.cancel("s", "enough");
    let (frames, transitions) = drain(&mut reader);
    let (frame, bytes) = &frames[2];
    assert_eq!(bytes, &request.encode_to_vec());
    assert_eq!(
        (frame.direction, &frame.verdict, frame.wire_bytes as usize),
        (Direction::Inbound, &AnyVerdict::Macp(Verdict::Accepted), bytes.len())
    );
    let Head::Macp(head) = &frame.head else { panic!() };
    assert_eq!(
        (head.rpc, head.session.as_deref(), head.message_type.as_deref()),
        (Rpc::Send, Some("s"), Some("Proposal"))
    );
    assert_eq!((head.message_id.as_deref(), head.sender.as_deref()), (Some("m1"), Some("alice")));
    assert!(frame.peer.as_str().starts_with("127.0.0.1:"));
    let (answer, bytes) = &frames[3];
    assert_eq!(bytes, &SendResponse { ack: Some(ack) }.encode_to_vec());
    let Head::Macp(head) = &answer.head else { panic!() };
    assert_eq!((answer.direction, head.answer), (Direction::Outbound, Some(Answered::Ok)));
    let told: Vec<_> = transitions.iter().map(|(transition, _)| transition.name()).collect();
    assert_eq!(told, ["opened", "accepted", "ended"]);
    let Transition::Accepted { effect: Effect::Proposed { proposal }, .. } = &transitions[1].0 else {
        panic!("{transitions:?}")
    };
    assert_eq!((&**proposal, transitions[1].1.as_str()), ("p", "go"));
    let (Transition::Ended { ending, .. }, reason) = &transitions[2] else { panic!() };
    assert_eq!((*ending, reason.as_str()), (Ending::Cancelled, "enough"));
}

#[test]
fn an_answer_belongs_to_its_calls_trace_and_says_what_it_answers() {
    let fixture = TestStation::open();
    let mut reader = fixture.port().entries().unwrap();
    let trace = "0191f2c4-0000-7000-8000-00000000a41f";
    let context = format!(r#"{{"trace_id":"{trace}"}}"#).into_bytes();
    fixture.start("s", "", &SessionStartPayload { context: context.into(), ..participants(&["alice"]) });
    fixture.say("s", "Proposal", "m1", "alice", r#"{"proposal_id":"p","option":"go"}"#);
    let mut seen = Vec::new();
    while let Some(batch) = reader.read() {
        let frames = batch.iter().filter(|entry| entry.entry.link == Link::Macp);
        seen.extend(
            frames
                .filter(|entry| matches!(entry.entry.what, What::Frame(_)))
                .map(|entry| entry.entry.clone()),
        );
    }
    let [_, started, proposal, answer] = &seen[..] else { panic!("{seen:?}") };
    assert_eq!((proposal.trace, proposal.cause), (Some(trace.parse().unwrap()), None));
    assert_eq!((answer.trace, answer.cause), (proposal.trace, Some(proposal.seq)));
    assert_eq!((started.trace, started.cause), (proposal.trace, Some(seen[0].seq)));
    let Page::Trace { hops, .. } = fixture.query(Query::Trace {
        trace: proposal.trace.unwrap(),
        after: Seq(0),
        events: false,
        limit: 10,
    }) else {
        panic!()
    };
    let told: Vec<_> = hops
        .iter()
        .map(|hop| (hop.from.as_str(), hop.to.as_str(), hop.schema.as_str(), hop.latency_us.is_some()))
        .collect();
    assert_eq!(
        told[2..],
        [("alice", "session s", "Proposal", false), ("session s", "alice", "Proposal: ok", true)]
    );
}

#[test]
fn a_message_that_does_not_decode_is_kept_and_answered() {
    let fixture = TestStation::open();
    let mut reader = fixture.port().entries().unwrap();
    let addr = fixture.runtime.block_on(fixture.port().snapshot()).unwrap().macp.listener;
    let rl_console::macp::Listener::Listening(addr) = addr else { panic!("{addr:?}") };
    // An envelope whose version is no UTF-8.
    let wrong = vec![0x0a, 0x03, 0x0a, 0x01, 0xff];
    let sent = wrong.clone();
    let status = fixture.runtime.block_on(async move {
        let channel =
            tonic::transport::Endpoint::new(format!("http://{addr}")).unwrap().connect().await.unwrap();
        let mut client = tonic::client::Grpc::new(channel);
        client.ready().await.unwrap();
        let path = tonic::codegen::http::uri::PathAndQuery::from_static("/macp.v1.MACPRuntimeService/Send");
        client.unary(tonic::Request::new(sent), path, Raw).await.unwrap_err()
    });
    assert_eq!(status.code(), Code::Internal);
    let (frames, _) = drain(&mut reader);
    assert_eq!(
        (&frames[0].0.verdict, &frames[0].1),
        (&AnyVerdict::Macp(Verdict::Declined(Status::Internal)), &wrong)
    );
    let Head::Macp(head) = &frames[1].0.head else { panic!() };
    assert_eq!(head.answer, Some(Answered::Status(Status::Internal)));
    assert!(fixture.send(envelope("", "Signal", "m", "a", "")).ok, "the runtime goes on");
}

#[test]
fn what_the_transport_turns_away_is_told_of_and_names_its_bound() {
    let fixture = TestStation::open();
    fixture.start("s", "", &participants(&[]));
    let mut reader = fixture.port().entries().unwrap();
    let long = || envelope("s", "Unheard", "m1", "a", vec![b'x'; 5 << 20]);
    let status = fixture.try_send(long()).unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.message().contains("limits.macp.payload_bytes_max"), "{}", status.message());
    let mut client = fixture.client.clone();
    let messages = futures_util::stream::iter([StreamSessionRequest { envelope: Some(long()) }]);
    let ended = fixture
        .runtime
        .block_on(async { client.stream_session(messages).await.unwrap().into_inner().message().await });
    assert_eq!(ended.unwrap_err().code(), Code::ResourceExhausted);
    let (frames, _) = drain(&mut reader);
    let told: Vec<_> = frames
        .iter()
        .map(|(frame, _)| {
            let Head::Macp(head) = &frame.head else { panic!() };
            assert!(frame.peer.as_str().starts_with("127.0.0.1:"));
            (head.rpc, frame.verdict.clone(), head.answer)
        })
        .collect();
    let declined = AnyVerdict::Macp(Verdict::Declined(Status::ResourceExhausted));
    let answered = Some(Answered::Status(Status::ResourceExhausted));
    for (rpc, told) in [Rpc::Send, Rpc::StreamSession].into_iter().zip(told.chunks(2)) {
        assert_eq!(told, [(rpc, declined.clone(), None), (rpc, AnyVerdict::Sent, answered)]);
    }
    assert_eq!(told.len(), 4);
}
