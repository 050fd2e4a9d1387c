//! What the station asks of the loop.

use std::{net::SocketAddr, sync::Arc};

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::{
    ids::Seq,
    mpp::{Bridge, Command, LendError, Outcome, Refusal, Snapshot, TokenHash},
    tap::{
        OriginCell, PutError,
        entry::{Direction, FrameOrigin},
    },
    time::Mono,
};

/// What the station asks of the loop.
pub enum Request {
    /// A command, with the entry that caused it, and where its answer goes.
    Command {
        /// The command.
        command: Command,
        /// The operator's entry in the tap.
        cause: Option<Seq>,
        /// Where the answer goes.
        answer: oneshot::Sender<Result<Outcome, Refusal>>,
    },
    /// The state, and the last entry of this link that it includes.
    Snapshot {
        /// Where it goes.
        answer: oneshot::Sender<(Seq, Snapshot)>,
    },
    /// Lends a token ([`Bridge::lend`]).
    Lend {
        /// The token's hash.
        token_sha256: TokenHash,
        /// To whom: the local address of the connection that is to show it.
        to: SocketAddr,
        /// Until when, 10 s at most.
        until: Mono,
        /// Answered when it is lent.
        answer: oneshot::Sender<Result<(), LendError>>,
    },
    /// Says that a connection of the workbench's own is about to come.
    Expect {
        /// From where.
        from: SocketAddr,
        /// Whose it is.
        origin: OriginCell,
        /// Answered when it may be made.
        answer: oneshot::Sender<()>,
    },
    /// Puts one whole frame into the adapter's connection.
    Put {
        /// As if the adapter had sent it, or as if the bridge had.
        direction: Direction,
        /// The frame with its LF.
        bytes: Bytes,
        /// Who made it.
        origin: Arc<FrameOrigin>,
        /// Answered when it was handed in, or is in the send buffer.
        answer: oneshot::Sender<Result<(), PutError>>,
    },
    /// A look at the core, after everything it has decided so far was handed to the store.
    Look(Box<dyn FnOnce(&Bridge) + Send>),
    /// Ends the loop once every connection was told and the journal is written.
    Stop {
        /// Answered when it is done.
        answer: oneshot::Sender<()>,
    },
}
