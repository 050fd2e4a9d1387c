//! RMP v0: the codec of the agents' bus, as values and bytes.
//!
//! ```text
//!            u32 frame_len ┐┌─ 64 bytes ─┐┌─ body_len bytes: a MsgPack map ─┐
//! stream ─▶ Framer ─▶ whole frame ─▶ decode(wire, checks) ─▶ Frame { header, body } │ Error
//!                                                             type · payload · meta
//! ```
//!
//! What came is never written again: a [`Frame`] borrows from the bytes that came, so that what is forwarded
//! is the same byte for byte. No length that a peer declares is believed before its bytes are there. Checks
//! come in the order of ruling RMP 3; every error names its clause.

mod body;
pub mod broker;
pub mod client;
pub mod control;
pub(crate) mod decode;
pub mod dedupe;
pub mod dialect;
mod drop_groups;
pub mod encode;
mod error;
mod expiry;
mod fold;
mod frame;
pub mod framing;
mod header;
pub mod host;
pub mod json;
pub mod outbox;
pub mod routes;
mod snapshot;
mod split;
mod stand;
pub mod topic;
mod untapped_topic;

pub use crate::{
    registry::{Family, Registry, RegistryError, Schema, SchemaId, TypeName, TypeRule},
    tap::entry::rmp::{
        CloseCause, Code, Dialect, DropReason, FrameKind, Head, Kind, Refusal, Transition, Verdict,
    },
};
pub use body::{Body, BodyFault, Breach};
pub use decode::{Checks, decode};
pub(crate) use drop_groups::{Culprit, DropGroup, DropKey, drop_groups};
pub use encode::EncodeError;
pub use error::{Error, Lengths, SizeField};
pub use expiry::{expires_at_ms, is_expired};
pub use frame::{Frame, RawFrame};
pub use header::{HEADER_BYTES, Header, MAGIC, PREFIX_BYTES, RawHeader};
pub use snapshot::{DropSpan, DropView, Greeting, Listener, PeerView, Snapshot, SubView, TopicView, Totals};
pub use stand::Stand;
pub use untapped_topic::UntappedTopic;
