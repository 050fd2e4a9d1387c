//! What subcommands ask: a station that runs, or a recording in its place.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::{Timestamp, tz::TimeZone};

use super::{
    args::{Command as Subcommand, Global, OnRecording},
    config::{AskedRecording, Settings},
    error::Error,
    operator,
    recording_error::RecordingError,
    report,
};
use crate::{
    console::ReplayedMoment,
    ids::{ConnectionId, Seq},
    port::{
        Answer, Command, Operator, Outcome, PLACE_FORMS, Page, PortError, Query, ReplayPlace, ReplaySpan,
        Snapshot, Speed, StationPort as _,
    },
    recording::{self, Damage, PlacedItem, RecordedItem, RecordingSet, SetReader},
    station::{OperatorClient, ReplayPort, ReplayStart},
    time::{Clock, Now},
    words::{counted, format, quoted},
};

/// The flags of a recording that is asked, and of the moment of it.
pub(crate) const RECORDING: &str = "--recording";
pub(crate) const AT: &str = "--at";

/// What is asked.
pub(crate) enum Asked {
    /// A station.
    Station(Box<OperatorClient>),
    /// A recording, at one place.
    Recording(ReplayPort),
}

/// Opens the recording where one is named, and connects to the station otherwise.
///
/// # Errors
/// Why the recording is not read, or those of [`operator::connect`].
pub(crate) async fn ask(settings: &Settings) -> Result<Asked, Error> {
    match &settings.asked {
        Some(asked) => Ok(Asked::Recording(open(asked, settings)?)),
        None => Ok(Asked::Station(Box::new(operator::connect(settings).await?))),
    }
}

/// Opens a recording at the place that is asked about. What is missing of it is said.
///
/// # Errors
/// It is none, has nothing that says what held, or the place cannot be read.
pub(crate) fn open(asked: &AskedRecording, settings: &Settings) -> Result<ReplayPort, Error> {
    let set = open_files(&asked.paths)?;
    let starts = set.starts();
    let port = open_set(&set, asked, settings).map_err(|error| of_file(error, &asked.paths))?;
    if let Some(first) = port.first_path_of_start().filter(|_| starts > 1) {
        let begins = first.display();
        report::print_note(&format!("note: of {starts} starts of the station, the one of {begins} is asked"));
    }
    print_warnings(&port);
    Ok(port)
}

/// Opens recordings as one. What is wrong with them is said, and which of them a station still writes to.
///
/// # Errors
/// Those of [`RecordingSet::open`].
pub(crate) fn open_files(paths: &[PathBuf]) -> Result<Arc<RecordingSet>, Error> {
    // Asked first: one may be finished meanwhile.
    let written: Vec<&PathBuf> = paths.iter().filter(|path| recording::is_being_written(path)).collect();
    let set = RecordingSet::open(paths).map_err(RecordingError::of_set)?;
    for note in set.notes() {
        report::print_note(&format!("warning: {note}"));
    }
    for path in written {
        report::print_note(&unfinished(path));
    }
    Ok(Arc::new(set))
}

/// That a station still writes to a file.
fn unfinished(path: &Path) -> String {
    format!("note: {} is still being written: what came until now is read", path.display())
}

/// Says what cannot be read of a file; that the end of one that was being written is not there is no damage.
pub(crate) fn print_damage(file: &Path, damage: &Damage, is_being_written: bool) {
    report::print_note(&match damage {
        Damage::Truncated { .. } if is_being_written => unfinished(file),
        _ => format!("warning: {}: {damage}", file.display()),
    });
}

/// That nothing of a file can be read, with its name.
fn of_file(error: Error, paths: &[PathBuf]) -> Error {
    match (error, paths) {
        (Error::Port(PortError::Damaged(why)), [path]) => {
            RecordingError::Damaged { path: path.clone(), what: why, is_repairable: false }.into()
        }
        (error, _) => error,
    }
}

/// What follows the flag that names recordings, as a shell reads it.
pub(crate) fn named(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| quoted(&path.to_string_lossy())).collect();
    paths.join(" --recording ")
}

/// The command that says what is wrong with a recording.
pub(crate) fn verify_command(port: &ReplayPort) -> String {
    let files = port.replay().map(|replay| replay.files).unwrap_or_default();
    let path = match &files[..] {
        [path] => quoted(&path.to_string_lossy()),
        _ => "FILE".to_owned(),
    };
    format!("`rl-console recording verify {path}`")
}

/// Says why what is printed may not be what held: parts of the recording are damaged or missing, or nothing
/// is recorded at the place that is asked.
fn print_warnings(port: &ReplayPort) {
    let Some(replay) = port.replay() else { return };
    let view = replay.view.borrow().clone();
    if let Some((_, why)) = &view.refused {
        let verify = verify_command(port);
        report::print_note(&format!("warning: {why}: {verify} names what is missing"));
    }
    if view.lost > 0 {
        let lost = counted(view.lost, "entry");
        report::print_note(&format!("warning: lost before the place that is asked: {lost}"));
    }
    if let Some((from, to)) = view.unrecorded {
        let at = |wall| format::day_and_time(wall, &TimeZone::system());
        let span = format!("{} to {}", at(from), at(to));
        report::print_note(&format!("warning: not recorded: {span}; what held before that is printed"));
    }
}

fn open_set(
    set: &Arc<RecordingSet>,
    asked: &AskedRecording,
    settings: &Settings,
) -> Result<ReplayPort, Error> {
    let place = match &asked.at {
        Some(at) => place(set, "--at", at)?,
        None => ReplayPlace::End,
    };
    let start = ReplayStart { place, speed: Speed::ONE, is_held: true };
    // It holds there: whatever the clock, no time passes in it.
    Ok(ReplayPort::open(Arc::clone(set), start, Clock::start(), settings.limits)?.that_answers_all())
}

/// That parts of a recording could not be read.
pub(crate) fn unread(parts: u64) -> String {
    format!("{} of the recording cannot be read", counted(parts, "part"))
}

/// Says so, where there are any.
pub(crate) fn print_unread(port: &ReplayPort, parts: u64) {
    if parts > 0 {
        report::print_note(&format!("warning: {}: {} names them", unread(parts), verify_command(port)));
    }
}

/// A place of a recording that was written behind a flag.
///
/// # Errors
/// It is not in one of [`PLACE_FORMS`] or outside of the recording, or nothing in that can be read.
pub(crate) fn place(set: &Arc<RecordingSet>, flag: &str, text: &str) -> Result<ReplayPlace, Error> {
    let zone = TimeZone::system();
    let span = span(set)?;
    let place = ReplayPlace::parse(text, &zone, span.first, span.last)
        .map_err(|why| Error::usage(format!("{flag}: {why}"), format!("name {PLACE_FORMS}")))?;
    place.check(&span, &zone).and_then(|()| check_entry(set, place)).map_err(|has| {
        let hint = "name a place in it; `end` is its end";
        Error::usage(format!("{flag}: {} is not in the recording: {has}", text.trim()), hint)
    })?;
    Ok(place)
}

/// What a recording spans.
///
/// # Errors
/// Nothing in it can be read.
pub(crate) fn span(set: &Arc<RecordingSet>) -> Result<ReplaySpan, Error> {
    let nothing = || PortError::Damaged("nothing in the recording can be read".to_owned());
    Ok(ReplayPort::span(set).ok_or_else(nothing)?)
}

/// Whether an entry may be in a recording: in its first start of the station, where places by number are.
fn check_entry(set: &Arc<RecordingSet>, place: ReplayPlace) -> Result<(), String> {
    let ReplayPlace::Seq(seq) = place else { return Ok(()) };
    let mut reader = SetReader::new(Arc::clone(set));
    let start = set.start_of(0);
    let mut seqs = |chunk| reader.chunk(chunk).iter().filter_map(seq_of).collect::<Vec<Seq>>();
    let first = start.clone().find_map(|chunk| seqs(chunk).into_iter().min());
    let last = start.rev().find_map(|chunk| seqs(chunk).into_iter().max());
    match first.zip(last) {
        Some((first, last)) if (first..=last).contains(&seq) => Ok(()),
        Some((first, last)) => Err(format!("its entries are {first} to {last}")),
        None => Err("it has no entries".to_owned()),
    }
}

/// The number of what is read, if it is an entry.
fn seq_of(item: &Result<PlacedItem, Damage>) -> Option<Seq> {
    match item {
        Ok(PlacedItem { item: RecordedItem::Entry(entry), .. }) => Some(entry.entry.seq),
        _ => None,
    }
}

/// What has a subcommand ask the recording that is shown, at its moment, as far as its own words do not say
/// another.
pub(crate) fn flags(replayed: &ReplayedMoment, words: &[String]) -> Vec<OsString> {
    let says = |flag: &str| {
        words.iter().any(|word| {
            word.strip_prefix(flag).is_some_and(|rest| matches!(rest.as_bytes(), [] | [b'=', ..]))
        })
    };
    let mut flags = vec![OsString::from("--replayed")];
    if says(RECORDING) {
        return flags;
    }
    flags.extend(replayed.files.iter().flat_map(|file| [RECORDING.into(), file.clone().into_os_string()]));
    let at = i64::try_from(replayed.at.0).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    if let Some(at) = at.filter(|_| !says(AT)) {
        flags.extend([AT.into(), at.to_string().into()]);
    }
    flags
}

/// Whether a subcommand can be asked of the recording that is named, where one is.
///
/// # Errors
/// [`PortError::Replayed`] for one that would do something, [`PortError::NotRecorded`] for one that asks for
/// what only a station has, and wrong usage.
pub(crate) fn check(flags: &Global, command: Option<&Subcommand>) -> Result<(), Error> {
    if flags.recording.is_empty() {
        let has_place = flags.at.is_none() || matches!(command, Some(Subcommand::Replay(_)));
        return if has_place {
            Ok(())
        } else {
            Err(Error::usage(
                "--at goes with --recording and with `replay`",
                "name the recording: --recording FILE",
            ))
        };
    }
    match command.map_or(OnRecording::Neither, Subcommand::on_recording) {
        OnRecording::Asks => Ok(()),
        OnRecording::NotRecorded(what) => Err(PortError::NotRecorded { what: what.to_owned() }.into()),
        OnRecording::Acts => Err(PortError::Replayed.into()),
        OnRecording::Neither if flags.replayed => Ok(()),
        OnRecording::Neither => Err(Error::usage(
            "--recording goes with subcommands that ask a station: `ls`, `run show`, `run events`, \
             `session show`, `session ls`, `plugin logs`, `trace`, `tail` and `mplp validate`",
            "`rl-console replay FILE` opens the console on a recording",
        )),
    }
}

impl Asked {
    /// This command's own session on the bus, where it has one.
    pub(crate) fn session(&self) -> Option<ConnectionId> {
        match self {
            Self::Station(station) => Some(station.session()),
            Self::Recording(_) => None,
        }
    }

    /// The moment of a recording that is asked about.
    pub(crate) fn recorded_at(&self) -> Option<Now> {
        match self {
            Self::Station(_) => None,
            Self::Recording(port) => port.replay().map(|replay| replay.view.borrow().at),
        }
    }

    /// The state of a recording there.
    ///
    /// # Errors
    /// Those of the port.
    pub(crate) async fn recorded_state(&self) -> Result<Option<Snapshot>, Error> {
        match self {
            Self::Station(_) => Ok(None),
            Self::Recording(port) => Ok(Some(port.snapshot().await?)),
        }
    }
}

impl Operator for Asked {
    fn command(&self, command: Command) -> Answer<Outcome> {
        match self {
            Self::Station(station) => station.command(command),
            Self::Recording(port) => port.command(command),
        }
    }

    fn query(&self, query: Query) -> Answer<Page> {
        match self {
            Self::Station(station) => station.query(query),
            Self::Recording(port) => {
                // A ladder says by itself what could not be read.
                let is_of_entries =
                    ReplayPort::reads_entries(&query) && !matches!(query, Query::Trace { .. });
                let (port, before, answer) = (port.clone(), port.unread(), port.query(query));
                Box::pin(async move {
                    let page = answer.await;
                    let unread = port.unread();
                    // Said once, however many pages there are.
                    if is_of_entries && unread > before {
                        print_unread(&port, unread);
                    }
                    page
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::Cli;

    #[test]
    fn what_is_run_in_a_replay_asks_it_at_its_moment_unless_it_says_another() {
        let (one, other) = ("/r/a b.mcap".into(), "/r/c.mcap".into());
        let replayed = ReplayedMoment { files: Arc::new([one, other]), at: crate::time::Wall(1_500) };
        let of = |line: &str| flags(&replayed, &line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let files = ["--replayed", "--recording", "/r/a b.mcap", "--recording", "/r/c.mcap"];
        let at = ["--at", "1970-01-01T00:00:01.5Z"];
        assert_eq!(of("ls queues"), [&files[..], &at].concat());
        assert_eq!(of("ls queues --at=+5s"), files);
        assert_eq!(of("ls queues --recording x.mcap"), ["--replayed"]);
        assert_eq!(of("ls --attached"), [&files[..], &at].concat());
    }

    fn checked(line: &str) -> Result<(), (&'static str, u8)> {
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let command = cli.command.map(Subcommand::current);
        check(&cli.global, command.as_ref()).map_err(|error| (error.code(), error.exit() as u8))
    }

    #[test]
    fn what_asks_may_ask_a_recording_and_what_acts_may_not() {
        for line in [
            "ls queues",
            "run show 7f3a",
            "run events 7f3a",
            "session show s1 --log",
            "plugin logs org.example",
            "trace 7f3a",
            "tail agent/*",
        ] {
            for line in
                [format!("c --recording f.mcap {line}"), format!("c {line} --recording f.mcap --at +5s")]
            {
                assert_eq!(checked(&line), Ok(()), "{line}");
            }
        }
        for line in
            ["publish chat.text --body {}", "session cancel s1", "hold", "invoke give_item", "kick adapter"]
        {
            let line = format!("c --recording f.mcap {line}");
            assert_eq!(checked(&line), Err(("replayed", 1)), "{line}");
        }
        assert_eq!(checked("c --recording f.mcap status"), Err(("not_recorded", 1)));
        assert_eq!(checked("c --recording f.mcap run artifacts 7f3a"), Err(("not_recorded", 1)));
        assert_eq!(checked("c --recording f.mcap plugin audit org.example"), Err(("not_recorded", 1)));
        for line in ["c --recording f.mcap", "c serve --recording f.mcap", "c ls queues --at +5s"] {
            assert_eq!(checked(line), Err(("usage", 2)), "{line}");
        }
        assert_eq!(checked("c replay f.mcap --at +5s"), Ok(()));
        assert_eq!(checked("c mplp validate --recording f.mcap"), Ok(()));
    }
}
