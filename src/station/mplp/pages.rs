//! Records as they are asked for: built of what the store has, kept while their pages are read.

use std::sync::Arc;

use super::{
    built::BuiltRecord,
    handle::Records,
    read::{Found, find_run, find_session, look_at_station},
};
use crate::{
    limits::Limits,
    mplp::Refusal,
    port::{Page, PortError, Query, RecordOf},
    station::{
        host::{Asking, misdirected},
        past::beside,
    },
    tap::entry::Link,
};

/// A record as the store has it.
enum Now {
    /// It has none.
    Gone,
    /// It was built before.
    Kept(Arc<BuiltRecord>),
    /// It is to be built, as this version.
    New(Found, u64),
}

/// Bytes of an answer that are left to what is around a page.
const AROUND_BYTES: u64 = 64 << 10;

pub(super) async fn answer(records: &Records, asking: Asking<'_>, query: Query) -> Result<Page, PortError> {
    let Query::Lifecycle { of, after, limit, bytes } = query else { return Err(misdirected(Link::Mplp)) };
    let Some(record) = record(records, asking, of, after).await? else { return Ok(Page::Lifecycle(None)) };
    let object_max = bytes.unwrap_or(0).min(object_bytes_max(&asking.inner.limits));
    Ok(Page::Lifecycle(Some(Box::new(record.page(after, asking.rows_max(limit), object_max)))))
}

/// Bytes of an object that an answer has room for.
fn object_bytes_max(limits: &Limits) -> u64 {
    limits.mplp.bundle_bytes_max.min(limits.port.answer_bytes_max.saturating_sub(AROUND_BYTES))
}

/// The record as it is now; behind its first page as it was then.
async fn record(
    records: &Records,
    asking: Asking<'_>,
    of: RecordOf,
    after: u64,
) -> Result<Option<Arc<BuiltRecord>>, PortError> {
    let (inner, kept) = (asking.inner, &records.kept);
    let (settings, limits, clock) = (records.settings()?, inner.limits.mplp, inner.clock);
    if after > 0
        && let Some(record) = kept.paged(&of, clock.now().mono)
    {
        return Ok(Some(record));
    }
    let kept_now = async || {
        let Some(found) = find(asking, &of).await? else { return Ok(Now::Gone) };
        let version = found.version();
        let record = kept.of_version(&of, version, clock.now().mono);
        Ok::<_, PortError>(record.map_or(Now::New(found, version), Now::Kept))
    };
    match kept_now().await? {
        Now::Gone => return Ok(None),
        Now::Kept(record) => return Ok(Some(record)),
        Now::New(..) => {}
    }
    let Some(_turn) = kept.turn().await else {
        return Err(PortError::Busy { what: "the queue of lifecycle records to build".to_owned() });
    };
    // Who had a turn meanwhile may have built it, and it may be another by now.
    let (found, version) = match kept_now().await? {
        Now::Gone => return Ok(None),
        Now::Kept(record) => return Ok(Some(record)),
        Now::New(found, version) => (found, version),
    };
    let bundle = found.bundle(asking, settings).await?;
    let built = beside(move || BuiltRecord::new(of, version, bundle, &limits)).await?;
    let too_large = |bytes| PortError::Record(Refusal::TooLarge { bytes, max: limits.bundle_bytes_max });
    let record = Arc::new(built.map_err(|it| too_large(it.bytes))?);
    kept.put(Arc::clone(&record), limits.bundle_bytes_max, clock.now().mono);
    kept.watch(clock);
    Ok(Some(record))
}

async fn find(asking: Asking<'_>, of: &RecordOf) -> Result<Option<Found>, PortError> {
    match of {
        RecordOf::Run(run) => find_run(asking, *run).await,
        RecordOf::Session(session) => find_session(asking, session.clone()).await,
        RecordOf::Station => look_at_station(asking).await.map(Some),
    }
}
