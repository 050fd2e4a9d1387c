//! The exit codes.

use std::process::ExitCode;

/// What a script can rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Exit {
    /// It is done.
    Done = 0,
    /// It was refused, or failed.
    Refused = 1,
    /// It was asked in a way that is not understood.
    Usage = 2,
    /// No station runs for the data folder, or another one holds it.
    NoStation = 3,
    /// It took longer than it was given.
    TimedOut = 4,
    /// It ended in another state than `--wait` named; a run was cancelled; a screen is not as expected.
    OtherState = 5,
    /// A frame, an opening or a recording is not valid.
    NotValid = 6,
}

impl Exit {
    /// Each, and what it means.
    pub(crate) const ALL: [(Self, &'static str); 7] = [
        (Self::Done, "done"),
        (Self::Refused, "refused, or failed"),
        (Self::Usage, "invalid command line or configuration"),
        (Self::NoStation, "no station is running for the data folder, or another one holds it"),
        (Self::TimedOut, "timed out"),
        (
            Self::OtherState,
            "ended in another state than `--wait` requested; the run was cancelled; a screen is not as expected",
        ),
        (Self::NotValid, "a frame, an opening or a recording is not valid"),
    ];
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
