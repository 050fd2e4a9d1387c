//! What every message must be, whatever it is (macp-v1, Validation Rules 1 and 2; ruling MACP 8).

use bytes::Bytes;
use prost::{
    Message as _,
    bytes::Buf as _,
    encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field},
};

use super::{
    Fault,
    modes::Rejection,
    proto::v1::{Envelope, SendRequest},
    registry::VERSION,
};
use crate::limits;

/// The type that begins a session.
pub const SESSION_START: &str = "SessionStart";

/// The type that belongs to no session.
pub const SIGNAL: &str = "Signal";

/// Room for what an envelope has besides its payload.
pub const OVERHEAD_BYTES: u64 = 65_536;

/// Bytes of a request: of a payload of the largest size, in its envelope.
#[must_use]
pub const fn request_bytes_max(limits: &limits::Macp) -> u64 {
    limits.payload_bytes_max.saturating_add(OVERHEAD_BYTES)
}

/// Looks at what the envelope must be.
///
/// # Errors
/// [`Rejection`], by the first rule that is broken.
pub fn check(envelope: &Envelope, limits: &limits::Macp) -> Result<(), Rejection> {
    if envelope.macp_version != VERSION {
        return Err(Rejection::new(Fault::InvalidMacpVersion, "macp_version is not \"1.0\""));
    }
    if envelope.message_id.is_empty() {
        return Err(Rejection::new(Fault::InvalidEnvelope, "message_id is empty"));
    }
    if envelope.message_type != SIGNAL && envelope.session_id.is_empty() {
        return Err(Rejection::new(Fault::InvalidEnvelope, "session_id is empty"));
    }
    if envelope.payload.len() as u64 > limits.payload_bytes_max {
        let (bytes, max) = (envelope.payload.len(), limits.payload_bytes_max);
        let why = format!("the payload has {bytes} bytes; limits.macp.payload_bytes_max allows {max}");
        return Err(Rejection::new(Fault::PayloadTooLarge, why));
    }
    Ok(())
}

/// Whether what a session keeps of a message is no longer than allowed: its id, who sends it, and of a start
/// the session's id. No rule of the text says so: it is looked at behind the last of them, and before the
/// mode. What is not kept may be of any length.
///
/// # Errors
/// [`Rejection`], which names the first that is too long.
pub fn check_stored(envelope: &Envelope, limits: &limits::Macp) -> Result<(), Rejection> {
    let session_id = if envelope.message_type == SESSION_START { envelope.session_id.as_str() } else { "" };
    let kept = [
        ("message_id", envelope.message_id.as_str()),
        ("sender", &envelope.sender),
        ("session_id", session_id),
    ];
    kept.into_iter().try_for_each(|(name, text)| check_length(name, text, limits))
}

/// Whether a text that is kept fits `limits.macp.id_bytes_max`.
///
/// # Errors
/// [`Rejection`], which names it.
pub fn check_length(
    name: impl std::fmt::Display,
    text: &str,
    limits: &limits::Macp,
) -> Result<(), Rejection> {
    let (bytes, max) = (text.len(), limits.id_bytes_max);
    if bytes as u64 <= max {
        return Ok(());
    }
    Err(Rejection::new(
        Fault::InvalidEnvelope,
        format!("{name} has {bytes} bytes; limits.macp.id_bytes_max allows {max}"),
    ))
}

/// The bytes of the envelope in those of a request that holds one, as they came; encoded anew where it came
/// in parts.
#[must_use]
pub fn bytes_within(request: &Bytes, envelope: &Envelope) -> Bytes {
    exact(request).unwrap_or_else(|| envelope.encode_to_vec().into())
}

fn exact(request: &Bytes) -> Option<Bytes> {
    let mut rest = request.clone();
    let mut found = None;
    while rest.has_remaining() {
        let (tag, wire_type) = decode_key(&mut rest).ok()?;
        if tag == 1 && wire_type == WireType::LengthDelimited {
            let len = usize::try_from(decode_varint(&mut rest).ok()?).ok()?;
            if len > rest.len() || found.is_some() {
                return None;
            }
            found = Some(rest.split_to(len));
        } else {
            skip_field(wire_type, tag, &mut rest, DecodeContext::default()).ok()?;
        }
    }
    found
}

/// A request with this envelope.
#[must_use]
pub fn request(envelope: Envelope) -> SendRequest {
    SendRequest { envelope: Some(envelope) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_an_envelope_are_those_that_came_and_made_anew_where_it_came_in_parts() {
        // Field 1, twice: version "1.0", then message_id "m" and an unknown field 99.
        let (first, second) = (&b"\x0a\x05\x0a\x031.0"[..], &b"\x0a\x06\x22\x01m\x98\x06\x07"[..]);
        let whole = |parts: &[&[u8]]| {
            let bytes = Bytes::from(parts.concat());
            let envelope = SendRequest::decode(bytes.clone()).unwrap().envelope.unwrap();
            bytes_within(&bytes, &envelope)
        };
        assert_eq!(whole(&[second]), &second[2..], "with what we do not know");
        // A field of the request that we do not know, on either side.
        assert_eq!(whole(&[b"\x98\x06\x07", first, b"\x98\x06\x08"]), &first[2..]);
        assert_eq!(whole(&[first, second]), &b"\x0a\x031.0\x22\x01m"[..]);
    }
}
