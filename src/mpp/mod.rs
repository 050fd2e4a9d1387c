//! The MPP v2 bridge.

pub mod bridge;
mod command;
mod connection;
mod fold;
pub mod frame;
pub mod framing;
pub mod host;
mod invocation;
mod io;
pub mod manifest;
mod queue;
mod read_ahead;
mod snapshot;
mod stand;
mod text;

pub use crate::tap::entry::mpp::{
    CloseCause, ErrorCode, Fault, FrameType, Head, HelloReason, Level, Verdict, Violation,
};
pub use bridge::{
    Bridge, LENT_TOKENS_MAX, LendError, LentCounts, Settings, StateValue, UncommittedRow, WrittenBy,
};
pub use command::{
    CancelledRow, Command, EnqueuedRow, NewInvocation, Outcome, RefundRef, Refusal, Settlement,
};
pub use connection::TokenHash;
pub use io::{Input, Output};
pub use snapshot::{
    AdapterView, EndedView, Listener, LiveView, LogView, PackFacts, QueueView, ReadyAfter, Snapshot,
};
pub use stand::Stand;
