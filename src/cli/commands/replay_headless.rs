//! `replay --headless`: screens of recordings without a terminal, written or compared.

use std::{
    collections::BTreeSet,
    fs,
    io::ErrorKind,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;

use super::{console::start, replay::name};
use crate::{
    cli::{
        args::{ReplayArgs, Shot},
        asked,
        context::Context,
        error::Error,
        recording_error::RecordingError,
    },
    console::{
        self, Depth, OnAir, Still, Themes,
        settings::{self, AppearanceSettings, CommandHints, Passthrough, Shell},
    },
    limits::Limits,
    port::{ReplayPlace, Speed},
    private_files,
    recording::RecordingSet,
    station::{ReplayPort, ReplayStart},
    words::is_no_room,
};

/// A screen that was drawn, as scripts read it.
#[derive(Serialize)]
struct Row<'a> {
    at: &'a str,
    file: String,
    /// What became of it.
    state: &'static str,
}

pub(super) fn run(context: &mut Context, args: &ReplayArgs, set: &Arc<RecordingSet>) -> Result<(), Error> {
    if args.shots.is_empty() {
        return print(context, args, set);
    }
    let files: Vec<PathBuf> =
        args.shots.iter().map(|shot| file(shot, args.expect.as_deref())).collect::<Result<_, _>>()?;
    check(&files, args.expect.is_none())?;
    let mut other: Option<RecordingError> = None;
    for (shot, file) in args.shots.iter().zip(files) {
        let still = still(context, (set, args.size), &shot.at, "--shot")?;
        let is_picture = file.extension().is_some_and(|it| it.eq_ignore_ascii_case("svg"));
        let drawn = if is_picture { still.svg } else { still.text };
        let state = if args.expect.is_none() || args.bless {
            write(&file, &drawn)?;
            "written"
        } else {
            match compare(&file, &drawn)? {
                None => "same",
                Some(difference) => {
                    other = Some(other.map_or(difference, RecordingError::and_one_more));
                    "other"
                }
            }
        };
        let row = Row { at: &shot.at, file: file.display().to_string(), state };
        context.out.row(&row, |row| format!("{}: {}", row.file, row.state))?;
    }
    context.out.flush()?;
    other.map_or(Ok(()), |other| Err(other.into()))
}

/// Whether each screen has a file of its own, in a folder that exists where that is not made.
fn check(files: &[PathBuf], is_in_folders: bool) -> Result<(), Error> {
    let mut named = BTreeSet::new();
    for file in files {
        if !named.insert(std::path::absolute(file).unwrap_or_else(|_| file.clone())) {
            let message = format!("--shot: {} is named twice", file.display());
            return Err(Error::usage(message, "name a file for each screen"));
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        if is_in_folders && folder.is_some_and(|folder| !folder.exists()) {
            return Err(RecordingError::Write { path: file.clone(), why: ErrorKind::NotFound.into() }.into());
        }
    }
    Ok(())
}

/// Prints the one screen.
fn print(context: &mut Context, args: &ReplayArgs, set: &Arc<RecordingSet>) -> Result<(), Error> {
    if context.out.is_json() {
        return Err(Error::usage(
            "a screen has no JSON form",
            "write it into a file with --shot AT=FILE, or use `replay --plain --json`",
        ));
    }
    let still = still(context, (set, args.size), args.at.as_deref().unwrap_or("end"), "--at")?;
    context.out.text(&still.text)
}

/// Where a screen is written, or compared with.
fn file(shot: &Shot, expect: Option<&Path>) -> Result<PathBuf, Error> {
    let Some(folder) = expect else { return Ok(shot.file.clone()) };
    if shot.file.components().all(|part| matches!(part, Component::Normal(_))) {
        return Ok(folder.join(&shot.file));
    }
    Err(Error::usage(
        format!("--shot: {} is outside of the folder of --expect", shot.file.display()),
        "name a file in that folder",
    ))
}

/// The screen at a place. Nothing in it depends on the terminal, the time or the user's own files.
fn still(
    context: &Context,
    (set, size): (&Arc<RecordingSet>, (u16, u16)),
    at: &str,
    flag: &str,
) -> Result<Still, Error> {
    let place: ReplayPlace = asked::place(set, flag, at)?;
    let begin = ReplayStart { place, speed: Speed::ONE, is_held: true };
    let port = ReplayPort::open(Arc::clone(set), begin, context.clock, Limits::default())?;
    let theme = theme(context.flags.screen.theme.as_deref())?;
    let config = settings::Config {
        appearance: AppearanceSettings { theme, ascii: context.flags.ascii, ..AppearanceSettings::default() },
        source: None,
        depth: Depth::True,
        passthrough: Passthrough::None,
        on_air: OnAir::new(context.flags.on_air),
        name: name(set),
        limits: Limits::default(),
        clock: context.clock,
        commands: CommandHints::default(),
        shell: Shell::default(),
        start: start(context),
    };
    Ok(console::still(Arc::new(port), config, size)?)
}

/// The shipped theme of this name, or the first of them.
fn theme(named: Option<&str>) -> Result<String, Error> {
    let themes = Themes::with(&[], Depth::True);
    let name = named.or_else(|| themes.names().next()).unwrap_or_default();
    match themes.find(name) {
        Some(theme) => Ok(theme.name().to_owned()),
        None => Err(Error::usage(
            format!("--theme: no shipped theme is called `{name}`"),
            themes.suggestion(name),
        )),
    }
}

fn write(file: &Path, drawn: &str) -> Result<(), Error> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let written = folder
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| private_files::replace(file, drawn.as_bytes()));
    written.map_err(|why| match why.kind() {
        kind if is_no_room(kind) => RecordingError::NoRoom(file.to_owned()).into(),
        _ => RecordingError::Write { path: file.to_owned(), why }.into(),
    })
}

/// How what was drawn differs from what was expected, if it does.
fn compare(file: &Path, drawn: &str) -> Result<Option<RecordingError>, Error> {
    let expected = match fs::read_to_string(file) {
        Ok(expected) => expected,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Some(RecordingError::NoScreen(file.to_owned())));
        }
        Err(error) => return Err(Error::io(file.display().to_string())(error)),
    };
    Ok(first_difference(&expected, drawn).map(|(line, expected, drawn)| RecordingError::OtherScreen {
        path: file.to_owned(),
        line,
        expected,
        drawn,
        more: 0,
    }))
}

/// The first line that differs, from 1, as it is in each; where only the ends of lines do, the last.
fn first_difference(expected: &str, drawn: &str) -> Option<(usize, String, String)> {
    if expected == drawn {
        return None;
    }
    let (mut left, mut right) = (expected.split('\n'), drawn.split('\n'));
    for line in 1.. {
        match (left.next(), right.next()) {
            (None, None) => break,
            (left, right) if left != right => {
                return Some((
                    line,
                    left.unwrap_or_default().to_owned(),
                    right.unwrap_or_default().to_owned(),
                ));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_said_and_what_is_missing_differs_too() {
        let differs = |expected, drawn| {
            first_difference(expected, drawn)
                .map(|(line, expected, drawn)| format!("{line} {expected}|{drawn}"))
        };
        assert_eq!(differs("a\nb\n", "a\nb\n"), None);
        assert_eq!(differs("a\nb\nc\n", "a\nx\ny\n").as_deref(), Some("2 b|x"));
        assert_eq!(differs("a\n", "a\nb\n").as_deref(), Some("2 |b"));
        assert_eq!(differs("a\nb", "a\nb\n").as_deref(), Some("3 |"));
    }

    #[test]
    fn what_is_compared_is_in_the_folder() {
        let of = |name: &str| Shot { at: "end".to_owned(), file: PathBuf::from(name) };
        let folder = Path::new("night");
        assert_eq!(file(&of("a/b.svg"), Some(folder)).unwrap(), Path::new("night/a/b.svg"));
        assert_eq!(file(&of("/a.svg"), None).unwrap(), Path::new("/a.svg"));
        for name in ["/a.svg", "../a.svg", "a/../../b"] {
            assert_eq!(file(&of(name), Some(folder)).unwrap_err().code(), "usage", "{name}");
        }
    }

    #[test]
    fn each_screen_has_a_file_of_its_own_in_a_folder_that_exists() {
        let folder = tempfile::tempdir().unwrap();
        let [file, nowhere] = ["a.txt", "none/a.txt"].map(|name| folder.path().join(name));
        assert!(check(std::slice::from_ref(&file), true).is_ok());
        let error = check(&[file, nowhere.clone()], true).unwrap_err();
        assert!(
            error.code() == "output" && error.to_string().ends_with("its folder does not exist"),
            "{error}"
        );
        assert!(check(std::slice::from_ref(&nowhere), false).is_ok(), "--bless makes it");
        let twice = check(&[PathBuf::from("a.txt"), PathBuf::from("./a.txt")], true).unwrap_err();
        assert_eq!((twice.code(), twice.to_string()), ("usage", "--shot: ./a.txt is named twice".to_owned()));
    }
}
