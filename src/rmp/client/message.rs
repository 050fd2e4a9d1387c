//! A message to publish.

use bytes::Bytes;
use serde::Serialize;

use crate::{
    ids::TraceId,
    rmp::{EncodeError, SchemaId, encode},
};

/// How long a message is worth delivering when nothing is said, in milliseconds (rmp-v0 §9).
pub const TTL_MS: u64 = 30_000;

/// A message to be published. Its number and the time of its making are given when it is. Cloning one shares
/// its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What the body is.
    pub schema_id: SchemaId,
    /// What correlates it with the rest of its work.
    pub trace_id: TraceId,
    /// Milliseconds that it is worth delivering; not 0.
    pub ttl_ms: u64,
    /// The envelope in `MsgPack` (rmp-v0 §2).
    pub body: Bytes,
}

impl Message {
    /// A message around an envelope that was made elsewhere, in a trace of its own, with a TTL of 30 s.
    #[must_use]
    pub fn new(schema_id: SchemaId, body: impl Into<Bytes>) -> Self {
        Self { schema_id, trace_id: TraceId(uuid::Uuid::now_v7()), ttl_ms: TTL_MS, body: body.into() }
    }

    /// A message of this type with this payload and no meta.
    ///
    /// # Errors
    /// A payload that `MsgPack` cannot hold.
    pub fn of<P: Serialize>(schema_id: SchemaId, kind: &str, payload: &P) -> Result<Self, EncodeError> {
        Ok(Self::new(schema_id, encode::body::<_, ()>(kind, payload, None)?))
    }

    /// This message, in a trace.
    #[must_use]
    pub fn in_trace(self, trace_id: TraceId) -> Self {
        Self { trace_id, ..self }
    }

    /// This message, worth delivering for so many milliseconds.
    #[must_use]
    pub fn for_ms(self, ttl_ms: u64) -> Self {
        Self { ttl_ms, ..self }
    }
}
