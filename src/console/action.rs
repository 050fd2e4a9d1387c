//! What keys mean, and what an update wants done.

use crate::{
    ids::{InvocationId, QueueName},
    port::{Command, Query},
};

/// What a key or a click means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Action {
    Quit,
    Help,
    Back,
    FocusNext,
    FocusPrevious,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    First,
    Last,
    Open,
    Hold,
    HoldAll,
    Drain,
    Cancel,
    Kick,
    Zoom,
    NextTheme,
    FreeMouse,
    Confirm,
    Decline,
    Refund,
    Settle,
    SettleDone,
    SettleFailed,
}

/// Something to be done outside the user interface.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    /// Give the station a command.
    Command { asked: Asked, command: Command },
    /// Ask the station.
    Query { asked: Asked, query: Query },
    /// End the console.
    Quit,
    /// Take the mouse, or leave it to the terminal.
    Mouse(bool),
}

/// What a command or query was for, so that its answer finds its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Hold, resume or drain.
    Brake,
    /// One command of several that release queues; the last one's words tell what all of them did.
    Release { words: Option<String> },
    /// Cancel this row.
    Cancel { id: InvocationId },
    /// End this row that was left in applied.
    Settle { id: InvocationId },
    /// Drop the adapter.
    Kick,
    /// Rows of the pending list of this queue.
    Pending { queue: QueueName, direction: Direction },
    /// The newest rows, once, when the console comes up.
    History,
    /// One invocation's details.
    Details { id: InvocationId },
}

/// Which way a pending list grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the start.
    Fresh,
    /// Behind the last row.
    Forward,
    /// Before the first row.
    Backward,
}
