//! Ladders of entries that are made by hand.

use super::*;
use crate::{
    ids::Peer,
    mpp,
    tap::entry::{Door, FrameOrigin, Redaction, station::OperatedBy},
};

fn trace() -> TraceId {
    TraceId(uuid::Uuid::from_u128(7))
}

fn entry(seq: u64, ms: u64, link: Link, what: What) -> Entry {
    Entry { seq: Seq(seq), at: Now::at_ms(ms), link, trace: Some(trace()), cause: None, what }
}

fn published(session: u64, topic: &str, schema_id: u16, dialect: Dialect, wire: &[u8]) -> What {
    let head = rmp::Head {
        kind: Some(FrameKind::Publish),
        dialect,
        topic: Some(topic.into()),
        schema_id: Some(schema_id),
        session: Some(ConnectionId(session)),
        ..rmp::Head::default()
    };
    What::Frame(Frame {
        direction: Direction::Inbound,
        peer: Peer::new("uid 1000"),
        head: Head::Rmp(head),
        verdict: Verdict::Rmp(rmp::Verdict::Published { subscribers: 1, dropped: 2 }),
        wire_bytes: u32::try_from(wire.len()).unwrap(),
        redaction: Redaction::None,
        origin: None,
    })
}

fn adapters(direction: Direction, kind: FrameType) -> What {
    let head = mpp::Head { kind: Some(kind), id: Some(InvocationId(5)), ..mpp::Head::default() };
    What::Frame(Frame {
        direction,
        peer: Peer::new("127.0.0.1:1"),
        head: Head::Mpp(head),
        verdict: Verdict::Sent,
        wire_bytes: 90,
        redaction: Redaction::None,
        origin: None,
    })
}

fn ladder(after: u64, hops_max: u64, entries: &[(Entry, Vec<u8>)]) -> (Vec<HopRow>, bool) {
    let mut ladder = Ladder::new(trace(), false, Seq(after), hops_max);
    for (entry, bytes) in entries {
        ladder.take(EntryRef { entry, bytes });
    }
    ladder.hops()
}

/// A frame with a body of so many bytes behind its prefix.
fn frame(body_len: usize) -> Vec<u8> {
    let len = u32::try_from(HEADER_BYTES + body_len).unwrap();
    [&len.to_be_bytes()[..], &vec![0; HEADER_BYTES + body_len]].concat()
}

#[test]
fn a_length_is_that_of_the_message_and_not_of_what_announces_it() {
    let greeted = |session, client: &str| {
        let (client, kind) = (client.into(), rmp::Kind::Agent);
        let greeted = rmp::Transition::Greeted {
            session: ConnectionId(session),
            client,
            kind,
            dialect: Dialect::Frames,
        };
        What::Transition(Transition::Rmp(greeted))
    };
    let wire = [frame(40), frame(100)].concat();
    let cut = wire[..120].to_vec();
    let json = br#"{"Publish":{"id":1,"topic":"agent/a","message":{"header":{"body_len":9},"body":[1]}}}"#;
    let json = [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json].concat();
    let (hops, _) = ladder(
        0,
        10,
        &[
            (entry(1, 1, Link::Rmp, greeted(3, "tool")), Vec::new()),
            (entry(2, 2, Link::Rmp, published(3, "agent/a", 4, Dialect::Frames, &wire)), wire.clone()),
            (entry(3, 3, Link::Rmp, published(3, "agent/a", 4, Dialect::Frames, &wire)), cut),
            (entry(4, 4, Link::Rmp, published(4, "agent/a", 4, Dialect::Json, &json)), json),
            (
                entry(
                    5,
                    5,
                    Link::Rmp,
                    published(STATION.0, "rlp/runs/trace:x/events", 8, Dialect::Frames, &frame(1)),
                ),
                frame(1),
            ),
        ],
    );
    assert_eq!(hops.iter().map(|hop| hop.frame_len).collect::<Vec<_>>(), [Some(164), Some(164), Some(73)]);
    assert_eq!(
        hops.iter().map(|hop| hop.from.as_str()).collect::<Vec<_>>(),
        ["tool (3)", "tool (3)", "session 4"]
    );
    assert_eq!((hops[0].to.as_str(), hops[0].reached, hops[0].dropped), ("agent/a", Some(1), Some(2)));
}

#[test]
fn what_an_adapter_says_of_an_invocation_is_timed_from_when_it_was_sent() {
    let entries = [
        (entry(1, 100, Link::Mpp, adapters(Direction::Outbound, FrameType::Invocation)), Vec::new()),
        (entry(2, 130, Link::Mpp, adapters(Direction::Inbound, FrameType::Ack)), Vec::new()),
        (entry(3, 180, Link::Mpp, adapters(Direction::Inbound, FrameType::Done)), Vec::new()),
    ];
    let (hops, more) = ladder(0, 10, &entries);
    let told: Vec<_> =
        hops.iter().map(|hop| (hop.from.as_str(), hop.schema.as_str(), hop.latency_us, hop.cause)).collect();
    assert_eq!(told[0], ("station", "invocation", None, None));
    assert_eq!(
        told[1..],
        [("adapter", "ack", Some(30_000), Some(1)), ("adapter", "done", Some(80_000), Some(1))]
    );
    assert!(!more);
    let (hops, more) = ladder(1, 1, &entries);
    assert_eq!(
        (hops[0].seq, hops[0].latency_us, more),
        (Some(2), Some(30_000), true),
        "a page knows what came before it"
    );
}

#[test]
fn each_answer_about_a_session_is_timed_from_its_own_call() {
    let of_session = |direction, answer| {
        let head = macp::Head {
            session: Some("s".into()),
            message_type: Some("Vote".into()),
            message_id: Some("m1".into()),
            sender: Some("ann".into()),
            answer,
            ..macp::Head::new(macp::Rpc::Send)
        };
        What::Frame(Frame {
            direction,
            peer: Peer::new("127.0.0.1:1"),
            head: Head::Macp(head),
            verdict: Verdict::Macp(macp::Verdict::Accepted),
            wire_bytes: 90,
            redaction: Redaction::None,
            origin: None,
        })
    };
    let call = |seq, ms| (entry(seq, ms, Link::Macp, of_session(Direction::Inbound, None)), Vec::new());
    let answer = |seq, ms, cause, answered| {
        let told = entry(seq, ms, Link::Macp, of_session(Direction::Outbound, Some(answered)));
        (Entry { cause: Some(Seq(cause)), ..told }, Vec::new())
    };
    // The same message is sent twice before either is answered.
    let entries =
        [call(1, 100), call(2, 110), answer(3, 130, 2, Answered::Duplicate), answer(4, 150, 1, Answered::Ok)];
    let told: Vec<_> =
        ladder(0, 10, &entries).0.iter().map(|hop| (hop.schema.clone(), hop.latency_us, hop.cause)).collect();
    let expected = [
        ("Vote", None, None),
        ("Vote", None, None),
        ("Vote: duplicate", Some(20_000), Some(2)),
        ("Vote: ok", Some(50_000), Some(1)),
    ];
    assert_eq!(told, expected.map(|(schema, latency, cause)| (schema.to_owned(), latency, cause)));
}

#[test]
fn a_step_that_was_made_by_hand_says_by_whom() {
    let mut what = adapters(Direction::Inbound, FrameType::Ack);
    let What::Frame(frame) = &mut what else { panic!("a frame") };
    frame.origin = Some(std::sync::Arc::new(FrameOrigin {
        by: OperatedBy::own_console(),
        door: Door::AsPeer,
        number: 4,
        of: Some(Seq(9)),
    }));
    let others = adapters(Direction::Inbound, FrameType::Done);
    let entries = [entry(1, 1, Link::Mpp, what), entry(2, 2, Link::Mpp, others)];
    let (hops, _) = ladder(0, 10, &entries.map(|entry| (entry, Vec::new())));
    let by_hand = "injected: operator, in the peer's place, door 4, made of 9";
    assert_eq!(hops.iter().map(|hop| hop.origin.as_deref()).collect::<Vec<_>>(), [Some(by_hand), None]);
    let json = serde_json::to_value(&hops).unwrap();
    assert!(json[1].get("origin").is_none(), "{json}");
}
