//! `recording export`: the frames of a recording, for people, tests and `inject --each`, and a ladder as a
//! sequence diagram.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    cli::{
        args::{ExportFormat, RecordingExportArgs},
        asked,
        commands::trace::trace_of,
        context::Context,
        error::Error,
        filter::FilterError,
        recording_error::RecordingError,
        report,
    },
    dissect::{
        EntryRecord,
        frame_json::{Format, Setup, parts},
        summary_line,
    },
    field::Fields as _,
    filter::Filter,
    ids::Seq,
    port::{DIAGRAM_HOPS_MAX, Ladder, Snapshot, sequence_diagram},
    recording::{self, PlacedItem, RecordedItem, RecordingSet, SetCursor, SetReader},
    tap::{
        EntryRef,
        entry::{Direction, Frame, Redaction, What},
    },
    time::Now,
    words::hex,
};

/// A frame as scripts, tests and `inject --each` read it.
#[derive(Serialize)]
struct FrameLine {
    at_ms: u64,
    seq: u64,
    link: &'static str,
    direction: &'static str,
    peer: String,
    /// Why it cannot be sent again as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
    #[serde(skip)]
    text: String,
}

pub(super) fn run(context: &mut Context, args: &RecordingExportArgs) -> Result<(), Error> {
    let filter = filter(args, context.clock.now())?;
    let recordings = Recordings::open(&args.files)?;
    let paths = recordings.paths();
    let trace = args.trace.as_ref().map(|name| trace_of(&paths, name)).transpose()?;
    let mut ladder = trace.map(|trace| Ladder::new(trace, true, Seq(0), DIAGRAM_HOPS_MAX as u64));
    let mut found = 0_u64;
    recordings.each(&mut |item| {
        match item {
            RecordedItem::Snapshot { bytes, .. } => {
                if let (Some(ladder), Ok(snapshot)) = (&mut ladder, Snapshot::decode(&bytes)) {
                    ladder.observe_peers(&snapshot.rmp);
                }
            }
            RecordedItem::Entry(of) => {
                let entry = of.as_ref();
                if args.format == ExportFormat::Mermaid {
                    if let Some(ladder) = &mut ladder {
                        ladder.take(entry);
                    }
                } else if let What::Frame(frame) = &entry.entry.what
                    && trace.is_none_or(|trace| entry.entry.trace == Some(trace))
                    && filter.admits(&EntryRecord(entry), entry.entry.at)
                {
                    found += 1;
                    print(context, args.format, entry, frame)?;
                }
            }
        }
        Ok(())
    })?;
    if args.format != ExportFormat::Mermaid {
        if found == 0 && !context.out.is_json() {
            report::print_note("no frames match");
        }
        return Ok(());
    }
    let Some(ladder) = ladder else {
        return Err(Error::usage("a sequence diagram is of one trace", "name it: --trace ID"));
    };
    let (hops, more) = ladder.hops();
    if hops.is_empty() && !context.out.is_json() {
        report::print_note("no messages match");
    }
    if more {
        report::print_note(&format!("warning: more than {DIAGRAM_HOPS_MAX} hops"));
    }
    sequence_diagram(&hops).iter().try_for_each(|line| context.out.line(line))
}

/// What is exported: one file as it is, whether anything in it says what held or not, or several as one.
enum Recordings {
    One(PathBuf),
    Several(Arc<RecordingSet>),
}

impl Recordings {
    fn open(files: &[PathBuf]) -> Result<Self, Error> {
        match files {
            [file] if !file.is_dir() => Ok(Self::One(file.clone())),
            files => asked::open_files(files).map(Self::Several),
        }
    }

    fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::One(file) => vec![file.clone()],
            Self::Several(set) => set.paths().map(Path::to_path_buf).collect(),
        }
    }

    /// Takes all that can be read; what cannot is said.
    fn each(&self, take: &mut dyn FnMut(RecordedItem) -> Result<(), Error>) -> Result<(), Error> {
        match self {
            Self::One(file) => {
                let is_being_written = recording::is_being_written(file);
                let items = recording::read(file);
                for item in items.map_err(|why| RecordingError::Open { path: file.clone(), why })? {
                    match item {
                        Ok(item) => take(item)?,
                        Err(damage) => asked::print_damage(file, &damage, is_being_written),
                    }
                }
            }
            Self::Several(set) => {
                let (mut reader, mut start) = (SetReader::new(Arc::clone(set)), 0);
                while start < set.len() {
                    let mut cursor = SetCursor::at(set, start);
                    while let Some(item) = cursor.next(&mut reader) {
                        match item {
                            Ok(PlacedItem { item, .. }) => take(item)?,
                            Err(damage) => report::print_note(&format!("warning: {damage}")),
                        }
                    }
                    start = set.start_of(start).end.max(start + 1);
                }
            }
        }
        Ok(())
    }
}

/// What is exported of it: the frames of a peer, or all.
fn filter(args: &RecordingExportArgs, now: Now) -> Result<Filter, Error> {
    let text = match &args.peer {
        Some(peer) => format!("peer=\"{}\"", peer.replace('"', "")),
        None => String::new(),
    };
    let filter = Filter::parse(&text, EntryRecord::SPECS)
        .map_err(|fault| FilterError { text: text.clone(), fault })?;
    Ok(filter.anchored(now, &TimeZone::system()))
}

fn print(
    context: &mut Context,
    format: ExportFormat,
    entry: EntryRef<'_>,
    frame: &Frame,
) -> Result<(), Error> {
    let line = line(context, format, entry, frame);
    if format == ExportFormat::Transcript {
        let clock = context.local_clock();
        let text = format!(
            "{}  {:<6} {:<3}  {}: {}",
            clock.show(entry.entry.at.wall),
            line.link,
            line.direction,
            line.peer,
            line.text
        );
        return context.out.row(&line, |_| text.clone());
    }
    // Both are a line of JSON whatever is asked for.
    let json = serde_json::to_string(&line).unwrap_or_default();
    context.out.line(&json)
}

fn line(context: &Context, format: ExportFormat, entry: EntryRef<'_>, frame: &Frame) -> FrameLine {
    let settings = &context.settings;
    let setup = Setup { registry: &settings.registry, limits: &settings.limits, now_ms: None };
    let incomplete = incomplete(entry, frame);
    let json = (format != ExportFormat::Hex && incomplete.is_none())
        .then(|| Format::of_frame(frame))
        .flatten()
        .and_then(|format| parts(format, setup, entry.bytes))
        .and_then(|mut parts| parts.pop().filter(|_| parts.is_empty()))
        .and_then(|(_, json)| RawValue::from_string(json).ok());
    let hex = json.is_none().then(|| hex(entry.bytes));
    FrameLine {
        at_ms: entry.entry.at.wall.0,
        seq: entry.entry.seq.0,
        link: entry.entry.link.name(),
        direction: match frame.direction {
            Direction::Inbound => "in",
            Direction::Outbound => "out",
        },
        peer: frame.peer.to_string(),
        incomplete,
        json,
        hex,
        text: format!("{} {}", EntryRecord(entry).kind(), summary_line(entry.entry)),
    }
}

fn incomplete(entry: EntryRef<'_>, frame: &Frame) -> Option<&'static str> {
    match &frame.redaction {
        Redaction::Withheld => Some("withheld"),
        Redaction::Masked(_) => Some("masked"),
        Redaction::None if (entry.bytes.len() as u64) < u64::from(frame.wire_bytes) => Some("cut"),
        Redaction::None => None,
    }
}
