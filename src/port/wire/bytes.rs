//! Envelopes with the payloads of this module.

use serde::{Deserialize, Serialize, Serializer};

use crate::rmp::{self, Body};

/// Containers within one another that an envelope of ours has at most, with room for fields of later
/// versions.
const DEPTH_MAX: usize = 16;

/// Why a body is none of these.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// It is no envelope, or its payload is another.
    #[error("this version of rl-console cannot read it: {0}")]
    Malformed(String),
    /// It is of another version.
    #[error("it has version {0}; this rl-console reads version 1")]
    Version(u64),
    /// What is to be sent is longer than one message may be.
    #[error("it has {bytes} bytes, more than {limit} ({bytes_max}) allows")]
    TooLong {
        /// Its length.
        bytes: u64,
        /// The bound.
        bytes_max: u64,
        /// The bound's key.
        limit: &'static str,
    },
    /// A part came out of its order.
    #[error("got part {got}, expected part {expected}")]
    OutOfOrder {
        /// The part that was due.
        expected: u32,
        /// The part that came.
        got: u32,
    },
}

/// Bytes that are written as MsgPack's bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Bin<'a>(#[serde(borrow)] pub(super) &'a [u8]);

impl Serialize for Bin<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// The envelope of a payload.
pub(super) fn envelope(kind: &str, payload: &impl Serialize) -> Vec<u8> {
    // Texts, numbers and bytes: there is nothing in them that MsgPack cannot hold.
    rmp::encode::body(kind, payload, None::<&()>).unwrap_or_default()
}

/// The payload of an envelope.
pub(super) fn payload<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, WireError> {
    let body = Body::decode(body, DEPTH_MAX).map_err(|fault| WireError::Malformed(fault.to_string()))?;
    rmp_serde::from_slice(body.payload()).map_err(|error| WireError::Malformed(error.to_string()))
}

/// Version 1 is the only one there is.
pub(super) fn expect_version(v: u64) -> Result<(), WireError> {
    if v == super::VERSION { Ok(()) } else { Err(WireError::Version(v)) }
}
