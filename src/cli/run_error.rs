//! What goes wrong with openings and their runs, as scripts and people are told of it.

use super::error::Exit;
use crate::{ids::TraceId, runs::RunState};

/// Why a subcommand about openings or runs did not do its work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RunError {
    /// Openings that were checked are not valid.
    #[error("{invalid} of {all} openings {} not valid", if *invalid == 1 { "is" } else { "are" })]
    NotValid {
        /// How many.
        invalid: usize,
        /// Of how many.
        all: usize,
    },
    /// The request is not done.
    #[error("rejected: {reason}")]
    Rejected {
        /// Why.
        reason: String,
        /// Whether it is to run an opening.
        is_opening: bool,
    },
    /// No answer came from the control plane.
    #[error("no answer to the request within {ms} ms")]
    NotAnswered {
        /// How long was waited.
        ms: u64,
        /// Whether it was to run an opening.
        is_submit: bool,
    },
    /// The run ended without success.
    #[error("{why}")]
    Failed {
        /// Which.
        run: TraceId,
        /// What its last event says.
        why: String,
    },
    /// The run was cancelled.
    #[error("{why}")]
    Cancelled {
        /// Which.
        run: TraceId,
        /// What its last event says.
        why: String,
    },
    /// The run has not ended in the time that it was given.
    #[error("run {run} has not ended after {ms} ms")]
    NotEnded {
        /// Which.
        run: TraceId,
        /// How long was waited.
        ms: u64,
    },
    /// Whoever followed it left.
    #[error("stopped following run {run}; it continues")]
    Left {
        /// Which.
        run: TraceId,
    },
    /// A run that was alone in its station did not succeed, and the station is gone with it.
    #[error("{why}")]
    Cut {
        /// How it ended.
        state: RunState,
        /// Whether it was cancelled because its time was up.
        is_late: bool,
        /// What its last event says.
        why: String,
    },
    /// The station went away before the run ended.
    #[error(
        "lost the station before run {run} ended; if the station stopped, its next start marks the run \
         failed"
    )]
    Lost {
        /// Which.
        run: TraceId,
    },
    /// Whoever was to submit left before.
    #[error("nothing was submitted")]
    NotSubmitted,
    /// No run has this name.
    #[error("no run {}{name}", if *is_tail { "whose trace ends in " } else { "" })]
    Unknown {
        /// As it was named.
        name: String,
        /// Whether by its last digits.
        is_tail: bool,
    },
    /// No run, invocation or session among the newest has this trace.
    #[error("no recent run, invocation or session matches {name}")]
    NoTrace {
        /// How it was named.
        name: String,
    },
    /// A session of this name is part of no trace.
    #[error("session {name} belongs to no trace")]
    SessionWithoutTrace {
        /// How it was named.
        name: String,
    },
    /// Nothing that waits for a person has this name.
    #[error("no pending approval ends in {tail}")]
    NoQuestion {
        /// Its last digits.
        tail: String,
    },
    /// Several that wait have a name that ends so.
    #[error("several pending approvals end in {tail}: {}", told.join(", "))]
    SeveralQuestions {
        /// The digits.
        tail: String,
        /// The first of them, with what they ask.
        told: Vec<String>,
    },
    /// Nothing is kept of a trace.
    #[error("no entries for {trace}{}", if *is_recorded { " in the recording" } else { "" })]
    NoHops {
        /// Which.
        trace: TraceId,
        /// Whether a recording was asked.
        is_recorded: bool,
    },
    /// Nothing in recordings has a trace of this name.
    #[error("no trace {name} in the recording")]
    NotInRecording {
        /// As it was named.
        name: String,
        /// The recordings, as they follow their flag; nothing where this command has it.
        paths: Option<String>,
    },
    /// Several runs have a name that ends so.
    #[error("several runs end in {tail}: {}", runs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Ambiguous {
        /// The digits.
        tail: String,
        /// The first of them.
        runs: Vec<TraceId>,
    },
}

impl RunError {
    /// The exit code.
    pub(super) const fn exit(&self) -> Exit {
        match self {
            Self::NotValid { .. } => Exit::NotValid,
            Self::Lost { .. } => Exit::NoStation,
            Self::NotAnswered { .. }
            | Self::NotEnded { .. }
            | Self::Left { .. }
            | Self::Cut { is_late: true, .. } => Exit::TimedOut,
            Self::Cut { state: RunState::Cancelled, .. } | Self::Cancelled { .. } | Self::NotSubmitted => {
                Exit::OtherState
            }
            Self::Rejected { .. }
            | Self::Failed { .. }
            | Self::Cut { .. }
            | Self::Unknown { .. }
            | Self::NoHops { .. }
            | Self::NoTrace { .. }
            | Self::NotInRecording { .. }
            | Self::SessionWithoutTrace { .. }
            | Self::NoQuestion { .. }
            | Self::SeveralQuestions { .. }
            | Self::Ambiguous { .. } => Exit::Refused,
        }
    }

    /// The machine-readable code.
    pub(super) const fn code(&self) -> &'static str {
        match self {
            Self::NotValid { .. } => "invalid_opening",
            Self::Rejected { .. } => "run_rejected",
            Self::NotAnswered { .. } => "not_answered",
            Self::NotEnded { .. } | Self::Cut { is_late: true, .. } => "timed_out",
            Self::Cancelled { .. } | Self::Cut { state: RunState::Cancelled, .. } => "run_cancelled",
            Self::Failed { .. } | Self::Cut { .. } => "run_failed",
            Self::Lost { .. } => "disconnected",
            Self::NotSubmitted => "not_submitted",
            Self::Left { .. } => "left",
            Self::Unknown { .. } | Self::NoTrace { .. } | Self::NotInRecording { .. } => "unknown_run",
            Self::NoHops { .. } | Self::SessionWithoutTrace { .. } => "unknown_trace",
            Self::NoQuestion { .. } => "unknown_action",
            Self::SeveralQuestions { .. } => "ambiguous_action",
            Self::Ambiguous { .. } => "ambiguous_run",
        }
    }

    /// What to do about it; empty when nothing can be said.
    pub(super) fn hint(&self) -> String {
        match self {
            Self::NotValid { .. } => "see the errors above".to_owned(),
            Self::Rejected { is_opening: false, .. } => {
                "`rl-console ls runs --state running` lists running runs".to_owned()
            }
            Self::Rejected { .. } => "check the opening with `rl-console opening check FILE`".to_owned(),
            Self::NotAnswered { is_submit, .. } => {
                let besides =
                    if *is_submit { "; or use `submit --local`, which needs no station" } else { "" };
                format!(
                    "the socket exists but the station does not answer: check it with `rl-console ls \
                     health`, or terminate it with `rl-console stop --force`{besides}"
                )
            }
            Self::Failed { run, .. } | Self::Cancelled { run, .. } => {
                format!("see `rl-console run events {run}`")
            }
            Self::Cut { is_late: true, .. } => "the run was cancelled on timeout: raise --timeout".to_owned(),
            Self::Cut { .. } => {
                "its temporary station has ended: only the output of --follow and --out remains".to_owned()
            }
            Self::Lost { run } => {
                format!(
                    "follow it again with `rl-console run events {run} --follow`; a restart marks running \
                     runs failed"
                )
            }
            Self::NotSubmitted => "start the missing agents, or use --agents 0 not to wait".to_owned(),
            Self::NotEnded { run, .. } | Self::Left { run } => {
                format!(
                    "follow it again with `rl-console run events {run} --follow`, or cancel it with \
                     `rl-console run cancel {run}`"
                )
            }
            Self::Unknown { is_tail: true, .. } => {
                "short names match the newest 1,000 runs only; `rl-console ls runs` lists runs".to_owned()
            }
            Self::Unknown { .. } => "`rl-console ls runs` lists them".to_owned(),
            Self::NoHops { is_recorded: false, .. } => {
                "nothing of it was sent yet, or the tap has evicted it: read a recording with `--recording \
                 FILE`; `rl-console ls runs` and `rl-console ls invocations` list what there is"
                    .to_owned()
            }
            Self::NoTrace { .. } => {
                "`rl-console ls runs`, `rl-console ls invocations` and `rl-console ls sessions` list them"
                    .to_owned()
            }
            Self::NotInRecording { paths: None, .. } => "`rl-console ls runs` lists its runs".to_owned(),
            Self::NotInRecording { paths: Some(paths), .. } => {
                format!("`rl-console ls runs --recording {paths}` lists its runs")
            }
            Self::NoHops { is_recorded: true, .. } => {
                "nothing of it was sent until then, or it is misspelled: `rl-console ls runs` lists its \
                 runs, `rl-console ls invocations` the invocations"
                    .to_owned()
            }
            Self::SessionWithoutTrace { name } => {
                format!(
                    "`rl-console session show {name} --log` lists its messages; a session whose context has a `trace_id` belongs to that trace"
                )
            }
            Self::NoQuestion { .. } => {
                "it may be decided or expired; `rl-console ls confirmations` lists pending approvals"
                    .to_owned()
            }
            Self::SeveralQuestions { .. } | Self::Ambiguous { .. } => "give more digits".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_its_exit_code_and_its_code() {
        let run = TraceId(uuid::Uuid::from_u128(7));
        let text = String::new;
        let table = [
            (RunError::NotValid { invalid: 1, all: 2 }, 6, "invalid_opening"),
            (RunError::Rejected { reason: text(), is_opening: true }, 1, "run_rejected"),
            (RunError::NotAnswered { ms: 1, is_submit: true }, 4, "not_answered"),
            (RunError::Failed { run, why: text() }, 1, "run_failed"),
            (RunError::Cancelled { run, why: text() }, 5, "run_cancelled"),
            (RunError::Cut { state: RunState::Failed, is_late: false, why: text() }, 1, "run_failed"),
            (RunError::Cut { state: RunState::Cancelled, is_late: false, why: text() }, 5, "run_cancelled"),
            (RunError::Cut { state: RunState::Cancelled, is_late: true, why: text() }, 4, "timed_out"),
            (RunError::Lost { run }, 3, "disconnected"),
            (RunError::NotSubmitted, 5, "not_submitted"),
            (RunError::NotEnded { run, ms: 1 }, 4, "timed_out"),
            (RunError::Left { run }, 4, "left"),
            (RunError::Unknown { name: text(), is_tail: true }, 1, "unknown_run"),
            (RunError::NoTrace { name: text() }, 1, "unknown_run"),
            (RunError::SessionWithoutTrace { name: text() }, 1, "unknown_trace"),
            (RunError::NoQuestion { tail: text() }, 1, "unknown_action"),
            (RunError::SeveralQuestions { tail: text(), told: Vec::new() }, 1, "ambiguous_action"),
            (RunError::NoHops { trace: run, is_recorded: false }, 1, "unknown_trace"),
            (RunError::NoHops { trace: run, is_recorded: true }, 1, "unknown_trace"),
            (RunError::NotInRecording { name: text(), paths: Some(text()) }, 1, "unknown_run"),
            (RunError::Ambiguous { tail: text(), runs: vec![run] }, 1, "ambiguous_run"),
        ];
        for (error, exit, code) in table {
            assert_eq!((error.exit() as u8, error.code()), (exit, code), "{error:?}");
            assert!(!error.hint().is_empty());
        }
    }
}
