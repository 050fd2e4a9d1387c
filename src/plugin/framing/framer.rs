//! Frames out of a stream of bytes, however it is cut.

use std::mem;

use bytes::{BufMut, Bytes, buf::Limit};

use super::headers::{Announced, Headers};
use crate::{limits::PLUGIN_HEADER_BYTES_MAX, tap::entry::plugin::Violation};

/// Room for what was read and not taken: what a pipe holds on Linux.
const CHUNK_BYTES: usize = 65_536;
/// A body up to here is waited for among what else was read; a longer one is read into its own buffer.
const SMALL_BODY_BYTES_MAX: usize = 16_384;
/// Bytes of what was seen that are shown.
const SEEN_BYTES_MAX: usize = 96;

/// One frame: its exact bytes on the wire, in one buffer of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    wire: Bytes,
    header_bytes: usize,
    has_bare_lf: bool,
}

impl Frame {
    /// All bytes: the headers, then the body.
    #[must_use]
    pub const fn wire(&self) -> &Bytes {
        &self.wire
    }

    /// The headers, the blank line included, 4,096 bytes at most. They share the frame's buffer.
    #[must_use]
    pub fn headers(&self) -> Bytes {
        self.wire.slice(..self.header_bytes)
    }

    /// Bytes of the headers: where in [`wire`](Self::wire) the body begins.
    #[must_use]
    pub const fn header_bytes(&self) -> usize {
        self.header_bytes
    }

    /// The body, 4,194,304 bytes at most. It shares the frame's buffer.
    #[must_use]
    pub fn body(&self) -> Bytes {
        self.wire.slice(self.header_bytes..)
    }

    /// Whether a header line ends with LF alone ([`Lint::BareLf`](crate::plugin::Lint::BareLf)).
    #[must_use]
    pub const fn has_bare_lf(&self) -> bool {
        self.has_bare_lf
    }
}

/// Why nothing that follows in a stream can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Which clause was broken.
    pub violation: Violation,
    /// What was seen, in printable ASCII, cut.
    pub seen: String,
    /// The bytes of the frame as far as they were judged, 4,096 of them at most.
    pub wire: Bytes,
}

impl Broken {
    /// A violation, what of the frame shows it, and the frame as far as it came.
    pub(super) fn new(violation: Violation, seen: &[u8], wire: &[u8]) -> Self {
        let wire = Bytes::copy_from_slice(wire.get(..PLUGIN_HEADER_BYTES_MAX).unwrap_or(wire));
        Self { violation, seen: printable(seen), wire }
    }
}

/// The beginning of some bytes, in printable ASCII.
fn printable(bytes: &[u8]) -> String {
    match bytes.get(..SEEN_BYTES_MAX) {
        Some(cut) if cut.len() < bytes.len() => format!("{}…", cut.escape_ascii()),
        _ => bytes.escape_ascii().to_string(),
    }
}

/// Where in the stream the decoder is.
#[derive(Debug)]
enum State {
    /// Within headers, or between two frames.
    Headers(Headers),
    /// The headers are judged; the body is waited for in the chunk, or has not begun.
    Announced(Announced),
    /// The body is read into the frame's buffer.
    Body { announced: Announced, wire: Vec<u8> },
    /// The stream is over.
    Broken(Broken),
}

/// Cuts what one plugin writes into frames.
///
/// ```text
///            headers judged          longer than 16 KiB, its first byte is here
/// Headers ──────────────────▶ Announced ───────────────────▶ Body
///    ▲                            │                            │
///    └────────────────────────────┴────────────────────────────┘  whole
/// any ──▶ Broken, for ever
/// ```
///
/// Read into [`buffer`](Self::buffer), then take everything out with [`poll_frame`](Self::poll_frame) before
/// the next read. A length is judged before anything is allocated for it; each frame is one allocation, made
/// no earlier than the first byte of its body is here. A long body is read where it stays; a short one is
/// copied, so that a frame never keeps what else was read.
#[derive(Debug)]
pub struct Framer {
    /// What was read and not taken.
    chunk: Vec<u8>,
    /// Where in it the first frame that was not taken begins.
    start: usize,
    state: State,
}

impl Default for Framer {
    fn default() -> Self {
        Self::new()
    }
}

impl Framer {
    /// For a stream of which nothing was read yet.
    #[must_use]
    pub fn new() -> Self {
        Self { chunk: Vec::new(), start: 0, state: State::Headers(Headers::default()) }
    }

    /// Where to append what is read. It has room, once [`poll_frame`](Self::poll_frame) has nothing; of a
    /// long body it is what the body lacks.
    pub fn buffer(&mut self) -> Limit<&mut Vec<u8>> {
        let Self { chunk, start, state } = self;
        match state {
            State::Body { announced, wire } => {
                let lacking = announced.wire_bytes() - wire.len();
                return wire.limit(lacking);
            }
            State::Broken(_) => chunk.clear(),
            State::Headers(_) | State::Announced(_) => {}
        }
        // What is left is less than a frame: headers and a short body at most.
        chunk.drain(..mem::take(start).min(chunk.len()));
        if chunk.capacity() - chunk.len() < CHUNK_BYTES / 2 {
            chunk.reserve_exact(CHUNK_BYTES);
        }
        let room = chunk.capacity() - chunk.len();
        chunk.limit(room)
    }

    /// Appends bytes that were read elsewhere; they are copied.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        if let State::Body { announced, wire } = &mut self.state {
            let (body, behind) = rest.split_at(rest.len().min(announced.wire_bytes() - wire.len()));
            wire.extend_from_slice(body);
            rest = behind;
        }
        if !self.is_broken() {
            self.chunk.extend_from_slice(rest);
        }
    }

    /// The next frame, if all of it is here.
    ///
    /// # Errors
    ///
    /// What breaks the stream, now or before: nothing that follows is read.
    pub fn poll_frame(&mut self) -> Result<Option<Frame>, Broken> {
        loop {
            let pending = self.chunk.get(self.start..).unwrap_or_default();
            match &mut self.state {
                State::Broken(broken) => return Err(broken.clone()),
                State::Headers(headers) => match headers.advance(pending) {
                    Ok(Some(announced)) => self.state = State::Announced(announced),
                    Ok(None) => return Ok(None),
                    Err(broken) => return Err(self.fail(broken)),
                },
                State::Announced(announced) => {
                    let announced = *announced;
                    if let Some(wire) = pending.get(..announced.wire_bytes()) {
                        let wire = wire.to_vec();
                        self.start += wire.len();
                        return Ok(Some(self.take(announced, wire)));
                    }
                    let has_begun = pending.len() > announced.header_bytes;
                    if announced.body_bytes > SMALL_BODY_BYTES_MAX && has_begun {
                        let mut wire = Vec::with_capacity(announced.wire_bytes());
                        wire.extend_from_slice(pending);
                        self.chunk.clear();
                        self.start = 0;
                        self.state = State::Body { announced, wire };
                    }
                    return Ok(None);
                }
                State::Body { announced, wire } => {
                    if wire.len() < announced.wire_bytes() {
                        return Ok(None);
                    }
                    let (announced, wire) = (*announced, mem::take(wire));
                    return Ok(Some(self.take(announced, wire)));
                }
            }
        }
    }

    /// The stream has ended; all frames were taken.
    ///
    /// # Errors
    ///
    /// What broke the stream before, or [`Violation::EndInFrame`] where the end falls within a frame.
    pub fn end(&mut self) -> Result<(), Broken> {
        let pending = self.chunk.get(self.start..).unwrap_or_default();
        let progress = |come: usize, announced: &Announced| {
            let body_bytes = come.saturating_sub(announced.header_bytes);
            format!("{body_bytes} of {} bytes of the body", announced.body_bytes)
        };
        let broken = match &self.state {
            State::Broken(broken) => return Err(broken.clone()),
            State::Headers(_) if pending.is_empty() => return Ok(()),
            State::Headers(_) => Broken::new(Violation::EndInFrame, pending, pending),
            State::Announced(announced) => {
                let broken = Broken::new(Violation::EndInFrame, &[], pending);
                Broken { seen: progress(pending.len(), announced), ..broken }
            }
            State::Body { announced, wire } => {
                let broken = Broken::new(Violation::EndInFrame, &[], wire);
                Broken { seen: progress(wire.len(), announced), ..broken }
            }
        };
        Err(self.fail(broken))
    }

    /// How many bytes the frame that has begun lacks at least; nothing where its headers do not say it yet.
    #[must_use]
    pub fn missing_bytes(&self) -> Option<usize> {
        match &self.state {
            State::Headers(_) | State::Broken(_) => None,
            State::Announced(announced) | State::Body { announced, .. } => {
                Some(announced.wire_bytes().saturating_sub(self.pending_bytes()))
            }
        }
    }

    /// Whether nothing that follows is read.
    #[must_use]
    pub const fn is_broken(&self) -> bool {
        matches!(self.state, State::Broken(_))
    }

    /// Bytes that have come and were not taken.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        let body_bytes = if let State::Body { wire, .. } = &self.state { wire.len() } else { 0 };
        self.chunk.len() - self.start + body_bytes
    }

    fn take(&mut self, announced: Announced, wire: Vec<u8>) -> Frame {
        self.state = State::Headers(Headers::default());
        let Announced { header_bytes, has_bare_lf, .. } = announced;
        Frame { wire: Bytes::from(wire), header_bytes, has_bare_lf }
    }

    #[cold]
    fn fail(&mut self, broken: Broken) -> Broken {
        self.chunk = Vec::new();
        self.start = 0;
        self.state = State::Broken(broken.clone());
        broken
    }
}
