//! Lines out of a stream of bytes: frames are ended by one LF and have at most 65,536 bytes with it (mpp-v2,
//! framing; ruling MPP 4).

use crate::limits::MPP_FRAME_BYTES_MAX;

/// The room of a connection that has not sent much yet; a handshake and most traffic fit.
const ROOM_BYTES_MIN: usize = 8_192;
/// Below this much room behind the buffered bytes, room is made before the next read.
const READ_BYTES_MIN: usize = 2_048;

/// One thing found in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framed<'a> {
    /// The exact bytes of one line with its LF, 1 to 65,536 of them.
    Line(&'a [u8]),
    /// The first 65,536 bytes of a line that has no LF among them. Nothing follows it.
    TooLarge(&'a [u8]),
}

/// The first thing in the bytes of a stream, if all of it is there.
#[must_use]
pub fn first(bytes: &[u8]) -> Option<Framed<'_>> {
    first_of(bytes.get(..MPP_FRAME_BYTES_MAX).unwrap_or(bytes), 0)
}

/// The first thing in at most 65,536 bytes, of which the first `scanned` are known to hold no LF.
fn first_of(bytes: &[u8], scanned: usize) -> Option<Framed<'_>> {
    if let Some(at) = memchr::memchr(b'\n', bytes.get(scanned..)?) {
        return bytes.get(..=scanned + at).map(Framed::Line);
    }
    (bytes.len() >= MPP_FRAME_BYTES_MAX).then_some(Framed::TooLarge(bytes))
}

/// The received bytes of one connection, cut into lines.
///
/// Read into [`spare`](Self::spare), say how much with [`filled`](Self::filled), then take everything out
/// with [`next`](Self::next) before the next read. Every byte is looked at once and moved at most once; at
/// most 65,536 are kept; no line is allocated.
#[derive(Debug)]
pub struct Framer {
    /// Grows from [`ROOM_BYTES_MIN`] to [`MPP_FRAME_BYTES_MAX`].
    buffer: Vec<u8>,
    /// Where the first line not taken begins.
    start: usize,
    /// Where the search for an LF goes on; `start ≤ scanned ≤ end`.
    scanned: usize,
    /// Behind the last byte received.
    end: usize,
    /// A line was too large: what comes is dropped.
    dead: bool,
}

impl Default for Framer {
    fn default() -> Self {
        Self::new()
    }
}

impl Framer {
    /// For a connection from which nothing was read yet.
    #[must_use]
    pub fn new() -> Self {
        Self { buffer: vec![0; ROOM_BYTES_MIN], start: 0, scanned: 0, end: 0, dead: false }
    }

    /// Room to read into. It is empty only while lines that were not taken fill it. After
    /// [`Framed::TooLarge`] it is room for bytes that nobody will see.
    #[must_use]
    pub fn spare(&mut self) -> &mut [u8] {
        if self.start == self.end {
            self.move_to_front();
        }
        if self.buffer.len() - self.end < READ_BYTES_MIN {
            if self.start > 0 {
                // Only an unfinished line is moved, and it then begins at 0 until it is taken: no byte is
                // moved twice.
                self.buffer.copy_within(self.start..self.end, 0);
                self.move_to_front();
            }
            if self.buffer.len() - self.end < READ_BYTES_MIN {
                let room = (self.buffer.len() * 2).min(MPP_FRAME_BYTES_MAX);
                self.buffer.resize(room, 0);
            }
        }
        self.buffer.get_mut(self.end..).unwrap_or_default()
    }

    /// The first `n` bytes of [`spare`](Self::spare) have been filled; more than it holds count as all of it.
    pub fn filled(&mut self, n: usize) {
        if !self.dead {
            self.end = self.end.saturating_add(n).min(self.buffer.len());
        }
    }

    /// The next line, if all of it is here.
    #[expect(
        clippy::should_implement_trait,
        reason = "what it returns borrows from the framer, which no Iterator can do"
    )]
    pub fn next(&mut self) -> Option<Framed<'_>> {
        let pending = self.buffer.get(self.start..self.end)?;
        let framed = first_of(pending, self.scanned - self.start);
        match framed {
            None => self.scanned = self.end,
            Some(Framed::Line(line)) => {
                self.start += line.len();
                self.scanned = self.start;
            }
            Some(Framed::TooLarge(_)) => {
                self.dead = true;
                self.start = 0;
                self.scanned = 0;
                self.end = 0;
            }
        }
        framed
    }

    /// Bytes received that have not been taken: at a close, the length of the line that was cut off.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.end - self.start
    }

    /// Bytes of memory that a line that has begun holds; none where none has.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        if self.pending_bytes() == 0 { 0 } else { self.buffer.len() }
    }

    /// The bytes received that have not been taken.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    fn move_to_front(&mut self) {
        self.end -= self.start;
        self.scanned -= self.start;
        self.start = 0;
    }
}
