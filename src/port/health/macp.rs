//! What is amiss with the MACP runtime.

use std::time::Duration;

use super::{Problem, problem::down_word};
use crate::{
    macp::{self, Ending, Listener, SessionView},
    port::{HostState, Snapshot},
    tap::entry::Link,
    time::Now,
    words::counted,
};

/// Sessions that are named one by one.
const LISTED_MAX: usize = 5;
/// How long the end of a session is told of.
const RECENT: Duration = Duration::from_secs(60);

/// What can be amiss with the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    HostDown,
    PortDown,
    PortStarting,
    Expired,
}

/// Everything that is amiss with the runtime.
pub(crate) fn problems(snapshot: &Snapshot, now: Now) -> Vec<Problem<Cause>> {
    let host = &snapshot.station.hosts[Link::Macp.index()];
    let mut problems = Vec::new();
    match (host, &snapshot.macp.listener) {
        (HostState::Down(why), _) => {
            let why = format!("the MACP runtime is down: {why}");
            problems.push(Problem::down(Cause::HostDown, down_word(&why, "stopped"), why));
        }
        (_, Listener::Down(why)) => {
            let why = format!("the port does not answer: {why}");
            problems.push(Problem::down(Cause::PortDown, down_word(&why, "no port"), why));
        }
        (_, Listener::Starting) => {
            problems.push(Problem::degraded(Cause::PortStarting, "starting", "the port is not bound yet"));
        }
        (_, Listener::Listening(_)) => {}
    }
    problems.extend(of_expired(&snapshot.macp, now));
    problems
}

/// The sessions that expired lately.
fn of_expired(macp: &macp::Snapshot, now: Now) -> Vec<Problem<Cause>> {
    let ended_badly = |view: &&SessionView| {
        let is_bad = |ending| matches!(ending, Ending::TtlExpired | Ending::LogDamaged);
        view.end.as_ref().is_some_and(|end| is_bad(end.ending) && now.wall.since(end.at.wall) < RECENT)
    };
    let ended = macp.ended.iter().rev().filter_map(|number| macp.sessions.get(number));
    let lately: Vec<_> = ended.filter(ended_badly).collect();
    let word = format!("{} expired", lately.len());
    let problem = |why: String| Problem::degraded(Cause::Expired, word.clone(), why);
    let mut problems: Vec<_> = lately
        .iter()
        .take(LISTED_MAX)
        .map(|view| {
            let id = &view.session.id;
            problem(match view.end.as_ref().map(|end| end.ending) {
                Some(Ending::LogDamaged) => format!("{id} expired: log damaged"),
                _ => format!("{id} expired in the last minute, unresolved at {}", describe_phase(view)),
            })
        })
        .collect();
    let more = lately.len().saturating_sub(LISTED_MAX);
    if more > 0 {
        problems
            .push(problem(format!("{} expired in the last minute", counted(more as u64, "more session"))));
    }
    problems
}

/// How far a session was.
fn describe_phase(view: &SessionView) -> String {
    match (view.phase(), view.round()) {
        (Some(phase), _) => format!("phase {}", phase.name()),
        (None, round) => format!("round {}", round.unwrap_or_default()),
    }
}
