//! What an operator does about lifecycle records through the port.

use serde::{Deserialize, Serialize};

use super::RatingVerdict;
use crate::{ids::TraceId, tap::entry::mplp::RecordKind};

/// Bytes of the note of a rating, at most.
pub const NOTE_BYTES_MAX: usize = 4_096;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Rate a run; an earlier rating holds no more. It is answered once it is durable.
    Rate {
        /// Which.
        run: TraceId,
        /// How.
        verdict: RatingVerdict,
        /// Why; at most [`NOTE_BYTES_MAX`] bytes. Without one the note of an earlier rating is kept, a blank
        /// one takes it away.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// Tell that a record was exported.
    TellExport {
        /// What the record is of.
        kind: RecordKind,
        /// Which: the trace of a run, the id of a session; empty of the station.
        id: String,
        /// Objects and events in it.
        items: u64,
        /// Its findings.
        findings: u64,
    },
}

/// What a command did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The run is rated.
    Rated {
        /// How it was before.
        before: Option<RatingVerdict>,
        /// Whether it keeps the note of that rating.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        keeps_note: bool,
    },
    /// It is told.
    Told,
}

/// Why a command did nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// No run has this id.
    #[error("no run {0}")]
    UnknownRun(TraceId),
    /// The note is too long.
    #[error("the note has {bytes} bytes; at most {max} are kept")]
    NoteTooLong {
        /// Its bytes.
        bytes: u64,
        /// How many it may have.
        max: u64,
    },
    /// The record is larger than what is judged.
    #[error("the record has {bytes} bytes; at most {max} are judged (limits.mplp.bundle_bytes_max)")]
    TooLarge {
        /// Its bytes.
        bytes: u64,
        /// How many it may have.
        max: u64,
    },
    /// It cannot be kept now.
    #[error("the rating was not kept: {0}")]
    NotNow(String),
}

impl Refusal {
    /// The machine-readable code of the CLI's errors.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownRun(_) => "unknown_run",
            Self::NoteTooLong { .. } => "note_too_long",
            Self::TooLarge { .. } => "record_too_large",
            Self::NotNow(_) => "rating_not_kept",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownRun(_) => "`rl-console ls runs` lists them",
            Self::NoteTooLong { .. } => "shorten the note",
            Self::TooLarge { .. } => "start the station with a higher limit",
            Self::NotNow(_) => "try again; `rl-console doctor` checks the database",
        }
        .to_owned()
    }
}
