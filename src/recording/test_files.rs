//! Recordings that tests make, message by message.

use std::{fs::File, path::Path};

use super::{format::RecordingInfo, tally::Tallied, writer::Writer};
use crate::{
    limits,
    tap::EntryRef,
    time::{Mono, Now},
};

/// A file that is being made.
pub(crate) struct TestFile(Writer<File>);

impl TestFile {
    /// Begins one, with chunks of this length.
    pub(crate) fn begin(path: &Path, info: &RecordingInfo, chunk_bytes_max: u64) -> Self {
        let limits = limits::Recording { chunk_bytes_max, ..limits::Recording::default() };
        Self(Writer::begin(File::create_new(path).unwrap(), info, limits).unwrap())
    }

    /// Continues the times and counts of the file before it.
    pub(crate) fn follow(&mut self, before: &Self) {
        self.0.follow(&before.0);
    }

    pub(crate) fn keyframe(&mut self, at: Now, bytes: &[u8]) {
        self.0.keyframe(Mono(0), at, bytes).unwrap();
    }

    pub(crate) fn entry(&mut self, entry: EntryRef<'_>, as_what: Option<Tallied>) {
        self.0.entry(entry, as_what).unwrap();
    }

    /// Writes what is open, without an index.
    pub(crate) fn flush(&mut self) {
        self.0.flush().unwrap();
    }

    /// Makes the file whole.
    pub(crate) fn finish(&mut self) {
        self.0.finish().unwrap();
    }
}
