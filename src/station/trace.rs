//! The ladder of a trace, from what the tap keeps.

use super::local::Inner;
use crate::{
    ids::{Seq, TraceId},
    port::{Ladder, Page, PortError},
};

/// A trace's hops behind a place in the tap, with how far back it is kept.
pub(super) async fn ladder(
    inner: &Inner,
    trace: TraceId,
    after: Seq,
    has_events: bool,
    limit: u64,
) -> Result<Page, PortError> {
    let mut reader =
        inner.tap.reader_from_oldest().map_err(|error| PortError::Busy { what: error.to_string() })?;
    let mut ladder = Ladder::new(trace, has_events, after, limit);
    ladder.observe_peers(&inner.hosts.bus.snapshot().await?.1);
    let (end, mut kept_since_ms) = (inner.tap.last(), inner.status.view().0.started_at.wall);
    let mut is_cut = reader.next() > Seq(1);
    while reader.next() <= end {
        let Some(batch) = reader.read() else { break };
        // What is lost while it is read is older than what is left.
        is_cut |= batch.lost > 0;
        if std::mem::take(&mut is_cut) {
            kept_since_ms = batch.get(0).map_or(kept_since_ms, |entry| entry.entry.at.wall);
        }
        batch.iter().for_each(|entry| ladder.take(entry));
        // Others have their turn between two segments.
        tokio::task::yield_now().await;
    }
    let (hops, more) = ladder.hops();
    Ok(Page::Trace { hops, more, kept_since_ms })
}
