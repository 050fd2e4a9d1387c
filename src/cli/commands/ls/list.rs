//! Asks for the rows and prints them.

use std::num::NonZeroU64;

use serde::Serialize;

use super::rows::{self, Shown};
use crate::{
    cli::{
        args::{LsArgs, LsWhat},
        context::Context,
        error::Error,
        operator,
        output::Output,
        table::{LocalClock, Table},
    },
    ids::QueueName,
    port::{Operator, Page, Query},
    tap::entry::mpp::{RefundStatus, RowState},
};

/// Rows of invocations and refunds when nothing is said.
const LIMIT: u64 = 100;

/// Rows asked for at once; the station may give fewer.
const PAGE_ROWS: u64 = 1_000;

pub(in crate::cli) fn run(context: &mut Context, args: &LsArgs) -> Result<(), Error> {
    let listing = Listing::of(args)?;
    let clock = context.local_clock();
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        list(&station, &listing, &clock, out).await
    })
}

/// What is to be listed, with what narrows it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Listing {
    Invocations { state: Option<RowState>, queue: Option<QueueName>, other_manifest: bool, limit: u64 },
    Refunds { status: Option<RefundStatus>, limit: u64 },
    Whole { query: Query, limit: Option<u64> },
}

impl Listing {
    fn of(args: &LsArgs) -> Result<Self, Error> {
        let is_invocations = args.what == LsWhat::Invocations;
        if args.queue.is_some() && !is_invocations {
            return Err(Error::usage("--queue narrows invocations only", "`rl-console ls invocations --queue QUEUE`"));
        }
        if args.other_manifest && !is_invocations {
            return Err(Error::usage("--other-manifest narrows invocations only", "`rl-console ls invocations --other-manifest`"));
        }
        if args.state.is_some() && !is_invocations && args.what != LsWhat::Refunds {
            return Err(Error::usage("--state narrows invocations and refunds only", "`rl-console ls invocations --state pending`"));
        }
        let whole = |query| Ok(Self::Whole { query, limit: args.limit });
        match args.what {
            LsWhat::Queues => whole(Query::Queues),
            LsWhat::Events => whole(Query::Events),
            LsWhat::State => whole(Query::State),
            LsWhat::Adapters => whole(Query::Adapters),
            LsWhat::Health => whole(Query::Health),
            LsWhat::Invocations => Ok(Self::Invocations {
                state: named(args.state.as_deref(), &RowState::ALL.map(RowState::name), RowState::from_name)?,
                queue: args.queue.as_deref().map(QueueName::new),
                other_manifest: args.other_manifest,
                limit: args.limit.unwrap_or(LIMIT),
            }),
            LsWhat::Refunds => Ok(Self::Refunds {
                status: named(args.state.as_deref(), &rows::REFUND_STATUSES.map(rows::refund_status), rows::refund_status_named)?,
                limit: args.limit.unwrap_or(LIMIT),
            }),
        }
    }
}

fn named<T>(name: Option<&str>, names: &[&str], read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, Error> {
    let Some(name) = name else { return Ok(None) };
    let wrong = || Error::usage(format!("there is no state `{name}` here"), format!("one of {}", names.join(", ")));
    read(name).map(Some).ok_or_else(wrong)
}

async fn list(station: &dyn Operator, listing: &Listing, clock: &LocalClock, out: &mut Output) -> Result<(), Error> {
    match listing {
        Listing::Whole { query, limit } => whole(station, query.clone(), *limit, clock, out).await,
        Listing::Invocations { state, queue, other_manifest, limit } => {
            let mut printer = Printer::new(clock, out);
            let mut beyond = None;
            let mut left = *limit;
            while let Some(asked) = NonZeroU64::new(left.min(PAGE_ROWS)) {
                let query = Query::Invocations {
                    state: *state,
                    queue: queue.clone(),
                    beyond,
                    oldest_first: false,
                    other_manifest: *other_manifest,
                    limit: asked.get(),
                };
                let Page::Invocations { mut rows, more } = operator::query(station, query).await? else { return Err(Error::StrangeAnswer) };
                rows.truncate(usize::try_from(left).unwrap_or(usize::MAX));
                printer.page(&rows)?;
                left -= rows.len() as u64;
                beyond = rows.last().map(|row| row.id);
                if !more || beyond.is_none() {
                    break;
                }
            }
            Ok(())
        }
        Listing::Refunds { status, limit } => {
            let mut printer = Printer::new(clock, out);
            let mut beyond = None;
            let mut left = *limit;
            while let Some(asked) = NonZeroU64::new(left.min(PAGE_ROWS)) {
                let query = Query::Refunds { status: *status, beyond, oldest_first: false, limit: asked.get() };
                let Page::Refunds { mut rows, more } = operator::query(station, query).await? else { return Err(Error::StrangeAnswer) };
                rows.truncate(usize::try_from(left).unwrap_or(usize::MAX));
                printer.page(&rows)?;
                left -= rows.len() as u64;
                beyond = rows.last().map(|row| row.id);
                if !more || beyond.is_none() {
                    break;
                }
            }
            Ok(())
        }
    }
}

async fn whole(station: &dyn Operator, query: Query, limit: Option<u64>, clock: &LocalClock, out: &mut Output) -> Result<(), Error> {
    fn cut<T>(rows: &[T], limit: Option<u64>) -> &[T] {
        let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        rows.get(..limit).unwrap_or(rows)
    }
    match (operator::query(station, query.clone()).await?, query) {
        (Page::Queues(rows), Query::Queues) => Printer::new(clock, out).page(cut(&rows, limit)),
        (Page::Events(rows), Query::Events) => Printer::new(clock, out).page(cut(&rows, limit)),
        (Page::State(rows), Query::State) => Printer::new(clock, out).page(cut(&rows, limit)),
        (Page::Adapters(rows), Query::Adapters) => Printer::new(clock, out).page(cut(&rows, limit)),
        (Page::Health(rows), Query::Health) => Printer::new(clock, out).page(cut(&rows, limit)),
        _ => Err(Error::StrangeAnswer),
    }
}

/// Prints pages of rows: objects, or a table.
struct Printer<'a> {
    clock: &'a LocalClock,
    out: &'a mut Output,
    table: Option<Table>,
}

impl<'a> Printer<'a> {
    fn new(clock: &'a LocalClock, out: &'a mut Output) -> Self {
        Self { clock, out, table: None }
    }

    fn page<R: Shown + Serialize>(&mut self, rows: &[R]) -> Result<(), Error> {
        if self.out.is_json() {
            for row in rows {
                self.out.row(row, |_| String::new())?;
            }
        } else {
            let table = self.table.get_or_insert_with(|| Table::new(R::COLUMNS));
            for line in table.page(rows.iter().map(|row| row.cells(self.clock)).collect()) {
                self.out.line(&line)?;
            }
        }
        // A long list shows its first rows while the next are asked for.
        self.out.flush()
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
