//! Reads the tap at its own pace.

use std::sync::{Arc, atomic::Ordering};

use super::{
    entry::{Entry, What},
    recorded::OwnedEntry,
    ring::{Run, SEGMENT_ENTRIES, Segment},
    sequencer::{Shared, State, TooManyReaders},
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

impl<'a> EntryRef<'a> {
    /// The bytes as text; what is not UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(self.bytes)
    }
}

/// Entries that follow each other, and how many before them this reader has lost. After a loss, take a new
/// snapshot.
///
/// A batch holds its entries for as long as it lives, those of its segment that were read before it too: who
/// keeps it counts [`Batch::memory_bytes`].
#[derive(Debug)]
pub struct Batch {
    run: Run,
    /// Entries lost before the first.
    pub lost: u64,
}

impl Batch {
    pub(super) const fn without_loss(run: Run) -> Self {
        Self { run, lost: 0 }
    }

    /// Entries that come with their places, in order, in as few batches as hold them: their bytes are kept as
    /// they are, and what lies between two of them is lost.
    #[must_use]
    pub fn of(entries: Vec<OwnedEntry>) -> Vec<Self> {
        let (mut batches, mut run) = (Vec::new(), Vec::new());
        let mut next: Option<Seq> = None;
        let mut lost = 0;
        let mut close = |run: &mut Vec<OwnedEntry>, lost| {
            if !run.is_empty() {
                let entries = run.iter().map(|one| (one.entry.clone(), one.bytes.as_slice()));
                batches.push(Self { run: Run::Copied(Segment::of(entries)), lost });
                run.clear();
            }
        };
        for one in entries {
            let gap = next.map_or(0, |next| one.entry.seq.0.saturating_sub(next.0));
            if gap > 0 || run.len() >= SEGMENT_ENTRIES {
                close(&mut run, std::mem::replace(&mut lost, gap));
            }
            next = Some(one.entry.seq.next());
            run.push(one);
        }
        close(&mut run, lost);
        batches
    }

    /// The same where what does not come was left out and not lost, unless the first entry says that it was.
    #[must_use]
    pub(crate) fn of_left_out(mut self) -> Self {
        let is_loss = self.get(0).is_some_and(|first| matches!(first.entry.what, What::Loss { .. }));
        self.lost = if is_loss { self.lost } else { 0 };
        self
    }

    /// The entries, in order; never none.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = EntryRef<'_>> + DoubleEndedIterator {
        let (segment, from) = self.run.parts();
        segment.entries[from..]
            .iter()
            .map(|stored| EntryRef { entry: &stored.entry, bytes: segment.bytes_of(stored) })
    }

    /// How many entries there are: at least one, at most a segment.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        let (segment, from) = self.run.parts();
        segment.entries.len() - from
    }

    /// The entry at this place, the first one's being 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<EntryRef<'_>> {
        let (segment, from) = self.run.parts();
        let stored = segment.entries.get(from.checked_add(index)?)?;
        Some(EntryRef { entry: &stored.entry, bytes: segment.bytes_of(stored) })
    }

    /// What it holds, in bytes: of a shared segment all, as if nobody else held it.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.run.parts().0.memory_bytes()
    }

    /// Takes in the batch that was read next, so that many small ones become few. The next is given back when
    /// it follows a loss, or when one segment would not hold both, or when it shares a segment of which
    /// it has the most.
    ///
    /// # Errors
    /// The next batch as it was.
    pub fn absorb(&mut self, next: Self) -> Result<(), Self> {
        match &mut self.run {
            Run::Copied(segment)
                if next.lost == 0 && !next.is_mostly_used() && segment.has_room_for(&next.run) =>
            {
                segment.append(next.run.into_own());
                Ok(())
            }
            Run::Copied(_) | Run::Shared(..) => Err(next),
        }
    }

    /// As it is best kept: a share of a segment of which it has the least becomes a copy of its own, and room
    /// that is not used is given back.
    #[must_use]
    pub fn compact(self) -> Self {
        if self.is_mostly_used() {
            return self;
        }
        let mut segment = self.run.into_own();
        segment.release_excess();
        Self { run: Run::Copied(segment), lost: self.lost }
    }

    /// Whether it shares a segment and has at least half of it.
    fn is_mostly_used(&self) -> bool {
        match &self.run {
            Run::Shared(segment, from) => 2 * from <= segment.entries.len(),
            Run::Copied(_) => false,
        }
    }
}

impl Reader {
    pub(super) fn new(
        shared: Arc<Shared>,
        limit: u64,
        from: impl FnOnce(&State) -> Seq,
    ) -> Result<Self, TooManyReaders> {
        if shared.readers.fetch_add(1, Ordering::SeqCst) >= limit {
            shared.readers.fetch_sub(1, Ordering::SeqCst);
            return Err(TooManyReaders { limit });
        }
        let next = from(&shared.lock());
        Ok(Self { shared, next, received: 0, lost: 0 })
    }

    /// What has come since the last call, at most one segment; nothing when all was read.
    pub fn read(&mut self) -> Option<Batch> {
        if self.lag() == 0 {
            return None;
        }
        let (run, evicted) = self.shared.lock().ring.run_from(self.next);
        self.shared.reclaim(evicted);
        let run = run?;
        let (segment, from) = run.parts();
        let first = segment.entries.get(from)?.entry.seq;
        let lost = first.0.saturating_sub(self.next.0);
        self.received += (segment.entries.len() - from) as u64;
        self.next = segment.end()?;
        self.lost += lost;
        Some(Batch { run, lost })
    }

    /// Waits until there is something to read. It may be dropped at any time.
    ///
    /// Waking costs the emitter more than the entry itself: who reads for long does well to pause between
    /// reads rather than to wait for every entry.
    pub async fn ready(&mut self) {
        while self.lag() == 0 {
            let notified = self.shared.wake.notified();
            tokio::pin!(notified);
            notified.as_mut().enable();
            self.shared.waiting.store(true, Ordering::SeqCst);
            // An emission after this look sees that somebody waits, because both go through the lock.
            let next = self.shared.lock().next;
            if next > self.next {
                return;
            }
            notified.await;
        }
    }

    /// The place of the entry that it would read next.
    #[must_use]
    pub fn next(&self) -> Seq {
        self.next
    }

    /// Entries emitted that this reader has not read.
    #[must_use]
    pub fn lag(&self) -> u64 {
        self.shared.next.load(Ordering::Acquire).saturating_sub(self.next.0)
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
