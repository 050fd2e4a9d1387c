//! Over a recording.

use std::{collections::BTreeSet, path::Path};

use super::print::Printer;
use crate::{
    cli::{args::TraceName, error::Error, report, run_error::RunError},
    ids::{Seq, TraceId},
    port::{Ladder, Snapshot},
    recording::{self, RecordedItem},
    tap::EntryRef,
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

/// The trace that is named.
///
/// # Errors
/// The recording has none that ends so, or several, or cannot be read.
pub(in crate::cli) fn trace_of(file: &Path, name: &TraceName) -> Result<TraceId, Error> {
    match name {
        TraceName::Whole(trace) => Ok(*trace),
        TraceName::Short(name) => match name.tail() {
            Some(tail) => resolve(file, tail),
            None => Err(RunError::NoTrace { name: name.text().to_owned() }.into()),
        },
    }
}

fn open(file: &Path) -> Result<recording::RecordingReader, Error> {
    recording::read(file).map_err(|error| Error::Input {
        what: file.display().to_string(),
        message: error.to_string(),
        hint: "create one with `rl-console record OUT.mcap`".to_owned(),
    })
}

/// The trace that ends so.
fn resolve(file: &Path, tail: &str) -> Result<TraceId, Error> {
    /// Traces that are told where several end so.
    const LISTED_MAX: usize = 5;
    let mut found = BTreeSet::new();
    for part in open(file)? {
        if let Ok(RecordedItem::Entry(of)) = part
            && let Some(trace) = of.entry.trace.filter(|trace| trace.0.simple().to_string().ends_with(tail))
        {
            found.insert(trace);
            if found.len() > LISTED_MAX {
                break;
            }
        }
    }
    match found.iter().collect::<Vec<_>>().as_slice() {
        [trace] => Ok(**trace),
        [] => Err(RunError::Unknown { name: tail.to_owned(), is_tail: false }.into()),
        _ => Err(RunError::Ambiguous {
            tail: tail.to_owned(),
            runs: found.into_iter().take(LISTED_MAX).collect(),
        }
        .into()),
    }
}
