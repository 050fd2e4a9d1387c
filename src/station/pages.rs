//! Answers to queries, a page at a time: by the host whose they are, or by the station itself.

use std::path::PathBuf;

use tokio::sync::oneshot;

use super::{
    bridge::Running,
    clients,
    filtered_page::{Paging, RowChunk, page},
    findings, gate, health,
    host::{Asking, misdirected},
    past, recording, trace, violations, workbench,
};
use crate::{
    port::{AlertRow, FileFault, Outcome, Page, PortError, Query},
    store::{self, AlertFilter, Answer, Rows, op::CommitError},
    tap::entry::{Link, alerts::Alert},
};

pub(super) async fn answer(asking: Asking<'_>, query: Query) -> Result<Page, PortError> {
    let Asking { inner, .. } = asking;
    if let Some(host) = inner.hosts.of(query.link()) {
        return host.answer(asking, query).await;
    }
    match query {
        Query::Health => Ok(Page::Health(health::rows(asking).await)),
        Query::Alerts { state, since_ms, beyond, oldest_first, filter, limit } => {
            let paging = Paging { filter, beyond, limit: asking.rows_max(limit) };
            let read = |beyond, limit| {
                alerts(asking, AlertFilter { state, since: since_ms, beyond, oldest_first, limit })
            };
            let RowChunk { rows, more, last: beyond } = page(inner, paging, |row| row.id, read).await?;
            Ok(Page::Alerts { rows, more, beyond })
        }
        Query::Violations => violations::answer(inner).await,
        Query::Findings => findings::answer(inner).await,
        Query::Clients => Ok(Page::Clients(clients::rows(asking).await)),
        Query::Trace { trace, after, events, limit } => {
            trace::ladder(inner, trace, after, events, asking.rows_max(limit)).await
        }
        Query::Judge { stand, bytes } => {
            workbench::judge(inner, stand, bytes.0).await.map(|row| Page::Judged(Box::new(row)))
        }
        Query::GateRules => Ok(gate::rules(inner)),
        Query::Triggers => Ok(Page::Triggers(inner.triggers.rows())),
        Query::Intercepted => Ok(gate::held(asking).await),
        Query::InterceptedFrame { frame } => gate::frame(asking, frame).await,
        Query::Entries { before, after, limit } => past::entries(inner, before, after, limit).await,
        Query::ClipEntries { from, until } => recording::clip_entries(inner, from, until).await,
        Query::Keyframe { from, offset } => past::keyframe_part(inner, from, offset).await,
        _ => Err(misdirected(Link::Station)),
    }
}

/// Alerts as they are: from the store, and those that it does not have yet.
async fn alerts(
    Asking { inner, running }: Asking<'_>,
    filter: AlertFilter,
) -> Result<RowChunk<AlertRow, u64>, PortError> {
    // While commits fail, reads show what the table has.
    let _ = query_store(|done| running.store.flush(done)).await;
    let (beyond, oldest_first, limit) = (filter.beyond, filter.oldest_first, filter.limit);
    let (state, since) = (filter.state, filter.since);
    let is_wanted = move |alert: &Alert| {
        state.is_none_or(|state| alert.state() == state)
            && since.is_none_or(|since| alert.raised_at.wall >= since)
    };
    let Rows { rows, more } = query_store(|done| running.store.alerts(filter, done)).await?;
    let last = rows.last().map(|alert| alert.id);
    let view = inner.status.view().0.alerts;
    let as_it_is = |alert: Alert| view.get(alert.id).map_or(alert, |known| Alert::clone(known));
    let mut rows: Vec<Alert> = rows.into_iter().map(as_it_is).filter(is_wanted).collect();
    if beyond.is_none() && !oldest_first {
        let newest = rows.first().map_or(0, |alert| alert.id);
        let unsaved = view.iter().filter(|alert| alert.id > newest && is_wanted(alert));
        let mut unsaved: Vec<Alert> = unsaved.map(|alert| Alert::clone(alert)).collect();
        unsaved.reverse();
        rows.splice(0..0, unsaved);
        rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Ok(RowChunk { rows: rows.iter().map(AlertRow::from).collect(), more, last })
}

/// Asks the store and waits for its callback.
pub(super) async fn query_store<T: Send + 'static>(
    ask: impl FnOnce(Answer<T>) -> Result<(), CommitError>,
) -> Result<T, PortError> {
    let (answer, answered) = oneshot::channel();
    let done = Box::new(move |result| {
        let _ = answer.send(result);
    });
    ask(done).map_err(of_store)?;
    answered.await.map_err(|_| PortError::Stopping)?.map_err(of_store)
}

/// Has everything that was told so far visible to reads. While commits fail, reads show what the tables have.
pub(super) async fn flush_store(store: &store::Handle) -> Result<(), PortError> {
    match query_store(|done| store.flush(done)).await {
        Ok(()) | Err(PortError::Store(_) | PortError::Busy { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn of_store(error: CommitError) -> PortError {
    match error {
        CommitError::Busy { waiting } => {
            PortError::Busy { what: format!("the store, with {waiting} requests waiting") }
        }
        CommitError::Failed(why) => PortError::Store(why),
    }
}

pub(super) async fn backup(running: &Running, path: PathBuf) -> Result<Outcome, PortError> {
    if path.exists() {
        return Err(PortError::File {
            what: path.display().to_string(),
            why: "already exists".to_owned(),
            fault: FileFault::Other,
        });
    }
    let to = path.clone();
    let bytes = query_store(|done| running.store.backup(&to, done)).await?;
    Ok(Outcome::BackedUp { path, bytes })
}
