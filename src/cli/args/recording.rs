//! The flags of `recording`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `recording`.
#[derive(Debug, Subcommand)]
pub(crate) enum RecordingAction {
    /// Print what a recording holds: its times, its counts, and whether it is complete.
    ///
    /// Only its index is read, or, without one, the heads of its parts.
    Info(RecordingFileArgs),

    /// Read all of a recording, and print what is damaged or missing.
    ///
    /// Exits 0 when nothing is, 6 otherwise.
    Verify(RecordingFileArgs),

    /// Write everything readable of a recording into a new file, with an index.
    ///
    /// What a killed station leaves lacks its index: other tools then cannot seek in it. A file that exists
    /// is not overwritten. Exits 0 also when something of it was damaged; that is printed.
    Repair(RecordingRepairArgs),
}

/// `recording info` and `recording verify`.
#[derive(Debug, Args)]
pub(crate) struct RecordingFileArgs {
    /// The recording.
    #[arg(value_name = "FILE.mcap")]
    pub(crate) file: PathBuf,
}

/// `recording repair`.
#[derive(Debug, Args)]
pub(crate) struct RecordingRepairArgs {
    /// The recording.
    #[arg(value_name = "IN.mcap")]
    pub(crate) file: PathBuf,

    /// The file to be made.
    #[arg(value_name = "OUT.mcap")]
    pub(crate) out: PathBuf,
}
