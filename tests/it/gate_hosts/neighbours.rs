//! Who is next to a held frame does all of its work meanwhile.

use rl_console::{
    limits::{self, Limits},
    macp::proto::v1::SendRequest,
    port::{GateCommand, Way},
};

use super::{Gated, bridge, runtime};
use crate::{
    macp::test_station::envelope,
    real::Adapter,
    rmp_bus::{Peer, frames},
};

/// How often each neighbour does its work.
const TIMES: u64 = 300;

/// How often somebody else connects to the bridge, which holds newcomers back for a moment.
const NEWCOMERS: u64 = 5;

fn agent(gated: &Gated) -> Peer {
    Peer::greeted(gated.ready.rmp.as_ref().unwrap(), "agent", None)
}

/// Messages of other sessions go to and fro, each with its acknowledgement.
fn publish_and_receive(gated: &Gated, others: &mut Peer) {
    let mut publisher = agent(gated);
    for msg_id in 1..=TIMES {
        publisher.publish("b", true, &frames::message(msg_id, "x"));
        assert_eq!(publisher.hear().name(), "Ok");
        assert_eq!(others.delivered().2.msg_id(), msg_id);
    }
}

/// Other calls are answered, on the same connection as the one that is held.
fn propose(gated: &Gated, client: &runtime::Client) {
    let mut client = client.clone();
    let handle = gated.handle();
    for n in 0..TIMES {
        let payload = format!(r#"{{"proposal_id":"p{n}","option":"x"}}"#);
        let proposal = envelope("free", "Proposal", &format!("m{n}"), "alice", payload);
        let sent = handle.block_on(client.send(SendRequest { envelope: Some(proposal) }));
        assert!(sent.unwrap().into_inner().ack.unwrap().ok);
    }
}

/// Other connections to the bridge are answered, and what leaves to the adapter leaves.
fn speak_to_the_bridge(gated: &Gated, adapter: &mut Adapter) {
    for n in 0..NEWCOMERS {
        let mut other = Adapter::connect(gated.ready.mpp.clone().unwrap());
        other.send(r#"{"mpp":2,"type":"heartbeat"}"#).unwrap();
        assert_eq!(other.receive().unwrap()["type"], "protocol_error", "{n}");
    }
    let id = bridge::enqueue(gated);
    assert_eq!(bridge::next(adapter)["id"], id.0, "the adapter is sent work");
}

#[test]
fn whoever_is_next_to_a_held_frame_works_on() {
    let gate = limits::Gate { hold_ms_max: 600_000, ..limits::Gate::default() };
    let gated = Gated::with(&Limits { gate, ..Limits::default() });
    let mut adapter = bridge::adapter(&gated);
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
    let (mut held, mut slow, mut others) = (agent(&gated), agent(&gated), agent(&gated));
    slow.subscribe(7, "b");
    others.subscribe(8, "b");
    others.subscribe(9, "a");
    let client = runtime::opened(&gated, "held");
    runtime::opened(&gated, "free");
    for (filter, way) in [
        ("link:mpp kind:log", Way::In),
        ("link:rmp topic:a", Way::In),
        ("link:rmp sub:7", Way::Out),
        ("link:macp session:held", Way::In),
    ] {
        gated.arm(filter, way);
    }
    for text in ["one", "two"] {
        adapter.send(&format!(r#"{{"mpp":2,"type":"log","level":"info","message":"{text}"}}"#)).unwrap();
    }
    held.publish("a", false, &frames::message(1_000, "x"));
    held.publish("b", false, &frames::message(1_001, "x"));
    let calling = {
        let mut client = client.clone();
        let proposal = envelope("held", "Proposal", "p", "alice", r#"{"proposal_id":"p","option":"x"}"#);
        gated.spawn(async move { client.send(SendRequest { envelope: Some(proposal) }).await })
    };
    gated.wait_held(3);
    publish_and_receive(&gated, &mut others);
    propose(&gated, &client);
    speak_to_the_bridge(&gated, &mut adapter);
    // What was held first still is: one frame of each connection, and nothing that came after it.
    let still: Vec<String> = gated.wait_held(4).into_iter().map(|row| row.kind).collect();
    assert_eq!(still.iter().filter(|kind| *kind == "log").count(), 1, "{still:?}");
    gated.command(GateCommand::Disarm { rule: None }).unwrap();
    assert!(gated.block_on(calling).unwrap().unwrap().into_inner().ack.unwrap().ok);
    assert_eq!([1_000, 1_001], [others.delivered().2.msg_id(), others.delivered().2.msg_id()]);
    let all: Vec<u64> = (0..=TIMES).map(|_| slow.delivered().2.msg_id()).collect();
    assert_eq!(all, (1..=TIMES).chain([1_001]).collect::<Vec<_>>(), "in their order");
}
