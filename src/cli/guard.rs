//! The hidden subcommand `guard`, which needs nothing of what the others do.

use std::process::ExitCode;

/// Runs as the guard of a plugin where the command line asks for it, and gives the exit code then. To be
/// asked before all else.
#[must_use]
pub fn guard() -> Option<ExitCode> {
    crate::plugin::host::guard::main(std::env::args_os())
}
