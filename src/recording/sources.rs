//! What a recording is made of.

use std::{
    future::Future,
    path::{Path, PathBuf},
    pin::Pin,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use super::{attachment::Attachment, format::RecordingInfo, tally::Tallied};
use crate::{
    tap::{EntryRef, Reader, entry::Entry},
    time::{Clock, Now},
};

/// A snapshot in its recorded form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedSnapshot {
    /// When it was taken.
    pub at: Now,
    /// The message.
    pub bytes: Vec<u8>,
}

/// A snapshot that is being taken, or why there is none.
pub type SnapshotFuture = Pin<Box<dyn Future<Output = Result<EncodedSnapshot, String>> + Send>>;

/// What a station reports of itself, which may take a while.
pub type AttachmentsFuture = Pin<Box<dyn Future<Output = Vec<Attachment>> + Send>>;

/// Names the file after this one.
pub type NextPath = Box<dyn FnMut(&Path) -> PathBuf + Send>;

/// Masks what is written, at equal length, on the recorder's thread.
pub trait Redact: Send {
    /// The recorded form of entries that follow each other, one for each.
    fn entries(&mut self, entries: &[EntryRef<'_>]) -> Vec<Vec<u8>>;

    /// Masks the recorded form of a snapshot, which may quote entries that are written later.
    ///
    /// # Errors
    /// Why it cannot be masked; it is not written then.
    fn snapshot(&mut self, recorded: &mut [u8]) -> Result<(), String>;

    /// Masks what is kept with the recording.
    fn attachment(&mut self, bytes: &mut [u8]);
}

/// The sources of a recording.
pub struct Sources {
    /// The entries. Take the reader before the first snapshot can be taken.
    pub reader: Reader,
    /// Takes a snapshot that has every entry of this moment.
    pub snapshot: Box<dyn FnMut() -> SnapshotFuture + Send>,
    /// What an entry is counted as besides.
    pub tallied: fn(&Entry) -> Option<Tallied>,
    /// Whether the disk has so little room that no further file is begun.
    pub disk_low: Arc<AtomicBool>,
    /// What is kept with it, in each file.
    pub attachments: Vec<Attachment>,
    /// What is kept with it as soon as it is there.
    pub report: AttachmentsFuture,
    /// After how long the recording continues in a new file, where anything came.
    pub rotate_after: Option<Duration>,
    /// The file after this one; numbered where it is not said.
    pub next_path: Option<NextPath>,
    /// Masks what is written; nothing is masked further where there is none.
    pub redact: Option<Box<dyn Redact>>,
    /// What the time is read from.
    pub clock: Clock,
    /// What the recording says about itself.
    pub info: RecordingInfo,
}

impl Sources {
    /// Those of a recording that counts entries alone, has nothing attached, and whose files are numbered.
    #[must_use]
    pub fn new(
        reader: Reader,
        snapshot: Box<dyn FnMut() -> SnapshotFuture + Send>,
        clock: Clock,
        info: RecordingInfo,
    ) -> Self {
        Self {
            reader,
            snapshot,
            tallied: |_| None,
            disk_low: Arc::default(),
            attachments: Vec::new(),
            report: Box::pin(std::future::ready(Vec::new())),
            rotate_after: None,
            next_path: None,
            redact: None,
            clock,
            info,
        }
    }
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sources")
            .field("reader", &self.reader)
            .field("about", &self.info)
            .finish_non_exhaustive()
    }
}
