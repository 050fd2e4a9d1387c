//! The flags of `recording`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::global::ScreenArgs;
use crate::port::Speed;

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

/// The flags of `replay` that are of a screen alone.
const SCREEN_FLAGS: [&str; 4] = ["speed", "screen_view", "screen_filter", "screen_theme"];

/// `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The recordings, or folders with recordings, in any order.
    #[arg(value_name = "FILE|DIR", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Where to begin: a time (22:14:03), +DURATION from the start (+90s), or seq:N. The replay holds there;
    /// without it, it plays from the start.
    #[arg(long, value_name = "TIME|+DUR|seq:N", allow_hyphen_values = true)]
    pub(crate) at: Option<String>,

    /// How fast to begin: 1/4, 1/2, 1, 2, 4, 8, 16, 32, 64 or max [default: 1].
    #[arg(long, value_name = "X", value_parser = Speed::parse)]
    pub(crate) speed: Option<Speed>,

    /// Print one line per event in place of a screen, all at once.
    #[arg(long = "plain", id = "replay_plain", conflicts_with_all = SCREEN_FLAGS)]
    pub(crate) plain: bool,

    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
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
