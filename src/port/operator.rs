//! Acting on a station, asking it, watching it.

use std::{future::Future, pin::Pin};

use super::{Attachment, Command, Keyframe, Outcome, Page, PastPage, PortError, Query, Replay, Snapshot};
use crate::ids::Seq;

/// An answer that comes when it comes. Its slot is reserved when the question is put, so asking never blocks.
pub type Answer<T> = Pin<Box<dyn Future<Output = Result<T, PortError>> + Send>>;

/// Acts on a station and asks it. The console's keys, the bus and the CLI speak through it.
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

    /// A reader of the tap from its present end on. Take it before the snapshot: entries at or below the
    /// snapshot's `as_of` are skipped.
    ///
    /// # Errors
    /// [`PortError::Busy`] when `limits.tap.readers_max` are reading.
    fn entries(&self) -> Result<crate::tap::Reader, PortError>;

    /// The last entries before a place, as they would have been read: for who came later.
    fn past(&self, _before: Seq) -> Answer<PastPage> {
        Box::pin(std::future::ready(Ok(PastPage::default())))
    }

    /// The oldest state that was noted at a place or behind it, to fold those entries onto.
    fn keyframe(&self, _from: Seq) -> Answer<Option<Keyframe>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// How the station is reached, where that is in another process. While it does not answer, a snapshot
    /// waits, and nothing is emitted.
    fn attachment(&self) -> Option<Attachment> {
        None
    }

    /// The replay, where a recording is in the place of the station.
    fn replay(&self) -> Option<Replay> {
        None
    }
}
