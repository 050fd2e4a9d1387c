//! Units out of a stream of bytes, however it is cut: a u32 big-endian length, then one JSON value.

use bytes::{Bytes, BytesMut};

use crate::rmp::{HEADER_BYTES, PREFIX_BYTES};

/// Room that is made at once for what a unit still lacks.
const ROOM_BYTES: usize = 64 << 10;

/// Bytes of a unit: 4 + 64 + those of a body.
#[must_use]
pub fn unit_bytes_max(body_bytes_max: u64) -> u64 {
    body_bytes_max.saturating_add((PREFIX_BYTES + HEADER_BYTES) as u64)
}

/// Whether a stream that begins so is of this dialect: the first byte behind the length tells, `{` or `"` for
/// this one. Nothing before it is there.
#[must_use]
pub fn is_json(first: &[u8]) -> Option<bool> {
    first.get(PREFIX_BYTES).map(|byte| matches!(byte, b'{' | b'"'))
}

/// One thing found in the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// All bytes of one unit, its length included.
    Whole(Bytes),
    /// A length over the limit: nothing that follows is read, and the stream is over.
    TooLarge {
        /// Bytes of the value that it announces.
        bytes: u64,
        /// The limit in force.
        bytes_max: u64,
    },
}

impl Unit {
    /// The JSON of a whole unit.
    #[must_use]
    pub fn json(whole: &Bytes) -> &[u8] {
        whole.get(PREFIX_BYTES..).unwrap_or_default()
    }
}

/// Cuts the received bytes of one connection into units.
///
/// Append what was read to [`buffer`](Self::buffer), then take everything out with [`next`](Self::next)
/// before the next read. No more room is made than 64 KiB, or as much again as has come, beyond the bytes
/// that are there.
#[derive(Debug)]
pub struct Framer {
    buffer: BytesMut,
    bytes_max: u64,
    dead: bool,
}

impl Framer {
    /// For a stream of which nothing was read yet.
    #[must_use]
    pub fn new(body_bytes_max: u64) -> Self {
        Self { buffer: BytesMut::new(), bytes_max: unit_bytes_max(body_bytes_max), dead: false }
    }

    /// Where to append what was read.
    #[must_use]
    pub fn buffer(&mut self) -> &mut BytesMut {
        let (len, room) = (self.buffer.len(), self.buffer.capacity() - self.buffer.len());
        if room == 0 {
            let lacking =
                self.whole().and_then(|whole| whole.checked_sub(len)).filter(|lacking| *lacking > 0);
            self.buffer.reserve(lacking.unwrap_or(ROOM_BYTES).min(len.max(ROOM_BYTES)));
        }
        &mut self.buffer
    }

    /// Bytes of the unit begun, its length included.
    fn whole(&self) -> Option<usize> {
        let prefix = self.buffer.first_chunk::<PREFIX_BYTES>()?;
        usize::try_from(u32::from_be_bytes(*prefix)).ok()?.checked_add(PREFIX_BYTES)
    }

    /// The next unit, if all of it is here; or why the stream is over.
    #[expect(clippy::should_implement_trait, reason = "nothing for now is not the end of a stream")]
    pub fn next(&mut self) -> Option<Unit> {
        if self.dead {
            self.buffer.clear();
            return None;
        }
        let whole = self.whole()?;
        let bytes = (whole - PREFIX_BYTES) as u64;
        if bytes > self.bytes_max {
            self.dead = true;
            self.buffer = BytesMut::new();
            return Some(Unit::TooLarge { bytes, bytes_max: self.bytes_max });
        }
        (self.buffer.len() >= whole).then(|| Unit::Whole(self.buffer.split_to(whole).freeze()))
    }

    /// Bytes received that have not been taken: at a close, what was cut off.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.buffer.len()
    }
}
