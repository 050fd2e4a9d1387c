//! Answers to queries, a page at a time: by the host whose they are, or by the station itself.

use std::path::PathBuf;

use tokio::sync::oneshot;

use super::{
    bridge::Running,
    clients, health,
    host::{Asking, misdirected},
    trace,
};
use crate::{
    port::{Outcome, Page, PortError, Query},
    store::{Answer, op::CommitError},
    tap::entry::Link,
};

pub(super) async fn answer(asking: Asking<'_>, query: Query) -> Result<Page, PortError> {
    let Asking { inner, running } = asking;
    if let Some(host) = inner.hosts.of(query.link()) {
        return host.answer(asking, query).await;
    }
    match query {
        Query::Health => Ok(Page::Health(health::rows(inner, running).await)),
        Query::Clients => Ok(Page::Clients(clients::rows(asking).await)),
        Query::Trace { trace, after, events, limit } => {
            trace::ladder(inner, trace, after, events, asking.rows_max(limit)).await
        }
        _ => Err(misdirected(Link::Station)),
    }
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
            why: "it exists already".to_owned(),
        });
    }
    let to = path.clone();
    let bytes = query_store(|done| running.store.backup(&to, done)).await?;
    Ok(Outcome::BackedUp { path, bytes })
}
