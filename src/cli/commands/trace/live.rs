//! Over a station that runs.

use super::{print::Printer, stored};
use crate::{
    cli::{args::TraceName, commands::short_ids, error::Error, operator, run_error::RunError},
    ids::Seq,
    port::{Operator, Page, Query},
};

/// Hops asked for at once; the station may give fewer.
const PAGE_ROWS: u64 = 1_000;

pub(super) async fn print(
    station: &dyn Operator,
    name: &TraceName,
    events: bool,
    printer: &mut Printer<'_>,
) -> Result<(), Error> {
    let trace = short_ids::trace(station, name).await?;
    let mut after = Seq(0);
    let mut incomplete = None;
    loop {
        let query = Query::Trace { trace, after, events, limit: PAGE_ROWS };
        let Page::Trace { hops, more, kept_since_ms } = operator::query(station, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        if after == Seq(0) {
            let Page::Run(run) = operator::query(station, Query::Run { run: trace }).await? else {
                return Err(Error::UnexpectedAnswer);
            };
            if run.is_some_and(|run| run.row.submitted_at_ms < kept_since_ms) {
                incomplete = Some(kept_since_ms);
                printer.page(&stored::hops(station, trace, kept_since_ms).await?)?;
            }
        }
        printer.page(&hops)?;
        match hops.last().and_then(|hop| hop.seq).filter(|_| more) {
            Some(last) => after = Seq(last),
            None => break,
        }
    }
    if printer.printed() == 0 {
        return Err(RunError::NoHops { trace, is_recorded: false }.into());
    }
    incomplete.map_or(Ok(()), |since| printer.incomplete(since))
}
