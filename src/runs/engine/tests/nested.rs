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
    let mut fixture = TestEngine::new();
    let nodes = vec![nested("a", inner()), node("b"), node("c")];
    fixture.submit(1, opening(nodes, &["a.out -> b.in", "a.ok==true -> b.ok", "a.ok==false -> c.in"]));
    let run = fixture.snapshot.runs.back().unwrap();
    let ids: Vec<_> = run.plan.nodes.iter().map(|node| (node.id.to_string(), node.parent)).collect();
    assert_eq!(ids[3..], [("a/x".to_owned(), Some(0)), ("a/y".to_owned(), Some(0))]);
    assert_eq!(run.plan.edges.len(), 4);
    fixture.does("x", &gives(&[("out", 1.into())]));
    fixture.does("y", &gives(&[("out", 2.into())]));
    assert_eq!(fixture.request("b").inputs["in"], [value(2)]);
    assert_eq!(fixture.request("b").inputs["ok"], [value(true)]);
    fixture.does("b", &gives(&[]));
    assert_eq!((fixture.end(1).unwrap().0, fixture.status("c").0), ("succeeded", NodeState::Skipped));
    assert_eq!(fixture.persisted.artifacts.len(), 0, "what is saved within feeds the port");
}

#[test]
fn one_that_fails_is_tried_again_from_its_beginning_and_then_gives_not_ok() {
    let mut fixture = TestEngine::new();
    let retry = Retry { max_attempts: 2, backoff_ms: 10 };
    let nodes = vec![Node { retry, ..nested("a", inner()) }, node("b"), node("c")];
    fixture.submit(1, opening(nodes, &["a.ok==false -> b.in", "a.out -> c.in"]));
    fixture.does("x", &gives(&[("out", 1.into())]));
    fixture.does("y", &fails(false));
    assert_eq!(
        fixture.status("a"),
        (NodeState::Retrying, "it did not succeed: node a/y failed: no luck".to_owned())
    );
    fixture.pass(10);
    assert_eq!((fixture.status("a/y").0, fixture.request("x").attempt), (NodeState::Waiting, 1));
    fixture.does("x", &fails(false));
    assert_eq!((fixture.status("a/y").0, fixture.status("a").0), (NodeState::Blocked, NodeState::Failed));
    assert_eq!(fixture.status("c").1, "upstream a failed");
    assert_eq!(fixture.request("b").inputs["in"], [value(false)]);
    fixture.does("b", &gives(&[]));
    assert_eq!(
        fixture.end(1),
        Some(("failed", "node a failed: it did not succeed: node a/x failed: no luck".to_owned()))
    );
}

#[test]
fn the_nodes_timeout_and_the_openings_own_end_the_whole() {
    let mut fixture = TestEngine::new();
    let mut short = inner();
    short.policy.timeout_ms = Some(30);
    let nodes = vec![Node { timeout_ms: Some(50), ..nested("a", inner()) }, nested("b", short)];
    fixture.submit(1, opening(nodes, &[]));
    fixture.pass(30);
    assert_eq!(fixture.status("b"), (NodeState::Failed, "timed out after 30 ms".to_owned()));
    fixture.pass(20);
    assert_eq!(fixture.status("a"), (NodeState::Failed, "timed out after 50 ms".to_owned()));
    assert_eq!(
        (fixture.cancels.len(), fixture.listens.len(), fixture.status("a/x").0),
        (2, 0, NodeState::Cancelled)
    );
    assert_eq!(fixture.end(1).unwrap().0, "failed");
}

#[test]
fn a_question_within_expires_before_the_time_of_what_it_is_within_does() {
    for (of_node, own) in [(Some(4_000), None), (None, Some(4_000)), (Some(9_000), Some(4_000))] {
        let mut fixture = TestEngine::new();
        let mut asking = opening(vec![Node { asks: true, ..node("x") }], &[]);
        asking.policy.timeout_ms = own;
        let retry = Retry { max_attempts: 3, backoff_ms: 0 };
        let middle = opening(vec![nested("b", asking)], &[]);
        fixture.submit(1, opening(vec![Node { retry, timeout_ms: of_node, ..nested("a", middle) }], &[]));
        let left_ms = fixture.asks[0].expires_at.0 - crate::time::Now::at_ms(fixture.ms).wall.0;
        assert_eq!(left_ms, 3_000, "{of_node:?} {own:?}");
        fixture.pass(3_000);
        assert_eq!(fixture.status("a/b/x"), (NodeState::Failed, "no decision in time".to_owned()));
        let why = "node a failed: it did not succeed: node a/b failed: it did not succeed: node a/b/x \
                   failed: no decision in time";
        assert_eq!(
            (fixture.end(1).unwrap().1.as_str(), fixture.asks.len()),
            (why, 1),
            "a no is not asked for again"
        );
    }
}

#[test]
fn its_budget_is_of_all_within() {
    let mut fixture = TestEngine::new();
    let mut thrifty = opening(vec![node("x"), node("y")], &[]);
    thrifty.policy.budget_tokens = Some(10);
    let retry = Retry { max_attempts: 5, backoff_ms: 0 };
    fixture.submit(1, opening(vec![Node { retry, ..nested("a", thrifty) }, node("b")], &[]));
    let mut used = gives(&[]);
    used.tokens = Some(11);
    fixture.does("x", &used);
    assert_eq!(
        fixture.status("a"),
        (NodeState::Failed, "it used 11 tokens, over its budget of 10".to_owned())
    );
    assert_eq!((fixture.cancels.len(), fixture.end(1)), (1, None), "y was told, b goes on");
}
