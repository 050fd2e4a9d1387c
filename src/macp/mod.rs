//! The coordination runtime: agents decide together in sessions (macp-v1; rulings MACP).
//!
//! - [`proto`]: the messages, as they are on the wire.
//! - [`kernel`]: what becomes of a message, as a core without I/O.
//! - [`modes`]: how sessions are coordinated.
//! - [`registry`]: the modes by their names, and what the runtime says of itself.
//! - [`log`]: what is kept of sessions.
//! - [`host`]: the gRPC service around the kernel.
//! - [`Snapshot`]: the runtime as a reader of the tap starts from it, carried on by its entries.

mod command;
pub mod envelope;
mod fold;
pub mod host;
pub mod kernel;
pub mod log;
mod malformed;
pub mod modes;
pub mod proto;
pub mod registry;
mod reply;
mod request;
mod snapshot;
mod stand;
mod turn_aways;

pub use command::{Command, Outcome, Refusal};
pub use request::{Declined, Request};
pub use snapshot::{
    ClientView, ContributionView, DecisionView, EndView, Listener, MoveView, Opinion, OpinionView, Progress,
    ProposalView, RoundsView, SenderView, SessionView, Snapshot, Tally, Totals, VoteView,
};
pub use stand::Stand;
pub use turn_aways::{TurnAwaySpan, TurnAways};

pub use crate::tap::entry::macp::{
    Answered, Code, Effect, Ending, Fault, Head, Mode, OpenedText, Phase, Rpc, SessionRef, SessionState,
    Status, Transition, TurnAwayCause, Verdict,
};
