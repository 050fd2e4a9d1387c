//! Requests that reach nobody, and agents that leave.

use std::sync::Arc;

use super::test_engine::{TestEngine, gives, node, opening};
use crate::{
    ids::ConnectionId,
    runs::{
        EventKind, NodeState,
        engine::{Input, Reach, Settings},
        openings::{Node, Retry},
        payload::AgentRequest,
    },
};

const AGENT: &str = "agent/echo";

fn nobody(agents: &[&str], more: u64) -> Reach {
    Reach::Nobody { agents: agents.iter().map(|name| Arc::from(*name)).collect(), more }
}

fn fixture(reach: Reach) -> TestEngine {
    let mut fixture = TestEngine::new();
    fixture.reaches.insert(AGENT.to_owned(), reach);
    fixture
}

fn took(sessions: &[u64]) -> Reach {
    Reach::Taken { peers: sessions.iter().copied().map(ConnectionId).collect(), msg_id: 5 }
}

fn logs(fixture: &TestEngine) -> Vec<String> {
    fixture
        .events
        .iter()
        .filter(|(_, _, event)| event.kind == EventKind::Log)
        .map(|(_, _, event)| event.message.clone())
        .collect()
}

#[test]
fn a_failure_for_want_of_an_agent_names_those_that_are_there() {
    for (reach, says) in [
        (nobody(&["reader", "writer"], 0), " (connected agents: reader, writer)"),
        (nobody(&["reader"], 3), " (connected agents: reader and 3 more)"),
        (nobody(&[], 0), ""),
    ] {
        let mut fixture = fixture(reach);
        fixture.submit(1, opening(vec![node("a")], &[]));
        let why =
            format!("no agent subscribed to agent/echo: start the agent, or correct the node's `use`{says}");
        assert_eq!(fixture.status("a"), (NodeState::Failed, why));
    }
}

#[test]
fn an_absent_agent_is_asked_again_after_a_pause_however_short_the_backoff() {
    let mut fixture = fixture(nobody(&[], 0));
    let retry = Retry { max_attempts: 1_000, backoff_ms: 0 };
    fixture.submit(1, opening(vec![Node { retry, ..node("a") }], &[]));
    fixture.pass(1_000);
    assert_eq!(fixture.refused.len(), 5, "once every 250 ms");
    fixture.reaches.clear();
    fixture.pass(250);
    fixture.does("a", &gives(&[]));
    assert_eq!(fixture.end(1).unwrap().0, "succeeded");
}

#[test]
fn a_full_queue_is_no_missing_agent_and_the_same_request_is_offered_again() {
    let mut fixture = fixture(Reach::Full);
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(1_000);
    assert_eq!(fixture.status("a").0, NodeState::Running);
    assert_eq!(fixture.refused.len(), 5);
    assert!(
        fixture.refused.windows(2).all(|pair: &[AgentRequest]| pair[0] == pair[1]),
        "one attempt, one reply topic"
    );
    fixture.reaches.clear();
    fixture.pass(250);
    assert_eq!((fixture.requests.len(), fixture.request("a").attempt), (1, 1));
    fixture.does("a", &gives(&[]));
    assert_eq!(fixture.end(1).unwrap().0, "succeeded");
    fixture.pass(20);
    let says = "agent/echo is not reading: its queue on the bus is full (limits.rmp.queue_bytes_max); \
                retrying for 10000 ms";
    assert_eq!(logs(&fixture), [says], "once");
}

#[test]
fn what_stays_full_or_down_fails_by_that_reason() {
    for (reach, says) in [
        (Reach::Full, "agent/echo is not reading: its queue on the bus is full (limits.rmp.queue_bytes_max)"),
        (Reach::Down, "the bus is down: restart it with `rl-console host restart rmp`"),
    ] {
        let mut fixture = fixture(reach.clone());
        fixture.submit(1, opening(vec![node("a")], &[]));
        fixture.pass(10_250);
        assert_eq!(fixture.status("a"), (NodeState::Failed, says.to_owned()));
        assert_eq!((fixture.cancels.len(), fixture.listens.len()), (0, 0), "there is nobody to be told");
        fixture.submit(2, opening(vec![Node { timeout_ms: Some(600), ..node("a") }], &[]));
        fixture.pass(600);
        assert_eq!(fixture.status("a").1, format!("timed out after 600 ms: {says}"));
    }
}

#[test]
fn a_request_that_fits_no_unit_fails_once_and_for_all() {
    let mut fixture = fixture(Reach::TooLong);
    fixture
        .submit(1, opening(vec![Node { retry: Retry { max_attempts: 9, backoff_ms: 0 }, ..node("a") }], &[]));
    let (state, why) = fixture.status("a");
    assert!(
        state == NodeState::Failed && why.starts_with("the request for agent/echo is too large: "),
        "{why}"
    );
}

#[test]
fn an_attempt_fails_a_while_after_all_that_took_it_have_left() {
    let mut fixture = fixture(took(&[7, 8]));
    let retry = Retry { max_attempts: 2, backoff_ms: 0 };
    fixture.submit(1, opening(vec![Node { retry, ..node("a") }], &[]));
    fixture.handle(Input::SessionOver { peer: ConnectionId(9) });
    fixture.handle(Input::SessionOver { peer: ConnectionId(7) });
    assert_eq!(fixture.status("a").0, NodeState::Running, "the other one has it");
    fixture.handle(Input::SessionOver { peer: ConnectionId(8) });
    fixture.pass(1_999);
    assert_eq!(fixture.status("a").0, NodeState::Running, "its answer may come on another connection");
    fixture.pass(1);
    assert_eq!(
        fixture.status("a"),
        (NodeState::Retrying, "agent/echo disconnected before it answered".to_owned())
    );
    fixture.pass(249);
    assert_eq!(fixture.requests.len(), 1, "it gets a while to come back");
    fixture.pass(1);
    fixture.does("a", &gives(&[]));
    assert_eq!((fixture.end(1).unwrap().0, fixture.cancels.len()), ("succeeded", 0));
    assert_eq!(
        logs(&fixture),
        ["agent/echo disconnected before it answered: waiting 2000 ms more for an answer"]
    );
}

#[test]
fn an_answer_on_another_connection_counts_though_the_one_that_listened_is_gone() {
    let mut fixture = fixture(took(&[7]));
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.handle(Input::SessionOver { peer: ConnectionId(7) });
    fixture.pass(1_999);
    fixture.does("a", &gives(&[]));
    assert_eq!(fixture.end(1).unwrap().0, "succeeded");
    fixture.pass(20);
    assert_eq!(fixture.engine.timeout(), None);
}

#[test]
fn where_no_answer_is_awaited_of_those_that_left_the_attempt_fails_at_once() {
    let limits = crate::limits::Runs { left_ms_max: 0, ..crate::limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    fixture.reaches.insert(AGENT.to_owned(), took(&[7]));
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.handle(Input::SessionOver { peer: ConnectionId(7) });
    assert_eq!(
        fixture.status("a"),
        (NodeState::Failed, "agent/echo disconnected before it answered".to_owned())
    );
}

#[test]
fn a_request_that_expires_unread_fails_its_attempt_once_nobody_else_has_it() {
    let mut fixture = fixture(took(&[7, 8]));
    let retry = Retry { max_attempts: 2, backoff_ms: 0 };
    fixture.submit(1, opening(vec![Node { retry, ..node("a") }], &[]));
    fixture.handle(Input::Unread { peer: ConnectionId(7), msg_id: 4 });
    fixture.handle(Input::Unread { peer: ConnectionId(7), msg_id: 5 });
    fixture.handle(Input::Unread { peer: ConnectionId(7), msg_id: 5 });
    assert_eq!(
        fixture.status("a").0,
        NodeState::Running,
        "the other one has it, and that was another message"
    );
    fixture.handle(Input::Unread { peer: ConnectionId(8), msg_id: 5 });
    let why = "agent/echo did not read its request within 30000 ms";
    assert_eq!((fixture.status("a"), fixture.cancels.len()), ((NodeState::Retrying, why.to_owned()), 0));
    fixture.pass(250);
    fixture.does("a", &gives(&[]));
    assert_eq!(fixture.end(1).unwrap().0, "succeeded");
}

#[test]
fn while_a_queue_is_full_one_request_is_offered_and_once_it_is_taken_the_next_in_order() {
    let mut fixture = fixture(Reach::Full);
    fixture.submit(1, opening(["a", "b", "c", "d"].map(node).to_vec(), &[]));
    assert_eq!(
        (fixture.refused.len(), fixture.states()),
        (4, vec![NodeState::Running; 4]),
        "they were on their way already"
    );
    fixture.submit(2, opening(vec![node("e")], &[]));
    fixture.pass(750);
    let refused: Vec<_> = fixture.refused.iter().skip(4).map(|request| &*request.node.id).collect();
    assert_eq!(refused, ["a"; 3], "the others wait behind it, and are not even written");
    fixture.reaches.clear();
    fixture.pass(250);
    let asked: Vec<_> = fixture.requests.iter().map(|request| &*request.node.id).collect();
    assert_eq!(asked, ["a", "b", "c", "d", "e"], "without a pause between them");
    fixture.pass(20);
    assert_eq!(logs(&fixture).len(), 5, "each says once that it waits");
}

#[test]
fn who_has_its_turn_and_ends_before_leaves_it_to_the_next_of_whichever_run() {
    let mut fixture = fixture(Reach::Full);
    fixture.submit(1, opening(vec![Node { timeout_ms: Some(300), ..node("a") }], &[]));
    fixture.submit(2, opening(vec![node("b")], &[]));
    fixture.submit(3, opening(vec![node("c")], &[]));
    fixture.cancel(50, 2);
    fixture.pass(300);
    assert_eq!(fixture.end(1).unwrap().0, "failed");
    assert_eq!(fixture.refused.last().map(|request| request.node.id.to_string()), Some("c".to_owned()));
    fixture.reaches.clear();
    fixture.pass(250);
    assert_eq!((fixture.requests.len(), &*fixture.requests[0].node.id), (1, "c"));
}

#[test]
fn an_agent_that_takes_something_now_and_then_is_waited_for() {
    let mut fixture = fixture(Reach::Full);
    fixture.submit(1, opening(["a", "b", "c"].map(node).to_vec(), &[]));
    for n in 1..=2 {
        fixture.pass(9_000);
        // It takes one, and is full again.
        fixture.next_reaches.push_back(took(&[7]));
        fixture.pass(250);
        assert_eq!((fixture.requests.len(), fixture.engine.metrics().in_flight), (n, 3));
    }
    fixture.pass(10_250);
    assert_eq!(fixture.status("c").0, NodeState::Failed);
}

#[test]
fn so_many_bytes_of_requests_are_on_their_way_to_the_bus_and_one_at_least() {
    let limits = crate::limits::Runs { offered_bytes_max: 1, ..crate::limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    fixture.holds_requests = true;
    fixture.submit(1, opening(["a", "b", "c"].map(node).to_vec(), &[]));
    assert_eq!(fixture.states(), [NodeState::Running, NodeState::Ready, NodeState::Ready]);
    for n in 1..=3 {
        assert_eq!(fixture.requests.len(), n);
        fixture.take_requests();
    }
    assert_eq!(fixture.states(), [NodeState::Running; 3]);
}

#[test]
fn agents_are_told_when_the_station_stops_that_nobody_awaits_their_answers() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(["a", "b", "c"].map(node).to_vec(), &["b.out -> c.in"]));
    fixture.handle(Input::Stopping);
    assert_eq!(fixture.cancels.len(), 2);
    assert_eq!(fixture.requests.len(), 2, "nothing more begins");
    fixture.restart();
    assert_eq!(fixture.end(1), Some(("failed", "interrupted by a stop of the station".to_owned())));
}

#[test]
fn an_agent_that_answers_and_leaves_has_answered() {
    let mut fixture = fixture(took(&[7]));
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.does("a", &gives(&[]));
    fixture.handle(Input::SessionOver { peer: ConnectionId(7) });
    assert_eq!(fixture.end(1).unwrap().0, "succeeded");
}

#[test]
fn with_the_bus_all_attempts_on_it_are_gone() {
    let mut fixture = fixture(took(&[7]));
    fixture.submit(1, opening(vec![node("a"), node("b")], &[]));
    fixture.handle(Input::BusDown);
    fixture.pass(2_000);
    assert_eq!(
        fixture.status("b"),
        (NodeState::Failed, "the bus went down before agent/echo answered".to_owned())
    );
    assert_eq!(
        fixture.end(1).unwrap().1,
        "node a failed: the bus went down before agent/echo answered; and 1 more node failed"
    );
}

#[test]
fn a_request_that_no_message_holds_is_not_sent() {
    let mut fixture = TestEngine::with(Settings { body_bytes_max: 4_096, ..Settings::default() });
    let nodes = ["a", "b", "c"].map(node).to_vec();
    fixture.submit(1, opening(nodes, &["a.out -> b.one", "a.out -> b.two", "a.note -> c.in"]));
    fixture.does("a", &gives(&[("out", "x".repeat(3_000).into()), ("note", "y".repeat(4_000).into())]));
    let says = |least, bytes| {
        format!(
            "its request has {least}{bytes} bytes, but a message is limited to 4096 \
             (limits.rmp.body_bytes_max): reduce its inputs"
        )
    };
    assert_eq!(fixture.status("b"), (NodeState::Failed, says("at least ", 6_006)));
    let (state, why) = fixture.status("c");
    assert!(
        state == NodeState::Failed
            && why.starts_with("its request has 4")
            && why.ends_with("reduce its inputs"),
        "{why}"
    );
    assert_eq!((fixture.requests.len(), fixture.end(1).unwrap().0, fixture.listens.len()), (1, "failed", 0));
}

#[test]
fn a_request_that_is_too_long_ends_its_run_also_when_it_waited_for_a_place() {
    let limits = crate::limits::Runs { in_flight_run_max: 1, ..crate::limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, body_bytes_max: 1_024, ..Settings::default() });
    let long = serde_json::Map::from_iter([("text".to_owned(), "x".repeat(2_000).into())]);
    fixture.submit(1, opening(vec![node("a"), Node { with: long, ..node("b") }], &[]));
    fixture.does("a", &gives(&[]));
    assert_eq!(fixture.end(1).unwrap().0, "failed");
    assert_eq!(fixture.engine.open(), 0);
}
