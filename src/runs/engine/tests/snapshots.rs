//! Snapshots: at any moment one and what was told behind it make what all that was told makes, and what the
//! engine itself holds.

use super::test_engine::TestEngine;
use crate::{
    limits,
    runs::{RunState, Snapshot},
};

fn fold(snapshot: &mut Snapshot, told: &[super::test_engine::TapRecord], limits: &limits::Runs) {
    for (at, transition, text) in told {
        snapshot.follow(transition, *at, text, limits);
    }
}

/// Cuts what was told in two at random places, under windows that hold everything and under such that hold
/// next to nothing.
pub(super) fn hold_together(fixture: &TestEngine, rng: &mut fastrand::Rng) {
    let narrow = limits::Runs {
        shown_max: 2,
        shown_nodes_max: 20,
        shown_asks_max: 1,
        shown_text_bytes_max: 64,
        ..limits::Runs::default()
    };
    for limits in [limits::Runs::default(), narrow] {
        let mut whole = Snapshot::default();
        fold(&mut whole, &fixture.tapped, &limits);
        for _ in 0..8 {
            let (before, behind) = fixture.tapped.split_at(rng.usize(..=fixture.tapped.len()));
            let mut taken = Snapshot::default();
            fold(&mut taken, before, &limits);
            let mut carried_on = taken.clone();
            fold(&mut carried_on, behind, &limits);
            assert_eq!(carried_on, whole);
            let open = taken.open().count() as u64;
            assert!(
                taken.runs.len() as u64 <= limits.shown_max.max(open)
                    && taken.asks.len() as u64 <= limits.shown_asks_max
            );
            assert!(
                taken.runs.iter().map(|run| run.nodes.len() as u64).sum::<u64>() <= limits.shown_nodes_max
            );
        }
    }
}

/// Holds the snapshot against the engine.
pub(super) fn agrees(fixture: &TestEngine) {
    for (name, run) in fixture.engine.runs.iter().filter(|(_, run)| run.is_live) {
        let view = fixture.snapshot.run(*name).unwrap();
        assert_eq!(
            (view.state, view.tokens, view.events, view.artifacts),
            (RunState::Running, run.tokens, run.events, run.artifacts)
        );
        assert_eq!((view.plan.nodes.len(), view.nodes.len()), (run.nodes.len(), run.nodes.len()));
        for ((planned, view), node) in view.plan.nodes.iter().zip(&view.nodes).zip(&run.nodes) {
            assert_eq!(
                (&planned.id, view.state, view.attempt),
                (&node.id, node.state, node.attempt),
                "the plan's places are the run's"
            );
            assert_eq!(planned.parent, run.scopes[node.scope as usize].parent);
        }
        let asking = run.nodes.iter().filter(|node| node.ask.is_some()).count();
        assert_eq!(fixture.snapshot.asks.iter().filter(|ask| ask.run == *name).count(), asking);
    }
    let (totals, figures) = (fixture.snapshot.totals, fixture.engine.metrics());
    assert_eq!(
        (totals.succeeded, totals.failed, totals.cancelled),
        (figures.ended[0], figures.ended[1], figures.ended[2])
    );
    assert_eq!(totals.rejected, figures.rejected.iter().sum::<u64>());
}
