//! The show's brake: attempts that are not begun wait.

use super::test_engine::{TestEngine, by, fails, gives, node, opening};
use crate::{
    runs::{
        Command, NodeState, Outcome,
        openings::{Node, Policy, Retry},
    },
    time::Now,
};

fn brake(fixture: &mut TestEngine, held: bool) {
    let command = if held { Command::Hold } else { Command::Release };
    let outcome = fixture.engine.command(Now::at_ms(fixture.ms), by(), command);
    assert_eq!(outcome, Ok(Outcome::Braked { held }));
    fixture.drain();
    assert_eq!(fixture.snapshot.held, held);
}

#[test]
fn while_runs_are_held_no_attempt_is_begun_and_all_of_them_are_afterwards() {
    let mut fixture = TestEngine::new();
    let retry = Retry { max_attempts: 2, backoff_ms: 10 };
    fixture.submit(1, opening(vec![node("a"), node("b"), Node { retry, ..node("c") }], &["a.out -> b.in"]));
    assert_eq!(fixture.requests.len(), 2);
    brake(&mut fixture, true);
    fixture.does("a", &gives(&[("out", 1.into())]));
    fixture.does("c", &fails(true));
    fixture.pass(50);
    assert_eq!((fixture.status("b").0, fixture.status("c").0), (NodeState::Ready, NodeState::Ready));
    fixture.submit(2, opening(vec![node("d")], &[]));
    assert_eq!(fixture.requests.len(), 2, "neither what follows, nor another attempt, nor another run");
    brake(&mut fixture, true);
    brake(&mut fixture, false);
    assert_eq!(fixture.requests.len(), 5);
    for node in ["b", "c", "d"] {
        fixture.does(node, &gives(&[("out", 1.into())]));
    }
    assert_eq!(
        (fixture.end(1), fixture.end(2)),
        (Some(("succeeded", String::new())), Some(("succeeded", String::new())))
    );
}

#[test]
fn times_go_on_while_runs_are_held() {
    let mut fixture = TestEngine::new();
    brake(&mut fixture, true);
    let policy = Policy { timeout_ms: Some(500), ..Policy::default() };
    let mut held = opening(vec![node("a"), Node { asks: true, ..node("b") }], &[]);
    held.policy = policy;
    fixture.submit(1, held);
    assert_eq!((fixture.requests.len(), fixture.asks.len()), (0, 1), "who is asked can answer");
    fixture.pass(600);
    assert_eq!(fixture.end(1), Some(("failed", "timed out after 500 ms".to_owned())));
    brake(&mut fixture, false);
    assert_eq!(fixture.requests.len(), 0);
}
