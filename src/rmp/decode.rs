//! Judges one frame, in the order of ruling RMP 3: truncated, magic, version and `header_len`, flags and
//! reserved fields, body length limit, length equality, schema known, TTL and expiry arithmetic, body, type
//! against schema, expired, duplicate.

use std::fmt;

use super::{
    Body, Frame, Header, Registry,
    error::{Error, Lengths, SizeField},
    expiry::{expires_at_ms, is_expired},
    frame::RawFrame,
    header::{HEADER_BYTES, PREFIX_BYTES},
};
use crate::{ids::TraceId, limits};

/// What a frame is judged by.
#[derive(Clone, Copy)]
pub struct Checks<'a> {
    /// The schemas there are.
    pub registry: &'a Registry,
    /// Bytes of a body at most (`limits.rmp.body_bytes_max`).
    pub body_bytes_max: u64,
    /// Containers within containers at most (`limits.rmp.body_depth_max`).
    pub body_depth_max: usize,
    /// The moment at which expiry is judged, in milliseconds since the Unix epoch; without one it is not
    /// (ruling RMP 4).
    pub now_ms: Option<u64>,
    /// Whether a frame was seen before, where that is judged.
    pub is_duplicate: Option<&'a dyn Fn(TraceId, u64) -> bool>,
}

impl<'a> Checks<'a> {
    /// The checks of a frame by itself: neither expiry nor duplicates.
    #[must_use]
    pub fn new(registry: &'a Registry, limits: &limits::Rmp) -> Self {
        Self {
            registry,
            body_bytes_max: limits.body_bytes_max,
            body_depth_max: usize::try_from(limits.body_depth_max).unwrap_or(usize::MAX),
            now_ms: None,
            is_duplicate: None,
        }
    }
}

impl fmt::Debug for Checks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { body_bytes_max, body_depth_max, now_ms, is_duplicate, .. } = self;
        let mut output = f.debug_struct("Checks");
        output.field("body_bytes_max", body_bytes_max).field("body_depth_max", body_depth_max);
        output.field("now_ms", now_ms).field("is_duplicate", &is_duplicate.is_some()).finish_non_exhaustive()
    }
}

/// What a prefix alone can be refused for: what it announces is too large, or too short for a header (ruling
/// RMP 2).
pub(super) fn check_prefix(frame_len: u32, body_bytes_max: u64) -> Result<(), Error> {
    let frame_bytes = u64::from(frame_len);
    let body_bytes = frame_bytes.checked_sub(HEADER_BYTES as u64);
    let body_bytes = body_bytes.ok_or(Error::TruncatedHeader {
        header_bytes: usize::try_from(frame_bytes).unwrap_or(HEADER_BYTES),
    })?;
    if body_bytes > body_bytes_max {
        return Err(Error::BodyTooLarge { announced_by: SizeField::FrameLen, body_bytes, body_bytes_max });
    }
    Ok(())
}

/// Reads one frame, `frame_len` included.
///
/// # Errors
/// The first [`Error`] in the ruled order. What a stream is refused for by its prefix alone comes before the
/// header's checks.
pub fn decode<'a>(wire: &'a [u8], checks: &Checks<'_>) -> Result<Frame<'a>, Error> {
    let raw = split_checked(wire, checks.body_bytes_max)?;
    let header = Header::from(&raw.header);
    let schema = checks
        .registry
        .schema(header.schema_id)
        .ok_or(Error::UnknownSchema { schema_id: header.schema_id })?;
    let expires_at_ms = expires_at_ms(header.created_at_ms, header.ttl_ms)?;
    let body = Body::decode(raw.body, checks.body_depth_max).map_err(Error::BodyDecodeError)?;
    if !schema.takes(body.kind()) {
        return Err(Error::BodyTypeMismatch {
            schema_id: schema.id,
            expected: schema.rule.to_string(),
            got: body.kind().to_owned(),
            at: body.kind_at(),
        });
    }
    if let Some(now_ms) = checks.now_ms
        && is_expired(now_ms, expires_at_ms)
    {
        return Err(Error::Expired { expires_at_ms, now_ms });
    }
    if checks.is_duplicate.is_some_and(|is_duplicate| is_duplicate(header.trace_id, header.msg_id)) {
        return Err(Error::Duplicate { trace_id: header.trace_id, msg_id: header.msg_id });
    }
    Ok(Frame { wire, header, expires_at_ms, body })
}

/// The checks that need no registry and no body: up to the equality of lengths.
pub(super) fn split_checked(wire: &[u8], body_bytes_max: u64) -> Result<RawFrame<'_>, Error> {
    let truncated =
        || Error::TruncatedHeader { header_bytes: wire.len().saturating_sub(PREFIX_BYTES).min(HEADER_BYTES) };
    let (prefix, _) = wire.split_first_chunk::<PREFIX_BYTES>().ok_or_else(truncated)?;
    check_prefix(u32::from_be_bytes(*prefix), body_bytes_max)?;
    let raw = RawFrame::split(wire).ok_or_else(truncated)?;
    raw.header.check_identity()?;
    raw.header.check_reserved()?;
    check_lengths(&raw, body_bytes_max)?;
    Ok(raw)
}

/// The body's limit, then that the lengths announced and those that are there go together.
fn check_lengths(raw: &RawFrame<'_>, body_bytes_max: u64) -> Result<(), Error> {
    let body_bytes = u64::from(raw.header.body_len);
    if body_bytes > body_bytes_max {
        return Err(Error::BodyTooLarge { announced_by: SizeField::BodyLen, body_bytes, body_bytes_max });
    }
    let frame_len = raw.frame_len;
    let header_and_body = u64::from(raw.header.header_len) + body_bytes;
    if u64::from(frame_len) != header_and_body {
        return Err(Error::LengthMismatch(Lengths::Announced { frame_len, header_and_body }));
    }
    let bytes = (HEADER_BYTES + raw.body.len()) as u64;
    if bytes != u64::from(frame_len) {
        return Err(Error::LengthMismatch(Lengths::Available { frame_len, bytes }));
    }
    Ok(())
}
