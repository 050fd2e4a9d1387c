//! The recorded and sent form of the tap: protobuf messages of `tap.proto`, apart from the live types, so
//! that recordings outlive changes of those. [`encode`] and [`decode`] go between the two.
//!
//! Every match from the live types is exhaustive: a new variant does not compile until it is mapped. A value
//! that this version does not know is a [`DecodeError`] that names it.

mod entry;
mod error;
mod frame;
pub(crate) mod macp;
pub(crate) mod mpp;
pub(crate) mod plain;
pub(crate) mod rmp;
pub(crate) mod runs;
mod schema;
mod station;
pub(crate) mod transition;
pub(crate) mod wire;

pub use entry::{EncodedEntry, OwnedEntry, decode, encode};
pub use error::DecodeError;
pub use schema::{DESCRIPTOR, ENTRY_MESSAGE, SNAPSHOT_MESSAGE, VERSION};
