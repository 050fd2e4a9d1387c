//! What goes wrong with MPLP objects, as scripts and people read it.

use super::error::Exit;
use crate::{ids::TraceId, words::counted};

/// Why objects are not clean, or were not judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MplpError {
    /// Objects have findings, which were printed; a bundle counts as one.
    #[error("{broken} of {all} judged objects {} not valid", if *broken == 1 { "is" } else { "are" })]
    Findings {
        /// How many have one.
        broken: u64,
        /// Of how many.
        all: u64,
    },
    /// A record of ours in which something is found, which was printed.
    #[error("not written: the record has {}", counted(*findings, "finding"))]
    NotWritten {
        /// How many it has; of very many the first were printed.
        findings: u64,
    },
    /// Samples are made of runs that ended.
    #[error("run {run} has not ended, and has no learning samples yet")]
    NotEnded {
        /// Which.
        run: TraceId,
    },
    /// A record that was another one each time before its end was read.
    #[error("not written: the record changes while it is read")]
    Changing,
    /// A record with an object that the station does not send.
    #[error("not written: the object {path} has {}, more than the station sends", counted(*bytes, "byte"))]
    Omitted {
        /// Its place in the bundle.
        path: String,
        /// Its length.
        bytes: u64,
    },
    /// Something could not be judged; each was printed with its reason.
    #[error("{} not judged", counted(*count, "input"))]
    NotJudged {
        /// How many files or lines.
        count: u64,
    },
}

impl MplpError {
    /// The exit code.
    pub(crate) const fn exit(&self) -> Exit {
        match self {
            Self::Findings { .. }
            | Self::NotWritten { .. }
            | Self::NotEnded { .. }
            | Self::Changing
            | Self::Omitted { .. } => Exit::Refused,
            Self::NotJudged { .. } => Exit::Usage,
        }
    }

    /// The machine-readable code.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Findings { .. } | Self::NotWritten { .. } => "findings",
            Self::NotEnded { .. } => "not_ended",
            Self::Changing => "changing",
            Self::Omitted { .. } => "record_too_large",
            Self::NotJudged { .. } => "not_judged",
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::Findings { .. } => {
                "see the findings above; `rl-console mplp invariants` explains the rules".to_owned()
            }
            Self::NotWritten { .. } => {
                "see the findings above; --force writes the record with them".to_owned()
            }
            Self::NotEnded { .. } => {
                "wait for its end, or export it as it is with --mplp instead of --learning".to_owned()
            }
            Self::Changing => "try again in a moment, or after its end".to_owned(),
            Self::Omitted { .. } => {
                "start the station with a higher `limits.port.answer_bytes_max`".to_owned()
            }
            Self::NotJudged { .. } => {
                "see the reasons above; name a schema with --schema where none is recognized".to_owned()
            }
        }
    }
}
