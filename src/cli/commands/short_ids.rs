//! Finds what somebody names by the end of its id, as screens show it.

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

/// A run's whole id. One that is given whole is not looked for.
///
/// # Errors
/// No run among the newest, or several, whose ids end so.
pub(in crate::cli) async fn run(station: &dyn Operator, name: &RunName) -> Result<TraceId, Error> {
    find(station, name, [runs()]).await
}

/// A trace's whole id: that of a run, an invocation or a session. One that is given whole is not looked for.
///
/// # Errors
/// None among the newest, or several, whose ids end so.
pub(super) async fn trace(station: &dyn Operator, name: &RunName) -> Result<TraceId, Error> {
    let invocations = Query::Invocations {
        state: None,
        queue: None,
        other_manifest: false,
        beyond: None,
        oldest_first: false,
        filter: None,
        limit: 0,
    };
    find(station, name, [runs(), invocations, sessions()]).await
}

/// The one trace in these lists whose id ends as it is named.
async fn find<const N: usize>(
    station: &dyn Operator,
    name: &RunName,
    lists: [Query; N],
) -> Result<TraceId, Error> {
    let tail = match name {
        RunName::Whole(trace) => return Ok(*trace),
        RunName::Tail(tail) => tail,
    };
    let mut found = Vec::new();
    for list in lists {
        for NamedRow { trace, .. } in newest(station, list).await? {
            let trace = trace.filter(|trace| trace.0.simple().to_string().ends_with(tail.as_str()));
            found.extend(trace.filter(|trace| !found.contains(trace)));
        }
    }
    match found.as_slice() {
        [trace] => Ok(*trace),
        [] if N > 1 => Err(RunError::NoTrace { tail: tail.clone() }.into()),
        [] => Err(RunError::Unknown { name: tail.clone(), is_tail: true }.into()),
        _ => {
            found.truncate(LISTED_MAX);
            Err(RunError::Ambiguous { tail: tail.clone(), runs: found }.into())
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
    let rows = newest(station, sessions()).await?;
    let found: Vec<String> =
        rows.into_iter().filter_map(|row| row.session).filter(|session| session.ends_with(name)).collect();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Ok(name.to_owned()),
        _ => {
            let sessions = found.into_iter().take(LISTED_MAX).collect();
            Err(SessionError::Ambiguous { tail: name.to_owned(), sessions }.into())
        }
    }
}

fn runs() -> Query {
    Query::Runs {
        state: None,
        name: None,
        since_ms: None,
        beyond: None,
        oldest_first: false,
        filter: None,
        limit: 0,
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

/// What a row of a list is named by.
struct NamedRow {
    /// Its place in the list.
    key: u64,
    trace: Option<TraceId>,
    session: Option<String>,
}

/// The newest rows of a list, page by page, the newest first.
async fn newest(station: &dyn Operator, list: Query) -> Result<Vec<NamedRow>, Error> {
    let (mut found, mut beyond, mut left) = (Vec::new(), None, NEWEST);
    while left > 0 {
        let page = Paging { beyond, oldest_first: false, filter: None, limit: left };
        let (rows, more) = named(operator::query(station, list.clone().page(page)).await?)?;
        beyond = rows.last().map(|row| row.key);
        left = left.saturating_sub(rows.len() as u64);
        found.extend(rows);
        if !more || beyond.is_none() {
            break;
        }
    }
    Ok(found)
}

/// What the rows of a page are named by, and whether there are more.
fn named(page: Page) -> Result<(Vec<NamedRow>, bool), Error> {
    let row = |key, trace, session| NamedRow { key, trace, session };
    Ok(match page {
        Page::Runs { rows, more, .. } => {
            (rows.into_iter().map(|it| row(it.number, Some(it.run), None)).collect(), more)
        }
        Page::Invocations { rows, more, .. } => {
            (rows.into_iter().map(|it| row(it.id.0, Some(it.trace_id), None)).collect(), more)
        }
        Page::Sessions { rows, more, .. } => {
            (rows.into_iter().map(|it| row(it.number, it.trace_id, Some(it.session))).collect(), more)
        }
        _ => return Err(Error::UnexpectedAnswer),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{
        cli::operator::tests::Scripted,
        ids::OpeningId,
        port::RunRow,
        runs::{AskerKind, RunState},
        time::Wall,
    };

    pub(in crate::cli::commands) fn row(number: u64, run: u128) -> RunRow {
        RunRow {
            number,
            run: TraceId(uuid::Uuid::from_u128(run)),
            opening: OpeningId(uuid::Uuid::from_u128(9)),
            name: "poll".to_owned(),
            state: RunState::Succeeded,
            why: None,
            by: AskerKind::Agent,
            client: "submit".to_owned(),
            nodes: 2,
            done: 1,
            tokens: 7,
            events: 3,
            artifacts: 1,
            submitted_at_ms: Wall(1_000),
            ended_at_ms: Some(Wall(2_500)),
            asks: 0,
        }
    }

    fn found(name: &str, pages: Vec<Page>) -> Result<u128, String> {
        let station = Scripted::pages(pages);
        let name: RunName = name.parse().unwrap();
        operator::block_on(async { run(&station, &name).await })
            .map(|found| found.0.as_u128())
            .map_err(|error| error.to_string())
    }

    fn page(rows: Vec<RunRow>, more: bool) -> Page {
        Page::Runs { rows, more, beyond: None }
    }

    #[test]
    fn a_run_is_found_by_its_last_digits_among_several_pages() {
        let pages =
            || vec![page(vec![row(9, 0xa_beef), row(8, 0xb_beef)], true), page(vec![row(7, 0xfeed)], false)];
        assert_eq!(found("feed", pages()), Ok(0xfeed));
        assert_eq!(found("0beef", pages()).unwrap_err(), "there is no run whose trace ends in 0beef");
        let several = found("beef", pages()).unwrap_err();
        assert!(
            several.starts_with("several runs end in beef: trace:00000000-0000-0000-0000-0000000abeef, "),
            "{several}"
        );
        assert_eq!(
            found("00000000-0000-0000-0000-00000000a41f", Vec::new()),
            Ok(0xa41f),
            "a whole name is not looked for"
        );
    }
}
