//! The flags of `status` and `stop`.

use clap::Args;

/// `status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Print one line, for a status bar or a stream deck key.
    #[arg(long)]
    pub(crate) short: bool,
}

/// `stop`.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// Do not ask for confirmation, even when work is in flight, runs are running or sessions are open.
    ///
    /// Pending invocations remain for the next start and never require confirmation.
    #[arg(long)]
    pub(crate) yes: bool,

    /// If the station does not answer, send SIGTERM to the process that holds the data folder.
    #[arg(long)]
    pub(crate) force: bool,
}
