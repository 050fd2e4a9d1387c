//! Over a recording.

use std::{collections::BTreeSet, path::Path};

use super::print::Printer;
use crate::{
    cli::{
        args::TraceName, asked, error::Error, operator, recording_error::RecordingError, report,
        run_error::RunError,
    },
    ids::{Seq, TraceId},
    port::{Ladder, Page, Query, Snapshot},
    recording::{self, RecordedItem},
    station::ReplayPort,
    tap::{EntryRef, entry::Entry},
};

/// Hops of one ladder that are printed.
const HOPS_MAX: u64 = 100_000;

pub(super) fn print(
    file: &Path,
    name: &TraceName,
    events: bool,
    printer: &mut Printer<'_>,
) -> Result<(), Error> {
    let trace = trace_of(file, name)?;
    let mut ladder = Ladder::new(trace, events, Seq(0), HOPS_MAX);
    for part in open(file)? {
        match part {
            Ok(RecordedItem::Snapshot { bytes, .. }) => {
                if let Ok(snapshot) = Snapshot::decode(&bytes) {
                    ladder.observe_peers(&snapshot.rmp);
                }
            }
            Ok(RecordedItem::Entry(of)) => ladder.take(EntryRef { entry: &of.entry, bytes: &of.bytes }),
            Err(damage) => report::print_note(&format!("warning: {}: {damage}", file.display())),
        }
    }
    let (hops, more) = ladder.hops();
    printer.page(&hops)?;
    if more {
        report::print_note(&format!("warning: more than {HOPS_MAX} hops"));
    }
    if printer.printed() == 0 { Err(RunError::NoHops { trace }.into()) } else { Ok(()) }
}

/// Prints the ladder until a place of a recording.
pub(super) async fn print_at(
    port: &ReplayPort,
    name: &TraceName,
    events: bool,
    printer: &mut Printer<'_>,
) -> Result<(), Error> {
    let trace = of_name(name, |ends| {
        let mut found = Found::default();
        port.each_entry_of_start(|entry| found.take(entry.entry, ends));
        Ok(found)
    })?;
    let mut after = Seq(0);
    loop {
        let query = Query::Trace { trace, after, events, limit: 0 };
        let Page::Trace { hops, more, .. } = operator::query(port, query).await? else {
            return Err(Error::UnexpectedAnswer);
        };
        printer.page(&hops)?;
        match hops.last().and_then(|hop| hop.seq).filter(|_| more) {
            Some(last) => after = Seq(last),
            None => break,
        }
    }
    asked::print_unread(port.unread());
    if printer.printed() == 0 { Err(RunError::NoHops { trace }.into()) } else { Ok(()) }
}

/// The trace that is named.
///
/// # Errors
/// The recording has none that ends so, or several, or cannot be read.
pub(in crate::cli) fn trace_of(file: &Path, name: &TraceName) -> Result<TraceId, Error> {
    of_name(name, |tail| {
        let mut found = Found::default();
        for part in open(file)? {
            if let Ok(RecordedItem::Entry(of)) = part {
                found.take(&of.entry, tail);
            }
            if found.is_full() {
                break;
            }
        }
        Ok(found)
    })
}

fn of_name(name: &TraceName, find: impl FnOnce(&str) -> Result<Found, Error>) -> Result<TraceId, Error> {
    match name {
        TraceName::Whole(trace) => Ok(*trace),
        TraceName::Short(name) => match name.tail() {
            Some(tail) => find(tail)?.one(tail),
            None => Err(RunError::NoTrace { name: name.text().to_owned() }.into()),
        },
    }
}

fn open(file: &Path) -> Result<recording::RecordingReader, Error> {
    recording::read(file).map_err(|why| RecordingError::Open { path: file.to_owned(), why }.into())
}

/// Traces that are told where several end so.
const LISTED_MAX: usize = 5;

/// The traces that end so: as many as are told, and one more.
#[derive(Default)]
struct Found(BTreeSet<TraceId>);

impl Found {
    fn take(&mut self, entry: &Entry, tail: &str) {
        let ends = |trace: &TraceId| trace.0.simple().to_string().ends_with(tail);
        if let Some(trace) = entry.trace.filter(|trace| !self.is_full() && ends(trace)) {
            self.0.insert(trace);
        }
    }

    fn is_full(&self) -> bool {
        self.0.len() > LISTED_MAX
    }

    /// The only one.
    fn one(self, tail: &str) -> Result<TraceId, Error> {
        match self.0.iter().collect::<Vec<_>>().as_slice() {
            [trace] => Ok(**trace),
            [] => Err(RunError::Unknown { name: tail.to_owned(), is_tail: false }.into()),
            _ => Err(RunError::Ambiguous {
                tail: tail.to_owned(),
                runs: self.0.into_iter().take(LISTED_MAX).collect(),
            }
            .into()),
        }
    }
}
