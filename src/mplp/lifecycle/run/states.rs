//! How states of runs and their nodes are said in MPLP (ruling MPLP 13).
//!
//! | node | step | stage | segment |
//! |---|---|---|---|
//! | waiting, ready | pending | pending | none |
//! | asking | blocked | pending | none |
//! | running | in_progress | running | running |
//! | retrying | in_progress | running | failed |
//! | completed | completed | completed | completed |
//! | failed | failed | failed | failed |
//! | skipped | skipped | skipped | skipped |
//! | blocked | blocked | skipped | skipped |
//! | cancelled | skipped | skipped | cancelled |
//!
//! | run | plan | stage | trace |
//! |---|---|---|---|
//! | running, cancelling | in_progress | running | running |
//! | succeeded | completed | completed | completed |
//! | failed | failed | failed | failed |
//! | cancelled | cancelled | skipped | cancelled |

use crate::tap::entry::runs::{NodeState, RunState};

/// The status of a step of the Plan.
pub(super) const fn step_status(state: NodeState) -> &'static str {
    match state {
        NodeState::Waiting | NodeState::Ready => "pending",
        NodeState::Asking | NodeState::Blocked => "blocked",
        NodeState::Running | NodeState::Retrying => "in_progress",
        NodeState::Completed => "completed",
        NodeState::Failed => "failed",
        NodeState::Skipped | NodeState::Cancelled => "skipped",
    }
}

/// The status of a stage of the pipeline.
pub(super) const fn stage_status(state: NodeState) -> &'static str {
    match state {
        NodeState::Waiting | NodeState::Ready | NodeState::Asking => "pending",
        NodeState::Running | NodeState::Retrying => "running",
        NodeState::Completed => "completed",
        NodeState::Failed => "failed",
        NodeState::Skipped | NodeState::Blocked | NodeState::Cancelled => "skipped",
    }
}

/// The type of a step's event.
pub(super) const fn step_event(state: NodeState) -> &'static str {
    match state {
        NodeState::Waiting => "step_waiting",
        NodeState::Ready => "step_ready",
        NodeState::Asking => "step_asking",
        NodeState::Running => "step_started",
        NodeState::Retrying => "step_retrying",
        NodeState::Completed => "step_completed",
        NodeState::Failed => "step_failed",
        NodeState::Skipped => "step_skipped",
        NodeState::Blocked => "step_blocked",
        NodeState::Cancelled => "step_cancelled",
    }
}

/// The status of the segment of an attempt that ends as its node comes into this state. One that its node
/// leaves for a state of before it, as the node's opening is tried again, was given up.
pub(super) const fn segment_status(state: NodeState) -> &'static str {
    match state {
        NodeState::Completed => "completed",
        NodeState::Failed | NodeState::Retrying => "failed",
        NodeState::Skipped | NodeState::Blocked => "skipped",
        _ => "cancelled",
    }
}

/// The status of the Plan.
pub(super) const fn plan_status(state: RunState) -> &'static str {
    match state {
        RunState::Running | RunState::Cancelling => "in_progress",
        RunState::Succeeded => "completed",
        RunState::Failed => "failed",
        RunState::Cancelled => "cancelled",
    }
}

/// The status of the Plan's own stage.
pub(super) const fn run_stage_status(state: RunState) -> &'static str {
    match state {
        RunState::Running | RunState::Cancelling => "running",
        RunState::Succeeded => "completed",
        RunState::Failed => "failed",
        RunState::Cancelled => "skipped",
    }
}

/// The status of the Trace.
pub(super) const fn trace_status(state: RunState) -> &'static str {
    match state {
        RunState::Running | RunState::Cancelling => "running",
        RunState::Succeeded => "completed",
        RunState::Failed => "failed",
        RunState::Cancelled => "cancelled",
    }
}

/// The status of the Collab (ruling MPLP 15) and of the Dialog.
pub(super) const fn collab_status(state: RunState) -> &'static str {
    match state {
        RunState::Running | RunState::Cancelling => "active",
        RunState::Succeeded | RunState::Failed => "completed",
        RunState::Cancelled => "cancelled",
    }
}
