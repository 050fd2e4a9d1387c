//! The recorded and sent form of the tap: protobuf messages of `tap.proto`, apart from the live types, so
//! that recordings outlive changes of those. [`encode`] and [`decode`] go between the two.
//!
//! Every match between the two is exhaustive: a new variant does not compile until it is mapped. A value
//! that this version does not know is a [`DecodeError`] that names it.

mod entry;
mod error;
mod form;
mod frame;
mod free_text;
mod macp;
mod mplp;
mod mpp;
mod plain;
mod plugin;
mod rmp;
mod runs;
mod schema;
mod station;
pub(crate) mod wire;

pub use entry::{EncodedEntry, OwnedEntry, decode, encode};
pub use error::DecodeError;
pub(crate) use form::{Recorded, RecordedRow, recorded};
pub(crate) use free_text::is_free_text;
pub use schema::{DESCRIPTOR, ENTRY_MESSAGE, SNAPSHOT_MESSAGE};
