//! The flags of `status` and `stop`.

use clap::Args;

/// `status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// All in one line, as for a status bar or a key of a stream deck.
    #[arg(long)]
    pub(crate) short: bool,
}

/// `stop`.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// Do not ask, also when work is in flight, runs go on or sessions are open.
    ///
    /// What is only pending stays for the next start and is no reason to ask.
    #[arg(long)]
    pub(crate) yes: bool,

    /// Where the station does not answer, ask the process that holds the data folder to end (SIGTERM).
    #[arg(long)]
    pub(crate) force: bool,
}
