//! The command lines of the guard and of the launcher: written by who starts them, read by themselves.

use std::ffi::{OsStr, OsString};

/// The word that makes this program a guard. It is no subcommand that help or completions know.
const GUARD: &str = "guard";
/// What stands before the plugin's own words.
const END: &str = "--";

/// What a guard or a launcher is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// `guard run NICE -- ENTRY ARGS…`: start a plugin and guard it.
    Run(Entry),
    /// `guard launch PID NICE -- ENTRY ARGS…`: become the plugin that process `guard` guards.
    Launch {
        /// The guard.
        guard: i32,
        /// What to become.
        entry: Entry,
    },
}

/// What is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its nice value.
    pub(super) nice: i32,
    /// The program.
    pub(super) program: OsString,
    /// Its arguments.
    pub(super) args: Vec<OsString>,
}

/// Why a command line of a guard is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("usage: guard run NICE -- ENTRY [ARGS], which only a station runs")]
pub(super) struct Misused;

/// The arguments that make this program the guard of a plugin.
pub(in crate::plugin::host) fn arguments(nice: i32, argv: &[OsString]) -> Vec<OsString> {
    [GUARD.into(), "run".into(), nice.to_string().into(), END.into()]
        .into_iter()
        .chain(argv.iter().cloned())
        .collect()
}

/// The arguments that make this program the launcher of a plugin.
pub(super) fn launcher_arguments(guard: i32, entry: &Entry) -> Vec<OsString> {
    let words = [GUARD.to_owned(), "launch".to_owned(), guard.to_string(), entry.nice.to_string()];
    words
        .into_iter()
        .map(OsString::from)
        .chain([END.into(), entry.program.clone()])
        .chain(entry.args.iter().cloned())
        .collect()
}

/// Reads the arguments of this process, the program's own name first. Nothing where it is to be something
/// else than a guard.
pub(super) fn read(args: impl IntoIterator<Item = OsString>) -> Option<Result<Request, Misused>> {
    let mut args = args.into_iter().skip(1);
    (args.next()? == GUARD).then(|| request(&mut args).ok_or(Misused))
}

fn request(args: &mut impl Iterator<Item = OsString>) -> Option<Request> {
    let mode = args.next()?;
    match mode.to_str()? {
        "run" => Some(Request::Run(entry(args)?)),
        "launch" => {
            let guard = number(&args.next()?)?;
            Some(Request::Launch { guard, entry: entry(args)? })
        }
        _ => None,
    }
}

fn entry(args: &mut impl Iterator<Item = OsString>) -> Option<Entry> {
    let nice = number(&args.next()?)?;
    (args.next()? == END).then_some(())?;
    Some(Entry { nice, program: args.next()?, args: args.collect() })
}

fn number(word: &OsStr) -> Option<i32> {
    word.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    fn line(arguments: Vec<OsString>) -> impl Iterator<Item = OsString> {
        std::iter::once("rl-console".into()).chain(arguments)
    }

    fn entry() -> Entry {
        let odd = OsString::from_vec(vec![b'a', 0xff, b' ']);
        Entry { nice: -3, program: "./main".into(), args: vec!["--".into(), "guard".into(), odd, "".into()] }
    }

    #[test]
    fn what_is_written_is_read() {
        let entry = entry();
        let argv: Vec<_> = [entry.program.clone()].into_iter().chain(entry.args.clone()).collect();
        assert_eq!(read(line(arguments(-3, &argv))), Some(Ok(Request::Run(entry.clone()))));
        let launcher = read(line(launcher_arguments(42, &entry)));
        assert_eq!(launcher, Some(Ok(Request::Launch { guard: 42, entry })));
    }

    #[test]
    fn other_command_lines_are_left_to_others_and_misuse_is_said() {
        for other in [&[][..], &["serve"], &["--json", "guard"], &["guards"]] {
            assert_eq!(read(line(other.iter().map(Into::into).collect())), None, "{other:?}");
        }
        for misused in [
            &["guard"][..],
            &["guard", "--help"],
            &["guard", "run"],
            &["guard", "run", "5"],
            &["guard", "run", "five", "--", "main"],
            &["guard", "run", "5", "--"],
            &["guard", "run", "5", "main"],
            &["guard", "launch", "5", "--", "main"],
        ] {
            let read = read(line(misused.iter().map(Into::into).collect()));
            assert_eq!(read, Some(Err(Misused)), "{misused:?}");
        }
    }
}
