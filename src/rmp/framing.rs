//! Frames out of a stream of bytes, however it is cut: a `frame_len`, then as many bytes (rmp-v0 §1; ruling
//! RMP 2).

use bytes::{Bytes, BytesMut};

use super::{
    Dialect, SchemaId,
    decode::{check_prefix, split_checked},
    error::Error,
    expiry::expires_at_ms,
    frame::RawFrame,
    header::{HEADER_BYTES, PREFIX_BYTES, RawHeader},
    split::{UnitSplit, split_unit},
};

/// Room that is made at once for what a frame still lacks; a frame that announces more gets more as its bytes
/// come.
const ROOM_BYTES: usize = 64 << 10;

/// One thing found in the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FramerEvent {
    /// All bytes of one frame, the prefix included. They share the buffer that they were read into: nothing
    /// is copied.
    Frame(Bytes),
    /// Nothing that follows can be trusted: the stream is over.
    Broken {
        /// Why.
        error: Error,
        /// The frame's bytes as far as they had come, 68 of them at most.
        bytes: Bytes,
    },
}

/// Whether the frames, or the unit, in some bytes have all come; a stream that breaks has no more to come.
///
/// # Errors
/// How many bytes are missing at least.
pub fn whole(bytes: &[u8], dialect: Dialect, body_bytes_max: u64) -> Result<(), usize> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match split_unit(rest, dialect, body_bytes_max) {
            UnitSplit::Whole(len) => rest = rest.get(len..).unwrap_or_default(),
            UnitSplit::Part(whole) => return Err(whole.map_or(1, |whole| whole.saturating_sub(rest.len()))),
            UnitSplit::Broken(_) => break,
        }
    }
    Ok(())
}

/// Bytes of the first frame of some; nothing where none begins there, as in units of the JSON dialect.
#[must_use]
pub fn first_frame_bytes(bytes: &[u8]) -> Option<usize> {
    let raw = RawFrame::split(bytes).filter(|raw| raw.header.check_identity().is_ok())?;
    Some(PREFIX_BYTES.saturating_add(raw.frame_len as usize))
}

/// When the message in some whole frames expires, in Unix milliseconds; nothing where there is none, as in
/// control frames alone and units of the JSON dialect.
#[must_use]
pub fn expires_at(bytes: &[u8]) -> Option<u64> {
    let mut rest = bytes;
    let mut expires_at = None;
    while let Some(raw) = RawFrame::split(rest).filter(|raw| raw.header.check_identity().is_ok()) {
        if SchemaId(raw.header.schema_id) != SchemaId::CONTROL {
            expires_at = expires_at_ms(raw.header.created_at_ms, raw.header.ttl_ms).ok();
        }
        let len = PREFIX_BYTES.saturating_add(raw.frame_len as usize);
        rest = rest.get(len..).unwrap_or_default();
    }
    expires_at
}

/// Cuts the received bytes of one connection into frames.
///
/// Append what was read to [`buffer`](Self::buffer), then take everything out with [`next`](Self::next)
/// before the next read. No more room is made than 64 KiB, or as much again as has come, beyond the bytes
/// that are there.
#[derive(Debug)]
pub struct Framer {
    buffer: BytesMut,
    body_bytes_max: u64,
    /// Where in the stream the buffer begins.
    offset: u64,
    /// The stream is over: what comes is dropped.
    dead: bool,
}

impl Framer {
    /// For a stream of which nothing was read yet.
    #[must_use]
    pub fn new(body_bytes_max: u64) -> Self {
        Self { buffer: BytesMut::new(), body_bytes_max, offset: 0, dead: false }
    }

    /// Where to append what was read.
    #[must_use]
    pub fn buffer(&mut self) -> &mut BytesMut {
        let (len, room) = (self.buffer.len(), self.buffer.capacity() - self.buffer.len());
        if room == 0 {
            let lacking = self.lacking().unwrap_or(ROOM_BYTES);
            self.buffer.reserve(lacking.min(len.max(ROOM_BYTES)));
        }
        &mut self.buffer
    }

    /// Bytes that the frame begun lacks, once its prefix is there.
    fn lacking(&self) -> Option<usize> {
        let prefix = self.buffer.first_chunk::<PREFIX_BYTES>()?;
        let whole = usize::try_from(u32::from_be_bytes(*prefix)).ok()?.checked_add(PREFIX_BYTES)?;
        whole.checked_sub(self.buffer.len()).filter(|lacking| *lacking > 0)
    }

    /// The next frame, if all of it is here; or why the stream is over.
    #[expect(clippy::should_implement_trait, reason = "nothing for now is not the end of a stream")]
    pub fn next(&mut self) -> Option<FramerEvent> {
        if self.dead {
            self.buffer.clear();
            return None;
        }
        let prefix = self.buffer.first_chunk::<PREFIX_BYTES>()?;
        let frame_len = u32::from_be_bytes(*prefix);
        if let Err(error) = check_prefix(frame_len, self.body_bytes_max) {
            return Some(self.broken(error));
        }
        // Magic and version are judged before the body is waited for.
        let header = self.buffer.get(PREFIX_BYTES..)?.first_chunk::<HEADER_BYTES>()?;
        if let Err(error) = RawHeader::decode(header).check_identity() {
            return Some(self.broken(error));
        }
        let whole = usize::try_from(frame_len).ok()?.checked_add(PREFIX_BYTES)?;
        (self.buffer.len() >= whole).then(|| FramerEvent::Frame(self.take(whole)))
    }

    /// What the stream's end cuts off: nothing where it falls between two frames. What is wrong with what
    /// came comes before its being cut off.
    pub fn finish(&mut self) -> Option<FramerEvent> {
        if self.dead || self.buffer.is_empty() {
            return None;
        }
        // A whole frame would have been taken by `next`.
        let error = split_checked(&self.buffer, self.body_bytes_max).err()?;
        Some(self.broken(error))
    }

    /// Where in the stream the next frame begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes received that have not been taken: at a close, what was cut off.
    #[must_use]
    pub fn pending_bytes(&self) -> usize {
        self.buffer.len()
    }

    fn broken(&mut self, error: Error) -> FramerEvent {
        self.dead = true;
        let bytes = self.take(self.buffer.len().min(PREFIX_BYTES + HEADER_BYTES));
        self.buffer = BytesMut::new();
        FramerEvent::Broken { error, bytes }
    }

    fn take(&mut self, bytes: usize) -> Bytes {
        self.offset = self.offset.saturating_add(bytes as u64);
        self.buffer.split_to(bytes).freeze()
    }
}
