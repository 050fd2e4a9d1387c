//! What is amiss with lifecycle records.

use std::time::Duration;

use super::{Problem, problem::down_word};
use crate::{
    mplp::lifecycle::WITHHELD_TOO_LARGE,
    port::{HostState, Snapshot},
    tap::entry::Link,
    time::Now,
    words::format::many,
};

/// For how long an object that was withheld is amiss.
const WITHHELD_FOR: Duration = Duration::from_secs(600);

/// What can be amiss with lifecycle records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    HostDown,
    Withheld,
}

/// Everything that is amiss with them.
pub(crate) fn problems(snapshot: &Snapshot, now: Now) -> Vec<Problem<Cause>> {
    let mut problems = Vec::new();
    if let HostState::Down(why) = &snapshot.station.hosts[Link::Mplp.index()] {
        let why = format!("the lifecycle records are down: {why}");
        problems.push(Problem::down(Cause::HostDown, down_word(&why, "stopped"), why));
    }
    let is_lately = |at: Now| now.mono.since(at.mono) < WITHHELD_FOR;
    // What is too large for the bus is no fault of ours.
    let last = snapshot.mplp.recent.iter().rev().find(|view| &*view.rule != WITHHELD_TOO_LARGE);
    if let Some(last) = last.filter(|view| is_lately(view.at)) {
        let why = format!(
            "{} withheld since start, not clean by our own rules; last: {} at {}",
            many(snapshot.mplp.withheld, "item"),
            last.rule,
            last.path
        );
        problems.push(Problem::degraded(Cause::Withheld, "withheld", why));
    }
    problems
}
