//! Pages about runs: from the store what they left in it, from the engine what waits for a person.

use std::collections::BTreeMap;

use super::handle::Runs;
use crate::{
    ids::TraceId,
    port::{Page, PortError, Query, RunRow},
    station::{
        bridge::Running,
        filtered_page::{Paging, RowChunk, page},
        host::{Asking, misdirected},
        pages::{flush_store, query_store},
    },
    store::runs::RunFilter,
    tap::entry::Link,
};

pub(super) async fn answer(runs: &Runs, asking: Asking<'_>, query: Query) -> Result<Page, PortError> {
    let Asking { inner, running } = asking;
    if matches!(query, Query::Confirmations) {
        return Ok(Page::Confirmations(runs.asks().await?.into_iter().map(Into::into).collect()));
    }
    flush_store(&running.store).await?;
    match query {
        Query::Runs { state, name, since_ms: since, beyond, oldest_first, filter, limit } => {
            let asks = &asks(runs).await;
            let paging = Paging { filter, beyond, limit: asking.rows_max(limit) };
            let read = |beyond, limit| {
                rows(
                    running,
                    asks,
                    RunFilter { state, name: name.clone(), since, beyond, oldest_first, limit },
                )
            };
            let RowChunk { rows, more, last: beyond } = page(inner, paging, |row| row.number, read).await?;
            Ok(Page::Runs { rows, more, beyond })
        }
        Query::Run { run } => {
            let detail = query_store(|done| running.store.run(run, done)).await?;
            Ok(Page::Run(detail.map(|detail| Box::new(detail.into()))))
        }
        Query::RunEvents { run, after, limit } => {
            let limit = asking.rows_max(limit);
            let page = query_store(|done| running.store.run_events(run, after, limit, done)).await?;
            Ok(Page::RunEvents { rows: page.rows.into_iter().map(Into::into).collect(), more: page.more })
        }
        Query::RunArtifacts { run, after, limit } => {
            let limit = asking.rows_max(limit);
            let page = query_store(|done| running.store.run_artifacts(run, after, limit, done)).await?;
            Ok(Page::RunArtifacts { rows: page.rows.into_iter().map(Into::into).collect(), more: page.more })
        }
        _ => Err(misdirected(Link::Runs)),
    }
}

/// How many questions of each run wait for a person. Where the runs are down, none does.
async fn asks(runs: &Runs) -> BTreeMap<TraceId, u32> {
    let mut asks = BTreeMap::new();
    for ask in runs.asks().await.unwrap_or_default() {
        *asks.entry(ask.run).or_default() += 1;
    }
    asks
}

async fn rows(
    running: &Running,
    asks: &BTreeMap<TraceId, u32>,
    filter: RunFilter,
) -> Result<RowChunk<RunRow, u64>, PortError> {
    let page = query_store(|done| running.store.runs(filter, done)).await?;
    let last = page.rows.last().map(|row| row.number);
    let row = |row: RunRow| RunRow { asks: asks.get(&row.run).copied().unwrap_or(0), ..row };
    Ok(RowChunk {
        rows: page.rows.into_iter().map(|stored| row(stored.into())).collect(),
        more: page.more,
        last,
    })
}
