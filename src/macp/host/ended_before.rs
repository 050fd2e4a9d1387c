//! Sessions that ended before the runtime started and are in the store alone, as they are shown: made of their
//! logs, by a kernel that is dropped behind them.

use bytes::Bytes;
use tokio::sync::oneshot;

use super::run::Setup;
use crate::{
    macp::{
        SessionRef, Snapshot, Transition,
        kernel::{Kernel, Output},
        log::Record,
    },
    store::{
        self, Rows,
        macp::{SessionFilter, SessionRow},
        op::CommitError,
    },
    time::{Mono, Now, Wall},
};

/// Records that are read for what is shown, of all sessions; one that has more than are left is not shown.
const RECORDS_MAX: u64 = 10_000;

/// Adds the newest of them, as many as `limits.macp.shown_max` leaves room for.
///
/// # Errors
/// The store cannot say.
pub(super) async fn add(
    setup: &Setup,
    store: &store::Handle,
    snapshot: &mut Snapshot,
) -> Result<(), CommitError> {
    let limits = setup.limits;
    let room = limits.shown_max.saturating_sub(snapshot.sessions.len() as u64);
    if room == 0 {
        return Ok(());
    }
    // What is in memory is shown already, and is less than what may be shown: of these rows enough are others.
    let filter = SessionFilter { limit: limits.shown_max, ..SessionFilter::default() };
    let rows = ask(|done| store.sessions(filter, done)).await?.rows;
    let mut records_left = RECORDS_MAX;
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    for row in rows.into_iter().filter(|row| row.is_evicted).take(room) {
        // Its start and its end are records too.
        let records = row.messages.saturating_add(2);
        if records > records_left {
            continue;
        }
        records_left -= records;
        let log: Rows<Bytes> = ask(|done| store.session_log(row.number, 0, records, done)).await?;
        let shown = rebuilt(setup, &row, &log.rows);
        snapshot.sessions.extend(shown.sessions);
    }
    *snapshot = std::mem::take(snapshot).in_order();
    Ok(())
}

/// A snapshot that has this session alone.
fn rebuilt(setup: &Setup, row: &SessionRow, log: &[Bytes]) -> Snapshot {
    let mut kernel = Kernel::new(setup.clock.now(), setup.limits);
    let mut shown = Snapshot::default();
    // Shown with the times of then, which the clock of this start does not know.
    let at = |wall| Now { mono: Mono(0), wall };
    for record in log {
        // What is behind damage is not shown; the row says how the session ended.
        if kernel.replay(row.number, record).is_err() {
            break;
        }
        let wall = Record::read(record).map_or(Wall(0), |(wall, _)| wall);
        while let Some(output) = kernel.poll_output() {
            if let Output::Transition { transition, trace, text } = output {
                shown.follow(&transition, trace, at(wall), &text, &setup.limits);
            }
        }
    }
    let session = SessionRef { number: row.number, id: row.id.as_str().into() };
    let has_ended = shown.sessions.get(&row.number).is_none_or(|view| view.end.is_some());
    if let Some(ending) = row.ending.filter(|_| !has_ended) {
        let ended = Transition::Ended { session: session.clone(), ending };
        let wall = row.ended_at.unwrap_or(row.expires_at);
        shown.follow(&ended, row.trace, at(wall), row.why.as_deref().unwrap_or_default(), &setup.limits);
    }
    shown.follow(&Transition::Evicted { session }, row.trace, at(Wall(0)), "", &setup.limits);
    shown
}

/// Asks the store.
async fn ask<T: Send + 'static>(
    question: impl FnOnce(store::Answer<T>) -> Result<(), CommitError>,
) -> Result<T, CommitError> {
    let (tell, told) = oneshot::channel();
    question(Box::new(move |answer| drop(tell.send(answer))))?;
    told.await.unwrap_or_else(|_| Err(CommitError::Failed("the store is closed".to_owned())))
}
