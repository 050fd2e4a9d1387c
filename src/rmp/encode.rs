//! Frames and bodies as bytes (rmp-v0 §1, §2).

use rmp_serde::{Serializer, encode::Error as WriteError};
use serde::Serialize;

use super::{
    Header, RawFrame,
    header::{HEADER_BYTES, PREFIX_BYTES},
};

/// Why no frame was made.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// A value that MsgPack cannot hold.
    #[error("cannot encode the body as MsgPack: {0}")]
    Body(#[from] WriteError),
    /// A body whose length `frame_len` cannot say.
    #[error("a body of {bytes} bytes does not fit frame_len")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
}

/// An envelope: a map of `type`, `payload` and, if there is one, `meta`. Structs are written as maps with
/// their fields' names (ruling RMP 12); a `meta` of nil is written where it is given as one.
///
/// # Errors
/// [`EncodeError::Body`].
pub fn body<P: Serialize, M: Serialize>(
    kind: &str,
    payload: &P,
    meta: Option<&M>,
) -> Result<Vec<u8>, EncodeError> {
    let mut out = Serializer::new(Vec::new()).with_struct_map();
    let keys = if meta.is_some() { 3 } else { 2 };
    rmp::encode::write_map_len(out.get_mut(), keys).map_err(WriteError::InvalidValueWrite)?;
    ("type").serialize(&mut out)?;
    kind.serialize(&mut out)?;
    ("payload").serialize(&mut out)?;
    payload.serialize(&mut out)?;
    if let Some(meta) = meta {
        ("meta").serialize(&mut out)?;
        meta.serialize(&mut out)?;
    }
    Ok(out.into_inner())
}

/// Any MsgPack value, an envelope or not.
///
/// # Errors
/// [`EncodeError::Body`].
pub fn value(value: &rmpv::Value) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::new();
    rmpv::encode::write_value(&mut out, value).map_err(WriteError::InvalidValueWrite)?;
    Ok(out)
}

/// A whole frame around a body; its lengths follow from it.
///
/// # Errors
/// [`EncodeError::TooLong`].
pub fn frame(header: &Header, body: &[u8]) -> Result<Vec<u8>, EncodeError> {
    let too_long = |_| EncodeError::TooLong { bytes: body.len() };
    let frame_len = u32::try_from(HEADER_BYTES + body.len()).map_err(too_long)?;
    let body_len = u32::try_from(body.len()).map_err(too_long)?;
    Ok(RawFrame { frame_len, header: header.raw(body_len), body }.encode())
}

/// The length of a whole frame around a body of so many bytes.
#[must_use]
pub const fn frame_bytes(body_bytes: usize) -> usize {
    PREFIX_BYTES + HEADER_BYTES + body_bytes
}
