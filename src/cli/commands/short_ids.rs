//! Finds what somebody names by the end of its id, as screens show it.

use crate::{
    cli::{
        args::{RunName, TraceName},
        error::Error,
        operator,
        run_error::RunError,
        session_error::SessionError,
    },
    ids::TraceId,
    port::{InvocationRow, Operator, Page, Paging, Query},
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
    let tail = match name {
        RunName::Whole(trace) => return Ok(*trace),
        RunName::Tail(tail) => tail,
    };
    let is_named = |row: &NamedRow| row.trace.is_some_and(|it| it.0.simple().to_string().ends_with(tail));
    let unknown = || RunError::Unknown { name: tail.clone(), is_tail: true };
    one(find(station, [runs()], is_named).await?, tail, unknown)
}

/// A trace's whole id: that of a run, an invocation or a session. One that is given whole is not looked for.
///
/// # Errors
/// None among the newest, or several, whose ids end so, or which are named so.
pub(super) async fn trace(station: &dyn Operator, name: &TraceName) -> Result<TraceId, Error> {
    let name = match name {
        TraceName::Whole(trace) => return Ok(*trace),
        TraceName::Short(name) => name,
    };
    let is_named = |row: &NamedRow| {
        row.trace.is_some_and(|trace| name.ends(trace))
            || row.invocation.is_some_and(|id| name.is_number(id))
            || row.session.as_ref().is_some_and(|session| names_session(name.text(), session))
    };
    let found = find(station, [runs(), invocations(), sessions()], is_named).await?;
    let is_session = found.is_empty() && {
        let mut sessions = newest(station, sessions()).await?.into_iter().filter_map(|row| row.session);
        sessions.any(|session| names_session(name.text(), &session))
    };
    one(found, name.text(), || match (name.text().to_owned(), is_session) {
        (name, true) => RunError::SessionWithoutTrace { name },
        (name, false) => RunError::NoTrace { name },
    })
}

/// Whether a session is named so: whole, by its end, or by both ends, as a narrow column shows it.
fn names_session(name: &str, session: &str) -> bool {
    match name.split_once('…').or_else(|| name.split_once("...")) {
        Some((head, tail)) => {
            head.len() + tail.len() < session.len() && session.starts_with(head) && session.ends_with(tail)
        }
        None => session == name || name.chars().count() >= TAIL_MIN && session.ends_with(name),
    }
}

/// The traces of the newest rows that are named so, each once.
async fn find<const N: usize>(
    station: &dyn Operator,
    lists: [Query; N],
    is_named: impl Fn(&NamedRow) -> bool,
) -> Result<Vec<TraceId>, Error> {
    let mut found = Vec::new();
    for list in lists {
        for row in newest(station, list).await? {
            let trace = row.trace.filter(|trace| is_named(&row) && !found.contains(trace));
            found.extend(trace);
        }
    }
    Ok(found)
}

/// The only one that was found.
fn one(mut found: Vec<TraceId>, name: &str, unknown: impl FnOnce() -> RunError) -> Result<TraceId, Error> {
    match found.as_slice() {
        [trace] => Ok(*trace),
        [] => Err(unknown().into()),
        _ => {
            found.truncate(LISTED_MAX);
            Err(RunError::Ambiguous { tail: name.to_owned(), runs: found }.into())
        }
    }
}

/// A session's whole id: as it is named where there is such a session, else that of the one among the newest
/// whose id ends so, or that has both ends. What is found nowhere stays as it is: the runtime says so.
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
        rows.into_iter().filter_map(|row| row.session).filter(|it| names_session(name, it)).collect();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Ok(name.to_owned()),
        _ => {
            let sessions = found.into_iter().take(LISTED_MAX).collect();
            Err(SessionError::Ambiguous { tail: name.to_owned(), sessions }.into())
        }
    }
}

fn invocations() -> Query {
    Query::Invocations {
        state: None,
        queue: None,
        other_manifest: false,
        beyond: None,
        oldest_first: false,
        filter: None,
        limit: 0,
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
    invocation: Option<u64>,
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
    let row = |key, trace, session| NamedRow { key, trace, session, invocation: None };
    Ok(match page {
        Page::Runs { rows, more, .. } => {
            (rows.into_iter().map(|it| row(it.number, Some(it.run), None)).collect(), more)
        }
        Page::Invocations { rows, more, .. } => {
            let named =
                |it: InvocationRow| NamedRow { invocation: Some(it.id.0), ..row(it.id.0, it.trace(), None) };
            (rows.into_iter().map(named).collect(), more)
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
            rated: None,
        }
    }

    fn found(name: &str, pages: Vec<Page>) -> Result<u128, String> {
        let station = Scripted::pages(pages);
        let name: RunName = name.parse().unwrap();
        operator::block_on(async { run(&station, &name).await })
            .map(|found| found.0.as_u128())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_session_is_named_by_what_a_screen_shows_of_it() {
        for name in ["vote-2026-boss-7f3a", "7f3a", "vote…7f3a", "vote...7f3a", "…7f3a"] {
            assert!(names_session(name, "vote-2026-boss-7f3a"), "{name}");
        }
        for name in ["vote", "3a", "boss…7f3a", "vote-2026-boss…boss-7f3a", ""] {
            assert!(!names_session(name, "vote-2026-boss-7f3a"), "{name}");
        }
        let name = |text: &str| match text.parse().unwrap() {
            TraceName::Short(name) => name,
            TraceName::Whole(trace) => panic!("{trace}"),
        };
        assert!(name("#42").is_number(42) && name("42").is_number(42) && !name("42").is_number(4));
        assert!(name("A41F").ends(TraceId(uuid::Uuid::from_u128(0xa41f))));
        assert!(!name("vote").ends(TraceId(uuid::Uuid::from_u128(0xa41f))));
        assert!("".parse::<TraceName>().is_err());
    }

    fn page(rows: Vec<RunRow>, more: bool) -> Page {
        Page::Runs { rows, more, beyond: None }
    }

    #[test]
    fn a_run_is_found_by_its_last_digits_among_several_pages() {
        let pages =
            || vec![page(vec![row(9, 0xa_beef), row(8, 0xb_beef)], true), page(vec![row(7, 0xfeed)], false)];
        assert_eq!(found("feed", pages()), Ok(0xfeed));
        assert_eq!(found("0beef", pages()).unwrap_err(), "no run whose trace ends in 0beef");
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
