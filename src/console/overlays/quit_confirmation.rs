//! What is asked before a station ends: what becomes of everything that goes on there.

use super::confirmation_text::join_some;
use crate::{
    console::{draw::theme::Role, model::Model},
    port::ShutdownImpact,
    runs::Snapshot,
    tap::entry::mpp::RowState,
};

/// Runs, questions and sessions that go on.
fn shutdown_impact(model: &Model) -> ShutdownImpact {
    let runs = model.runs();
    ShutdownImpact {
        runs: runs.map_or_else(Vec::new, |runs| {
            runs.open().map(|run| format!("{} {}", run.name, run.run.short())).collect()
        }),
        questions: runs.map_or(0, Snapshot::waiting),
        sessions: model.macp().map_or(0, |macp| macp.totals.open),
    }
}

/// Whether a station that ended now would end or halt something.
pub(crate) fn has_work(model: &Model) -> bool {
    model.mpp().is_some_and(|mpp| !mpp.live.is_empty()) || !shutdown_impact(model).is_empty()
}

/// What becomes of all of it.
pub(crate) fn describe(model: &Model) -> Vec<(String, Role)> {
    let Some(mpp) = model.mpp() else { return vec![("The station stops.".to_owned(), Role::Text)] };
    let ids =
        |state| mpp.live.iter().filter(move |(_, live)| live.state == state).map(|(id, _)| id.to_string());
    let dispatched: Vec<_> = ids(RowState::Dispatched).collect();
    let applied: Vec<_> = ids(RowState::Applied).collect();
    let pending: u64 = mpp.queues.values().map(|queue| queue.pending).sum();
    let stops = if mpp.adapter.is_some() {
        "The station stops, and the adapter is disconnected."
    } else {
        "The station stops."
    };
    let mut words = vec![(stops.to_owned(), Role::Text)];
    words.extend(shutdown_impact(model).describe().into_iter().map(|words| (words, Role::Warn)));
    if !dispatched.is_empty() {
        words.push((
            format!("A restart requeues {} dispatched: {}.", dispatched.len(), join_some(&dispatched)),
            Role::Warn,
        ));
    }
    if !applied.is_empty() {
        words.push((
            format!("{} stay applied, to be settled by hand: {}.", applied.len(), join_some(&applied)),
            Role::Warn,
        ));
    }
    words.push((format!("{pending} pending stay as they are."), Role::Muted));
    words
}
