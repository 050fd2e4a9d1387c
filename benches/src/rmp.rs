//! RMP v0 as a client writes it: frames, and the control frames of a session. By hand, so that measuring
//! costs as little as it does with the peers, and so that what is hostile owes nothing to the console's
//! codec.

use std::{
    io::{self, Read, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// The bytes before a body: the length prefix and the header (rmp-v0 §1).
pub const HEAD_BYTES: usize = 68;
/// Where a header says when it was made (`created_at_ms`), from the frame's first byte.
pub const CREATED_AT: usize = 24;
/// Where a header has its `msg_id`, from the frame's first byte.
pub const MSG_ID: usize = 56;
/// The schema of a control frame.
pub const CONTROL: u16 = 9;
/// The schema of an observation.
pub const OBSERVATION: u16 = 1;
const TTL_MS: u64 = 30_000;
const TRACE_ID: u128 = 0x1122_3344_5566_7788_99aa_bbcc_ddee_ff00;

/// A MsgPack value, as far as it is needed here.
pub enum Value<'a> {
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
                    len @ 32..256 => out.extend_from_slice(&[0xd9, len as u8]),
                    len => {
                        out.push(0xda);
                        out.extend_from_slice(&(len as u16).to_be_bytes());
                    }
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

/// A frame of this schema, whose body is the map of `type` and payload. It is worth delivering for 30 s.
#[must_use]
pub fn frame(schema_id: u16, kind: &str, payload: Value<'_>, msg_id: u64) -> Vec<u8> {
    frame_of(schema_id, kind, payload, msg_id, TRACE_ID)
}

/// Such a frame of a trace.
#[must_use]
pub fn frame_of(schema_id: u16, kind: &str, payload: Value<'_>, msg_id: u64, trace_id: u128) -> Vec<u8> {
    let mut body = Vec::new();
    Value::Map(&[("type", Value::Text(kind)), ("payload", payload)]).put(&mut body);
    frame_of_body(schema_id, &body, msg_id, trace_id)
}

/// Such a frame with any body.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "bodies are far below 4 GiB")]
pub fn frame_of_body(schema_id: u16, body: &[u8], msg_id: u64, trace_id: u128) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEAD_BYTES + body.len());
    out.extend_from_slice(&(64 + body.len() as u32).to_be_bytes());
    out.extend_from_slice(b"RMP0\x00\x00\x00\x40\x00\x00\x00\x00");
    out.extend_from_slice(&schema_id.to_be_bytes());
    out.extend_from_slice(&[0; 2]);
    out.extend_from_slice(&(body.len() as u32).to_be_bytes());
    out.extend_from_slice(&wall_ms().to_be_bytes());
    out.extend_from_slice(&TTL_MS.to_be_bytes());
    out.extend_from_slice(&trace_id.to_be_bytes());
    out.extend_from_slice(&msg_id.to_be_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(body);
    out
}

/// A control frame: a variant and what it holds.
#[must_use]
pub fn control(variant: &str, fields: &[(&str, Value<'_>)], msg_id: u64) -> Vec<u8> {
    frame(CONTROL, "intent.control.v1", Value::Map(&[(variant, Value::Map(fields))]), msg_id)
}

/// Reads one frame, its length prefix included.
///
/// # Errors
/// The stream ends or fails before.
pub fn read(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut prefix = [0; 4];
    from.read_exact(&mut prefix)?;
    let mut wire = prefix.to_vec();
    wire.resize(4 + u32::from_be_bytes(prefix) as usize, 0);
    from.read_exact(&mut wire[4..])?;
    Ok(wire)
}

/// The first whole frame, its length prefix included.
#[must_use]
pub fn first(bytes: &[u8]) -> Option<&[u8]> {
    let (prefix, _) = bytes.split_first_chunk::<4>()?;
    bytes.get(..4 + usize::try_from(u32::from_be_bytes(*prefix)).ok()?)
}

/// Whether a control frame is of a variant: its name as a MsgPack text is in the body.
#[must_use]
pub fn is(control: &[u8], variant: &str) -> bool {
    let mut name = Vec::new();
    Value::Text(variant).put(&mut name);
    control.get(HEAD_BYTES..).is_some_and(|body| body.windows(name.len()).any(|part| part == name))
}

/// The wall clock, in ms.
#[must_use]
pub fn wall_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A session of an agent, whose reads and writes take so long at most.
///
/// # Errors
/// It is not taken.
pub fn greeted(path: &Path, client: &str, answer_max: Duration) -> io::Result<UnixStream> {
    let mut stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(answer_max))?;
    stream.set_write_timeout(Some(answer_max))?;
    let hello = [("v", Value::Number(1)), ("client", Value::Text(client)), ("kind", Value::Text("agent"))];
    stream.write_all(&control("Hello", &hello, 1))?;
    let answer = read(&mut stream)?;
    if is(&answer, "Welcome") {
        return Ok(stream);
    }
    Err(io::Error::other(format!("the bus answered {:?}", String::from_utf8_lossy(&answer))))
}
