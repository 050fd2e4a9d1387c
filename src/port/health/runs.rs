//! What is amiss with the runs. What they ask and why they failed can quote viewers: no reason does.

use std::{cmp::Reverse, time::Duration};

use super::{Problem, problem::down_word};
use crate::{
    ids::{ActionId, TraceId},
    port::{HostState, Snapshot},
    runs::{self, RunState, RunView},
    tap::entry::Link,
    time::Now,
    words::counted,
};

/// Approvals and failures that are named one by one.
const LISTED_MAX: usize = 5;
/// How long a run that failed is told of.
const MINUTE: Duration = Duration::from_secs(60);

/// What can be amiss with the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    HostDown,
    Held,
    /// A node waits for this decision.
    Approval(ActionId),
    /// More wait than are named.
    MoreApprovals,
    /// This run failed.
    Failed(TraceId),
    /// More failed than are named.
    MoreFailed,
}

/// Everything that is amiss with the runs.
pub(crate) fn problems(snapshot: &Snapshot, now: Now) -> Vec<Problem<Cause>> {
    let mut problems = Vec::new();
    if let HostState::Down(why) = &snapshot.station.hosts[Link::Runs.index()] {
        let why = format!("the control plane is down: {why}");
        problems.push(Problem::down(Cause::HostDown, down_word(&why, "stopped"), why));
    }
    // What is held waits for its operator; an approval is lost by waiting.
    problems.extend(of_approvals(&snapshot.runs));
    if snapshot.runs.held {
        problems.push(Problem::degraded(Cause::Held, "held", "runs held: no new attempts"));
    }
    problems.extend(of_failures(&snapshot.runs, now));
    problems
}

/// The nodes that wait for a decision.
fn of_approvals(runs: &runs::Snapshot) -> Vec<Problem<Cause>> {
    let word = counted(runs.waiting(), "approval");
    let named = runs.asks.iter().take(LISTED_MAX).map(|ask| {
        let name = runs.run(ask.run).map_or_else(|| ask.run.short(), |view| view.name.to_string());
        let why = format!("{name} needs approval for node {}", ask.node.id);
        Problem::degraded(Cause::Approval(ask.action), word.clone(), why)
    });
    let mut problems: Vec<_> = named.collect();
    let more = runs.waiting().saturating_sub(runs.asks.len().min(LISTED_MAX) as u64);
    if more > 0 {
        let why = format!("also pending: {}", counted(more, "more approval"));
        problems.push(Problem::degraded(Cause::MoreApprovals, word, why));
    }
    problems
}

/// The runs that failed lately, the latest first.
fn of_failures(runs: &runs::Snapshot, now: Now) -> Vec<Problem<Cause>> {
    let is_lately = |view: &&RunView| {
        view.state == RunState::Failed
            && view.ended_at.is_some_and(|at| !at.is_of_before() && now.since(at) < MINUTE)
    };
    let mut lately: Vec<_> = runs.runs.iter().filter(is_lately).collect();
    lately.sort_by_key(|view| Reverse(view.ended_at.map(|at| at.mono)));
    let word = format!("{} failed", lately.len());
    let named = lately.iter().take(LISTED_MAX).map(|view| {
        let why = format!("{} {} failed in the last minute", view.name, view.run.short());
        Problem::degraded(Cause::Failed(view.run), word.clone(), why)
    });
    let mut problems: Vec<_> = named.collect();
    let more = lately.len().saturating_sub(LISTED_MAX);
    if more > 0 {
        let why = format!("{} failed in the last minute", counted(more as u64, "more run"));
        problems.push(Problem::degraded(Cause::MoreFailed, word, why));
    }
    problems
}
