//! What is amiss with lifecycle records.

use std::time::Duration;

use super::{Problem, problem::down_word};
use crate::{
    mplp::snapshot::WithheldView,
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
    if let Some(last) = withheld_lately(snapshot, now).next_back() {
        let why = format!(
            "{} withheld since start; the last that was not valid: {} at {}",
            many(snapshot.mplp.withheld, "item"),
            last.rule,
            last.path
        );
        problems.push(Problem::degraded(Cause::Withheld, "withheld", why));
    }
    problems
}

/// What was withheld in the last ten minutes because it was not valid, the latest at the end.
pub(crate) fn withheld_lately(
    snapshot: &Snapshot,
    now: Now,
) -> impl DoubleEndedIterator<Item = &WithheldView> {
    let is_lately = move |view: &&WithheldView| now.mono.since(view.at.mono) < WITHHELD_FOR;
    snapshot.mplp.recent.iter().filter(is_lately).filter(|view| !view.is_too_large())
}
