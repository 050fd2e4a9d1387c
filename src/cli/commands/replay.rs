//! `replay`: the console on recordings, or their events in lines.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use super::{
    console::{self, ScreenTarget, hints, name_of},
    events::{Detail, Event, EventLine},
    replay_headless,
};
use crate::{
    cli::{
        args::{Cli, Command, ReplayArgs},
        asked,
        context::Context,
        error::Error,
        logging,
        recording_error::RecordingError,
        report, shell,
    },
    console::{
        OpenedRecording, RecordingOpener, Start, check_start, model::station::StationMonitor,
        settings::ConsoleError,
    },
    limits::Limits,
    port::{ReplayPlace, Snapshot, Speed},
    recording::{PlacedItem, RecordedItem, RecordingSet, SetCursor, SetReader},
    station::{ReplayPort, ReplayStart},
    tap::{entry::What, recorded::OwnedEntry},
    time::Clock,
    words::quoted,
};

pub(in crate::cli) fn run(context: &mut Context, args: &ReplayArgs) -> Result<(), Error> {
    if !args.plain {
        if !args.headless && context.out.is_json() {
            return Err(Error::usage(
                "a screen has no JSON form",
                "use `rl-console replay FILE --plain --json`",
            ));
        }
        console::check_start(context)?;
    }
    let set = asked::open_files(&args.files)?;
    if args.headless {
        return replay_headless::run(context, args, &set);
    }
    let place = place(args, &set)?;
    if args.plain {
        return print(context, &set, place);
    }
    console::can_be_drawn(context).map_err(|error| without_screen(error, &args.files))?;
    let _log = logging::begin(&context.env);
    let start = start_at(args, place);
    let port = ReplayPort::open(Arc::clone(&set), start, context.clock, context.settings.limits)?;
    let target = ScreenTarget {
        port: Arc::new(port),
        station: None,
        folder: None,
        name: Some(name(&set)),
        bookmarks: bookmark_file(&set),
    };
    console::with_screen(&target, context)
}

/// That no screen can be drawn here, with what else there is for recordings.
fn without_screen(error: Error, files: &[PathBuf]) -> Error {
    let files: Vec<String> = files.iter().map(|file| quoted(&file.to_string_lossy())).collect();
    let hint = format!(
        "`rl-console replay {} --plain` prints events line by line; --headless draws screens",
        files.join(" ")
    );
    match error {
        Error::Console(ConsoleError::NotATerminal { what }) => Error::NoScreen { what, hint },
        Error::Usage { message, .. } => Error::Usage { message, hint },
        other => other,
    }
}

/// Opens recordings for a console that shows a station.
#[derive(Debug)]
pub(super) struct Recordings {
    clock: Clock,
    limits: Limits,
}

impl Recordings {
    pub(super) fn new(context: &Context) -> Self {
        Self { clock: context.clock, limits: context.settings.limits }
    }

    fn opened(&self, words: &[String]) -> Result<OpenedRecording, Error> {
        let args = args_of(words)?;
        let start = Start { view: args.screen.view.clone(), filter: args.screen.filter.clone() };
        check_start(&start).map_err(|why| Error::usage(why, ":help filter"))?;
        let set = Arc::new(RecordingSet::open(&args.files).map_err(RecordingError::of_set)?);
        let place = place(&args, &set)?;
        let port = ReplayPort::open(Arc::clone(&set), start_at(&args, place), self.clock, self.limits)?;
        Ok(OpenedRecording {
            port: Arc::new(port),
            name: name(&set),
            view: start.view,
            filter: start.filter,
            bookmarks: bookmark_file(&set).map(|file| shell::bookmarks(&file, &self.limits)),
        })
    }
}

impl RecordingOpener for Recordings {
    fn open(&self, words: &[String]) -> Result<OpenedRecording, String> {
        self.opened(words).map_err(|error| match error.hint() {
            hint if hint.is_empty() => error.to_string(),
            hint => format!("{error}: {hint}"),
        })
    }
}

/// What the words of `replay` say.
fn args_of(words: &[String]) -> Result<ReplayArgs, Error> {
    let line: Vec<OsString> =
        std::iter::once("rl-console").chain(words.iter().map(String::as_str)).map(OsString::from).collect();
    let wrong =
        |why: &str| Error::usage(why.to_owned(), "replay FILE, with --at, --speed, --view or --filter");
    match Cli::read(&line) {
        Ok(Cli { command: Some(Command::Replay(args)), .. }) if !args.headless => Ok(args),
        Ok(_) => Err(wrong("no screen can be shown of that here")),
        Err(error) => {
            let text = error.to_string();
            Err(wrong(text.lines().next().unwrap_or_default().trim_start_matches("error: ")))
        }
    }
}

/// It holds at a place that was named, unless a speed was too.
fn start_at(args: &ReplayArgs, place: ReplayPlace) -> ReplayStart {
    let speed = args.speed.unwrap_or(Speed::ONE);
    ReplayStart { place, speed, is_held: args.at.is_some() && args.speed.is_none() }
}

/// Where the bookmarks of what is replayed are kept: next to the first file, as `night.marks.json` of
/// `night.mcap`.
fn bookmark_file(set: &RecordingSet) -> Option<PathBuf> {
    set.paths().next().map(|first| first.with_extension("marks.json"))
}

/// Where it begins.
fn place(args: &ReplayArgs, set: &Arc<RecordingSet>) -> Result<ReplayPlace, Error> {
    match &args.at {
        Some(at) => asked::place(set, "--at", at),
        // Nothing is replayed where nothing can be read.
        None => asked::span(set).map(|_| ReplayPlace::Start),
    }
}

/// What is replayed: the first file, and how many follow it.
pub(super) fn name(set: &RecordingSet) -> String {
    let mut paths = set.paths();
    let first = paths.next().map(name_of).unwrap_or_default();
    match paths.count() {
        0 => first,
        more => format!("{first} +{more}"),
    }
}

/// Prints what happened from a place on.
fn print(context: &mut Context, set: &Arc<RecordingSet>, place: ReplayPlace) -> Result<(), Error> {
    let mut reader = SetReader::new(Arc::clone(set));
    let (first_ns, last_ns) = set.span_ns();
    let mut from_ns = match place {
        ReplayPlace::Wall(wall) => ReplayPort::times_of(&mut reader, wall, &context.settings.limits)?.0,
        ReplayPlace::After(after) => {
            first_ns.saturating_add(u64::try_from(after.as_nanos()).unwrap_or(u64::MAX))
        }
        ReplayPlace::By(by) => last_ns.saturating_add_signed(by),
        ReplayPlace::End => last_ns,
        _ => first_ns,
    };
    let mut chunk = set.chunk_at(from_ns);
    let mut from_seq = None;
    if let ReplayPlace::Seq(seq) = place {
        (chunk, from_ns, from_seq) = (reader.chunk_of(seq, 0), 0, Some(seq));
    }
    let mut printer = Printer { monitor: StationMonitor::new(hints(context)), has_state: false };
    // The names of runs are in the state.
    let mut next = set.keyframe_until(chunk).unwrap_or(chunk);
    while next < set.len() {
        let mut cursor = SetCursor::at(set, next);
        while let Some(item) = cursor.next(&mut reader) {
            match item {
                Ok(PlacedItem { item: RecordedItem::Snapshot { bytes, .. }, .. }) => printer.state(&bytes),
                Ok(PlacedItem { log_ns, item: RecordedItem::Entry(entry) }) => {
                    let is_wanted = log_ns >= from_ns && from_seq.is_none_or(|from| entry.entry.seq >= from);
                    printer.entry(context, &entry, is_wanted)?;
                    from_seq = from_seq.filter(|_| !is_wanted);
                }
                Err(damage) => report::print_note(&format!("warning: {damage}")),
            }
        }
        next = set.start_of(next).end.max(next + 1);
        printer.has_state = false;
    }
    Ok(())
}

/// What is needed to name things.
struct Printer {
    monitor: StationMonitor,
    has_state: bool,
}

impl Printer {
    /// Takes the first state; entries move it on.
    fn state(&mut self, bytes: &[u8]) {
        if let Some(snapshot) =
            Some(bytes).filter(|_| !self.has_state).and_then(|it| Snapshot::decode(it).ok())
        {
            self.monitor.take(snapshot);
            self.has_state = true;
        }
    }

    fn entry(&mut self, context: &mut Context, entry: &OwnedEntry, is_wanted: bool) -> Result<(), Error> {
        self.monitor.fold(entry.as_ref());
        if !is_wanted {
            return Ok(());
        }
        let told = match entry.entry.what {
            What::Loss { count } => Some(EventLine::now(entry.entry.at, Event::Loss { count })),
            _ => EventLine::of(entry.as_ref(), Detail::Everything),
        };
        let Some(EventLine { event, at_ms }) = told else { return Ok(()) };
        let event = event.named(|run| self.monitor.run_name(run));
        let line = EventLine { event, at_ms: at_ms.or(Some(entry.entry.at.wall)) };
        let line = if context.settings.on_air { line.masked() } else { line };
        let clock = context.local_clock();
        context.out.row(&line, |line: &EventLine| line.line(&clock, Detail::Everything))
    }
}
