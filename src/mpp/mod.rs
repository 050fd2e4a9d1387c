//! The MPP v2 bridge.

mod command;
mod io;
mod snapshot;

pub use command::{CancelledRow, Command, EnqueuedRow, NewInvocation, Outcome, RefundRef, Refusal, Settlement};
pub use io::{Input, Output};
pub use snapshot::{AdapterView, EndedView, Listener, LiveView, LogView, PackFacts, QueueView, ReadyAfter, Snapshot};
