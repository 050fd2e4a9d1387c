//! What is amiss with the store.

use super::Problem;
use crate::{port::StationView, store::is_refused_by_rule, words::format::bytes};

/// What can be amiss with the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    CommitsFail,
    /// They fail since a rule of the gate has them refused.
    CommitsRefused,
    DiskLow,
}

/// Everything that is amiss with the store.
pub(crate) fn problems(station: &StationView) -> Vec<Problem<Cause>> {
    let mut problems = Vec::new();
    if let Some(why) = &station.store_failing {
        let is_by_rule = is_refused_by_rule(why);
        let cause = if is_by_rule { Cause::CommitsRefused } else { Cause::CommitsFail };
        problems.push(Problem::down(cause, "commits failing", format!("commits refused: {why}")));
    }
    if let Some(free_bytes) = station.disk_low {
        let free = bytes(free_bytes);
        let why = format!(
            "the data folder's disk is nearly full, {free} were free: new MACP sessions, their messages and new runs are refused"
        );
        problems.push(Problem::degraded(Cause::DiskLow, format!("disk {free}"), why));
    }
    problems
}
