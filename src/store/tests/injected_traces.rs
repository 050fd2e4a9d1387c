//! Traces that have injected frames, over restarts.

use uuid::Uuid;

use super::kit::{ask, open};
use crate::{
    ids::TraceId,
    store::op::{Done, Op},
    tap::injected_traces::KNOWN_MAX,
};

fn traces(numbers: std::ops::Range<u128>) -> Vec<TraceId> {
    numbers.map(|number| TraceId(Uuid::from_u128(number))).collect()
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
