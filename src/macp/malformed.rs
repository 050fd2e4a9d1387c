//! Where bytes are no request: the decoder says what is wrong, and not where.

use bytes::Bytes;
use prost::{
    bytes::Buf as _,
    encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field},
};

use super::Rpc;

/// What a field holds.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Bytes,
    Number,
    Envelope,
}

/// The fields of an envelope.
const ENVELOPE: &[(u32, Kind)] = &[
    (1, Kind::Text),
    (2, Kind::Text),
    (3, Kind::Text),
    (4, Kind::Text),
    (5, Kind::Text),
    (6, Kind::Text),
    (7, Kind::Number),
    (8, Kind::Bytes),
];

/// The fields of the requests, as far as a fault within them is looked for.
const fn fields(rpc: Rpc) -> &'static [(u32, Kind)] {
    match rpc {
        Rpc::Send | Rpc::StreamSession => &[(1, Kind::Envelope)],
        Rpc::GetSession | Rpc::GetManifest => &[(1, Kind::Text)],
        Rpc::CancelSession => &[(1, Kind::Text), (2, Kind::Text)],
        Rpc::Initialize => &[(1, Kind::Text), (2, Kind::Bytes), (3, Kind::Bytes)],
        Rpc::ListModes | Rpc::ListRoots | Rpc::WatchModeRegistry | Rpc::WatchRoots => &[],
    }
}

/// What is expected at the first byte that is not as it must be; nothing where that is not found.
pub(super) fn find(rpc: Rpc, bytes: &Bytes) -> Option<(&'static str, usize)> {
    walk(fields(rpc), bytes, 0)
}

/// Looks through a message that begins at a byte of the request.
fn walk(fields: &[(u32, Kind)], bytes: &Bytes, start: usize) -> Option<(&'static str, usize)> {
    let mut rest = bytes.clone();
    while rest.has_remaining() {
        let at = start + bytes.len() - rest.len();
        let Ok((tag, wire_type)) = decode_key(&mut rest) else { return Some(("the key of a field", at)) };
        let Some((_, kind)) = fields.iter().find(|(known, _)| *known == tag) else {
            if skip_field(wire_type, tag, &mut rest, DecodeContext::default()).is_err() {
                return Some(("a whole field", at));
            }
            continue;
        };
        let is_number = matches!(kind, Kind::Number);
        let expected = if is_number { WireType::Varint } else { WireType::LengthDelimited };
        if wire_type != expected {
            return Some((if is_number { "a field that is a varint" } else { "a field with a length" }, at));
        }
        let Ok(value) = decode_varint(&mut rest) else { return Some(("a varint", at)) };
        if is_number {
            continue;
        }
        let length = usize::try_from(value).ok().filter(|length| *length <= rest.len());
        let Some(length) = length else { return Some(("a field that ends within the message", at)) };
        let content = rest.split_to(length);
        let from = start + bytes.len() - rest.len() - length;
        let fault = match kind {
            Kind::Text => {
                std::str::from_utf8(&content).err().map(|error| ("UTF-8", from + error.valid_up_to()))
            }
            Kind::Envelope => walk(ENVELOPE, &content, from),
            Kind::Bytes | Kind::Number => None,
        };
        if fault.is_some() {
            return fault;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(rpc: Rpc, bytes: &'static [u8]) -> Option<(&'static str, usize)> {
        find(rpc, &Bytes::from_static(bytes))
    }

    #[test]
    fn the_first_byte_that_is_not_as_it_must_be_is_found_also_within_the_envelope() {
        // Field 1 of SendRequest: an envelope of macp_version "1.0" and message_id "m".
        assert_eq!(at(Rpc::Send, b"\x0a\x08\x0a\x031.0\x22\x01m"), None);
        assert_eq!(
            at(Rpc::Send, b"\x0a\x08\x0a\x031.0\x22\x02m"),
            Some(("a field that ends within the message", 7))
        );
        assert_eq!(at(Rpc::StreamSession, b"\x0a\x08\x0a\x031.\xff\x22\x01m"), Some(("UTF-8", 6)));
        assert_eq!(at(Rpc::Send, b"\x08\x01"), Some(("a field with a length", 0)));
        assert_eq!(at(Rpc::Send, b"\x0a\x02\x38"), Some(("a field that ends within the message", 0)));
        assert_eq!(at(Rpc::Send, b"\x0a\x02\x3a\x00"), Some(("a field that is a varint", 2)));
        assert_eq!(at(Rpc::ListModes, b"\x0f"), Some(("the key of a field", 0)));
        assert_eq!(at(Rpc::CancelSession, b"\x0a\x01s\x12\x01\xff"), Some(("UTF-8", 5)));
    }
}
