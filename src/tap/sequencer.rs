//! Gives every entry its place.

use std::{
    borrow::Cow,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use tokio::sync::Notify;

use super::{
    entry::{Entry, Link, What},
    guard::{self, TokenGuard},
    reader::{Batch, Reader},
    recorded::OwnedEntry,
    redact,
    ring::{EvictedSegments, Ring},
};
use crate::{
    ids::{Seq, TraceId},
    limits,
    time::Now,
};

/// An entry before it has its place.
#[derive(Debug)]
pub struct Draft<'a> {
    /// When.
    pub at: Now,
    /// Whose.
    pub link: Link,
    /// What it belongs to.
    pub trace: Option<TraceId>,
    /// What caused it.
    pub cause: Option<Seq>,
    /// What happened.
    pub what: What,
    /// The frame's bytes, not yet redacted, or the transition's text; cut at `limits.tap.frame_bytes_max`
    /// and at an eighth of `limits.tap.ring_bytes_max`.
    pub bytes: &'a [u8],
}

/// What the tap has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Entries emitted.
    pub emitted: u64,
    /// Entries no longer kept.
    pub evicted: u64,
    /// Entries kept.
    pub kept_entries: u64,
    /// Memory of what is kept, in bytes.
    pub kept_bytes: u64,
    /// Entries whose bytes were cut.
    pub cut: u64,
    /// Readers at present.
    pub readers: u64,
    /// Runs of characters that were masked without a look, past `limits.tap.frame_hashes_max`.
    pub masked_unseen: u64,
}

/// `limits.tap.readers_max` are reading already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many readers: {limit} (limits.tap.readers_max)")]
pub struct TooManyReaders {
    /// The limit.
    pub limit: u64,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) next: Seq,
    pub(super) ring: Ring,
    cut: u64,
}

#[derive(Debug)]
pub(super) struct Shared {
    limits: limits::Tap,
    frame_bytes_max: AtomicUsize,
    /// How many have frames kept whole.
    whole: AtomicU64,
    guard: TokenGuard,
    state: Mutex<State>,
    /// As `state.next`, so that a reader that has caught up takes no lock.
    pub(super) next: AtomicU64,
    pub(super) readers: AtomicU64,
    /// Whether a reader waits. Who sets it back wakes all that do.
    pub(super) waiting: AtomicBool,
    pub(super) wake: Notify,
}

impl Shared {
    #[inline]
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of a frame that are kept at most.
    #[inline]
    fn frame_bytes_max(&self) -> usize {
        self.frame_bytes_max.load(Ordering::Relaxed)
    }

    /// Shows readers what was pushed, and wakes those that wait.
    #[inline]
    fn publish(&self, state: MutexGuard<'_, State>, evicted: EvictedSegments) {
        self.next.store(state.next.0, Ordering::Release);
        drop(state);
        if self.waiting.load(Ordering::SeqCst) {
            self.wake();
        }
        if !evicted.is_empty() {
            self.reclaim(evicted);
        }
    }

    #[cold]
    fn wake(&self) {
        if self.waiting.swap(false, Ordering::SeqCst) {
            self.wake.notify_waiters();
        }
    }

    /// Drops what left the ring, and keeps one segment's room for the next.
    #[cold]
    #[inline(never)]
    pub(super) fn reclaim(&self, evicted: EvictedSegments) {
        if let Some(spare) = evicted.reclaim() {
            self.lock().ring.keep_spare(spare);
        }
    }
}

/// Frames are kept whole as long as it is there.
#[derive(Debug)]
pub struct WholeFrames(Arc<Shared>);

impl Drop for WholeFrames {
    fn drop(&mut self) {
        if self.0.whole.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.frame_bytes_max.store(frame_bytes_max(self.0.limits), Ordering::Relaxed);
        }
    }
}

fn frame_bytes_max(limits: limits::Tap) -> usize {
    bound(limits.frame_bytes_max.min(limits.ring_bytes_max / 8))
}

fn bound(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// The ordered, bounded stream of all that happens. Clones are the same tap.
#[derive(Clone, Debug)]
pub struct Tap {
    pub(super) shared: Arc<Shared>,
}

impl Tap {
    /// An empty tap.
    #[must_use]
    pub fn new(limits: limits::Tap) -> Self {
        Self::beginning_at(limits, Seq(1))
    }

    /// An empty tap whose first entry has this place.
    pub(super) fn beginning_at(limits: limits::Tap, next: Seq) -> Self {
        let state = State { next, ring: Ring::new(limits), cut: 0 };
        Self {
            shared: Arc::new(Shared {
                limits,
                frame_bytes_max: AtomicUsize::new(frame_bytes_max(limits)),
                whole: AtomicU64::new(0),
                guard: TokenGuard::new(limits.frame_hashes_max),
                state: Mutex::new(state),
                next: AtomicU64::new(next.0),
                readers: AtomicU64::new(0),
                waiting: AtomicBool::new(false),
                wake: Notify::new(),
            }),
        }
    }

    /// Gives the entry its place, withholds its secrets, and wakes readers that wait. Never blocks beyond
    /// another emission or a read.
    #[expect(clippy::must_use_candidate, reason = "only what causes further entries needs the place")]
    #[expect(
        clippy::inline_always,
        reason = "from call to call the entry would be moved, which costs more than to keep it"
    )]
    #[inline(always)]
    pub fn emit(&self, draft: Draft<'_>) -> Seq {
        if redact::is_withheld(&draft.what) {
            self.emit_note(draft)
        } else if guard::has_long_text(&draft.what)
            || guard::is_suspect(draft.link, self.looked_at(draft.bytes))
            || self.shared.guard.holds_secret(&draft.what, draft.bytes)
        {
            self.emit_guarded(draft)
        } else {
            self.append(draft)
        }
    }

    /// What is kept of an entry's bytes, and as much behind it as a token or a secret that the cut is in.
    #[inline]
    fn looked_at<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let beyond = self.shared.guard.encoded_bytes_max();
        bytes.get(..self.shared.frame_bytes_max().saturating_add(beyond)).unwrap_or(bytes)
    }

    /// An entry that may hold a token of this station.
    #[cold]
    #[inline(never)]
    fn emit_guarded(&self, mut draft: Draft<'_>) -> Seq {
        self.shared.guard.mask_texts(&mut draft.what);
        let kept = self.shared.guard.mask_bytes(draft.link, self.looked_at(draft.bytes), &mut draft.what);
        self.append(Draft { bytes: &kept, ..draft })
    }

    /// An encoded snapshot without tokens, which is of the same length: names that peers chose are in it as
    /// the cores have them.
    #[must_use]
    pub fn without_tokens(&self, mut snapshot: Vec<u8>) -> Vec<u8> {
        self.shared.guard.mask_all(&mut snapshot);
        snapshot
    }

    /// An answer's words without tokens, all of which are looked at.
    #[must_use]
    pub fn json_without_tokens(&self, text: String) -> String {
        String::from_utf8(self.without_tokens(text.into_bytes())).unwrap_or_default()
    }

    /// A text without tokens.
    #[must_use]
    pub fn text_without_tokens<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.shared.guard.masked_text(text).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Whether a frame holds a token of this station or a secret: its bytes are not to be shown.
    #[must_use]
    pub fn finds_token(&self, link: Link, bytes: &[u8]) -> bool {
        self.shared.guard.finds(link, bytes)
    }

    /// Masks a token of this station wherever a peer says it from now on, in place of the token that had the
    /// name before. It is known by its SHA-256.
    pub fn mask_token(&self, name: &'static str, sha256: [u8; 32]) {
        self.shared.guard.insert(name, sha256);
    }

    /// Masks a secret wherever it is met from now on: of the last 256, those of at least 8 bytes.
    pub fn mask_secret(&self, secret: &str) {
        self.shared.guard.insert_secret(secret);
    }

    /// Whether a secret is masked.
    #[must_use]
    pub fn knows_secrets(&self) -> bool {
        self.shared.guard.knows_secrets()
    }

    /// Masks secrets in the texts of what is kept elsewhere before it is emitted.
    pub fn mask_secrets(&self, what: &mut What) {
        if self.knows_secrets() {
            self.shared.guard.mask_texts(what);
        }
    }

    /// Masks a token too that may come into force, until it is said that it does not.
    pub fn mask_asked_token(&self, sha256: [u8; 32]) {
        self.shared.guard.insert_asked(sha256);
    }

    /// Masks such a token no more, unless it is in force.
    pub fn unmask_asked_token(&self, sha256: [u8; 32]) {
        self.shared.guard.remove_asked(sha256);
    }

    #[cold]
    fn emit_note(&self, mut draft: Draft<'_>) -> Seq {
        let note = redact::withheld(draft.bytes);
        self.shared.guard.mask_texts(&mut draft.what);
        self.append(Draft { bytes: note.as_bytes(), ..draft })
    }

    #[expect(
        clippy::inline_always,
        reason = "from call to call the entry would be moved, which costs more than to keep it"
    )]
    #[inline(always)]
    fn append(&self, draft: Draft<'_>) -> Seq {
        let Draft { at, link, trace, cause, what, bytes } = draft;
        let kept = bytes.get(..self.shared.frame_bytes_max()).unwrap_or(bytes);
        let mut guard = self.shared.lock();
        let state = &mut *guard;
        let seq = state.next;
        state.next = seq.next();
        state.cut += u64::from(kept.len() < bytes.len());
        let evicted = state.ring.push(Entry { seq, at, link, trace, cause, what }, kept);
        self.shared.publish(guard, evicted);
        seq
    }

    /// Keeps entries that have their places, with bytes that nothing is to be withheld of. One whose place is
    /// taken is left out: how many are kept.
    pub(super) fn mirror(&self, entries: impl IntoIterator<Item = OwnedEntry>) -> usize {
        let bytes_max = self.shared.frame_bytes_max();
        let mut guard = self.shared.lock();
        let state = &mut *guard;
        let (mut kept, mut evicted) = (0, EvictedSegments::default());
        for OwnedEntry { entry, bytes } in entries {
            if entry.seq < state.next {
                continue;
            }
            state.next = entry.seq.next();
            let len = bytes.len().min(bytes_max);
            state.cut += u64::from(len < bytes.len());
            evicted.append(state.ring.push_behind(entry, &bytes[..len]));
            kept += 1;
        }
        self.shared.publish(guard, evicted);
        kept
    }

    /// A reader from the present end on.
    ///
    /// # Errors
    /// [`TooManyReaders`] at the limit.
    pub fn reader(&self) -> Result<Reader, TooManyReaders> {
        Reader::new(Arc::clone(&self.shared), self.shared.limits.readers_max, |state| state.next)
    }

    /// A reader from the oldest kept entry on.
    ///
    /// # Errors
    /// [`TooManyReaders`] at the limit.
    pub fn reader_from_oldest(&self) -> Result<Reader, TooManyReaders> {
        Reader::new(Arc::clone(&self.shared), self.shared.limits.readers_max, |state| {
            state.ring.oldest().unwrap_or(state.next)
        })
    }

    /// A reader from a place on; what is not kept of that is lost to it.
    ///
    /// # Errors
    /// [`TooManyReaders`] at the limit.
    pub fn reader_from(&self, place: Seq) -> Result<Reader, TooManyReaders> {
        Reader::new(Arc::clone(&self.shared), self.shared.limits.readers_max, |state| place.min(state.next))
    }

    /// Keeps frames up to an eighth of `limits.tap.ring_bytes_max` in place of `limits.tap.frame_bytes_max`,
    /// until what is returned is dropped.
    #[must_use]
    pub fn keep_whole(&self) -> WholeFrames {
        let shared = Arc::clone(&self.shared);
        if shared.whole.fetch_add(1, Ordering::SeqCst) == 0 {
            shared.frame_bytes_max.store(bound(shared.limits.ring_bytes_max / 8), Ordering::Relaxed);
        }
        WholeFrames(shared)
    }

    /// The last kept entries before a place: at most one segment. Nothing when none is kept.
    #[must_use]
    pub fn before(&self, place: Seq) -> Option<Batch> {
        let (run, evicted) = self.shared.lock().ring.run_before(place);
        self.shared.reclaim(evicted);
        run.map(Batch::without_loss)
    }

    /// The oldest kept entry, or the next where none is kept.
    #[must_use]
    pub fn oldest(&self) -> Seq {
        let state = self.shared.lock();
        state.ring.oldest().unwrap_or(state.next)
    }

    /// Bytes of a frame that are kept at most.
    #[must_use]
    pub fn frame_bytes_max(&self) -> u64 {
        self.shared.frame_bytes_max() as u64
    }

    /// The last place given.
    #[must_use]
    pub fn last(&self) -> Seq {
        Seq(self.shared.next.load(Ordering::Acquire).saturating_sub(1))
    }

    /// What was done so far.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let state = self.shared.lock();
        Counters {
            emitted: state.next.0.saturating_sub(1),
            evicted: state.ring.evicted,
            kept_entries: state.ring.kept_entries(),
            kept_bytes: state.ring.kept_bytes(),
            cut: state.cut,
            readers: self.shared.readers.load(Ordering::Relaxed),
            masked_unseen: self.shared.guard.unseen(),
        }
    }
}
