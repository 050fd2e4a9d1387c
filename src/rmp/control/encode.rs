//! Control frames as bytes (ruling RMP 1; rmp-v0 §1, §2). Nothing of it can fail.

use super::message::{FromBroker, FromClient, Token};
use crate::{
    ids::TraceId,
    rmp::{HEADER_BYTES, Header, PREFIX_BYTES, SchemaId},
};

/// `ttl_ms` of the control frames made here; any but 0 would do, since none is judged expired.
pub const TTL_MS: u64 = 30_000;

/// The header of a control frame made now.
#[must_use]
pub fn header(now_ms: u64, trace_id: TraceId, msg_id: u64) -> Header {
    Header { schema_id: SchemaId::CONTROL, created_at_ms: now_ms, ttl_ms: TTL_MS, trace_id, msg_id }
}

/// What a control frame can say.
pub trait Message {
    /// Appends the envelope: type and payload, no meta.
    fn append_body(&self, out: &mut Vec<u8>);

    /// The envelope, to be sent more than once by [`append_body`].
    fn body(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.append_body(&mut out);
        out
    }
}

/// Appends a whole frame.
pub fn append(out: &mut Vec<u8>, header: &Header, message: &impl Message) {
    let start = out.len();
    out.extend_from_slice(&[0; PREFIX_BYTES + HEADER_BYTES]);
    message.append_body(out);
    let body_len = out.len() - start - PREFIX_BYTES - HEADER_BYTES;
    let mut head = Vec::with_capacity(PREFIX_BYTES + HEADER_BYTES);
    append_head(&mut head, header, body_len);
    if let Some(place) = out.get_mut(start..start + head.len()) {
        place.copy_from_slice(&head);
    }
}

/// Appends a whole frame around an envelope that was made before.
pub fn append_body(out: &mut Vec<u8>, header: &Header, body: &[u8]) {
    out.reserve(PREFIX_BYTES + HEADER_BYTES + body.len());
    append_head(out, header, body.len());
    out.extend_from_slice(body);
}

fn append_head(out: &mut Vec<u8>, header: &Header, body_len: usize) {
    let whole = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    out.extend_from_slice(&whole(HEADER_BYTES + body_len).to_be_bytes());
    header.raw(whole(body_len)).encode(out);
}

impl Message for FromClient<'_> {
    fn append_body(&self, out: &mut Vec<u8>) {
        match *self {
            Self::Hello { v, client, kind, token } => {
                let fields = begin(out, self.name(), if token.is_some() { 4 } else { 3 });
                let fields = fields.number("v", v).text("client", client).text("kind", kind);
                if let Some(Token(token)) = token {
                    fields.text("token", token);
                }
            }
            Self::Subscribe { sub, topic } => {
                begin(out, self.name(), 2).number("sub", sub).text("topic", topic);
            }
            Self::Unsubscribe { sub } => {
                begin(out, self.name(), 1).number("sub", sub);
            }
            Self::Publish { topic, ack } => {
                begin(out, self.name(), 2).text("topic", topic).flag("ack", ack);
            }
            Self::Ping {} => {
                begin(out, self.name(), 0);
            }
        }
    }
}

impl Message for FromBroker<'_> {
    fn append_body(&self, out: &mut Vec<u8>) {
        match *self {
            Self::Welcome { session, kind, body_bytes_max, server } => {
                let fields = begin(out, self.name(), 4).number("session", session).text("kind", kind);
                fields.number("body_bytes_max", body_bytes_max).text("server", server);
            }
            Self::Ok { re } => {
                begin(out, self.name(), 1).number("re", re);
            }
            Self::Error { re, code, message } => {
                begin(out, self.name(), 3).number("re", re).text("code", code).text("message", message);
            }
            Self::Deliver { sub, topic } => {
                begin(out, self.name(), 2).number("sub", sub).text("topic", topic);
            }
            Self::Pong {} => {
                begin(out, self.name(), 0);
            }
        }
    }
}

/// Begins an envelope whose payload is the message of this name with so many fields, fewer than 16.
fn begin<'o>(out: &'o mut Vec<u8>, name: &str, fields: u8) -> Writer<'o> {
    out.push(0x82);
    Writer(out).text("type", "intent.control.v1");
    string(out, "payload");
    out.push(0x81);
    string(out, name);
    out.push(0x80 | fields);
    Writer(out)
}

/// Writes fields in the shortest form of MsgPack.
struct Writer<'o>(&'o mut Vec<u8>);

impl Writer<'_> {
    fn number(self, name: &str, number: u64) -> Self {
        string(self.0, name);
        let bytes = number.to_be_bytes();
        match (u8::try_from(number), u16::try_from(number), u32::try_from(number)) {
            (Ok(small), ..) if small < 0x80 => self.0.push(small),
            (Ok(byte), ..) => self.0.extend_from_slice(&[0xcc, byte]),
            (_, Ok(_), _) => tagged(self.0, 0xcd, &bytes[6..]),
            (.., Ok(_)) => tagged(self.0, 0xce, &bytes[4..]),
            _ => tagged(self.0, 0xcf, &bytes),
        }
        self
    }

    fn text(self, name: &str, text: &str) -> Self {
        string(self.0, name);
        string(self.0, text);
        self
    }

    fn flag(self, name: &str, flag: bool) -> Self {
        string(self.0, name);
        self.0.push(if flag { 0xc3 } else { 0xc2 });
        self
    }
}

fn tagged(out: &mut Vec<u8>, marker: u8, bytes: &[u8]) {
    out.push(marker);
    out.extend_from_slice(bytes);
}

fn string(out: &mut Vec<u8>, text: &str) {
    match (u8::try_from(text.len()), u16::try_from(text.len())) {
        (Ok(len), _) if len < 32 => out.push(0xa0 | len),
        (Ok(len), _) => out.extend_from_slice(&[0xd9, len]),
        (_, Ok(len)) => tagged(out, 0xda, &len.to_be_bytes()),
        _ => tagged(out, 0xdb, &u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes()),
    }
    out.extend_from_slice(text.as_bytes());
}
