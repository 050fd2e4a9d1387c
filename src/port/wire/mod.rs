//! What crosses the bus between a station and whoever is attached to it (ruling RMP 17): questions on
//! `rlp/operator`, their answers in parts to the session that asked, and the tap's entries in batches on
//! `rlp/sys/tap`. Values and bytes; nothing here waits or sends.

mod batch;
mod bytes;
pub(crate) mod parts;
mod question;
#[cfg(test)]
mod tests;

pub(super) use batch::encode_entry;
pub use batch::{Batch, BatchDraft, entries};
pub use bytes::WireError;
pub use parts::{Assembly, PART_BYTES_MAX, Response, parts, parts_as_shown};
pub use question::{Question, Reply, StationInfo, VERSION, may_ask, read_question, write_question};
