//! Traces that have injected frames, over restarts.

use uuid::Uuid;

use super::kit::{ask, open};
use crate::{
    ids::TraceId,
    store::op::{Done, Op},
    tap::{InjectedTrace, injected_traces::KNOWN_MAX},
};

fn traces(numbers: std::ops::Range<u128>) -> Vec<InjectedTrace> {
    let of = |number| InjectedTrace { trace: TraceId(Uuid::from_u128(number)), has_row: false };
    numbers.map(of).collect()
}

fn rows(numbers: std::ops::Range<u128>) -> Vec<InjectedTrace> {
    traces(numbers).into_iter().map(|it| InjectedTrace { has_row: true, ..it }).collect()
}

#[test]
fn injected_traces_are_kept_over_a_restart_each_once_and_the_oldest_of_too_many_go() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    for kept in [traces(0..3), traces(1..4)] {
        assert_eq!(kit.commit(Op::InjectedTraces(kept)).unwrap(), Done::Plain);
    }
    let kit = kit.kill_and_reopen(folder.path());
    assert_eq!(ask(|done| kit.handle.injected_traces(done)).unwrap(), traces(0..4));
    let max = KNOWN_MAX as u128;
    kit.commit(Op::InjectedTraces(traces(4..max + 2))).unwrap();
    let kept = ask(|done| kit.handle.injected_traces(done)).unwrap();
    assert!(kept.len() <= KNOWN_MAX, "{} of {KNOWN_MAX}", kept.len());
    assert_eq!(kept.last(), traces(max + 1..max + 2).first());
    assert!(!kept.contains(&traces(0..1)[0]), "the oldest went");
}

#[test]
fn injected_traces_of_rows_stay_however_many_others_come() {
    let folder = tempfile::tempdir().unwrap();
    let kit = open(folder.path());
    kit.commit(Op::InjectedTraces([rows(0..1), traces(1..4)].concat())).unwrap();
    kit.commit(Op::InjectedTraces(rows(2..3))).unwrap();
    // What has one is not said to have none by a frame that comes later.
    kit.commit(Op::InjectedTraces(traces(0..1))).unwrap();
    let max = KNOWN_MAX as u128;
    kit.commit(Op::InjectedTraces(traces(4..2 * max + 4))).unwrap();
    let kept = ask(|done| kit.handle.injected_traces(done)).unwrap();
    assert_eq!(kept, [rows(0..1), rows(2..3), traces(max + 4..2 * max + 4)].concat());
    let kit = kit.kill_and_reopen(folder.path());
    assert_eq!(ask(|done| kit.handle.injected_traces(done)).unwrap(), kept);
}
