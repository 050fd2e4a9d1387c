//! Whether this process is a guard or a launcher, and its exit code.

use std::{ffi::OsString, io::Write as _, process::ExitCode};

use super::{
    command_line::{self, Request},
    launch, run,
};

/// The exit code of a command line that is not understood.
const MISUSED: u8 = 2;

/// Does what a guard or a launcher does, where the command line (the program's own name first) asks for one,
/// and gives the exit code then. To be asked before all else: a guard needs no configuration, log or runtime.
#[must_use]
pub fn main(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    Some(match command_line::read(args)? {
        Ok(Request::Run(entry)) => run::run(&entry).end(),
        Ok(Request::Launch { guard, entry }) => launch::launch(guard, &entry),
        Err(misused) => {
            let _ = writeln!(std::io::stderr(), "{misused}");
            ExitCode::from(MISUSED)
        }
    })
}
