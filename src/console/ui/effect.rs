//! What an update wants done.

use crate::{
    console::{
        input::{action::Direction, pane_id::PaneId},
        worker::{DecodeJob, OpeningJob},
    },
    ids::{InvocationId, QueueName, TraceId},
    port::{Command, Query},
};

/// Something to be done outside the user interface.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Effect {
    /// Give the station a command.
    Command { purpose: Purpose, command: Command },
    /// Ask the station.
    Query { purpose: Purpose, query: Query },
    /// End the console.
    Quit,
    /// Take the mouse, or leave it to the terminal.
    Mouse(bool),
    /// Put this into the terminal's clipboard.
    Copy(Vec<u8>),
    /// The show is on air, or no more.
    OnAir(bool),
    /// Put the alert of this number away as seen.
    Acknowledge(u64),
    /// Run a subcommand; its end comes back with this number.
    Run { number: u64, words: Vec<String> },
    /// Kill that subcommand.
    StopRun { number: u64 },
    /// Have the bytes of an entry read beside the screen's thread; its tree comes back with the number of the
    /// job.
    Decode(Box<DecodeJob>),
    /// Have something done with openings beside the screen's thread; what came of it comes back.
    Opening(Box<OpeningJob>),
    /// Keep an opening that is being written for the next start.
    SaveDraft(String),
    /// Keep the openings that were submitted lately for the next start.
    SaveRecent(String),
    /// Keep a line of the palette for the next start.
    Remember(String),
    /// Keep a filter for the next start.
    RememberFilter(String),
    /// Keep how panes are looked at for the next start.
    SaveLayout(String),
}

/// What a command or query was for, so that its answer finds its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Hold, resume or drain.
    Brake,
    /// One command of several that hold or release together; the last one's words tell what all of them did.
    Batch { text: Option<String> },
    /// Cancel this row.
    Cancel { id: InvocationId },
    /// Cancel a part of many rows.
    CancelMany,
    /// Cancel the run of an opening of this name.
    CancelRun { name: String },
    /// Cancel the session of this id.
    CancelSession { id: String },
    /// Submit an opening by this request.
    Submit { request: TraceId },
    /// Answer a question of a run, while an operator's brake holds what it would begin or not.
    Decide { approved: bool, held: bool },
    /// Give work by hand; the number of the form's command.
    Enqueue { number: u64 },
    /// Move rows of another manifest.
    Migrate,
    /// Start or stop a recording.
    Record,
    /// The pack's events.
    Events,
    /// End this row that was left in applied.
    Settle { id: InvocationId },
    /// Drop the adapter.
    Kick,
    /// Disconnect this peer of the bus.
    KickPeer { client: String },
    /// Start a host again.
    Restart,
    /// Rows of the pending list of this queue.
    Pending { queue: QueueName, direction: Direction, serial: u64 },
    /// The newest rows, once, when the console comes up.
    History,
    /// One invocation's details.
    Details { id: InvocationId },
    /// Rows of a pane's list.
    Page { pane: PaneId, serial: u64 },
}
