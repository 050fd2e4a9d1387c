//! The tap: one ordered, bounded stream of every frame, verdict and transition (DESIGN: everything that looks
//! is a fold over it).
//!
//! [`Tap::emit`] never blocks and never waits for a reader. A [`Reader`] that falls behind what the ring
//! keeps is told how much it lost and takes a new snapshot; at every reader received + lost = emitted since
//! it began.

pub mod entry;
mod guard;
mod injected;
pub(crate) mod injected_traces;
mod mirror;
mod reader;
pub mod recorded;
pub mod redact;
mod ring;
mod secrets;
mod sequencer;
mod untraced_row;

pub use injected::{ExpectedConnections, OriginCell, PutError};
pub use injected_traces::InjectedTrace;
pub use mirror::Mirror;
pub use reader::{Batch, EntryRef, Reader};
pub use sequencer::{Counters, Draft, Tap, TooManyReaders, WholeFrames};
pub(crate) use untraced_row::UntracedRow;
