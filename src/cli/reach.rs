//! How commands that are printed reach what this one asked: the same station, or the same recording.

use std::{borrow::Cow, ffi::OsString, sync::OnceLock};

use super::{args::Global, asked};
use crate::words::quoted;

/// How a command that is printed begins; it is between backticks.
const COMMAND: &str = "`rl-console";
/// Those that ask a recording where one is named.
const ASKING: [&str; 9] = [
    "ls ",
    "trace ",
    "tail ",
    "run show ",
    "run events ",
    "session show ",
    "plugin show ",
    "plugin logs ",
    "mplp validate",
];

static REACH: OnceLock<Reach> = OnceLock::new();
static NONE: Reach = Reach { station: String::new(), recording: String::new() };

/// The flags by which other commands reach what this one asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    /// Those of the station, with a space behind them.
    pub(crate) station: String,
    /// Those of the recording and of the moment of it, with a space in front of them.
    pub(crate) recording: String,
}

impl Reach {
    pub(crate) fn of(flags: &Global) -> Self {
        let at = flags.at.as_ref().map(|at| format!(" {} {}", asked::AT, quoted(at))).unwrap_or_default();
        let recording = match &flags.recording[..] {
            [] => String::new(),
            paths => format!(" {} {}{at}", asked::RECORDING, asked::named(paths)),
        };
        Self { station: flags.station_flags(), recording }
    }

    /// That of a command line that was not understood, as far as it can be read.
    pub(crate) fn of_args(args: &[OsString]) -> Self {
        Self { station: Global::station_flags_of(args), ..Self::default() }
    }

    /// That of this process.
    pub(crate) fn own() -> &'static Self {
        REACH.get().unwrap_or(&NONE)
    }

    /// Makes it that of this process.
    pub(crate) fn set(&self) {
        REACH.get_or_init(|| self.clone());
    }

    /// A text whose commands have these flags.
    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if *self == NONE || !text.contains(COMMAND) {
            return Cow::Borrowed(text);
        }
        let mut reached = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(COMMAND) {
            let (before, behind) = rest.split_at(at + COMMAND.len());
            let (command, others) = behind.split_at(behind.find('`').unwrap_or(behind.len()));
            reached.push_str(before);
            self.push_command(&mut reached, command);
            rest = others;
        }
        Cow::Owned(reached + rest)
    }

    /// What follows the program's name.
    fn push_command(&self, reached: &mut String, command: &str) {
        let words = command.trim_start();
        let is_other = !command.is_empty() && words.len() == command.len();
        if !is_other && !self.station.is_empty() && !words.starts_with(&self.station) {
            reached.push(' ');
            reached.push_str(self.station.trim_end());
        }
        reached.push_str(command);
        let asks = !is_other && ASKING.iter().any(|asking| words.starts_with(asking));
        if asks && !words.contains(asked::RECORDING) {
            reached.push_str(&self.recording);
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::{Cli, OnRecording};

    fn of_station() -> Reach {
        Reach { station: "--data /d ".to_owned(), ..Reach::default() }
    }

    #[test]
    fn a_command_reaches_the_same_station_once() {
        let reached = |text: &str| of_station().text(text).into_owned();
        assert_eq!(
            reached("`rl-console` or `rl-console serve`"),
            "`rl-console --data /d` or `rl-console --data /d serve`"
        );
        for untouched in ["`rl-console --data /d serve`", "rl-console serve", "`rl-consoles`"] {
            assert_eq!(reached(untouched), untouched);
        }
        assert_eq!(NONE.text("`rl-console ls`"), "`rl-console ls`");
    }

    #[test]
    fn a_command_that_asks_reaches_the_same_moment_of_the_same_recording() {
        let words =
            ["rl-console", "ls", "runs", "--recording", "a b.mcap", "--recording", "c", "--at", "+1s"];
        let reach = Reach::of(&Cli::parse_from(words).global);
        let flags = "--recording 'a b.mcap' --recording c --at +1s";
        assert_eq!(
            reach.text("`rl-console ls runs` lists them"),
            format!("`rl-console ls runs {flags}` lists them")
        );
        for untouched in ["`rl-console attach`", "`rl-console ls runs --recording FILE`", "`rl-consoles ls `"]
        {
            assert_eq!(reach.text(untouched), untouched);
        }
    }

    #[test]
    fn each_command_that_asks_may_ask_a_recording() {
        let argument = |asking: &str| match asking {
            "ls " => "runs",
            "trace " | "run show " | "run events " => "0123456789",
            "mplp validate" => " -",
            _ => "one",
        };
        for asking in ASKING {
            let line = format!("rl-console {asking}{}", argument(asking));
            let command = Cli::parse_from(line.split_whitespace()).command.unwrap();
            assert_ne!(command.on_recording(), OnRecording::Neither, "{line}");
            assert_ne!(command.on_recording(), OnRecording::Acts, "{line}");
        }
    }
}
