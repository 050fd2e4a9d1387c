//! What the broker says, as units.

use super::{JsonRefusal, Message, framer::unit_bytes_max};
use crate::rmp::{PREFIX_BYTES, RawFrame, RawHeader};

/// A message that is longer than a unit may be; it is dropped for its subscriber (ruling RMP 16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("as JSON the message has {bytes} bytes; the limit is {bytes_max}")]
pub struct UnitTooLarge {
    /// Bytes of the unit, its length included.
    pub bytes: u64,
    /// The limit in force.
    pub bytes_max: u64,
}

/// Appends `"HelloAck"`.
pub fn append_hello_ack(out: &mut Vec<u8>) {
    append_unit(out, r#""HelloAck""#);
}

/// Appends the answer to a Publish.
pub fn append_publish_ack(out: &mut Vec<u8>, id: u64, result: Result<(), &JsonRefusal>) {
    append_unit(out, &format!(r#"{{"PublishAck":{{"id":{id},"result":{}}}}}"#, outcome(result)));
}

/// Appends the answer to a Subscribe.
pub fn append_subscribe_ack(out: &mut Vec<u8>, id: u64, result: Result<(), &JsonRefusal>) {
    append_unit(out, &format!(r#"{{"SubscribeAck":{{"id":{id},"result":{}}}}}"#, outcome(result)));
}

fn outcome(result: Result<(), &JsonRefusal>) -> String {
    match result {
        Ok(()) => r#"{"Ok":null}"#.to_owned(),
        Err(refused) => format!(r#"{{"Err":{refused}}}"#),
    }
}

fn append_unit(out: &mut Vec<u8>, json: &str) {
    out.extend_from_slice(&u32::try_from(json.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend_from_slice(json.as_bytes());
}

/// The part of a Message that is the same for all subscribers: it follows what [`append_message_head`]
/// writes. Its size is known before any of it is made.
///
/// # Errors
/// [`UnitTooLarge`] where it fits no unit.
pub fn message_tail(frame: &RawFrame<'_>, body_bytes_max: u64) -> Result<Vec<u8>, UnitTooLarge> {
    let RawHeader {
        header_version,
        header_len,
        flags,
        schema_id,
        body_len,
        created_at_ms,
        ttl_ms,
        trace_id,
        msg_id,
        ..
    } = frame.header;
    let begin = format!(
        r#"{{"header":{{"header_version":{header_version},"header_len":{header_len},"flags":{flags},"schema_id":{schema_id},"#
    ) + &format!(
        r#""body_len":{body_len},"created_at_ms":{created_at_ms},"ttl_ms":{ttl_ms},"trace_id":{trace_id},"msg_id":{msg_id}}},"body":["#
    );
    let digits: usize = frame.body.iter().map(|byte| digits(*byte)).sum();
    let len = begin.len() + digits + frame.body.len().saturating_sub(1) + END.len();
    check(PREFIX_BYTES + head(0).len() + len, body_bytes_max)?;
    let mut out = Vec::with_capacity(len);
    out.extend_from_slice(begin.as_bytes());
    for (place, byte) in frame.body.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        append_byte(&mut out, *byte);
    }
    out.extend_from_slice(END);
    Ok(out)
}

/// The frame of which [`message_tail`] made this; none where it made no such thing.
#[must_use]
pub fn frame_of_tail(tail: &[u8]) -> Option<Vec<u8>> {
    let message: Message = serde_json::from_slice(tail.strip_suffix(AROUND)?).ok()?;
    Some(message.frame())
}

/// Bytes of the tail of a frame of so many bytes, at most: three digits and a comma a byte, and the header's
/// names and numbers.
#[must_use]
pub const fn tail_bytes_max(frame_bytes: u64) -> u64 {
    frame_bytes.saturating_mul(4).saturating_add(HEADER_JSON_BYTES_MAX)
}

/// Bytes of what [`append_message_head`] writes.
///
/// # Errors
/// [`UnitTooLarge`] where the Message fits no unit.
pub fn message_head_bytes(
    sub_id: u64,
    tail_bytes: usize,
    body_bytes_max: u64,
) -> Result<usize, UnitTooLarge> {
    let digits = sub_id.checked_ilog10().map_or(1, |tens| tens as usize + 1);
    let bytes = PREFIX_BYTES + HEAD.len() + digits + MESSAGE.len();
    check(bytes + tail_bytes, body_bytes_max)?;
    Ok(bytes)
}

/// Appends the length of a Message and what comes before its tail, where it [fits](message_head_bytes).
pub fn append_message_head(out: &mut Vec<u8>, sub_id: u64, tail_bytes: usize) {
    let head = head(sub_id);
    out.extend_from_slice(&u32::try_from(head.len() + tail_bytes).unwrap_or(u32::MAX).to_be_bytes());
    out.extend_from_slice(head.as_bytes());
}

/// What a Message begins with, and what comes behind its subscription.
const HEAD: &str = r#"{"Message":{"sub_id":"#;
const MESSAGE: &str = r#","message":"#;
/// What ends a Message.
const END: &[u8] = b"]}}}";
/// What of it belongs to the unit around the message.
const AROUND: &[u8] = b"}}";
/// More bytes than a tail without its body takes.
const HEADER_JSON_BYTES_MAX: u64 = 512;

fn head(sub_id: u64) -> String {
    format!("{HEAD}{sub_id}{MESSAGE}")
}

fn check(bytes: usize, body_bytes_max: u64) -> Result<(), UnitTooLarge> {
    let (bytes, bytes_max) = (bytes as u64, unit_bytes_max(body_bytes_max));
    if bytes > bytes_max { Err(UnitTooLarge { bytes, bytes_max }) } else { Ok(()) }
}

const fn digits(byte: u8) -> usize {
    match byte {
        0..=9 => 1,
        10..=99 => 2,
        _ => 3,
    }
}

fn append_byte(out: &mut Vec<u8>, byte: u8) {
    let digit = |digit: u8| b'0' + digit % 10;
    match digits(byte) {
        1 => out.push(digit(byte)),
        2 => out.extend_from_slice(&[digit(byte / 10), digit(byte)]),
        _ => out.extend_from_slice(&[digit(byte / 100), digit(byte / 10), digit(byte)]),
    }
}
