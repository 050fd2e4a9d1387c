//! Over a recording.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    slice,
};

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
    let trace = of_name(name, None, |tail| found_in(slice::from_ref(&file.to_owned()), tail))?;
    let is_being_written = recording::is_being_written(file);
    let mut ladder = Ladder::new(trace, events, Seq(0), HOPS_MAX);
    for part in open(file)? {
        match part {
            Ok(RecordedItem::Snapshot { bytes, .. }) => {
                if let Ok(snapshot) = Snapshot::decode(&bytes) {
                    ladder.observe_peers(&snapshot.rmp);
                }
            }
            Ok(RecordedItem::Entry(of)) => ladder.take(EntryRef { entry: &of.entry, bytes: &of.bytes }),
            Err(damage) => asked::print_damage(file, &damage, is_being_written),
        }
    }
    let (hops, more) = ladder.hops();
    printer.page(&hops)?;
    if more {
        report::print_note(&format!("warning: more than {HOPS_MAX} hops"));
    }
    check_found(trace, printer)
}

/// Prints the ladder until a place of recordings.
pub(super) async fn print_at(
    port: &ReplayPort,
    name: &TraceName,
    events: bool,
    printer: &mut Printer<'_>,
) -> Result<(), Error> {
    let trace = of_name(name, None, |ends| {
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
    asked::print_unread(port, port.unread());
    check_found(trace, printer)
}

/// Whether anything of a trace was printed.
fn check_found(trace: TraceId, printer: &Printer<'_>) -> Result<(), Error> {
    if printer.printed() > 0 {
        return Ok(());
    }
    Err(RunError::NoHops { trace, is_recorded: true }.into())
}

/// The trace that is named.
///
/// # Errors
/// The recordings have none that ends so, or several, or cannot be read.
pub(in crate::cli) fn trace_of(files: &[PathBuf], name: &TraceName) -> Result<TraceId, Error> {
    of_name(name, Some(asked::named(files)), |tail| found_in(files, tail))
}

fn found_in(files: &[PathBuf], tail: &str) -> Result<Found, Error> {
    let mut found = Found::default();
    for file in files {
        for part in open(file)? {
            if let Ok(RecordedItem::Entry(of)) = part {
                found.take(&of.entry, tail);
            }
            if found.is_full() {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// `paths` are those of what is asked, where no flag of this command names it.
fn of_name(
    name: &TraceName,
    paths: Option<String>,
    find: impl FnOnce(&str) -> Result<Found, Error>,
) -> Result<TraceId, Error> {
    let name = match name {
        TraceName::Whole(trace) => return Ok(*trace),
        TraceName::Short(name) => name,
    };
    let found = name.tail().map(find).transpose()?.unwrap_or_default();
    found.one(name.tail().unwrap_or(name.text()), paths)
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
    fn one(self, tail: &str, paths: Option<String>) -> Result<TraceId, Error> {
        match self.0.iter().collect::<Vec<_>>().as_slice() {
            [trace] => Ok(**trace),
            [] => Err(RunError::NotInRecording { name: tail.to_owned(), paths }.into()),
            _ => Err(RunError::Ambiguous {
                tail: tail.to_owned(),
                runs: self.0.into_iter().take(LISTED_MAX).collect(),
            }
            .into()),
        }
    }
}
