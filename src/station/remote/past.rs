//! What a station had before this process was attached: asked of it page by page, read beside the screen's
//! thread, and carried over into the places and onto the clock of this process.

use std::sync::Arc;

use super::{
    port::{Connection, Inner},
    session::{older, unexpected_answer},
};
use crate::{
    ids::Seq,
    port::{Keyframe, KeyframePage, Page, PastPage, PortError, Query, Snapshot, wire},
    tap::{Batch, recorded::OwnedEntry},
    time::ClockShift,
};

/// The last entries before a place of this process.
pub(super) async fn page(inner: &Arc<Inner>, before: Seq) -> Result<PastPage, PortError> {
    let connection = inner.connection()?;
    let Some(there) = inner.timeline().as_ref().and_then(|timeline| timeline.station_seq(before)) else {
        return Ok(PastPage::default());
    };
    let query = Query::Entries { before: Some(there), after: Seq(0), limit: u64::MAX };
    let Page::Entries(page) = ask(&connection, query).await? else { return Err(unexpected_answer()) };
    let read = move || {
        // What this version does not know is left out, as it is of what comes now.
        let known = wire::entries(&page.entries.0).filter_map(Result::ok);
        let known: Vec<OwnedEntry> = known.filter(|one| one.entry.seq < there).collect();
        (known, page.oldest)
    };
    let (mut entries, oldest) = beside(read).await?;
    let timeline = inner.timeline();
    let timeline = timeline.as_ref().filter(|_| is_current(inner, &connection)).ok_or(PortError::Stopping)?;
    timeline.past(&mut entries);
    let oldest = (oldest < there).then(|| timeline.local_seq(oldest));
    Ok(PastPage { batches: Batch::of(entries), oldest })
}

/// The oldest keyframe at a place of this process or behind it.
pub(super) async fn keyframe(inner: &Arc<Inner>, from: Seq) -> Result<Option<Keyframe>, PortError> {
    let connection = inner.connection()?;
    let of_timeline =
        inner.timeline().as_ref().map(|timeline| (timeline.station_seq(from), timeline.shift()));
    let Some((from, shift)) = of_timeline else { return Ok(None) };
    let Some((seq, bytes)) = parts(inner, &connection, from.unwrap_or(Seq(0))).await? else {
        return Ok(None);
    };
    let snapshot = beside(move || decoded(&bytes, shift)).await??;
    let timeline = inner.timeline();
    let timeline = timeline.as_ref().filter(|_| is_current(inner, &connection)).ok_or(PortError::Stopping)?;
    Ok(Some(Keyframe { seq: timeline.local_seq(seq), snapshot: Box::new(timeline.snapshot(snapshot)) }))
}

fn decoded(bytes: &[u8], shift: ClockShift) -> Result<Snapshot, PortError> {
    Snapshot::decode_shifted(bytes, shift)
        .map_err(|error| PortError::BadRequest(format!("the station's keyframe: {error}")))
}

/// All parts of a keyframe, in the station's place. One that goes meanwhile makes room for the next.
async fn parts(
    inner: &Arc<Inner>,
    connection: &Connection,
    from: Seq,
) -> Result<Option<(Seq, Vec<u8>)>, PortError> {
    let (mut seq, mut bytes) = (None, Vec::new());
    loop {
        let query = Query::Keyframe { from: seq.unwrap_or(from), offset: bytes.len() as u64 };
        let Page::Keyframe(page) = ask(connection, query).await? else { return Err(unexpected_answer()) };
        let Some(KeyframePage { seq: found, bytes: whole, offset, part }) = page else { return Ok(None) };
        if whole > inner.limits.port.answer_bytes_max {
            return Err(PortError::BadRequest(format!(
                "the station's keyframe has {whole} bytes (limits.port.answer_bytes_max)"
            )));
        }
        let is_another = seq.is_some_and(|seq| seq < found) && offset > 0;
        seq = Some(found);
        if is_another {
            bytes.clear();
            continue;
        }
        if offset != bytes.len() as u64 || (part.0.is_empty() && whole > offset) {
            return Err(unexpected_answer());
        }
        bytes.extend(part.0);
        if bytes.len() as u64 >= whole {
            return Ok(Some((found, bytes)));
        }
    }
}

/// Asks; a station that does not know the question is told of by its version.
async fn ask(connection: &Connection, query: Query) -> Result<Page, PortError> {
    let answered = connection.session.query(query).await;
    answered.map_err(|error| older(error, &connection.about, "send its past"))
}

/// Whether the station still answers by this session: the next one's places may be others.
fn is_current(inner: &Inner, connection: &Connection) -> bool {
    inner.connection().is_ok_and(|now| now.number == connection.number)
}

async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, PortError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| PortError::Stopping)
}
