//! Answers to queries, a page at a time: from the core what it holds, from the store what it does not.

use std::{collections::BTreeMap, path::PathBuf};

use tokio::sync::oneshot;

use super::{
    filtered_page::{PageFilter, RowChunk},
    local::{Inner, Running},
    metrics::EndpointState,
    sessions, trace,
};
use crate::{
    field::Fields,
    ids::{InvocationId, QueueName, RefundId, TraceId},
    mpp,
    port::{
        AdapterRow, EventRow, HealthRow, InvocationRow, Outcome, Page, PortError, Query, QueueRow, RefundRow,
        RunRow, SessionRow, StateKeyRow, peer_rows, subscription_rows, topic_rows,
    },
    runs::Metrics,
    schema::JsonText,
    store::{
        InvocationFilter, RefundFilter, invocations::Row, macp::SessionFilter, op::CommitError,
        runs::RunFilter,
    },
    tap::entry::mpp::RowState,
    time::Wall,
    words::counted,
};

pub(super) async fn answer(inner: &Inner, running: &Running, query: Query) -> Result<Page, PortError> {
    let page_max = inner.limits.port.page_rows_max;
    match query {
        Query::Queues => {
            running.with_bridge(|bridge| Page::Queues(queue_rows(&bridge.snapshot(), &bridge.heads()))).await
        }
        Query::Events => Ok(Page::Events(event_rows(&running.pack))),
        Query::State => running.with_bridge(|bridge| Page::State(state_rows(bridge))).await,
        Query::Adapters => {
            running.with_bridge(|bridge| Page::Adapters(adapter_rows(&bridge.snapshot()))).await
        }
        Query::Invocation { id } => Ok(Page::Invocation(invocation(running, id).await?)),
        Query::Invocations { state, queue, beyond, oldest_first, other_manifest, filter, limit } => {
            let not_of = other_manifest.then(|| (running.pack.id.clone(), running.pack.hash.clone()));
            let asked =
                InvocationFilter { state, queue, beyond, oldest_first, not_of, limit: limit.min(page_max) };
            let Some(sieve) = PageFilter::new(filter.as_deref(), InvocationRow::SPECS, asked.limit, inner)?
            else {
                let RowChunk { rows, more, .. } = invocations(running, asked).await?;
                return Ok(Page::Invocations { rows, more, beyond: None });
            };
            let read =
                |beyond, limit| invocations(running, InvocationFilter { beyond, limit, ..asked.clone() });
            let RowChunk { rows, more, last: beyond } = sieve.rows(asked.beyond, |row| row.id, read).await?;
            Ok(Page::Invocations { rows, more, beyond })
        }
        Query::Refunds { status, beyond, oldest_first, filter, limit } => {
            let asked = RefundFilter { status, beyond, oldest_first, limit: limit.min(page_max) };
            let Some(sieve) = PageFilter::new(filter.as_deref(), RefundRow::SPECS, asked.limit, inner)?
            else {
                let RowChunk { rows, more, .. } = refunds(running, asked).await?;
                return Ok(Page::Refunds { rows, more, beyond: None });
            };
            let read = |beyond, limit| refunds(running, RefundFilter { beyond, limit, ..asked.clone() });
            let RowChunk { rows, more, last: beyond } = sieve.rows(asked.beyond, |row| row.id, read).await?;
            Ok(Page::Refunds { rows, more, beyond })
        }
        Query::Health => health(inner, running).await,
        Query::Topics => Ok(Page::Topics(topic_rows(&inner.bus.snapshot().await.1))),
        Query::Peers => Ok(Page::Peers(peer_rows(&inner.bus.snapshot().await.1))),
        Query::Subscriptions => Ok(Page::Subscriptions(subscription_rows(&inner.bus.snapshot().await.1))),
        Query::Runs { state, name, since_ms, beyond, oldest_first, filter, limit } => {
            let asked =
                RunFilter { state, name, since: since_ms, beyond, oldest_first, limit: limit.min(page_max) };
            let asks = &asks(inner).await;
            let sieve = PageFilter::new(filter.as_deref(), RunRow::SPECS, asked.limit, inner)?;
            flush_runs(running).await?;
            let Some(sieve) = sieve else {
                let RowChunk { rows, more, .. } = runs(running, asks, asked).await?;
                return Ok(Page::Runs { rows, more, beyond: None });
            };
            let read = |beyond, limit| runs(running, asks, RunFilter { beyond, limit, ..asked.clone() });
            let RowChunk { rows, more, last: beyond } =
                sieve.rows(asked.beyond, |row| row.number, read).await?;
            Ok(Page::Runs { rows, more, beyond })
        }
        Query::Run { run } => {
            flush_runs(running).await?;
            let detail = query_store(|done| running.store.run(run, done)).await?;
            Ok(Page::Run(detail.map(|detail| Box::new(detail.into()))))
        }
        Query::RunEvents { run, after, limit } => {
            flush_runs(running).await?;
            let page =
                query_store(|done| running.store.run_events(run, after, limit.min(page_max), done)).await?;
            Ok(Page::RunEvents { rows: page.rows.into_iter().map(Into::into).collect(), more: page.more })
        }
        Query::RunArtifacts { run, after, limit } => {
            flush_runs(running).await?;
            let page = query_store(|done| running.store.run_artifacts(run, after, limit.min(page_max), done))
                .await?;
            Ok(Page::RunArtifacts { rows: page.rows.into_iter().map(Into::into).collect(), more: page.more })
        }
        Query::Sessions { state, mode, since_ms, beyond, oldest_first, filter, limit } => {
            let asked = SessionFilter {
                state,
                mode,
                since: since_ms,
                beyond,
                oldest_first,
                limit: limit.min(page_max),
            };
            let sieve = PageFilter::new(filter.as_deref(), SessionRow::SPECS, asked.limit, inner)?;
            sessions::flush(inner).await;
            let Some(sieve) = sieve else {
                let RowChunk { rows, more, .. } = sessions::rows(running, asked).await?;
                return Ok(Page::Sessions { rows, more, beyond: None });
            };
            let read =
                |beyond, limit| sessions::rows(running, SessionFilter { beyond, limit, ..asked.clone() });
            let RowChunk { rows, more, last: beyond } =
                sieve.rows(asked.beyond, |row| row.number, read).await?;
            Ok(Page::Sessions { rows, more, beyond })
        }
        Query::Session { session } => {
            Ok(Page::Session(sessions::detail(inner, running, session).await?.map(Box::new)))
        }
        Query::SessionLog { session, after, limit } => {
            let (rows, more) = sessions::log(inner, running, session, after, limit.min(page_max)).await?;
            Ok(Page::SessionLog { rows, more })
        }
        Query::Confirmations => {
            Ok(Page::Confirmations(inner.runs.asks().await?.into_iter().map(Into::into).collect()))
        }
        Query::Trace { trace, after, events, limit } => {
            trace::ladder(inner, trace, after, events, limit).await
        }
        Query::InvocationWhen { .. } => Err(PortError::BadRequest("a wait is no page".to_owned())),
    }
}

fn queue_rows(snapshot: &mpp::Snapshot, heads: &BTreeMap<QueueName, Wall>) -> Vec<QueueRow> {
    let row = |(name, view): (&QueueName, &mpp::QueueView)| QueueRow {
        queue: name.clone(),
        ready_after: view.ready_after,
        pending: view.pending,
        other_manifest: view.other_manifest,
        in_flight: view.in_flight,
        parked: view.parked,
        held: view.brake.held,
        draining: view.brake.draining,
        head_at_ms: heads.get(name).copied().filter(|_| view.pending > 0),
    };
    snapshot.queues.iter().map(row).collect()
}

fn event_rows(pack: &mpp::manifest::Pack) -> Vec<EventRow> {
    let row = |(name, event): (&crate::ids::EventName, &mpp::manifest::Event)| EventRow {
        event: name.clone(),
        queue: event.queue.clone(),
        title: event.title.as_deref().map(str::to_owned),
        schema: event.schema.as_ref().map(|schema| JsonText::from_value(schema.source())),
    };
    pack.events.iter().map(row).collect()
}

fn state_rows(bridge: &mpp::Bridge) -> Vec<StateKeyRow> {
    let row = |value: mpp::StateValue| StateKeyRow {
        key: value.key,
        value: value.value,
        scope: value.scope,
        persist: value.persist,
        writer: value.writer,
        written_by: Some(value.written_by),
        at_ms: Some(value.at),
    };
    bridge.state_rows().into_iter().map(row).collect()
}

fn adapter_rows(snapshot: &mpp::Snapshot) -> Vec<AdapterRow> {
    let row = |adapter: &mpp::AdapterView| AdapterRow {
        peer: adapter.peer.clone(),
        connected_at_ms: adapter.connected_at.wall,
        pack_id: snapshot.pack.id.clone(),
        last_in_ms: adapter.last_in.wall,
    };
    snapshot.adapter.iter().map(row).collect()
}

/// Asks the store and waits for its callback.
pub(super) async fn query_store<T: Send + 'static>(
    ask: impl FnOnce(crate::store::Answer<T>) -> Result<(), CommitError>,
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

/// Has everything the core decided so far visible to reads; gives what is not committed yet. While commits
/// fail, reads show what the tables have, and the core's own states are laid over them.
async fn flush_pending(running: &Running) -> Result<BTreeMap<InvocationId, mpp::UncommittedRow>, PortError> {
    let dirty = running.with_bridge(mpp::Bridge::dirty).await?;
    match query_store(|done| running.store.flush(done)).await {
        Ok(()) | Err(PortError::Store(_) | PortError::Busy { .. }) => Ok(dirty),
        Err(error) => Err(error),
    }
}

fn overlay(row: &mut Row, dirty: &BTreeMap<InvocationId, mpp::UncommittedRow>) {
    if let Some(moved) = dirty.get(&row.id) {
        row.state = moved.state;
        row.updated_at_ms = moved.at;
        row.result = moved.result.clone().or_else(|| row.result.take());
        row.reason = moved.reason.clone().or_else(|| row.reason.take());
    }
}

/// One invocation as the core has it.
pub(super) async fn invocation(
    running: &Running,
    id: InvocationId,
) -> Result<Option<InvocationRow>, PortError> {
    let dirty = flush_pending(running).await?;
    let row: Option<Row> = query_store(|done| running.store.invocation(id, done)).await?;
    Ok(row.map(|mut row| {
        overlay(&mut row, &dirty);
        InvocationRow::of(row, &running.pack.id, &running.pack.hash)
    }))
}

async fn invocations(
    running: &Running,
    filter: InvocationFilter,
) -> Result<RowChunk<InvocationRow, InvocationId>, PortError> {
    let dirty = flush_pending(running).await?;
    let state: Option<RowState> = filter.state;
    let page = query_store(|done| running.store.invocations(filter, done)).await?;
    let last = page.rows.last().map(|row| row.id);
    let rows = page
        .rows
        .into_iter()
        .map(|mut row| {
            overlay(&mut row, &dirty);
            row
        })
        .filter(|row| state.is_none_or(|state| row.state == state))
        .map(|row| InvocationRow::of(row, &running.pack.id, &running.pack.hash))
        .collect();
    Ok(RowChunk { rows, more: page.more, last })
}

async fn refunds(
    running: &Running,
    filter: RefundFilter,
) -> Result<RowChunk<RefundRow, RefundId>, PortError> {
    let page = query_store(|done| running.store.refunds(filter, done)).await?;
    let last = page.rows.last().map(|refund| refund.id);
    let rows = page
        .rows
        .into_iter()
        .map(|refund| RefundRow {
            id: refund.id,
            invocation_id: refund.invocation_id,
            source: refund.source,
            status: refund.status,
            at_ms: refund.at_ms,
        })
        .collect();
    Ok(RowChunk { rows, more: page.more, last })
}

/// Has everything that the runs have told so far visible to reads. While commits fail, reads show what the
/// tables have.
async fn flush_runs(running: &Running) -> Result<(), PortError> {
    match query_store(|done| running.store.flush(done)).await {
        Ok(()) | Err(PortError::Store(_) | PortError::Busy { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// How many questions of each run wait for a person. Where the runs are down, none does.
async fn asks(inner: &Inner) -> BTreeMap<TraceId, u32> {
    let mut asks = BTreeMap::new();
    for ask in inner.runs.asks().await.unwrap_or_default() {
        *asks.entry(ask.run).or_default() += 1;
    }
    asks
}

async fn runs(
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

async fn health(inner: &Inner, running: &Running) -> Result<Page, PortError> {
    let mpp = running.with_bridge(|bridge| mpp_health(&bridge.snapshot())).await;
    let mpp = mpp.unwrap_or_else(|error| HealthRow {
        part: "mpp".to_owned(),
        well: false,
        detail: error.to_string(),
    });
    let store = running.store.counters();
    let store = HealthRow {
        part: "store".to_owned(),
        well: store.failing.is_none(),
        detail: store.failing.unwrap_or_else(|| {
            format!(
                "{}, {} failed, {} unfolded, {} waiting, a journal of {}",
                counted(store.commits, "commit"),
                store.commit_failures,
                counted(store.unfolded_rows, "row"),
                counted(store.requests_waiting, "request"),
                counted(store.journal_bytes, "byte"),
            )
        }),
    };
    let tap = inner.tap.counters();
    let tap = HealthRow {
        part: "tap".to_owned(),
        well: true,
        detail: format!(
            "{} emitted, {} kept in {}, {} evicted, {} cut, {}",
            counted(tap.emitted, "entry"),
            tap.kept_entries,
            counted(tap.kept_bytes, "byte"),
            tap.evicted,
            tap.cut,
            counted(tap.readers, "reader"),
        ),
    };
    let path = inner.status.recording_path();
    let recording = HealthRow {
        part: "recording".to_owned(),
        well: true,
        detail: path.map_or_else(|| "none".to_owned(), |path| format!("into {}", path.display())),
    };
    let runs = runs_health(inner.runs.metrics().await);
    let mut parts = vec![mpp, inner.bus.health().await, runs, inner.sessions.health(), store, tap, recording];
    parts.extend(metrics_health(inner.metrics.state()));
    Ok(Page::Health(parts))
}

fn runs_health(figures: Result<Metrics, PortError>) -> HealthRow {
    let part = "runs".to_owned();
    match figures {
        Ok(figures) => {
            let held = if figures.held {
                "held, so that no attempt is begun until `rl-console resume`; "
            } else {
                ""
            };
            let detail = format!(
                "{held}{} open, {} worked on, {}; {} accepted and {} rejected since the start",
                figures.running,
                counted(figures.in_flight, "attempt"),
                match figures.asking {
                    0 => "nobody is asked anything".to_owned(),
                    asking => format!("{} for a person", counted(asking, "question")),
                },
                figures.submitted,
                figures.rejected.iter().sum::<u64>(),
            );
            HealthRow { part, well: true, detail }
        }
        Err(PortError::HostDown { .. }) => {
            HealthRow { part, well: false, detail: "down: `rl-console restart runs` starts them".to_owned() }
        }
        Err(error) => HealthRow { part, well: false, detail: error.to_string() },
    }
}

fn metrics_health(standing: EndpointState) -> Option<HealthRow> {
    let (well, detail) = match standing {
        EndpointState::Off => return None,
        EndpointState::Serving(addr) => (true, format!("on http://{addr}/metrics")),
        EndpointState::Down(why) => (false, why),
    };
    Some(HealthRow { part: "metrics".to_owned(), well, detail })
}

fn mpp_health(snapshot: &mpp::Snapshot) -> HealthRow {
    let adapter = snapshot
        .adapter
        .as_ref()
        .map_or_else(|| "no adapter".to_owned(), |adapter| format!("adapter {}", adapter.peer));
    let (well, detail) = match (&snapshot.listener, snapshot.paired) {
        (mpp::Listener::Listening(addr), true) => (true, format!("listening on {addr}, {adapter}")),
        (mpp::Listener::Listening(addr), false) => {
            (false, format!("listening on {addr}, unpaired: `rl-console pair` makes a token"))
        }
        (mpp::Listener::Down(why), _) => (false, why.to_string()),
        (mpp::Listener::Starting, _) => (false, "starting".to_owned()),
    };
    HealthRow { part: "mpp".to_owned(), well, detail }
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
