//! RMP v0 as a client writes it: frames, and the control frames of a session. By hand, so that measuring
//! costs as little as it does with the peers.

use color_eyre::eyre::{Result, bail};

use crate::system::{Cut, Tally, Template};

/// The bytes before a body: the length prefix and the header (rmp-v0 §1).
pub(crate) const HEAD_BYTES: usize = 68;
const CREATED_AT: usize = 24;
const MSG_ID: usize = 56;
const CONTROL: u16 = 9;
const OBSERVATION: u16 = 1;
const TTL_MS: u64 = 30_000;
const TRACE_ID: u128 = 0x1122_3344_5566_7788_99aa_bbcc_ddee_ff00;

/// A MsgPack value, as far as it is needed here.
pub(crate) enum Value<'a> {
    /// A text.
    Text(&'a str),
    /// A number.
    Number(u64),
    /// A truth.
    Bool(bool),
    /// Bytes.
    Bytes(&'a [u8]),
    /// A map of at most 15 entries.
    Map(&'a [(&'a str, Value<'a>)]),
}

impl Value<'_> {
    #[expect(clippy::cast_possible_truncation, reason = "lengths are asked first")]
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Text(text) => {
                match text.len() {
                    len @ 0..32 => out.push(0xa0 | len as u8),
                    len => out.extend_from_slice(&[0xd9, len as u8]),
                }
                out.extend_from_slice(text.as_bytes());
            }
            Self::Number(number) if *number < 128 => out.push(*number as u8),
            Self::Number(number) => {
                out.push(0xcf);
                out.extend_from_slice(&number.to_be_bytes());
            }
            Self::Bool(truth) => out.push(0xc2 | u8::from(*truth)),
            Self::Bytes(bytes) => {
                out.push(0xc6);
                out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
                out.extend_from_slice(bytes);
            }
            Self::Map(entries) => {
                out.push(0x80 | entries.len() as u8);
                for (key, value) in *entries {
                    Self::Text(key).put(out);
                    value.put(out);
                }
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "bodies are far below 4 GiB")]
fn frame(schema_id: u16, kind: &str, payload: Value<'_>, msg_id: u64) -> Vec<u8> {
    let mut body = Vec::new();
    Value::Map(&[("type", Value::Text(kind)), ("payload", payload)]).put(&mut body);
    let mut out = Vec::with_capacity(HEAD_BYTES + body.len());
    out.extend_from_slice(&(64 + body.len() as u32).to_be_bytes());
    out.extend_from_slice(b"RMP0\x00\x00\x00\x40\x00\x00\x00\x00");
    out.extend_from_slice(&schema_id.to_be_bytes());
    out.extend_from_slice(&[0; 2]);
    out.extend_from_slice(&(body.len() as u32).to_be_bytes());
    out.extend_from_slice(&crate::system::wall_ms().to_be_bytes());
    out.extend_from_slice(&TTL_MS.to_be_bytes());
    out.extend_from_slice(&TRACE_ID.to_be_bytes());
    out.extend_from_slice(&msg_id.to_be_bytes());
    out.extend_from_slice(&[0; 4]);
    out.append(&mut body);
    out
}

/// A control frame: a variant and what it holds.
pub(crate) fn control(variant: &str, fields: &[(&str, Value<'_>)], msg_id: u64) -> Vec<u8> {
    frame(CONTROL, "intent.control.v1", Value::Map(&[(variant, Value::Map(fields))]), msg_id)
}

/// `Publish` without an answer, and the message behind it: an observation whose payload is the body.
pub(crate) fn publish(topic: &str, body_bytes: usize) -> Template {
    let mut unit = control("Publish", &[("topic", Value::Text(topic)), ("ack", Value::Bool(false))], 0);
    let message = unit.len();
    unit.extend(frame(OBSERVATION, "observation.generic.v1", Value::Bytes(&vec![b'x'; body_bytes]), 0));
    Template {
        body_at: unit.len() - body_bytes,
        ids_at: vec![MSG_ID, message + MSG_ID],
        created_at: vec![CREATED_AT, message + CREATED_AT],
        unit,
    }
}

/// The first whole frame, its length prefix included.
pub(crate) fn first(bytes: &[u8]) -> Option<&[u8]> {
    let (prefix, _) = bytes.split_first_chunk::<4>()?;
    bytes.get(..4 + usize::try_from(u32::from_be_bytes(*prefix)).ok()?)
}

/// Whether a control frame is of a variant: its name as a MsgPack text is in the body.
pub(crate) fn is(control: &[u8], variant: &str) -> bool {
    let mut name = Vec::new();
    Value::Text(variant).put(&mut name);
    control.get(HEAD_BYTES..).is_some_and(|body| body.windows(name.len()).any(|part| part == name))
}

/// `Deliver`, then the message, whose payload is the last thing in it.
pub(crate) struct Delivered {
    body_bytes: usize,
    /// The body of a `Deliver` that was looked at.
    known: Vec<u8>,
}

impl Delivered {
    /// Bodies of so many bytes.
    pub(crate) fn of(body_bytes: usize) -> Self {
        Self { body_bytes, known: Vec::new() }
    }
}

impl Cut for Delivered {
    fn cut(&mut self, bytes: &[u8], tally: &mut Tally) -> Result<usize> {
        let mut done = 0;
        while let Some(deliver) = first(&bytes[done..]) {
            let body = &deliver[HEAD_BYTES.min(deliver.len())..];
            if body != self.known {
                if is(deliver, "Error") {
                    bail!("the station said {:?}", String::from_utf8_lossy(body));
                }
                if !is(deliver, "Deliver") {
                    done += deliver.len();
                    continue;
                }
                body.clone_into(&mut self.known);
            }
            let Some(message) = first(&bytes[done + deliver.len()..]) else { break };
            // A body of another length is not ours: it is counted as missing.
            if let Some(body) = message.len().checked_sub(self.body_bytes).and_then(|at| message.get(at..)) {
                tally.take(body);
            }
            done += deliver.len() + message.len();
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_as_the_specification_has_it() {
        let bytes = control("Ping", &[], 42);
        assert_eq!(bytes[..20], *b"\x00\x00\x00\x67RMP0\x00\x00\x00\x40\x00\x00\x00\x00\x00\x09\x00\x00");
        assert_eq!(bytes[20..24], [0, 0, 0, 39]);
        assert_eq!(bytes[MSG_ID..HEAD_BYTES], [0, 0, 0, 0, 0, 0, 0, 42, 0, 0, 0, 0]);
        assert_eq!(bytes[HEAD_BYTES..], *b"\x82\xa4type\xb1intent.control.v1\xa7payload\x81\xa4Ping\x80");
    }

    #[test]
    fn whole_deliveries_are_cut_and_a_part_is_left() {
        let mut bytes = control("Pong", &[], 1);
        for number in [3, 4] {
            bytes.extend(control(
                "Deliver",
                &[("sub", Value::Number(1)), ("topic", Value::Text("bench"))],
                0,
            ));
            let mut body = [0; 16];
            body[0] = number;
            bytes.extend(frame(OBSERVATION, "observation.generic.v1", Value::Bytes(&body), number.into()));
        }
        let (mut delivered, mut tally) = (Delivered::of(16), Tally::from(3));
        let done = delivered.cut(&bytes[..bytes.len() - 1], &mut tally).unwrap();
        assert_eq!((tally.next, tally.amiss), (4, 0));
        assert_eq!(delivered.cut(&bytes[done..], &mut tally).unwrap(), bytes.len() - done);
        assert_eq!((tally.next, tally.amiss), (5, 0));
        assert!(delivered.cut(&control("Error", &[("re", Value::Number(1))], 1), &mut tally).is_err());
    }
}
