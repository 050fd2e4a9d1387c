//! Sessions that ended before the runtime started and are in the store alone, as they are shown: made of
//! their logs, by a kernel that is dropped behind them.

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
        self,
        macp::{LogRequest, SessionFilter, SessionRow},
        op::CommitError,
    },
    time::{Mono, Now, Wall},
};

/// Records that are read for what is shown, of all sessions; one that has more than are left is not shown.
const RECORDS_MAX: u64 = 10_000;

/// Bytes of these records; a session that has more than are left is not shown.
const LOGS_BYTES_MAX: usize = 16 << 20;

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
    // What is in memory is shown already, and is less than what may be shown: enough rows are others.
    let filter = SessionFilter { limit: limits.shown_max, ..SessionFilter::default() };
    let rows = ask(|done| store.sessions(filter, done)).await?.rows;
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    let mut rows: Vec<_> = rows.into_iter().filter(|row| row.is_evicted).take(room).collect();
    let mut records_left = RECORDS_MAX;
    rows.retain(|row| {
        let left = records_left.checked_sub(records_of(row));
        records_left = left.unwrap_or(records_left);
        left.is_some()
    });
    let wanted =
        rows.iter().map(|row| LogRequest { session: row.number, records: records_of(row) }).collect();
    let logs = ask(|done| store.session_logs(wanted, LOGS_BYTES_MAX, done)).await?;
    for row in rows {
        if let Some(log) = logs.get(&row.number) {
            snapshot.sessions.extend(rebuilt(setup, &row, log).sessions);
        }
    }
    *snapshot = std::mem::take(snapshot).in_order();
    Ok(())
}

/// How many records its log has: its start and its end are records too.
const fn records_of(row: &SessionRow) -> u64 {
    row.messages.saturating_add(2)
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
