//! Finds the run that somebody names.

use crate::{
    cli::{args::RunName, error::Error, operator, run_error::RunError},
    ids::TraceId,
    port::{Operator, Page, Query},
};

/// Among how many runs, the newest, one is looked for by its last digits.
const NEWEST: u64 = 1_000;
/// How many are told where several end in the same digits.
const LISTED_MAX: usize = 5;

/// The run's whole name. One that is given whole is not looked for.
///
/// # Errors
/// No run among the newest, or several, whose names end so.
pub(in crate::cli) async fn resolve(station: &dyn Operator, name: &RunName) -> Result<TraceId, Error> {
    let tail = match name {
        RunName::Whole(run) => return Ok(*run),
        RunName::Tail(tail) => tail,
    };
    let mut found = Vec::new();
    let (mut beyond, mut left) = (None, NEWEST);
    while left > 0 {
        let query = Query::Runs {
            state: None,
            name: None,
            since_ms: None,
            beyond,
            oldest_first: false,
            filter: None,
            limit: left,
        };
        let Page::Runs { rows, more, .. } = operator::query(station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        found.extend(
            rows.iter().map(|row| row.run).filter(|run| run.0.simple().to_string().ends_with(tail.as_str())),
        );
        beyond = rows.last().map(|row| row.number);
        left = left.saturating_sub(rows.len() as u64);
        if !more || beyond.is_none() {
            break;
        }
    }
    match found.as_slice() {
        [run] => Ok(*run),
        [] => Err(RunError::Unknown { name: tail.clone(), is_tail: true }.into()),
        _ => {
            found.truncate(LISTED_MAX);
            Err(RunError::Ambiguous { tail: tail.clone(), runs: found }.into())
        }
    }
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

    pub(in crate::cli::commands::run) fn row(number: u64, run: u128) -> RunRow {
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
        operator::block_on(async { resolve(&station, &name).await })
            .map(|run| run.0.as_u128())
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
