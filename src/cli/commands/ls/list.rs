//! Asks for the rows and prints them.

use std::num::NonZeroU64;

use serde::Serialize;

use super::rows::{self, TableRow};
use crate::{
    cli::{
        args::{LsArgs, LsWhat},
        context::Context,
        error::Error,
        filter, operator,
        output::Output,
        report,
        table::{LocalClock, Table},
    },
    field::Record,
    filter::Filter,
    ids::{ConnectionId, QueueName},
    macp::{Ending, Mode, SessionState, registry},
    port::{Operator, Page, Query, RunRow, TopicRow},
    runs::RunState,
    tap::entry::mpp::{RefundStatus, RowState},
    time::{Now, Wall},
};

/// Rows of invocations and refunds when nothing is said.
const LIMIT: u64 = 100;

/// Rows asked for at once; the station may give fewer.
const PAGE_ROWS: u64 = 1_000;

pub(in crate::cli) fn run(context: &mut Context, args: &LsArgs) -> Result<(), Error> {
    let now = context.clock.now();
    let listing = Listing::of(args, now)?;
    let clock = context.local_clock();
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let own = Some(station.session());
        list(&station, &listing, own, &clock, now, out).await
    })
}

/// What is to be listed, with what narrows it.
#[derive(Clone, Debug, PartialEq)]
enum Listing {
    Invocations {
        state: Option<RowState>,
        queue: Option<QueueName>,
        other_manifest: bool,
        filter: Option<Filter>,
        limit: u64,
    },
    Refunds {
        status: Option<RefundStatus>,
        filter: Option<Filter>,
        limit: u64,
    },
    Runs {
        state: Option<RunState>,
        name: Option<String>,
        since_ms: Option<Wall>,
        filter: Option<Filter>,
        limit: u64,
    },
    Sessions {
        state: Option<SessionState>,
        mode: Option<Mode>,
        since_ms: Option<Wall>,
        filter: Option<Filter>,
        limit: u64,
    },
    Whole {
        query: Query,
        filter: Option<Filter>,
        limit: Option<u64>,
    },
}

impl Listing {
    fn of(args: &LsArgs, now: Now) -> Result<Self, Error> {
        let is_invocations = args.what == LsWhat::Invocations;
        if args.queue.is_some() && !is_invocations {
            return Err(Error::usage(
                "--queue narrows invocations only",
                "`rl-console ls invocations --queue QUEUE`",
            ));
        }
        if args.other_manifest && !is_invocations {
            return Err(Error::usage(
                "--other-manifest narrows invocations only",
                "`rl-console ls invocations --other-manifest`",
            ));
        }
        if args.state.is_some()
            && !matches!(args.what, LsWhat::Invocations | LsWhat::Refunds | LsWhat::Runs | LsWhat::Sessions)
        {
            let what = "--state narrows invocations, refunds, runs and sessions only";
            return Err(Error::usage(what, "`rl-console ls invocations --state pending`"));
        }
        if args.name.is_some() && args.what != LsWhat::Runs {
            return Err(Error::usage("--name narrows runs only", "`rl-console ls runs --name poll`"));
        }
        if args.mode.is_some() && args.what != LsWhat::Sessions {
            return Err(Error::usage(
                "--mode narrows sessions only",
                "`rl-console ls sessions --mode decision`",
            ));
        }
        if args.since.is_some() && !matches!(args.what, LsWhat::Runs | LsWhat::Sessions) {
            return Err(Error::usage(
                "--since narrows runs and sessions only",
                "`rl-console ls runs --since 1h`",
            ));
        }
        let filter = args
            .filter
            .as_deref()
            .map(|text| filter::read(text, args.what, now))
            .transpose()?
            .filter(|filter| !filter.is_empty());
        let whole = |query| Ok(Self::Whole { query, filter: filter.clone(), limit: args.limit });
        match args.what {
            LsWhat::Queues => whole(Query::Queues),
            LsWhat::Events => whole(Query::Events),
            LsWhat::State => whole(Query::State),
            LsWhat::Adapters => whole(Query::Adapters),
            LsWhat::Health => whole(Query::Health),
            LsWhat::Topics => whole(Query::Topics),
            LsWhat::Peers => whole(Query::Peers),
            LsWhat::Subscriptions => whole(Query::Subscriptions),
            LsWhat::Confirmations => whole(Query::Confirmations),
            LsWhat::Invocations => Ok(Self::Invocations {
                state: named(args.state.as_deref(), &RowState::ALL.map(RowState::name), RowState::from_name)?,
                queue: args.queue.as_deref().map(QueueName::new),
                other_manifest: args.other_manifest,
                filter,
                limit: args.limit.unwrap_or(LIMIT),
            }),
            LsWhat::Refunds => Ok(Self::Refunds {
                status: named(
                    args.state.as_deref(),
                    &rows::REFUND_STATUSES.map(rows::refund_status),
                    rows::refund_status_named,
                )?,
                filter,
                limit: args.limit.unwrap_or(LIMIT),
            }),
            LsWhat::Runs => {
                let shown =
                    RunState::ALL.iter().map(|state| state.name()).chain([RunRow::ASKS]).collect::<Vec<_>>();
                let of = |name: &str| match name {
                    RunRow::ASKS => Some((RunState::Running, Some("state:asks"))),
                    name => RunState::from_name(name)
                        .map(|state| (state, (state == RunState::Running).then_some("state:running"))),
                };
                let (state, only) = named(args.state.as_deref(), &shown, of)?.unzip();
                Ok(Self::Runs {
                    state,
                    name: args.name.clone(),
                    since_ms: args.since.map(|ago| Wall(now.wall.0.saturating_sub(ago))),
                    filter: narrowed(args, only.flatten(), now)?,
                    limit: args.limit.unwrap_or(LIMIT),
                })
            }
            LsWhat::Sessions => {
                let shown: Vec<_> =
                    [SessionState::Open.name()].into_iter().chain(names(Ending::ALL, Ending::name)).collect();
                let of = |name: &str| match Ending::from_name(name) {
                    Some(Ending::Resolved) => Some((SessionState::Resolved, None)),
                    Some(Ending::TtlExpired) => Some((SessionState::Expired, Some("ending:expired"))),
                    Some(Ending::Cancelled) => Some((SessionState::Expired, Some("ending:cancelled"))),
                    Some(Ending::LogDamaged) => Some((SessionState::Expired, Some("ending:damaged"))),
                    None => SessionState::from_name(name).map(|state| (state, None)),
                };
                let (state, only) = named(args.state.as_deref(), &shown, of)?.unzip();
                Ok(Self::Sessions {
                    state,
                    mode: mode(args.mode.as_deref())?,
                    since_ms: args.since.map(|ago| Wall(now.wall.0.saturating_sub(ago))),
                    filter: narrowed(args, only.flatten(), now)?,
                    limit: args.limit.unwrap_or(LIMIT),
                })
            }
        }
    }
}

/// The filter of the flags together with what a state that is shown stands for.
fn narrowed(args: &LsArgs, only: Option<&str>, now: Now) -> Result<Option<Filter>, Error> {
    let own = args.filter.as_deref().filter(|text| !text.trim().is_empty());
    if let Some(own) = own {
        // What is wrong with it is pointed at in what was written.
        filter::read(own, args.what, now)?;
    }
    let text = match (own, only) {
        (Some(own), Some(only)) => format!("({own}) and {only}"),
        (Some(text), None) | (None, Some(text)) => text.to_owned(),
        (None, None) => return Ok(None),
    };
    Ok(Some(filter::read(&text, args.what, now)?).filter(|filter| !filter.is_empty()))
}

fn names<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().copied().map(name).collect()
}

/// A mode by any name that a session may have it under.
fn mode(name: Option<&str>) -> Result<Option<Mode>, Error> {
    let Some(name) = name else { return Ok(None) };
    let hint = || format!("one of {}", names(Mode::ALL, Mode::short).join(", "));
    let found = registry::resolve(name).map(|(_, mode)| Some(mode));
    found.ok_or_else(|| Error::usage(format!("there is no mode `{name}`"), hint()))
}

fn named<T>(
    name: Option<&str>,
    names: &[&str],
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, Error> {
    let Some(name) = name else { return Ok(None) };
    let wrong =
        || Error::usage(format!("there is no state `{name}` here"), format!("one of {}", names.join(", ")));
    read(name).map(Some).ok_or_else(wrong)
}

/// Lists everything but what is of this command's own session.
async fn list(
    station: &dyn Operator,
    listing: &Listing,
    own: Option<ConnectionId>,
    clock: &LocalClock,
    now: Now,
    out: &mut Output,
) -> Result<(), Error> {
    match listing {
        Listing::Whole { query, filter, limit } => {
            let page = without(operator::query(station, query.clone()).await?, own);
            whole(page, query.clone(), (filter.as_ref(), now), *limit, Printer::new(clock, out))
        }
        Listing::Invocations { state, queue, other_manifest, filter, limit } => {
            let query = |beyond, limit| Query::Invocations {
                state: *state,
                queue: queue.clone(),
                beyond,
                oldest_first: false,
                other_manifest: *other_manifest,
                filter: filter.as_ref().map(Filter::canonical),
                limit,
            };
            let read = |page| match page {
                Page::Invocations { rows, more, beyond } => Some((rows, more, beyond)),
                _ => None,
            };
            pages(
                station,
                (query, read, |row| row.id),
                (filter.as_ref(), now),
                *limit,
                Printer::new(clock, out),
            )
            .await
        }
        Listing::Refunds { status, filter, limit } => {
            let query = |beyond, limit| {
                let filter = filter.as_ref().map(Filter::canonical);
                Query::Refunds { status: *status, beyond, oldest_first: false, filter, limit }
            };
            let read = |page| match page {
                Page::Refunds { rows, more, beyond } => Some((rows, more, beyond)),
                _ => None,
            };
            pages(
                station,
                (query, read, |row| row.id),
                (filter.as_ref(), now),
                *limit,
                Printer::new(clock, out),
            )
            .await
        }
        Listing::Runs { state, name, since_ms, filter, limit } => {
            let query = |beyond, limit| Query::Runs {
                state: *state,
                name: name.clone(),
                since_ms: *since_ms,
                beyond,
                oldest_first: false,
                filter: filter.as_ref().map(Filter::canonical),
                limit,
            };
            let read = |page| match page {
                Page::Runs { rows, more, beyond } => Some((rows, more, beyond)),
                _ => None,
            };
            pages(
                station,
                (query, read, |row| row.number),
                (filter.as_ref(), now),
                *limit,
                Printer::new(clock, out),
            )
            .await
        }
        Listing::Sessions { state, mode, since_ms, filter, limit } => {
            let query = |beyond, limit| Query::Sessions {
                state: *state,
                mode: *mode,
                since_ms: *since_ms,
                beyond,
                oldest_first: false,
                filter: filter.as_ref().map(Filter::canonical),
                limit,
            };
            let read = |page| match page {
                Page::Sessions { rows, more, beyond } => Some((rows, more, beyond)),
                _ => None,
            };
            pages(
                station,
                (query, read, |row| row.number),
                (filter.as_ref(), now),
                *limit,
                Printer::new(clock, out),
            )
            .await
        }
    }
}

/// Prints pages until there are enough rows or no more: `query` asks for the one beyond a row, `read` takes
/// it, `key` names a row. A station that knows no filters does not say how far it looked, and its rows are
/// sifted here.
async fn pages<R: Record + TableRow + Serialize, K: Copy + PartialEq>(
    station: &dyn Operator,
    (query, read, key): (
        impl Fn(Option<K>, u64) -> Query,
        impl Fn(Page) -> Option<(Vec<R>, bool, Option<K>)>,
        impl Fn(&R) -> K,
    ),
    (filter, now): (Option<&Filter>, Now),
    limit: u64,
    mut printer: Printer<'_>,
) -> Result<(), Error> {
    let mut beyond = None;
    let mut left = limit;
    while let Some(asked) = NonZeroU64::new(left.min(PAGE_ROWS)) {
        let page = operator::query(station, query(beyond, asked.get())).await?;
        let (mut rows, more, looked_at) = read(page).ok_or(Error::UnexpectedAnswer)?;
        let next = looked_at.or(rows.last().map(&key));
        sift(&mut rows, filter.filter(|_| looked_at.is_none()), now);
        rows.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        printer.page(&rows)?;
        left -= rows.len() as u64;
        if !more || next.is_none() || next == beyond {
            break;
        }
        beyond = next;
    }
    Ok(())
}

/// Leaves what a filter lets through. A station that knows filters has done so where it gives pages.
fn sift<R: Record>(rows: &mut Vec<R>, filter: Option<&Filter>, now: Now) {
    if let Some(filter) = filter {
        rows.retain(|row| filter.admits(row, now));
    }
}

/// A page without what is of a session.
fn without(mut page: Page, session: Option<ConnectionId>) -> Page {
    match &mut page {
        Page::Peers(rows) => rows.retain(|row| Some(row.session) != session),
        Page::Subscriptions(rows) => rows.retain(|row| Some(row.session) != session),
        _ => {}
    }
    page
}

fn whole(
    page: Page,
    query: Query,
    filter: (Option<&Filter>, Now),
    limit: Option<u64>,
    printer: Printer<'_>,
) -> Result<(), Error> {
    match (page, query) {
        (Page::Queues(rows), Query::Queues) => printer.whole(rows, filter, limit),
        (Page::Events(rows), Query::Events) => printer.whole(rows, filter, limit),
        (Page::State(rows), Query::State) => printer.whole(rows, filter, limit),
        (Page::Adapters(rows), Query::Adapters) => printer.whole(rows, filter, limit),
        (Page::Health(rows), Query::Health) => printer.whole(rows, filter, limit),
        (Page::Topics(rows), Query::Topics) => {
            if let Some(words) = left_out(&rows).filter(|_| !printer.out.is_json()) {
                report::print_note(&words);
            }
            printer.whole(rows, filter, limit)
        }
        (Page::Peers(rows), Query::Peers) => printer.whole(rows, filter, limit),
        (Page::Subscriptions(rows), Query::Subscriptions) => printer.whole(rows, filter, limit),
        (Page::Confirmations(rows), Query::Confirmations) => printer.whole(rows, filter, limit),
        _ => Err(Error::UnexpectedAnswer),
    }
}

/// That there are topics which are not listed.
fn left_out(rows: &[TopicRow]) -> Option<String> {
    let left_out = rows.first().map_or(0, |row| row.left_out);
    let all = left_out.saturating_add(rows.len() as u64);
    (left_out > 0)
        .then(|| format!("{} of {all} topics are shown: of the others nothing is known any more (limits.rmp.shown_topics_max)", rows.len()))
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

    /// Prints a list that came whole.
    fn whole<R: TableRow + Serialize + Record>(
        mut self,
        mut rows: Vec<R>,
        (filter, now): (Option<&Filter>, Now),
        limit: Option<u64>,
    ) -> Result<(), Error> {
        sift(&mut rows, filter, now);
        rows.truncate(limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
        self.page(&rows)
    }

    fn page<R: TableRow + Serialize>(&mut self, rows: &[R]) -> Result<(), Error> {
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
