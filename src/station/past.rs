//! What is asked of the past, answered off the hosts' threads: the tap's entries, and keyframes.

use super::{keyframes::Encoded, local::Inner};
use crate::{
    ids::Seq,
    limits::Limits,
    port::{EntriesPage, Keyframe, KeyframePage, Page, PastPage, PortError, Snapshot},
};

/// Segments that a console of this process is given at once.
const SEGMENTS_MAX: usize = 64;

/// The last entries before a place.
pub(super) async fn entries(
    inner: &Inner,
    before: Option<Seq>,
    after: Seq,
    limit: u64,
) -> Result<Page, PortError> {
    let tap = inner.tap.clone();
    let before = before.unwrap_or(Seq(u64::MAX));
    let read = move || EntriesPage::read(&tap, before, after, limit);
    Ok(Page::Entries(beside(read).await?))
}

/// A part of the oldest keyframe at a place or behind it.
pub(super) async fn keyframe_part(inner: &Inner, from: Seq, offset: u64) -> Result<Page, PortError> {
    let Some(Encoded { seq, bytes, .. }) = inner.keyframes.from(from) else {
        return Ok(Page::Keyframe(None));
    };
    let part = beside(move || KeyframePage::of(seq, &bytes, offset)).await?;
    Ok(Page::Keyframe(Some(part)))
}

/// The same entries for a console of this process: they are shared with it.
pub(super) fn page(inner: &Inner, mut before: Seq) -> PastPage {
    let (oldest, mut batches) = (inner.tap.oldest(), Vec::new());
    let is_kept = oldest < before;
    while batches.len() < SEGMENTS_MAX {
        let Some(batch) = inner.tap.before(before) else { break };
        before = batch.get(0).map_or(before, |first| first.entry.seq);
        batches.push(batch);
    }
    batches.reverse();
    PastPage { batches, oldest: is_kept.then_some(oldest) }
}

/// The oldest keyframe at a place or behind it.
pub(super) async fn keyframe(inner: &Inner, from: Seq) -> Result<Option<Keyframe>, PortError> {
    let Some(Encoded { seq, bytes, .. }) = inner.keyframes.from(from) else { return Ok(None) };
    let snapshot = beside(move || Snapshot::decode(&bytes)).await?;
    let snapshot = snapshot.map_err(|error| PortError::BadRequest(format!("the keyframe: {error}")))?;
    Ok(Some(Keyframe { seq, snapshot: Box::new(snapshot) }))
}

/// Work on another thread: who asks may have but one.
pub(super) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PortError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| PortError::Stopping)
}

/// Work that reads so many bytes: on another thread where they are more than a thread that others wait for
/// reads (`limits.console.inspect_inline_bytes_max`), for another thread costs more than a short read.
pub(super) async fn beside_where_long<T: Send + 'static>(
    limits: &Limits,
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PortError> {
    if bytes as u64 > limits.console.inspect_inline_bytes_max { beside(work).await } else { Ok(work()) }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[tokio::test]
    async fn what_is_long_is_read_on_another_thread() {
        let limits = Limits::default();
        let most = usize::try_from(limits.console.inspect_inline_bytes_max).unwrap();
        let here = thread::current().id();
        let thread_of = async |bytes| beside_where_long(&limits, bytes, || thread::current().id()).await;
        assert_eq!(thread_of(most).await, Ok(here));
        assert_ne!(thread_of(most + 1).await, Ok(here));
    }
}
