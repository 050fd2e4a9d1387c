//! The flags of `stop`.

use clap::Args;

/// `stop`.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// Do not ask, also when work is in flight, runs go on or sessions are open.
    #[arg(long)]
    pub(crate) yes: bool,

    /// Where the station does not answer, ask the process that holds the data folder to end (SIGTERM).
    #[arg(long)]
    pub(crate) force: bool,
}
