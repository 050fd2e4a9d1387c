//! What is amiss with the bridge.

use super::{Problem, problem::down_word};
use crate::{
    ids::InvocationId,
    mpp::{self, Listener},
    port::{HostState, Snapshot},
    store::is_refused_by_rule,
    tap::entry::Link,
    time::Now,
    words::{counted, format::age},
};

/// Rows left in applied that are named.
const ORPHANED_LISTED_MAX: usize = 6;

/// What can be amiss with the bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    HostDown,
    PortDown,
    PortStarting,
    CommitsFail,
    /// They fail since a rule of the gate has them refused.
    CommitsRefused,
    ReadsFail,
    Unpaired,
    AdapterSilent,
    NoAdapter,
    Held,
    Draining,
    /// Rows are left in applied; the first.
    Orphaned(InvocationId),
    OtherPack,
}

/// How many rows occupy the slot of a queue, and how many others are applied and not done.
pub(crate) fn in_flight(mpp: &mpp::Snapshot) -> (usize, usize) {
    let flying = mpp.queues.values().filter(|queue| queue.in_flight.is_some()).count();
    (flying, mpp.live.len().saturating_sub(flying))
}

/// Everything that is amiss with the bridge.
pub(crate) fn problems(snapshot: &Snapshot, now: Now) -> Vec<Problem<Cause>> {
    let mpp = &snapshot.mpp;
    let mut problems = Vec::new();
    if let HostState::Down(why) = &snapshot.station.hosts[Link::Mpp.index()] {
        let why = format!("the bridge is down: {why}");
        problems.push(Problem::down(Cause::HostDown, down_word(&why, "stopped"), why));
    }
    match &mpp.listener {
        Listener::Down(why) => {
            let why = format!("the port does not answer: {why}");
            problems.push(Problem::down(Cause::PortDown, down_word(&why, "no port"), why));
        }
        Listener::Starting => {
            problems.push(Problem::degraded(Cause::PortStarting, "starting", "the port is not bound yet"));
        }
        Listener::Listening(_) => {}
    }
    if let Some(why) = &mpp.commits_failing {
        let is_by_rule = is_refused_by_rule(why);
        let cause = if is_by_rule { Cause::CommitsRefused } else { Cause::CommitsFail };
        let why = format!("commits failing, no new work accepted or dispatched: {why}");
        problems.push(Problem::degraded(cause, "commits failing", why));
    }
    if let Some(why) = &mpp.reads_failing {
        let why = format!("rows unreadable: {why}");
        problems.push(Problem::degraded(Cause::ReadsFail, "rows unreadable", why));
    }
    if !mpp.paired {
        let why = "no pairing: no adapter can connect";
        problems.push(Problem::degraded(Cause::Unpaired, "not paired", why));
    }
    problems.extend(of_adapter(mpp, now));
    problems.extend(of_queues(mpp));
    problems
}

fn of_adapter(mpp: &mpp::Snapshot, now: Now) -> Option<Problem<Cause>> {
    match &mpp.adapter {
        Some(adapter) if adapter.stale => {
            let silent = age(now.mono.since(adapter.last_in.mono));
            let why = format!("the adapter has sent nothing for {silent}");
            Some(Problem::degraded(Cause::AdapterSilent, format!("silent {silent}"), why))
        }
        Some(_) => None,
        None => {
            let why = match &mpp.last_close {
                Some((peer, _, at)) => {
                    let ago = age(now.mono.since(at.mono));
                    format!("no adapter connected; {peer} disconnected {ago} ago")
                }
                None => "no adapter has connected yet".to_owned(),
            };
            Some(Problem::degraded(Cause::NoAdapter, "no adapter", why))
        }
    }
}

/// What keeps rows in their queues.
fn of_queues(mpp: &mpp::Snapshot) -> Vec<Problem<Cause>> {
    let mut problems = Vec::new();
    let queues = || mpp.queues.iter();
    let held: Vec<_> = queues().filter(|(_, it)| it.brake.held).map(|(name, _)| name.as_str()).collect();
    if !held.is_empty() {
        let word = format!("{} held", held.len());
        problems.push(Problem::degraded(Cause::Held, word, format!("held: {}", held.join(", "))));
    }
    let draining: Vec<_> =
        queues().filter(|(_, it)| it.brake.draining).map(|(name, _)| name.as_str()).collect();
    if !draining.is_empty() {
        let why = format!("draining, new work is refused: {}", draining.join(", "));
        problems.push(Problem::degraded(Cause::Draining, format!("{} draining", draining.len()), why));
    }
    let left: Vec<_> = mpp.live.iter().filter(|(_, live)| live.orphaned).map(|(id, _)| *id).collect();
    if let Some(first) = left.first() {
        let named = left.iter().take(ORPHANED_LISTED_MAX).map(ToString::to_string).collect::<Vec<_>>();
        let more = match left.len().saturating_sub(ORPHANED_LISTED_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let why = format!(
            "orphaned (applied, adapter lost), outcome unknown, settle them: {}{more}",
            named.join(", ")
        );
        problems.push(Problem::degraded(Cause::Orphaned(*first), format!("{} orphaned", left.len()), why));
    }
    let other: u64 = mpp.queues.values().map(|queue| queue.other_manifest).sum();
    if other > 0 {
        let why = format!("pending under a stale manifest: {}", counted(other, "row"));
        problems.push(Problem::degraded(Cause::OtherPack, format!("{other} stale"), why));
    }
    problems
}
