//! The one way to act on a station and to ask it: [`StationPort`]. The console, the CLI and attached consoles all go through it, so that what a
//! key can do, a script can do.

mod command;
mod query;
mod recorded;
mod snapshot;

use std::{future::Future, pin::Pin};

pub use command::{Command, Outcome, PortError};
pub use query::{AdapterRow, HealthRow, InvocationRow, Page, Query, QueueRow, RefundRow, StateKeyRow};
pub use snapshot::{AsOf, HostState, RecordingView, Snapshot, StationView};

/// An answer that comes when it comes. Its slot is reserved when the question is put, so asking never blocks.
pub type Answer<T> = Pin<Box<dyn Future<Output = Result<T, PortError>> + Send>>;

/// Acts on a station and asks it. The console's keys, the operator socket and the CLI speak through it.
pub trait Operator: Send + Sync {
    /// Has something done. A full host answers [`PortError::Busy`].
    fn command(&self, command: Command) -> Answer<Outcome>;

    /// Asks for a page of something.
    fn query(&self, query: Query) -> Answer<Page>;
}

/// An [`Operator`] that can also watch: snapshots and the tap's entries.
pub trait StationPort: Operator {
    /// The state at one moment, to fold entries onto.
    fn snapshot(&self) -> Answer<Snapshot>;

    /// A reader of the tap from its present end on. Take it before the snapshot: entries at or below the snapshot's `as_of` are skipped.
    ///
    /// # Errors
    /// [`PortError::Busy`] when `limits.tap.readers_max` are reading.
    fn entries(&self) -> Result<crate::tap::Reader, PortError>;
}
