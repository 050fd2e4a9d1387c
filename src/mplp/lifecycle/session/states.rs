//! How sessions and their steps are said in MPLP (ruling MPLP 15).
//!
//! | session | plan | stage | trace | collab, dialog |
//! |---|---|---|---|---|
//! | open | `in_progress` | running | running | active |
//! | resolved | completed | completed | completed | completed |
//! | expired, cancelled | cancelled | skipped | cancelled | cancelled |
//!
//! Of a step:
//!
//! | its phase is | open | resolved | expired, cancelled |
//! |---|---|---|---|
//! | over | completed | completed | completed |
//! | now | `in_progress` | completed | skipped |
//! | to come | pending | skipped | skipped |

use crate::tap::entry::macp::{Effect, Ending, Mode, Phase};

/// A step of a session's Plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepKind {
    pub(super) name: &'static str,
    pub(super) purpose: &'static str,
}

/// A phase each.
const DECISION: [StepKind; Phase::ALL.len()] = [
    StepKind { name: "proposal", purpose: "options are proposed" },
    StepKind { name: "evaluation", purpose: "proposals are evaluated and objected to" },
    StepKind { name: "voting", purpose: "votes are cast" },
    StepKind { name: "commitment", purpose: "the decision is committed" },
];

const ROUNDS: [StepKind; 1] =
    [StepKind { name: "rounds", purpose: "participants contribute until all values are equal" }];

/// The steps of a mode, each behind the one that it needs.
pub(super) const fn steps_of(mode: Mode) -> &'static [StepKind] {
    match mode {
        Mode::Decision => &DECISION,
        Mode::MultiRound => &ROUNDS,
    }
}

/// The place of the step that a phase is of.
pub(super) const fn place_of(mode: Mode, phase: Phase) -> usize {
    match mode {
        Mode::Decision => phase.index(),
        Mode::MultiRound => 0,
    }
}

/// The place of the step that a message is part of: by what it did, else by the phase in which it came.
pub(super) const fn step_of(mode: Mode, effect: &Effect, phase: Phase) -> usize {
    let phase = match effect {
        Effect::Proposed { .. } => Phase::Proposal,
        Effect::Evaluated { .. } | Effect::Objected { .. } => Phase::Evaluation,
        Effect::Voted { .. } => Phase::Voting,
        Effect::Committed => Phase::Committed,
        Effect::Nothing | Effect::LegacyResolved | Effect::Contributed { .. } => phase,
    };
    place_of(mode, phase)
}

/// How a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepStatus {
    Pending,
    InProgress,
    Completed,
    Skipped,
}

impl StepStatus {
    /// Of the step at this place, in a phase, at an end.
    pub(super) const fn of(mode: Mode, place: usize, phase: Phase, ending: Option<Ending>) -> Self {
        let now = place_of(mode, phase);
        if place < now || matches!((mode, phase), (Mode::Decision, Phase::Committed)) {
            return Self::Completed;
        }
        match ending {
            None if place == now => Self::InProgress,
            None => Self::Pending,
            Some(Ending::Resolved) if place == now => Self::Completed,
            Some(_) => Self::Skipped,
        }
    }

    /// The status of the step.
    pub(super) const fn step(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Skipped => "skipped",
        }
    }

    /// The status of its stage.
    pub(super) const fn stage(self) -> &'static str {
        match self {
            Self::InProgress => "running",
            Self::Pending | Self::Completed | Self::Skipped => self.step(),
        }
    }

    /// The type of its event.
    pub(super) const fn event(self) -> &'static str {
        match self {
            Self::Pending => "step_pending",
            Self::InProgress => "step_started",
            Self::Completed => "step_completed",
            Self::Skipped => "step_skipped",
        }
    }
}

/// The state of a session, as payloads have it.
pub(super) const fn state_name(ending: Option<Ending>) -> &'static str {
    match ending {
        None => "open",
        Some(ending) => ending.name(),
    }
}

/// The status of the Plan.
pub(super) const fn plan_status(ending: Option<Ending>) -> &'static str {
    match ending {
        None => "in_progress",
        Some(ending) => end_status(ending),
    }
}

/// The type and status of the Plan's own stage.
pub(super) const fn session_stage(ending: Option<Ending>) -> (&'static str, &'static str) {
    match ending {
        None => ("session_started", "running"),
        Some(Ending::Resolved) => ("session_completed", "completed"),
        Some(Ending::TtlExpired | Ending::Cancelled | Ending::LogDamaged) => ("session_cancelled", "skipped"),
    }
}

/// The status of the Trace.
pub(super) const fn trace_status(ending: Option<Ending>) -> &'static str {
    match ending {
        None => "running",
        Some(ending) => end_status(ending),
    }
}

/// The status of the Collab and of the Dialog.
pub(super) const fn collab_status(ending: Option<Ending>) -> &'static str {
    match ending {
        None => "active",
        Some(ending) => end_status(ending),
    }
}

const fn end_status(ending: Ending) -> &'static str {
    match ending {
        Ending::Resolved => "completed",
        Ending::TtlExpired | Ending::Cancelled | Ending::LogDamaged => "cancelled",
    }
}

/// The mode of the Collab.
pub(super) const fn collab_mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Decision => "swarm",
        Mode::MultiRound => "round_robin",
    }
}
