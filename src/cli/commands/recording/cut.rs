//! `recording cut`.

use std::{
    collections::{BTreeMap, BTreeSet},
    iter,
    path::Path,
    sync::Arc,
};

use jiff::tz::TimeZone;
use serde::Serialize;

use crate::{
    cli::{
        args::RecordingCutArgs, asked, commands::trace::trace_of, context::Context, error::Error,
        recording_error::RecordingError, report,
    },
    dissect::EntryRecord,
    field::Fields as _,
    filter::Filter,
    ids::{Seq, TraceId},
    limits::Limits,
    port::{PLACE_FORMS, ReplayPlace},
    recording::{self, Cut, CutPart, PlacedItem, RecordedItem, RecordingSet, SetCursor, SetReader},
    station::{ReplayPort, tallied},
    tap::{EntryRef, entry::Entry},
    time::Now,
    words::{counted, format},
};

/// Entries whose effects are known at one time; past them the oldest are forgotten.
const CAUSES_MAX: usize = 65_536;
/// Entries whose causes are known at one time, as well.
const CAUSED_MAX: usize = 1_048_576;
/// How far a cause of a cause is looked for.
const ORIGINS_DEPTH_MAX: usize = 8;

/// What was made, as scripts read it.
#[derive(Serialize)]
struct Row {
    path: String,
    entries: u64,
    keyframes: u64,
    bytes: u64,
    damaged: u64,
}

impl Row {
    fn text(&self) -> String {
        let (entries, keyframes) = (counted(self.entries, "entry"), counted(self.keyframes, "keyframe"));
        format!("{}: {entries}, {keyframes}, {}", self.path, format::bytes(self.bytes))
    }
}

pub(super) fn run(context: &mut Context, args: &RecordingCutArgs) -> Result<(), Error> {
    let set = asked::open_files(std::slice::from_ref(&args.file))?;
    let mut reader = SetReader::new(Arc::clone(&set));
    let span = asked::span(&set)?;
    let (first_ns, last_ns) = set.span_ns();
    let limits = &context.settings.limits;
    let from = place(args.from.as_deref(), "--from", &mut reader, limits)?;
    let to = place(args.to.as_deref(), "--to", &mut reader, limits)?;
    let from_ns = from.map_or(first_ns, |(from_ns, _)| from_ns);
    let to_ns = to.map_or(last_ns, |(_, to_ns)| to_ns);
    if from_ns > to_ns {
        return Err(Error::usage(
            "--to is before --from: nothing is between them",
            format!("the recording has {}", span.words(&TimeZone::system())),
        ));
    }
    if let Some(note) = left_out(&set, from_ns, to_ns) {
        report::print_note(&note);
    }
    let filter = args.filter.as_deref().map(|text| filter(text, context.clock.now())).transpose()?;
    let paths: Vec<_> = set.paths().map(Path::to_path_buf).collect();
    let trace = args.trace.as_ref().map(|name| trace_of(&paths, name)).transpose()?;
    let mut of_trace = trace.map(|trace| OfTrace::find(trace, &mut reader, (from_ns, to_ns)));
    let mut keeps = |entry: EntryRef<'_>| {
        filter.as_ref().is_none_or(|filter| filter.admits(&EntryRecord(entry), entry.entry.at))
            && of_trace.as_mut().is_none_or(|of| of.has(entry))
    };
    let is_filtered = args.filter.is_some() || args.trace.is_some();
    let (head, from) = ReplayPort::part_from(&mut reader, from_ns, limits)?;
    let cut = Cut { head, from, to_ns, keeps: &mut keeps, is_filtered, tallied };
    let made = recording::cut(&mut reader, cut, &args.out, context.settings.limits.recording)
        .map_err(|error| RecordingError::of_repair(args.file.clone(), args.out.clone(), error))?;
    let CutPart { entries, keyframes, bytes, damages, more_damages } = made;
    for damage in &damages {
        report::print_note(&format!("warning: {}: {damage}", args.file.display()));
    }
    if entries == 0 && is_filtered {
        report::print_note("note: no entry matches: the part has a state and no entries");
    }
    let damaged = damages.len() as u64 + more_damages;
    let path = args.out.display().to_string();
    context.out.row(&Row { path, entries, keyframes, bytes, damaged }, Row::text)
}

/// That a part is of one start of a station, where others have some of its time.
fn left_out(set: &RecordingSet, from_ns: u64, to_ns: u64) -> Option<String> {
    let chunk = set.chunk_at(from_ns);
    let start = set.start_of(chunk);
    let goes_on = set.chunk(start.end).is_some_and(|next| next.place.start_ns <= to_ns);
    let first = set.first_path_of_start(chunk).filter(|_| goes_on)?.display();
    let starts = set.starts();
    Some(format!("note: of {starts} starts of the station, the one of {first} is cut; --from names another"))
}

fn filter(text: &str, now: Now) -> Result<Filter, Error> {
    let filter = Filter::parse(text, EntryRecord::SPECS)
        .map_err(|fault| crate::cli::filter::FilterError { text: text.to_owned(), fault })?;
    Ok(filter.anchored(now, &TimeZone::system()))
}

/// The `log_time` of a place in nanoseconds, to begin with and to end with.
fn place(
    text: Option<&str>,
    flag: &str,
    reader: &mut SetReader,
    limits: &Limits,
) -> Result<Option<(u64, u64)>, Error> {
    let Some(text) = text else { return Ok(None) };
    let usage = |why: &str| Error::usage(format!("{flag}: {why}"), format!("name {PLACE_FORMS}"));
    let place = asked::place(reader.set(), flag, text)?;
    let (first_ns, last_ns) = reader.set().span_ns();
    let at_ns = match place {
        ReplayPlace::Wall(wall) => return Ok(Some(ReplayPort::times_of(reader, wall, limits)?)),
        ReplayPlace::After(after) => {
            first_ns.saturating_add(u64::try_from(after.as_nanos()).unwrap_or(u64::MAX))
        }
        ReplayPlace::By(by) => last_ns.saturating_add_signed(by),
        ReplayPlace::Seq(seq) => {
            time_of(reader, seq).ok_or_else(|| usage(&format!("no entry {seq} in the recording")))?
        }
        ReplayPlace::End => last_ns,
        _ => first_ns,
    };
    Ok(Some((at_ns, at_ns)))
}

/// The `log_time` of an entry.
fn time_of(reader: &mut SetReader, seq: Seq) -> Option<u64> {
    let chunk = reader.chunk_of(seq, 0);
    let set = Arc::clone(reader.set());
    let mut cursor = SetCursor::at(&set, chunk);
    loop {
        if let Ok(PlacedItem { log_ns, item: RecordedItem::Entry(entry) }) = cursor.next(reader)?
            && entry.entry.seq >= seq
        {
            return (entry.entry.seq == seq).then_some(log_ns);
        }
    }
}

/// What a piece of work came of. A cause is in front of its effects, so that one look at each entry will do.
struct Origins {
    trace: TraceId,
    /// The causes of entries, of the last ones that have any.
    causes: BTreeMap<Seq, Seq>,
    found: BTreeSet<Seq>,
}

impl Origins {
    const fn new(trace: TraceId) -> Self {
        Self { trace, causes: BTreeMap::new(), found: BTreeSet::new() }
    }

    /// Looks at the next entry.
    fn look(&mut self, entry: &Entry) {
        let Some(cause) = entry.cause else { return };
        self.causes.insert(entry.seq, cause);
        if self.causes.len() > CAUSED_MAX {
            self.causes.pop_first();
        }
        if entry.trace != Some(self.trace) {
            return;
        }
        let causes = iter::successors(Some(cause), |of| self.causes.get(of).copied());
        for cause in causes.take(ORIGINS_DEPTH_MAX) {
            // What that came of was found with it.
            if self.found.len() >= CAUSES_MAX || !self.found.insert(cause) {
                break;
            }
        }
    }
}

/// One piece of work, what it came of, and what came of it.
struct OfTrace {
    trace: TraceId,
    /// What caused it: the command that began it has no trace.
    origins: BTreeSet<Seq>,
    causes: BTreeSet<Seq>,
}

impl OfTrace {
    /// Looks through a time for what caused the work.
    fn find(trace: TraceId, reader: &mut SetReader, (from_ns, to_ns): (u64, u64)) -> Self {
        let mut origins = Origins::new(trace);
        let mut cursor = SetCursor::at(&Arc::clone(reader.set()), reader.set().chunk_at(from_ns));
        while let Some(item) = cursor.next(reader) {
            let Ok(PlacedItem { log_ns, item: RecordedItem::Entry(of) }) = item else { continue };
            if log_ns > to_ns {
                break;
            }
            origins.look(&of.entry);
        }
        Self { trace, origins: origins.found, causes: BTreeSet::new() }
    }

    fn has(&mut self, entry: EntryRef<'_>) -> bool {
        let of = entry.entry;
        // What else came of its origins is of other work, where that has a trace.
        let is_beside = || of.trace.is_none() && of.cause.is_some_and(|cause| self.origins.contains(&cause));
        let is_of_it = of.trace == Some(self.trace)
            || self.origins.contains(&of.seq)
            || is_beside()
            || of.cause.is_some_and(|cause| self.causes.contains(&cause));
        if is_of_it && !self.origins.contains(&of.seq) {
            self.causes.insert(of.seq);
            if self.causes.len() > CAUSES_MAX {
                self.causes.pop_first();
            }
        }
        is_of_it
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::tap::entry::{Link, What};

    const TRACE: TraceId = TraceId(Uuid::from_u128(7));

    fn entry(seq: u64, cause: Option<u64>, trace: Option<TraceId>) -> Entry {
        let (seq, cause) = (Seq(seq), cause.map(Seq));
        Entry { seq, at: Now::at_ms(seq.0), link: Link::Station, trace, cause, what: What::Loss { count: 1 } }
    }

    fn found(entries: impl IntoIterator<Item = Entry>) -> Vec<u64> {
        let mut origins = Origins::new(TRACE);
        entries.into_iter().for_each(|entry| origins.look(&entry));
        origins.found.into_iter().map(|seq| seq.0).collect()
    }

    #[test]
    fn what_began_a_piece_of_work_is_found_in_one_pass_with_what_began_that() {
        let other = TraceId(Uuid::from_u128(8));
        let all = [
            entry(1, None, None),
            entry(2, Some(1), None),
            entry(3, Some(1), Some(other)),
            entry(4, Some(2), Some(other)),
            entry(5, Some(4), Some(TRACE)),
            entry(6, Some(5), Some(TRACE)),
            entry(7, Some(3), Some(other)),
            entry(8, Some(2), Some(TRACE)),
        ];
        assert_eq!(found(all), [1, 2, 4, 5]);
    }

    #[test]
    fn causes_of_causes_are_bounded_and_a_circle_of_them_ends() {
        let long = (2..100).map(|seq| entry(seq, Some(seq - 1), (seq == 99).then_some(TRACE)));
        assert_eq!(found(long), (91..99).collect::<Vec<_>>());
        let circle = [entry(1, Some(2), None), entry(2, Some(1), None), entry(3, Some(2), Some(TRACE))];
        assert_eq!(found(circle), [1, 2]);
    }
}
