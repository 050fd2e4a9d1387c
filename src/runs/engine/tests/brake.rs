//! The show's brake: attempts that are not begun wait.

use super::test_engine::{TestEngine, by, fails, gives, node, opening};
use crate::{
    runs::{
        Command, NodeState, Outcome,
        openings::{Node, Policy, Retry},
    },
    time::Now,
};

fn brake(house: &mut TestEngine, held: bool) {
    let command = if held { Command::Hold } else { Command::Release };
    let outcome = house.engine.command(Now::at_ms(house.ms), by(), command);
    assert_eq!(outcome, Ok(Outcome::Braked { held }));
    house.drain();
    assert_eq!(house.snapshot.held, held);
}

#[test]
fn while_runs_are_held_no_attempt_is_begun_and_all_of_them_are_afterwards() {
    let mut house = TestEngine::new();
    let retry = Retry { max_attempts: 2, backoff_ms: 10 };
    house.submit(1, opening(vec![node("a"), node("b"), Node { retry, ..node("c") }], &["a.out -> b.in"]));
    assert_eq!(house.requests.len(), 2);
    brake(&mut house, true);
    house.does("a", &gives(&[("out", 1.into())]));
    house.does("c", &fails(true));
    house.pass(50);
    assert_eq!((house.status("b").0, house.status("c").0), (NodeState::Ready, NodeState::Ready));
    house.submit(2, opening(vec![node("d")], &[]));
    assert_eq!(house.requests.len(), 2, "neither what follows, nor another attempt, nor another run");
    brake(&mut house, true);
    brake(&mut house, false);
    assert_eq!(house.requests.len(), 5);
    for node in ["b", "c", "d"] {
        house.does(node, &gives(&[("out", 1.into())]));
    }
    assert_eq!(
        (house.end(1), house.end(2)),
        (Some(("succeeded", String::new())), Some(("succeeded", String::new())))
    );
}

#[test]
fn times_go_on_while_runs_are_held() {
    let mut house = TestEngine::new();
    brake(&mut house, true);
    let policy = Policy { timeout_ms: Some(500), ..Policy::default() };
    let mut held = opening(vec![node("a"), Node { asks: true, ..node("b") }], &[]);
    held.policy = policy;
    house.submit(1, held);
    assert_eq!((house.requests.len(), house.asks.len()), (0, 1), "who is asked can answer");
    house.pass(600);
    assert_eq!(house.end(1), Some(("failed", "timed out after 500 ms".to_owned())));
    brake(&mut house, false);
    assert_eq!(house.requests.len(), 0);
}
