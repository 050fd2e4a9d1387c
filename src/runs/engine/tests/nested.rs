//! Openings within openings.

use std::sync::Arc;

use super::test_engine::{TestEngine, fails, gives, node, opening, value};
use crate::runs::{
    NodeState,
    openings::{Node, Opening, PortRef, Retry, Use},
};

fn nested(id: &str, inner: Opening) -> Node {
    Node { action: Use::Opening { name: Arc::from("inner"), opening: Arc::new(inner) }, ..node(id) }
}

fn inner() -> Opening {
    let mut inner = opening(vec![node("x"), node("y")], &["x.out -> y.in"]);
    inner.save = vec![PortRef { node: 1, port: "out".into() }];
    inner
}

#[test]
fn a_nested_opening_gives_what_it_saves_and_that_it_is_ok() {
    let mut house = TestEngine::new();
    let nodes = vec![nested("a", inner()), node("b"), node("c")];
    house.submit(1, opening(nodes, &["a.out -> b.in", "a.ok==true -> b.ok", "a.ok==false -> c.in"]));
    let run = house.snapshot.runs.back().unwrap();
    let ids: Vec<_> = run.plan.nodes.iter().map(|node| (node.id.to_string(), node.parent)).collect();
    assert_eq!(ids[3..], [("a/x".to_owned(), Some(0)), ("a/y".to_owned(), Some(0))]);
    assert_eq!(run.plan.edges.len(), 4);
    house.does("x", &gives(&[("out", 1.into())]));
    house.does("y", &gives(&[("out", 2.into())]));
    assert_eq!(house.request("b").inputs["in"], [value(2)]);
    assert_eq!(house.request("b").inputs["ok"], [value(true)]);
    house.does("b", &gives(&[]));
    assert_eq!((house.end(1).unwrap().0, house.status("c").0), ("succeeded", NodeState::Skipped));
    assert_eq!(house.persisted.artifacts.len(), 0, "what is saved within feeds the port");
}

#[test]
fn one_that_fails_is_tried_again_from_its_beginning_and_then_gives_not_ok() {
    let mut house = TestEngine::new();
    let retry = Retry { max_attempts: 2, backoff_ms: 10 };
    let nodes = vec![Node { retry, ..nested("a", inner()) }, node("b"), node("c")];
    house.submit(1, opening(nodes, &["a.ok==false -> b.in", "a.out -> c.in"]));
    house.does("x", &gives(&[("out", 1.into())]));
    house.does("y", &fails(false));
    assert_eq!(
        house.status("a"),
        (NodeState::Retrying, "it did not succeed: node a/y failed: no luck".to_owned())
    );
    house.pass(10);
    assert_eq!((house.status("a/y").0, house.request("x").attempt), (NodeState::Waiting, 1));
    house.does("x", &fails(false));
    assert_eq!((house.status("a/y").0, house.status("a").0), (NodeState::Blocked, NodeState::Failed));
    assert_eq!(house.status("c").1, "upstream a failed");
    assert_eq!(house.request("b").inputs["in"], [value(false)]);
    house.does("b", &gives(&[]));
    assert_eq!(
        house.end(1),
        Some(("failed", "node a failed: it did not succeed: node a/x failed: no luck".to_owned()))
    );
}

#[test]
fn the_nodes_timeout_and_the_openings_own_end_the_whole() {
    let mut house = TestEngine::new();
    let mut short = inner();
    short.policy.timeout_ms = Some(30);
    let nodes = vec![Node { timeout_ms: Some(50), ..nested("a", inner()) }, nested("b", short)];
    house.submit(1, opening(nodes, &[]));
    house.pass(30);
    assert_eq!(house.status("b"), (NodeState::Failed, "timed out after 30 ms".to_owned()));
    house.pass(20);
    assert_eq!(house.status("a"), (NodeState::Failed, "timed out after 50 ms".to_owned()));
    assert_eq!(
        (house.cancels.len(), house.listens.len(), house.status("a/x").0),
        (2, 0, NodeState::Cancelled)
    );
    assert_eq!(house.end(1).unwrap().0, "failed");
}

#[test]
fn a_question_within_expires_before_the_time_of_what_it_is_within_does() {
    for (of_node, own) in [(Some(4_000), None), (None, Some(4_000)), (Some(9_000), Some(4_000))] {
        let mut house = TestEngine::new();
        let mut asking = opening(vec![Node { asks: true, ..node("x") }], &[]);
        asking.policy.timeout_ms = own;
        let retry = Retry { max_attempts: 3, backoff_ms: 0 };
        let middle = opening(vec![nested("b", asking)], &[]);
        house.submit(1, opening(vec![Node { retry, timeout_ms: of_node, ..nested("a", middle) }], &[]));
        let left_ms = house.asks[0].expires_at.0 - crate::time::Now::at_ms(house.ms).wall.0;
        assert_eq!(left_ms, 3_000, "{of_node:?} {own:?}");
        house.pass(3_000);
        assert_eq!(house.status("a/b/x"), (NodeState::Failed, "nobody decided in time".to_owned()));
        let why = "node a failed: it did not succeed: node a/b failed: it did not succeed: node a/b/x failed: nobody decided in time";
        assert_eq!(
            (house.end(1).unwrap().1.as_str(), house.asks.len()),
            (why, 1),
            "a no is not asked for again"
        );
    }
}

#[test]
fn its_budget_is_of_all_within() {
    let mut house = TestEngine::new();
    let mut thrifty = opening(vec![node("x"), node("y")], &[]);
    thrifty.policy.budget_tokens = Some(10);
    let retry = Retry { max_attempts: 5, backoff_ms: 0 };
    house.submit(1, opening(vec![Node { retry, ..nested("a", thrifty) }, node("b")], &[]));
    let mut used = gives(&[]);
    used.tokens = Some(11);
    house.does("x", &used);
    assert_eq!(house.status("a"), (NodeState::Failed, "it used 11 tokens, and its budget is 10".to_owned()));
    assert_eq!((house.cancels.len(), house.end(1)), (1, None), "y was told, b goes on");
}
