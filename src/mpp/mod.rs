//! The MPP v2 bridge.

mod command;
pub mod frame;
pub mod framing;
mod io;
pub mod manifest;
mod snapshot;

pub use crate::tap::entry::mpp::{CloseCause, ErrorCode, Fault, FrameType, Head, HelloReason, Level, Violation};
pub use command::{CancelledRow, Command, EnqueuedRow, NewInvocation, Outcome, RefundRef, Refusal, Settlement};
pub use io::{Input, Output};
pub use snapshot::{AdapterView, EndedView, Listener, LiveView, LogView, PackFacts, QueueView, ReadyAfter, Snapshot};
