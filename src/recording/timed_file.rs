//! A recording that is written by the time of its entries, so that one of hours is made in seconds.

use std::{fs::File, io, path::Path, time::Duration};

use super::{format::RecordingInfo, sources::EncodedSnapshot, tally::Tallied, writer::Writer};
use crate::{limits, private_files, tap::EntryRef, time::Mono};

/// How often a recorder writes its open chunk.
const FLUSH: Duration = Duration::from_secs(1);

/// A recording that is written entry by entry. What a recorder does by the clock is done by the time of the
/// entries.
#[doc(hidden)]
pub struct TimedFile {
    writer: Writer<File>,
    flushed_at: Mono,
}

impl TimedFile {
    /// Makes the file, readable by its owner alone.
    ///
    /// # Errors
    /// It cannot be made or written; one that exists is refused ([`io::ErrorKind::AlreadyExists`]).
    pub fn begin(path: &Path, info: &RecordingInfo, limits: limits::Recording) -> io::Result<Self> {
        let file = private_files::create_new(path)?;
        let writer = Writer::begin(file, info, limits)?;
        Ok(Self { writer, flushed_at: Mono(0) })
    }

    /// Writes an entry, and counts it.
    ///
    /// # Errors
    /// It cannot be written, or the file is full.
    pub fn entry(&mut self, entry: EntryRef<'_>, as_what: Option<Tallied>) -> io::Result<()> {
        let at = entry.entry.at.mono;
        if at.since(self.flushed_at) >= FLUSH {
            self.writer.flush()?;
            self.flushed_at = at;
        }
        self.writer.entry(entry, as_what).map_err(io::Error::from)
    }

    /// Whether a recorder takes a keyframe at this moment.
    #[must_use]
    pub fn is_keyframe_due(&self, now: Mono) -> bool {
        self.writer.is_keyframe_due(now)
    }

    /// Writes a keyframe that has every entry in front of it.
    ///
    /// # Errors
    /// It cannot be written, or the file is full.
    pub fn keyframe(&mut self, snapshot: &EncodedSnapshot) -> io::Result<()> {
        self.writer.keyframe(snapshot.at.mono, snapshot.at, &snapshot.bytes).map_err(io::Error::from)
    }

    /// Bytes handed to the file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.writer.bytes()
    }

    /// Makes the file whole; its length in bytes.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> io::Result<u64> {
        self.writer.finish()?;
        Ok(self.writer.bytes())
    }
}
