//! A recording that is written at one go, from the state that it begins with on.

use std::{fs::File, io, path::Path};

use super::{
    attachment::Attachment,
    format::{RecordingInfo, loss_before},
    sources::EncodedSnapshot,
    tally::Tallied,
    unlink_on_drop::UnlinkOnDrop,
    writer::Writer,
};
use crate::{
    limits, private_files,
    tap::{EntryRef, entry::Entry},
};

/// A recording in the making. It is removed unless it is finished: half of a file is of no use.
pub struct PartFile {
    pub(super) writer: Writer<File>,
    file: File,
    made: UnlinkOnDrop,
}

impl std::fmt::Debug for PartFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PartFile").field("made", &self.made).finish_non_exhaustive()
    }
}

impl PartFile {
    /// Makes the file, readable by its owner alone, with what it begins with.
    ///
    /// # Errors
    /// The file cannot be made or written; one that exists is left alone.
    pub fn begin(
        path: &Path,
        info: &RecordingInfo,
        limits: limits::Recording,
        EncodedSnapshot { at, bytes }: &EncodedSnapshot,
        attached: &[Attachment],
    ) -> io::Result<Self> {
        let file = private_files::create_new(path)?;
        let made = UnlinkOnDrop::at(path);
        let mut writer = Writer::begin(file.try_clone()?, info, limits)?;
        writer.keyframe(at.mono, *at, bytes)?;
        writer.attach(*at, attached)?;
        Ok(Self { writer, file, made })
    }

    /// Writes the next entry.
    ///
    /// # Errors
    /// The file does not take it.
    pub fn entry(&mut self, entry: EntryRef<'_>, as_what: Option<Tallied>) -> io::Result<()> {
        Ok(self.writer.entry(entry, as_what)?)
    }

    /// Writes that so many entries are missing in front of the next one.
    ///
    /// # Errors
    /// The file does not take it.
    pub fn loss(&mut self, next: &Entry, count: u64) -> io::Result<()> {
        let loss = loss_before(next, count);
        self.entry(EntryRef { entry: &loss, bytes: &[] }, None)
    }

    /// Writes a state that has everything in front of it.
    ///
    /// # Errors
    /// The file does not take it.
    pub fn keyframe(&mut self, EncodedSnapshot { at, bytes }: &EncodedSnapshot) -> io::Result<()> {
        Ok(self.writer.keyframe(at.mono, *at, bytes)?)
    }

    /// Makes it whole, and has the disk keep it: its length in bytes.
    ///
    /// # Errors
    /// The file does not take it.
    pub fn finish(mut self) -> io::Result<u64> {
        self.writer.finish()?;
        self.file.sync_all()?;
        self.made.keep();
        Ok(self.writer.bytes())
    }
}
