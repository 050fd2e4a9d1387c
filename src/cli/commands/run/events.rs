//! `run events`.

use std::time::Duration;

use crate::{
    cli::{
        commands::{confirmations, ls::TableRow as _},
        error::Error,
        operator,
        output::Output,
        run_error::RunError,
        signals::Signals,
        table::{LocalClock, Table},
    },
    ids::TraceId,
    port::{Operator, Page, Query, RunEventRow},
    runs::EventKind,
    tap::entry::station::Level,
};

/// Events asked for at once; the station may give fewer.
const PAGE_ROWS: u64 = 1_000;
/// How often a run that goes on is asked what it told meanwhile.
const POLL_EVERY: Duration = Duration::from_millis(200);

/// Which events are asked for.
pub(super) struct EventQuery<'a> {
    /// At least this grave; those without a level are not grave.
    pub(super) level: Option<Level>,
    /// Of these kinds; all where none is named.
    pub(super) kinds: &'a [EventKind],
    /// Whether to go on until the run has ended.
    pub(super) follow: bool,
}

impl EventQuery<'_> {
    fn takes(&self, row: &RunEventRow) -> bool {
        self.level.is_none_or(|least| row.level.is_some_and(|level| level >= least))
            && (self.kinds.is_empty() || self.kinds.contains(&row.kind))
    }
}

/// Prints what a run told, as the store has it: nothing is lost, however slowly it is read.
pub(super) async fn events(
    station: &dyn Operator,
    run: TraceId,
    asked: &EventQuery<'_>,
    clock: &LocalClock,
    out: &mut Output,
) -> Result<(), Error> {
    let mut signals = Signals::listen()?;
    let mut table = Table::new(RunEventRow::COLUMNS).timed(clock).fitting(out.columns());
    let (mut after, mut is_known) = (0, false);
    loop {
        let query = Query::RunEvents { run, after, limit: PAGE_ROWS };
        let Page::RunEvents { rows, more } = operator::query(station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        if rows.is_empty() && !is_known {
            let Page::Run(found) = operator::query(station, Query::Run { run }).await? else {
                return Err(Error::UnexpectedAnswer);
            };
            found.ok_or_else(|| RunError::Unknown { name: run.to_string(), is_tail: false })?;
        }
        is_known = true;
        after = rows.last().map_or(after, |row| row.number);
        let is_over = rows.last().is_some_and(is_last);
        let shown: Vec<RunEventRow> = rows.into_iter().filter(|row| asked.takes(row)).collect();
        print(&shown, &mut table, clock, out)?;
        if asked.follow && !out.is_json() {
            print_confirmations(station, run, &shown).await;
        }
        if more && !is_over {
            continue;
        }
        if is_over || !asked.follow {
            return Ok(());
        }
        tokio::select! {
            () = signals.end() => return Ok(()),
            () = tokio::time::sleep(POLL_EVERY) => {}
        }
    }
}

/// Whether a run tells nothing behind this (ruling RMP 11).
fn is_last(row: &RunEventRow) -> bool {
    let says_so = |meta: &serde_json::Value| meta.get("success").is_some_and(serde_json::Value::is_boolean);
    row.kind == EventKind::Status && serde_json::from_str(row.meta.as_str()).is_ok_and(|meta| says_so(&meta))
}

/// Says how what waits for a person is answered.
async fn print_confirmations(station: &dyn Operator, run: TraceId, rows: &[RunEventRow]) {
    for row in rows.iter().filter(|row| row.kind == EventKind::Status) {
        let meta = serde_json::from_str::<serde_json::Value>(row.meta.as_str());
        if let Some(node) = meta.as_ref().ok().and_then(confirmations::node_asking) {
            confirmations::print_hint(station, run, node).await;
        }
    }
}

fn print(rows: &[RunEventRow], table: &mut Table, clock: &LocalClock, out: &mut Output) -> Result<(), Error> {
    if out.is_json() {
        for row in rows {
            out.row(row, |_| String::new())?;
        }
    } else if !rows.is_empty() {
        for line in table.page(rows.iter().map(|row| row.cells(clock)).collect()) {
            out.line(&line)?;
        }
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::{operator::tests::Scripted, output::tests::Printed},
        schema::JsonText,
        time::Wall,
    };

    fn row(number: u64, kind: EventKind, level: Option<Level>, meta: &str) -> RunEventRow {
        let message = format!("event {number}");
        RunEventRow { number, kind, level, message, meta: JsonText::parse(meta).unwrap(), at_ms: Wall(0) }
    }

    fn printed(pages: Vec<Page>, asked: &EventQuery<'_>) -> Result<Vec<u64>, Error> {
        let (station, printed) = (Scripted::pages(pages), Printed::default());
        let run = TraceId(uuid::Uuid::from_u128(7));
        operator::block_on(async {
            events(&station, run, asked, &LocalClock::new(Wall(0)), &mut printed.output(true)).await
        })?;
        let numbers = printed.text();
        let number =
            |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["number"].as_u64().unwrap();
        Ok(numbers.lines().map(number).collect())
    }

    fn pages() -> Vec<Page> {
        let first = vec![
            row(1, EventKind::Plan, Some(Level::Info), "{}"),
            row(2, EventKind::Log, Some(Level::Warn), "{}"),
        ];
        let second = vec![
            row(3, EventKind::Progress, None, "{}"),
            row(4, EventKind::Status, Some(Level::Error), r#"{"success":false}"#),
        ];
        vec![Page::RunEvents { rows: first, more: true }, Page::RunEvents { rows: second, more: false }]
    }

    #[test]
    fn all_pages_are_printed_and_what_is_not_asked_for_is_left_out() {
        let asked = |level, kinds| EventQuery { level, kinds, follow: true };
        assert_eq!(printed(pages(), &asked(None, &[])).unwrap(), [1, 2, 3, 4], "it ends with the run");
        assert_eq!(printed(pages(), &asked(Some(Level::Warn), &[])).unwrap(), [2, 4]);
        assert_eq!(printed(pages(), &asked(None, &[EventKind::Plan, EventKind::Progress])).unwrap(), [1, 3]);
    }

    #[test]
    fn a_run_that_is_not_there_is_told_from_one_that_told_nothing() {
        let asked = EventQuery { level: None, kinds: &[], follow: false };
        let nothing = || Page::RunEvents { rows: Vec::new(), more: false };
        assert_eq!(printed(vec![nothing(), Page::Run(None)], &asked).unwrap_err().code(), "unknown_run");
    }
}
