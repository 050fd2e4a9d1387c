//! What is amiss with the bus.

use super::{Problem, problem::down_word};
use crate::{
    ids::ConnectionId,
    limits,
    port::{HostState, Snapshot},
    rmp::{self, DropReason, Listener, PeerView, SubView},
    tap::entry::{Link, rmp::Gauge},
    time::Now,
    words::format::{count, many},
};

/// Peers with full queues that are named.
const FULL_LISTED_MAX: usize = 3;

/// What can be amiss with the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    HostDown,
    SocketDown,
    SocketStarting,
    Drops(DropReason),
    FullQueues,
    /// Keys against duplicates are forgotten early.
    Forgets,
    /// Keys of what subscribers lost are forgotten early.
    ForgetsLost,
}

/// Everything that is amiss with the bus.
pub(crate) fn problems(snapshot: &Snapshot, limits: &limits::Rmp, now: Now) -> Vec<Problem<Cause>> {
    let rmp = &snapshot.rmp;
    let mut problems = Vec::new();
    if let HostState::Down(why) = &snapshot.station.hosts[Link::Rmp.index()] {
        let why = format!("the bus is down: {why}");
        problems.push(Problem::down(Cause::HostDown, down_word(&why, "stopped"), why));
    }
    match &rmp.listener {
        Listener::Down(why) => {
            let why = format!("the socket does not answer: {why}");
            problems.push(Problem::down(Cause::SocketDown, "no socket", why));
        }
        Listener::Starting => {
            let why = "the socket is not bound yet";
            problems.push(Problem::degraded(Cause::SocketStarting, "starting", why));
        }
        Listener::Listening(_) => {}
    }
    problems.extend(of_drops(rmp, now));
    problems.extend(of_full_queues(rmp, limits));
    problems.extend(of_early_forgets(rmp, now));
    problems
}

fn of_drops(rmp: &rmp::Snapshot, now: Now) -> impl Iterator<Item = Problem<Cause>> {
    let dropped = rmp.dropped_last_minute(now);
    let word = format!("{} drops/min", count(dropped.iter().sum()));
    let order = [DropReason::BackpressureTimeout, DropReason::TtlExpired, DropReason::Duplicate];
    let lately = order.map(|reason| (reason, dropped[reason.index()]));
    lately.into_iter().filter(|(_, count)| *count > 0).map(move |(reason, count)| {
        let what = match reason {
            DropReason::TtlExpired => "expired before delivery",
            DropReason::Duplicate => "dropped as duplicates",
            DropReason::BackpressureTimeout => "dropped, subscriber queue full",
        };
        let why = format!("{what}, in the last minute: {}", many(count, "message"));
        Problem::degraded(Cause::Drops(reason), word.clone(), why)
    })
}

/// Whose queues have no room, or hardly any: that lasts until they read, whether or not more is dropped.
fn of_full_queues(rmp: &rmp::Snapshot, limits: &limits::Rmp) -> Option<Problem<Cause>> {
    let is_full = |sub: &&SubView| {
        let Gauge { queued_messages, queued_bytes, .. } = sub.gauge;
        queued_messages >= limits.queue_messages_max || queued_bytes >= limits.queue_bytes_max / 20 * 19
    };
    let full_of = |(session, peer): (&ConnectionId, &PeerView)| {
        let full = peer.subs.values().filter(is_full).count();
        (full > 0).then(|| {
            let client = peer.greeting.as_ref().map(|greeting| greeting.client.to_string());
            let name = client.unwrap_or_else(|| peer.peer.to_string());
            let queues = if full > 1 { format!(", {full} queues") } else { String::new() };
            (full, format!("{name} (session {session}{queues})"))
        })
    };
    let (full, whose): (Vec<usize>, Vec<String>) = rmp.peers.iter().filter_map(full_of).unzip();
    if whose.is_empty() {
        return None;
    }
    let more = match whose.len().saturating_sub(FULL_LISTED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = whose.into_iter().take(FULL_LISTED_MAX).collect::<Vec<_>>().join(", ");
    let word = many(full.iter().sum::<usize>() as u64, "full queue");
    Some(Problem::degraded(Cause::FullQueues, word, format!("queues are full: {named}{more}")))
}

fn of_early_forgets(rmp: &rmp::Snapshot, now: Now) -> Vec<Problem<Cause>> {
    let mut problems = Vec::new();
    let [forgets, forgets_lost] = rmp.forgets_early(now);
    if forgets {
        let why = format!(
            "dedup keys are evicted before the longest TTL expires, {} since start: duplicates may pass",
            count(rmp.totals.evicted_young)
        );
        problems.push(Problem::degraded(Cause::Forgets, "evicting early", why));
    }
    if forgets_lost {
        let why = format!(
            "keys of lost messages are evicted before the longest TTL expires, {} since start: retries may count as duplicates",
            count(rmp.totals.lost_evicted_young)
        );
        problems.push(Problem::degraded(Cause::ForgetsLost, "evicting early", why));
    }
    problems
}
