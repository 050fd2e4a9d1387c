//! Reads the tap at its own pace.

use std::sync::{Arc, atomic::Ordering};

use super::{
    entry::Entry,
    ring::Segment,
    sequencer::{Shared, TooManyReaders},
};
use crate::ids::Seq;

/// A place in the tap. Dropping it ends the reading.
#[derive(Debug)]
pub struct Reader {
    shared: Arc<Shared>,
    next: Seq,
    received: u64,
    lost: u64,
}

/// An entry with the bytes that lie beside it: the frame's, or the transition's text.
#[derive(Clone, Copy, Debug)]
pub struct EntryRef<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl EntryRef<'_> {
    /// The bytes as text; what is not UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.bytes)
    }
}

/// Entries that follow each other, and how many before them this reader has lost. After a loss, take a new snapshot.
#[derive(Debug)]
pub struct Batch {
    segment: Arc<Segment>,
    from: usize,
    /// Entries lost before the first.
    pub lost: u64,
}

impl Batch {
    /// The entries, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = EntryRef<'_>> {
        self.segment.entries[self.from..].iter().map(|stored| {
            let start = stored.start as usize;
            EntryRef { entry: &stored.entry, bytes: &self.segment.arena[start..start + stored.len as usize] }
        })
    }
}

impl Reader {
    pub(super) fn new(shared: Arc<Shared>, limit: u64) -> Result<Self, TooManyReaders> {
        if shared.readers.fetch_add(1, Ordering::SeqCst) >= limit {
            shared.readers.fetch_sub(1, Ordering::SeqCst);
            return Err(TooManyReaders { limit });
        }
        let next = shared.lock().next;
        Ok(Self { shared, next, received: 0, lost: 0 })
    }

    /// What has come since the last call, at most one segment; nothing when all was read.
    pub fn read(&mut self) -> Option<Batch> {
        let segment = self.shared.lock().ring.segment_from(self.next)?;
        let first = segment.entries.first()?.entry.seq;
        let lost = first.0.saturating_sub(self.next.0);
        let from = usize::try_from(self.next.0.saturating_sub(first.0)).unwrap_or(usize::MAX).min(segment.entries.len());
        self.next = segment.end()?;
        self.lost += lost;
        self.received += (segment.entries.len() - from) as u64;
        Some(Batch { segment, from, lost })
    }

    /// Waits until there is something to read.
    pub async fn ready(&mut self) {
        loop {
            let notified = self.shared.wake.notified();
            tokio::pin!(notified);
            notified.as_mut().enable();
            let waiting = Waiting::new(&self.shared);
            if self.shared.lock().next > self.next {
                return;
            }
            notified.await;
            drop(waiting);
        }
    }

    /// Entries emitted that this reader has not read.
    #[must_use]
    pub fn behind(&self) -> u64 {
        self.shared.lock().next.0.saturating_sub(self.next.0)
    }

    /// Entries read.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Entries that were evicted before they were read.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.shared.readers.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Counts a reader as waiting, so that emitters need not wake when none does.
struct Waiting<'a>(&'a Shared);

impl<'a> Waiting<'a> {
    fn new(shared: &'a Shared) -> Self {
        shared.waiting.fetch_add(1, Ordering::SeqCst);
        Self(shared)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}
