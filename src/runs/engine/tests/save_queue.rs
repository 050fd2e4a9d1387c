//! A store that cannot write.

use super::test_engine::{TestEngine, gives, node, opening, trace};
use crate::{
    limits,
    runs::{EventKind, RunState, engine::Settings, openings::PortRef, payload::ControlResponse},
};

/// A run of one node that is asked for, before a store that fails so many times from now on.
fn asked(failing: u32) -> TestEngine {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(20);
    fixture.failing = failing;
    fixture
}

#[test]
fn what_the_store_refuses_is_offered_again_in_order_and_the_end_is_not_lost() {
    for failing in 1..6 {
        let mut fixture = asked(failing);
        fixture.does("a", &gives(&[]));
        assert_eq!(fixture.end(1), None, "it is not durable");
        assert_eq!(fixture.events.last().unwrap().2.meta.success, Some(true), "and is told all the same");
        fixture.pass(20_000);
        assert_eq!(fixture.end(1), Some(("succeeded", String::new())));
        let told: Vec<_> = (1..=fixture.events.len() as u64).collect();
        assert_eq!(fixture.persisted.events[&trace(1)], told, "nothing is missing");
        assert_eq!((fixture.engine.open(), fixture.engine.timeout()), (0, None));
    }
}

#[test]
fn the_pause_before_the_store_is_asked_again_grows_and_is_bounded() {
    let mut fixture = asked(7);
    fixture.does("a", &gives(&[]));
    let mut asked = Vec::new();
    while fixture.failing > 0 {
        let before = (fixture.ms, fixture.failing);
        let due = fixture.engine.timeout().unwrap().0.div_ceil(1_000_000);
        fixture.pass(due - fixture.ms);
        if fixture.failing < before.1 {
            asked.push(fixture.ms - before.0);
        }
    }
    assert_eq!(asked, [250, 500, 1_000, 2_000, 4_000, 5_000]);
}

#[test]
fn while_the_store_cannot_write_new_runs_are_rejected_and_others_go_on() {
    let mut fixture = asked(0);
    fixture.submit(2, opening(vec![node("b")], &[]));
    fixture.failing = 2;
    fixture.does("a", &gives(&[]));
    fixture.submit(3, opening(vec![node("c")], &[]));
    let Some((of, ControlResponse::RunRejected { reason, .. })) = fixture.responses.last() else {
        panic!("{:?}", fixture.responses)
    };
    assert_eq!(
        (*of, reason.as_str()),
        (trace(3), "cannot store the run: the disk is full; see `rl-console doctor`")
    );
    fixture.does("b", &gives(&[]));
    fixture.submit(4, opening(vec![node("c")], &[]));
    fixture.does("c", &gives(&[]));
    fixture.pass(10_000);
    assert_eq!([1, 2, 4].map(|n| fixture.end(n).unwrap().0), ["succeeded"; 3]);
}

#[test]
fn an_answer_does_not_wait_for_a_store_that_cannot_write_and_is_kept_later() {
    let mut fixture = asked(2);
    fixture.cancel(50, 1);
    assert_eq!(fixture.responses.last().unwrap().0, trace(50));
    fixture.pass(10_000);
    assert_eq!(fixture.end(1).unwrap().0, "cancelled");
    assert!(fixture.persisted.answers.iter().any(|answer| answer.request == trace(50)));
}

#[test]
fn past_the_bound_events_are_left_out_and_the_run_says_so() {
    let limits = limits::Runs { unsaved_bytes_max: 65_536, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    let mut it = opening((0..300).map(|n| node(&format!("n{n}"))).collect(), &[]);
    it.save = vec![PortRef { node: 299, port: "out".into() }];
    fixture.submit(1, it);
    fixture.pass(20);
    fixture.failing = 1;
    for n in 0..300 {
        fixture.does(&format!("n{n}"), &gives(&[("out", 1.into())]));
    }
    assert_eq!(fixture.end(1), None);
    let told = fixture.events.len();
    fixture.pass(20_000);
    assert_eq!(fixture.end(1).unwrap().0, "succeeded", "the end is kept whatever room there is");
    let kept = &fixture.persisted.events[&trace(1)];
    assert!(kept.len() < told && kept.contains(&(told as u64)), "{} of {told}", kept.len());
    let says: Vec<_> = fixture
        .events
        .iter()
        .filter(|(_, _, event)| event.kind == EventKind::Log)
        .map(|(_, _, it)| it.message.clone())
        .collect();
    assert_eq!(says[0], "events of this run are not stored until the store recovers: the disk is full");
    let lost = told - kept.len();
    assert_eq!(says.last().unwrap(), &format!("{lost} events and 1 artifact not stored: the disk is full"));
    assert!(says.contains(&"n299.out not stored: the disk is full".to_owned()));
    assert_eq!(fixture.persisted.ended[&trace(1)].artifacts_missing, 1);
    assert!(fixture.persisted.artifacts.is_empty());
}

#[test]
fn on_a_disk_that_is_nearly_full_events_and_artifacts_are_told_and_not_kept() {
    let mut fixture = TestEngine::new();
    let mut it = opening(vec![node("a")], &[]);
    it.save = vec![PortRef { node: 0, port: "out".into() }];
    fixture.submit(1, it);
    fixture.pass(20);
    let before = fixture.persisted.events[&trace(1)].len();
    fixture.engine.set_disk_low(true);
    fixture.does("a", &gives(&[("out", 1.into())]));
    fixture.pass(20);
    assert_eq!(fixture.end(1).unwrap().0, "succeeded", "its end is kept");
    assert!(fixture.persisted.artifacts.is_empty());
    assert_eq!(fixture.persisted.ended[&trace(1)].artifacts_missing, 1);
    // Where it begins, how many there were, and the end.
    assert_eq!(fixture.persisted.events[&trace(1)].len(), before + 3);
    assert!(fixture.events.len() > before + 3, "all of them are told");
    let says: Vec<_> = fixture.events.iter().map(|(_, _, event)| event.message.as_str()).collect();
    let says = |what: &str| {
        says.iter().any(|says| says.contains(what) && says.contains("limits.store.disk_free_bytes_min"))
    };
    assert!(says("are not stored until") && says("1 artifact not stored") && says("a.out not stored"));
}

#[test]
fn after_a_restart_the_last_event_has_the_next_number_and_not_the_count() {
    let mut fixture = asked(0);
    // Somebody took rows from among the events.
    fixture.persisted.events.get_mut(&trace(1)).unwrap().remove(0);
    let last = *fixture.persisted.events[&trace(1)].last().unwrap();
    fixture.restart();
    assert_eq!(fixture.persisted.events[&trace(1)].last(), Some(&(last + 1)));
    assert_eq!(fixture.persisted.ended[&trace(1)].state, RunState::Failed);
}
