//! The greatest numbers that are taken, and how many nodes are done.

use std::sync::Arc;

use super::test_engine::{TestEngine, fails, gives, node, opening, trace};
use crate::runs::{
    NodeState,
    openings::{Node, Opening, Retry, Use},
    payload::{AgentAnswer, ControlResponse},
};

/// The greatest number of an opening (Runloop facts, Openings; YAML 1.2 integers).
const NUMBER_MAX: u64 = i64::MAX as u64;

fn nested(id: &str, inner: Opening) -> Node {
    Node { action: Use::Opening { name: Arc::from("inner"), opening: Arc::new(inner) }, ..node(id) }
}

#[test]
fn the_greatest_times_and_counts_that_are_taken_run_without_end() {
    let mut fixture = TestEngine::new();
    let retry = Retry { max_attempts: u32::MAX, backoff_ms: NUMBER_MAX };
    let endless =
        |node: Node| Node { retry, timeout_ms: Some(NUMBER_MAX), budget_tokens: Some(NUMBER_MAX), ..node };
    let mut inner = opening(vec![endless(node("x"))], &[]);
    (inner.policy.timeout_ms, inner.policy.budget_tokens) = (Some(NUMBER_MAX), Some(NUMBER_MAX));
    let mut outer =
        opening(vec![endless(Node { asks: true, ..node("a") }), endless(nested("b", inner.clone()))], &[]);
    outer.policy = inner.policy;
    fixture.submit(1, outer);
    let asked = fixture.asks[0].expires_at.0 - crate::time::Now::at_ms(0).wall.0;
    assert_eq!(
        asked,
        crate::limits::Runs::default().confirm_ms,
        "a question does not wait as long as its run"
    );
    fixture.decide(&fixture.asks[0].clone(), true);
    fixture.does("a", &fails(true));
    let used = AgentAnswer { tokens: Some(NUMBER_MAX), ..fails(true) };
    fixture.does("x", &used);
    fixture.pass(1_000_000_000_000);
    assert_eq!(
        ["a", "b", "b/x"].map(|id| fixture.status(id).0),
        [NodeState::Retrying, NodeState::Running, NodeState::Retrying]
    );
    fixture.cancel(50, 1);
    assert!(matches!(fixture.responses.last().unwrap().1, ControlResponse::RunCancelled { .. }));
    assert_eq!((fixture.persisted.ended[&trace(1)].tokens, fixture.engine.timeout()), (NUMBER_MAX, None));
}

#[test]
fn tokens_past_all_numbers_are_as_many_as_there_are() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a"), node("b")], &[]));
    let used = AgentAnswer { tokens: Some(u64::MAX), ..gives(&[]) };
    fixture.does("a", &used);
    fixture.does("b", &used);
    assert_eq!(
        (fixture.end(1).unwrap().0, fixture.persisted.ended[&trace(1)].tokens),
        ("succeeded", u64::MAX)
    );
}

#[test]
fn how_many_nodes_are_done_is_kept_as_they_are_and_holds_behind_a_restart() {
    let mut fixture = TestEngine::new();
    let nodes = || vec![node("a"), node("b"), node("c"), node("d")];
    let edges = ["a.ok==true -> b.in", "a.ok==false -> c.in", "b.out -> d.in"];
    fixture.submit(1, opening(nodes(), &edges));
    assert_eq!(
        (fixture.snapshot.runs[0].done_nodes(), fixture.persisted.done.get(&trace(1))),
        (Some(0), None)
    );
    fixture.does("a", &gives(&[("ok", true.into())]));
    assert_eq!(
        (fixture.snapshot.runs[0].done_nodes(), fixture.persisted.done[&trace(1)]),
        (Some(2), 2),
        "c is skipped"
    );
    fixture.restart();
    let cut = fixture.snapshot.runs.back().unwrap();
    assert_eq!((cut.nodes.len(), cut.planned, cut.done_nodes()), (0, 4, Some(2)), "and not all of them");
    assert_eq!((fixture.end(1).unwrap().0, fixture.persisted.ended[&trace(1)].done), ("failed", 2));
    fixture.submit(2, opening(nodes(), &edges));
    fixture.does("a", &gives(&[("ok", true.into())]));
    fixture.does("b", &fails(false));
    assert_eq!(
        (fixture.end(2).unwrap().0, fixture.persisted.ended[&trace(2)].done),
        ("failed", 2),
        "what failed or was blocked is not done"
    );
}

#[test]
fn nodes_that_are_to_be_done_again_are_not_done() {
    let mut fixture = TestEngine::new();
    let retry = Retry { max_attempts: 2, backoff_ms: 0 };
    let inner = opening(vec![node("x"), node("y")], &["x.out -> y.in"]);
    fixture.submit(1, opening(vec![Node { retry, ..nested("a", inner) }], &[]));
    fixture.does("x", &gives(&[("out", 1.into())]));
    assert_eq!(fixture.persisted.done[&trace(1)], 1);
    fixture.does("y", &fails(false));
    fixture.pass(1);
    assert_eq!((fixture.status("a/x").0, fixture.persisted.done[&trace(1)]), (NodeState::Running, 0));
    fixture.does("x", &gives(&[("out", 1.into())]));
    fixture.does("y", &gives(&[]));
    assert_eq!((fixture.end(1).unwrap().0, fixture.persisted.ended[&trace(1)].done), ("succeeded", 3));
}
