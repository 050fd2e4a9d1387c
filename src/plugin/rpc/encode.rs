//! The frames that the host sends, headers and body in one buffer. Nothing longer than a frame may be leaves.

use std::io;

use bytes::Bytes;
use serde::Serialize;

use super::RequestId;
use crate::{limits::PLUGIN_FRAME_BYTES_MAX, tap::entry::plugin::Code, words::cut_marked};

/// The cap on the message of an error that the host answers with, in bytes; the rest is cut.
pub const ERROR_MESSAGE_BYTES_MAX: u64 = 1_024;

/// What begins a frame.
const LENGTH: &[u8] = b"Content-Length: ";
/// What ends its headers.
const BLANK: &[u8] = b"\r\n\r\n";
/// Room for the headers of the longest frame.
const HEADER_BYTES_MAX: usize = LENGTH.len() + 7 + BLANK.len();
/// Room for a body that is made; most are shorter.
const BODY_BYTES: usize = 480;
/// A buffer that is so much longer than its frame gives the rest back.
const SPARE_BYTES_MAX: usize = 65_536;

/// A frame that is not made: its body would be longer than [`PLUGIN_FRAME_BYTES_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes, the most that a frame may have is {PLUGIN_FRAME_BYTES_MAX}")]
pub struct TooLong {
    /// How long.
    pub bytes: u64,
}

/// A request of the host.
///
/// # Errors
///
/// [`TooLong`].
pub fn request<P: Serialize + ?Sized>(id: u64, method: &str, params: &P) -> Result<Bytes, TooLong> {
    let mut body = Body::new();
    body.text("{\"jsonrpc\":\"2.0\",\"id\":");
    body.json(&id);
    body.text(",\"method\":");
    body.json(method);
    body.text(",\"params\":");
    body.json(params);
    body.text("}");
    body.into_frame()
}

/// A notification of the host.
///
/// # Errors
///
/// [`TooLong`].
pub fn notification<P: Serialize + ?Sized>(method: &str, params: &P) -> Result<Bytes, TooLong> {
    let mut body = Body::new();
    body.text("{\"jsonrpc\":\"2.0\",\"method\":");
    body.json(method);
    body.text(",\"params\":");
    body.json(params);
    body.text("}");
    body.into_frame()
}

/// The answer to a request that was done.
///
/// # Errors
///
/// [`TooLong`]; [`Code::InternalError`] is then the answer.
pub fn result<R: Serialize + ?Sized>(id: &RequestId, result: &R) -> Result<Bytes, TooLong> {
    let mut body = Body::new();
    body.text("{\"jsonrpc\":\"2.0\",\"id\":");
    body.text(id.text());
    body.text(",\"result\":");
    body.json(result);
    body.text("}");
    body.into_frame()
}

/// The answer to what was refused, with the id null where there is none. The message is cut; the codes that
/// the host defines carry their name and after how many milliseconds to try again.
#[must_use]
pub fn error(id: Option<&RequestId>, code: Code, message: &str, retry_after_ms: Option<u64>) -> Bytes {
    let mut body = Body::new();
    body.text("{\"jsonrpc\":\"2.0\",\"id\":");
    body.text(id.map_or("null", |id| id.text()));
    body.text(",\"error\":{\"code\":");
    body.json(&code.number());
    body.text(",\"message\":");
    body.json(cut_marked(message, ERROR_MESSAGE_BYTES_MAX).as_ref());
    if code.is_host_defined() {
        body.text(",\"data\":{\"name\":");
        body.json(code.name());
        body.text(",\"retry_after_ms\":");
        body.json(&retry_after_ms);
        body.text("}");
    }
    body.text("}}");
    // An id and a message are far shorter than a frame.
    body.into_frame().unwrap_or_default()
}

/// A body that is being written, behind room for its headers.
struct Body {
    wire: Vec<u8>,
    /// Bytes of the body, also of what was not kept.
    bytes: u64,
}

impl Body {
    fn new() -> Self {
        let mut wire = Vec::with_capacity(HEADER_BYTES_MAX + BODY_BYTES);
        wire.resize(HEADER_BYTES_MAX, 0);
        Self { wire, bytes: 0 }
    }

    fn text(&mut self, text: &str) {
        self.put(text.as_bytes());
    }

    /// Writes a value. What cannot be written as JSON, which no type of the host is, makes no frame.
    fn json<T: Serialize + ?Sized>(&mut self, value: &T) {
        if serde_json::to_writer(&mut *self, value).is_err() {
            self.bytes = u64::MAX;
        }
    }

    /// Keeps no more than a frame may have: who writes more costs no memory.
    fn put(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        if self.bytes > PLUGIN_FRAME_BYTES_MAX as u64 {
            return;
        }
        let room = self.wire.capacity() - self.wire.len();
        if room < bytes.len() {
            // Twice as much, but no more than the longest frame takes.
            let capacity = (self.wire.capacity() * 2).min(HEADER_BYTES_MAX + PLUGIN_FRAME_BYTES_MAX);
            self.wire.reserve_exact((capacity - self.wire.len()).max(bytes.len()));
        }
        self.wire.extend_from_slice(bytes);
    }

    /// Writes the headers into their room, from its end; where they begin.
    fn put_headers(&mut self) -> usize {
        let mut at = HEADER_BYTES_MAX;
        let mut put = |part: &[u8]| {
            let end = at;
            at -= part.len();
            if let Some(room) = self.wire.get_mut(at..end) {
                room.copy_from_slice(part);
            }
        };
        put(BLANK);
        let mut rest = self.bytes;
        loop {
            put(&[b'0' + u8::try_from(rest % 10).unwrap_or_default()]);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        put(LENGTH);
        at
    }

    fn into_frame(mut self) -> Result<Bytes, TooLong> {
        if self.bytes > PLUGIN_FRAME_BYTES_MAX as u64 {
            return Err(TooLong { bytes: self.bytes });
        }
        let start = self.put_headers();
        if self.wire.capacity() - self.wire.len() > SPARE_BYTES_MAX {
            self.wire.shrink_to_fit();
        }
        Ok(Bytes::from(self.wire).slice(start..))
    }
}

impl io::Write for Body {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
