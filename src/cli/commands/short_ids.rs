//! Finds what somebody names by the end of its id, as screens show it.

use std::collections::BTreeSet;

use crate::{
    cli::{args::RunName, error::Error, operator, run_error::RunError, session_error::SessionError},
    ids::TraceId,
    port::{Operator, Page, Paging, Query},
};

/// Among how many rows of a list, the newest, one is looked for.
const NEWEST: u64 = 1_000;
/// How many are named where several end so.
const LISTED_MAX: usize = 5;
/// Digits that an id has at least to be looked for by its end.
const TAIL_MIN: usize = 4;

/// A trace's whole id: that of a run, an invocation or a session. One that is given whole is not looked for.
///
/// # Errors
/// None among the newest, or several, whose ids end so.
pub(super) async fn trace(station: &dyn Operator, name: &RunName) -> Result<TraceId, Error> {
    let tail = match name {
        RunName::Whole(trace) => return Ok(*trace),
        RunName::Tail(tail) => tail,
    };
    let mut found = BTreeSet::new();
    let lists = [
        Query::Runs {
            state: None,
            name: None,
            since_ms: None,
            beyond: None,
            oldest_first: false,
            filter: None,
            limit: 0,
        },
        Query::Invocations {
            state: None,
            queue: None,
            other_manifest: false,
            beyond: None,
            oldest_first: false,
            filter: None,
            limit: 0,
        },
        sessions(),
    ];
    for list in lists {
        let traces: Vec<TraceId> = match newest(station, list).await? {
            Page::Runs { rows, .. } => rows.into_iter().map(|row| row.run).collect(),
            Page::Invocations { rows, .. } => rows.into_iter().map(|row| row.trace_id).collect(),
            Page::Sessions { rows, .. } => rows.into_iter().filter_map(|row| row.trace_id).collect(),
            _ => return Err(Error::UnexpectedAnswer),
        };
        found
            .extend(traces.into_iter().filter(|trace| trace.0.simple().to_string().ends_with(tail.as_str())));
    }
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(trace), None) => Ok(trace),
        (None, _) => Err(RunError::Unknown { name: tail.clone(), is_tail: true }.into()),
        (Some(first), Some(second)) => {
            let traces = [first, second].into_iter().chain(found).take(LISTED_MAX).collect();
            Err(RunError::Ambiguous { tail: tail.clone(), runs: traces }.into())
        }
    }
}

/// A session's whole id: as it is named where there is such a session, else that of the one among the newest
/// whose id ends so. What is found nowhere stays as it is: the runtime says so.
///
/// # Errors
/// Several end so, or the station's.
pub(super) async fn session(station: &dyn Operator, name: &str) -> Result<String, Error> {
    let exact = Query::Session { session: name.to_owned() };
    let is_there = matches!(operator::query(station, exact).await?, Page::Session(Some(_)));
    if is_there || name.chars().count() < TAIL_MIN {
        return Ok(name.to_owned());
    }
    let Page::Sessions { rows, .. } = newest(station, sessions()).await? else {
        return Err(Error::UnexpectedAnswer);
    };
    let found: Vec<String> =
        rows.into_iter().map(|row| row.session).filter(|session| session.ends_with(name)).collect();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Ok(name.to_owned()),
        _ => {
            let sessions = found.into_iter().take(LISTED_MAX).collect();
            Err(SessionError::Ambiguous { tail: name.to_owned(), sessions }.into())
        }
    }
}

fn sessions() -> Query {
    Query::Sessions {
        state: None,
        mode: None,
        since_ms: None,
        beyond: None,
        oldest_first: false,
        filter: None,
        limit: 0,
    }
}

async fn newest(station: &dyn Operator, list: Query) -> Result<Page, Error> {
    let page = Paging { beyond: None, oldest_first: false, filter: None, limit: NEWEST };
    operator::query(station, list.page(page)).await
}
