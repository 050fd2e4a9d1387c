//! What the station asks of the runs.

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::{
    ids::Seq,
    runs::{AskView, Asker, Command, JudgedControl, Metrics, Outcome, Refusal, Snapshot, Stand},
};

/// A question or a command.
#[derive(Debug)]
pub enum Request {
    /// A command of an operator.
    Command {
        /// What.
        command: Command,
        /// Whose it is.
        by: Asker,
        /// Its entry in the tap.
        cause: Option<Seq>,
        /// Where the outcome goes.
        answer: oneshot::Sender<Result<Outcome, Refusal>>,
    },
    /// The state, and the last entry of this link that it includes.
    Snapshot {
        /// Where it goes.
        answer: oneshot::Sender<(Seq, Snapshot)>,
    },
    /// What waits for a person, the oldest first; at most 10,000.
    Asks {
        /// Where it goes.
        answer: oneshot::Sender<Vec<AskView>>,
    },
    /// The metrics of the runs.
    Metrics {
        /// Where it goes.
        answer: oneshot::Sender<Metrics>,
    },
    /// What would be made of a message, if it came now.
    Judge(Question),
    /// Fails by a fault of ours.
    #[cfg(test)]
    Break,
    /// Ends the host. Runs that have not ended are ended as failed by the next start.
    Stop {
        /// Answered when it is done.
        answer: oneshot::Sender<()>,
    },
}

/// A message that is to be judged.
#[derive(Debug)]
pub struct Question {
    /// Where it would stand.
    pub stand: Stand,
    /// Its body.
    pub body: Bytes,
    /// Where the judgement goes.
    pub answer: oneshot::Sender<JudgedControl>,
}
