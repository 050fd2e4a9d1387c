//! Asks for the rows and prints them.

use std::num::NonZeroU64;

use super::rows::{CountedOf, TableRow};
use crate::{
    cli::{
        args::LsArgs,
        asked,
        context::Context,
        error::Error,
        filter, operator,
        output::Output,
        report,
        table::{LocalClock, Table},
    },
    filter::Filter,
    ids::ConnectionId,
    port::{
        AdapterRow, AlertRow, ClientRow, ConfirmationRow, DropRow, EventRow, FindingRow, GateRuleRow,
        HealthRow, InterceptedRow, InvocationRow, List, ListRow, Operator, Page, PageRows, Paging, PeerRow,
        PluginRow, Query, QueueRow, RefundRow, RunRow, SessionRow, StateKeyRow, SubscriptionRow, TopicRow,
        ViolationRow, tables,
    },
    time::Now,
};

/// Rows of a list that comes in pages when nothing is said.
const LIMIT: u64 = 100;

/// Rows asked for at once; the station may give fewer.
const PAGE_ROWS: u64 = 1_000;

pub(in crate::cli) fn run(context: &mut Context, args: &LsArgs) -> Result<(), Error> {
    let now = context.clock.now();
    let listing = Listing::of(args, now)?;
    let clock = context.local_clock();
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = asked::ask(settings).await?;
        let listing = match station.recorded_at() {
            // What is of so long ago was so long before then.
            Some(then) => Listing { counted_of: CountedOf::Recording, ..Listing::of(args, then)? },
            None => listing,
        };
        let own = station.session();
        listing.print(&station, own, Printer { clock: &clock, out, table: None }).await
    })
}

/// Prints lists that come whole, one after the other; to people, where no list has a row, what says so.
pub(in crate::cli) fn all(context: &mut Context, lists: &[(List, Query)], none: &str) -> Result<(), Error> {
    let (now, clock) = (context.clock.now(), context.local_clock());
    let Context { settings, out, .. } = context;
    operator::block_on(async {
        let station = operator::connect(settings).await?;
        let own = Some(station.session());
        if !out.is_json() && have_no_rows(&station, lists).await? {
            return out.line(none);
        }
        for (place, (list, query)) in lists.iter().enumerate() {
            if place > 0 && !out.is_json() {
                out.line("")?;
            }
            let (list, query, counted_of) = (*list, query.clone(), CountedOf::Station);
            let listing = Listing { list, query, filter: None, limit: None, now, counted_of };
            listing.print(&station, own, Printer { clock: &clock, out: &mut *out, table: None }).await?;
        }
        Ok(())
    })
}

/// Whether no list has a row.
async fn have_no_rows(station: &dyn Operator, lists: &[(List, Query)]) -> Result<bool, Error> {
    for (_, query) in lists {
        let is_empty = match operator::query(station, query.clone()).await? {
            Page::GateRules(rows) => rows.is_empty(),
            Page::Intercepted(rows) => rows.is_empty(),
            _ => return Err(Error::UnexpectedAnswer),
        };
        if !is_empty {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A list to print, with what narrows it.
#[derive(Clone, Debug, PartialEq)]
struct Listing {
    list: List,
    query: Query,
    filter: Option<Filter>,
    /// At most so many rows.
    limit: Option<u64>,
    now: Now,
    counted_of: CountedOf,
}

impl Listing {
    fn of(args: &LsArgs, now: Now) -> Result<Self, Error> {
        let (query, narrowed) = args.narrowed(now);
        let filter = filter_of(args, narrowed.filter, now)?;
        let counted_of = CountedOf::Station;
        Ok(Self { list: args.list, query, filter, limit: args.limit, now, counted_of })
    }

    /// Prints everything but what is of this command's own session.
    async fn print(
        &self,
        station: &dyn Operator,
        own: Option<ConnectionId>,
        printer: Printer<'_>,
    ) -> Result<(), Error> {
        macro_rules! of_every_list {
            (
                whole { $(
                    $(#[$about:meta])+
                    $Whole:ident $name:literal of $whole_link:ident: $WholeRow:ident;
                )* }
                paged { $(
                    $(#[$paged_about:meta])+
                    $Paged:ident $paged_name:literal of $link:ident: $Row:ident by $key:ident: $Key:ty {
                        $($narrowed:tt)*
                    }
                    sent { $($sent:tt)* }
                )* }
            ) => {
                match self.list {
                    $( List::$Whole => self.whole::<$WholeRow>(station, own, printer).await, )*
                    $( List::$Paged => self.pages::<$Row>(station, printer).await, )*
                }
            };
        }
        tables!(of_every_list)
    }

    /// Prints a list that comes whole.
    async fn whole<R: ListRow + TableRow>(
        &self,
        station: &dyn Operator,
        own: Option<ConnectionId>,
        mut printer: Printer<'_>,
    ) -> Result<(), Error> {
        let page = operator::query(station, self.query.clone()).await?;
        let PageRows { mut rows, .. } = R::read(page).ok_or(Error::UnexpectedAnswer)?;
        rows.retain(|row| own.is_none() || row.session() != own);
        rows.iter_mut().for_each(R::reach_station);
        if let Some(note) = R::note(&rows, printer.clock, self.counted_of).filter(|_| !printer.out.is_json())
        {
            report::print_note(&note);
        }
        self.sift(self.filter.as_ref(), &mut rows);
        let (fault, all) = (R::fault(&rows), rows.len() as u64);
        rows.truncate(self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
        printer.page(&rows)?;
        printer.tell_left_out();
        printer.tell_cut(rows.len() as u64, all, false);
        fault.map_or(Ok(()), Err)
    }

    /// Prints pages until there are enough rows or no more. A station that knows no filters does not say how
    /// far it looked, and its rows are sifted here.
    async fn pages<R: ListRow + TableRow>(
        &self,
        station: &dyn Operator,
        mut printer: Printer<'_>,
    ) -> Result<(), Error> {
        let (limit, mut shown) = (self.limit.unwrap_or(LIMIT), 0);
        let (mut left, mut has_more, mut unprinted) = (0, false, Vec::new());
        for filter in self.filters::<R>(printer.out.is_json())? {
            let mut beyond = None;
            loop {
                let Some(asked) = NonZeroU64::new((limit - shown).min(PAGE_ROWS)) else {
                    if limit > 0 && !printer.out.is_json() {
                        // How many more there are is told as far as one answer tells it.
                        let rest = self.part::<R>(station, filter.as_ref(), beyond, PAGE_ROWS).await?;
                        left += rest.rows.len() as u64;
                        has_more |= rest.next.is_some();
                    }
                    break;
                };
                let Part { mut rows, next } =
                    self.part::<R>(station, filter.as_ref(), beyond, asked.get()).await?;
                rows.truncate(usize::try_from(limit - shown).unwrap_or(usize::MAX));
                shown += rows.len() as u64;
                unprinted.append(&mut rows);
                if next.is_none() || next == beyond {
                    break;
                }
                beyond = next;
                printer.page(&std::mem::take(&mut unprinted))?;
            }
        }
        // What is open and what has ended are mostly one page, whose columns fit both.
        printer.page(&unprinted)?;
        printer.tell_left_out();
        printer.tell_cut(shown, shown + left, has_more);
        Ok(())
    }

    /// What is asked for one after the other: people see what is open first, scripts the newest.
    fn filters<R: TableRow>(&self, is_json: bool) -> Result<Vec<Option<Filter>>, Error> {
        let Some(ended) = R::ENDED.filter(|_| !is_json) else { return Ok(vec![self.filter.clone()]) };
        let and = |more: String| {
            let text = match &self.filter {
                Some(own) => format!("({}) and {more}", own.canonical()),
                None => more,
            };
            filter::read(&text, self.list, self.now).map(Some)
        };
        Ok(vec![and(format!("not ({ended})"))?, and(format!("({ended})"))?])
    }

    /// A page beyond a row, sifted, and where the next one begins if there is more.
    async fn part<R: ListRow + TableRow>(
        &self,
        station: &dyn Operator,
        filter: Option<&Filter>,
        beyond: Option<u64>,
        limit: u64,
    ) -> Result<Part<R>, Error> {
        let paging = Paging { beyond, oldest_first: false, filter: filter.map(Filter::canonical), limit };
        let page = operator::query(station, self.query.clone().page(paging)).await?;
        let PageRows { mut rows, more, beyond: looked_at } = R::read(page).ok_or(Error::UnexpectedAnswer)?;
        let next = looked_at.or(rows.last().and_then(R::key)).filter(|_| more);
        if looked_at.is_none() {
            self.sift(filter, &mut rows);
        }
        Ok(Part { rows, next })
    }

    /// Leaves what the filter lets through. A station that knows filters has done so where it gives pages.
    fn sift<R: ListRow>(&self, filter: Option<&Filter>, rows: &mut Vec<R>) {
        if let Some(filter) = filter {
            rows.retain(|row| filter.admits(row, self.now));
        }
    }
}

/// The filter of the flags together with what a state that is shown stands for.
fn filter_of(args: &LsArgs, only: Option<&str>, now: Now) -> Result<Option<Filter>, Error> {
    let own = args.filter.as_deref().filter(|text| !text.trim().is_empty());
    if let Some(own) = own {
        // What is wrong with it is pointed at in what was written.
        filter::read(own, args.list, now)?;
    }
    let text = match (own, only) {
        (Some(own), Some(only)) => format!("({own}) and {only}"),
        (Some(text), None) | (None, Some(text)) => text.to_owned(),
        (None, None) => return Ok(None),
    };
    Ok(Some(filter::read(&text, args.list, now)?).filter(|filter| !filter.is_empty()))
}

/// A page of rows.
struct Part<R> {
    rows: Vec<R>,
    /// The row beyond which there are more.
    next: Option<u64>,
}

/// Prints pages of rows: objects, or a table.
struct Printer<'a> {
    clock: &'a LocalClock,
    out: &'a mut Output,
    table: Option<Table>,
}

impl Printer<'_> {
    /// Says to people which columns have no room.
    fn tell_left_out(&self) {
        let left_out = self.table.as_ref().map(Table::left_out).unwrap_or_default();
        if !left_out.is_empty() {
            report::print_note(&format!(
                "hidden columns: {} (use a wider terminal or --json)",
                left_out.join(", ")
            ));
        }
    }

    /// Says to people how many rows there are, where not all are shown.
    fn tell_cut(&self, shown: u64, all: u64, has_more: bool) {
        if shown < all && !self.out.is_json() {
            let more = if has_more { "more than " } else { "" };
            report::print_note(&format!("{shown} of {more}{all} (--limit)"));
        }
    }

    fn page<R: ListRow + TableRow>(&mut self, rows: &[R]) -> Result<(), Error> {
        if self.out.is_json() {
            for row in rows {
                self.out.row(row, |_| String::new())?;
            }
        } else {
            let room = self.out.columns();
            let table = self.table.get_or_insert_with(|| {
                Table::new(R::COLUMNS).timed(self.clock).fitting(room).sparing(R::SPARE)
            });
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
