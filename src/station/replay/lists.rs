//! Lists of what held at a place of a recording, as a station gives them.

use crate::{
    filter::Filter,
    ids::OpeningId,
    macp,
    port::{AlertRow, ListRow, Page, PageRows, Paging, PortError, RunDetail, RunRow, SessionRow, Snapshot},
    runs::{RunView, Snapshot as RunsSnapshot},
    schema::JsonText,
    tap::entry::macp::Ending,
    time::Now,
};

/// Rows of a page, where the one who asks leaves it open.
pub(super) const ROWS_MAX: u64 = 10_000;

/// As many rows as a page may have.
pub(super) fn rows_max(limit: u64) -> u64 {
    if limit == 0 { ROWS_MAX } else { limit.min(ROWS_MAX) }
}

/// The filter of a page.
///
/// # Errors
/// [`PortError::BadRequest`] for one that cannot be read.
pub(super) fn filter<R: ListRow>(paging: &Paging) -> Result<Option<Filter>, PortError> {
    let read = |text: &String| {
        Filter::parse(text, R::SPECS).map_err(|fault| {
            PortError::BadRequest(format!("filter, at byte {}: {}", fault.at.start + 1, fault.words))
        })
    };
    paging.filter.as_ref().map(read).transpose()
}

/// A page of rows that are all at hand.
///
/// # Errors
/// [`PortError::BadRequest`] for a filter that cannot be read.
pub(super) fn page<R: ListRow>(mut rows: Vec<R>, paging: &Paging, now: Now) -> Result<Page, PortError> {
    let filter = filter::<R>(paging)?;
    let is_beyond = |row: &R| match (paging.beyond, row.key()) {
        (Some(beyond), Some(key)) => {
            if paging.oldest_first {
                key > beyond
            } else {
                key < beyond
            }
        }
        _ => true,
    };
    rows.retain(|row| is_beyond(row) && filter.as_ref().is_none_or(|filter| filter.admits(row, now)));
    rows.sort_by_key(R::key);
    if !paging.oldest_first {
        rows.reverse();
    }
    let limit = usize::try_from(rows_max(paging.limit)).unwrap_or(usize::MAX);
    let more = rows.len() > limit;
    rows.truncate(limit);
    let beyond = rows.last().and_then(R::key).filter(|_| filter.is_some());
    Ok(R::page(PageRows { rows, more, beyond }))
}

/// The alerts that are listed.
pub(super) fn alerts(state: &Snapshot) -> Vec<AlertRow> {
    state.station.alerts.iter().map(|alert| AlertRow::from(&**alert)).collect()
}

/// The runs that are known, in the order in which they were submitted. Their numbers are their places among
/// them, and the ids of their openings are not known.
pub(super) fn runs(state: &RunsSnapshot) -> Vec<RunRow> {
    (1..).zip(&state.runs).map(|(number, view)| run(number, view, state)).collect()
}

fn run(number: u64, view: &RunView, state: &RunsSnapshot) -> RunRow {
    let asks = state.asks.iter().filter(|ask| ask.run == view.run).count();
    RunRow {
        number,
        run: view.run,
        opening: OpeningId(uuid::Uuid::nil()),
        name: view.name.to_string(),
        state: view.state,
        why: view.why.as_deref().map(str::to_owned),
        by: view.by.kind,
        client: view.by.client.to_string(),
        nodes: u64::from(view.planned),
        done: u64::from(view.done_nodes().unwrap_or_default()),
        tokens: view.tokens,
        events: view.events,
        artifacts: view.artifacts,
        submitted_at_ms: view.submitted_at.wall,
        ended_at_ms: view.ended_at.map(|at| at.wall),
        asks: u32::try_from(asks).unwrap_or(u32::MAX),
        rated: None,
    }
}

/// A run with its plan, as far as that is kept; without the text of its opening.
pub(super) fn run_detail(row: RunRow, state: &RunsSnapshot) -> RunDetail {
    let plan = state.run(row.run).map(|view| serde_json::to_value(&*view.plan).unwrap_or_default());
    RunDetail {
        row,
        yaml: String::new(),
        plan: plan.as_ref().map_or_else(JsonText::null, JsonText::from_value),
        traceparent: None,
        artifacts_missing: 0,
        rating: None,
    }
}

/// The sessions that are known.
pub(super) fn sessions(state: &macp::Snapshot) -> Vec<SessionRow> {
    state.sessions.values().map(session).collect()
}

/// A session as it is listed.
pub(super) fn session(view: &macp::SessionView) -> SessionRow {
    let ending = view.end.as_ref().map(|end| end.ending);
    let why = view.end.as_ref().filter(|end| end.ending != Ending::Resolved && !end.text.is_empty());
    SessionRow {
        number: view.session.number,
        session: view.session.id.to_string(),
        mode: view.mode,
        // Which of its names was used is not known.
        mode_name: view.mode.name().to_owned(),
        state: view.state(),
        ending,
        why: why.map(|end| end.text.to_string()),
        phase: view.phase(),
        round: view.round(),
        by: view.by.to_string(),
        intent: view.intent.to_string(),
        participants: view.allowed,
        messages: view.messages,
        started_at_ms: view.started_at.wall,
        expires_at_ms: view.expires_at,
        ended_at_ms: view.end.as_ref().map(|end| end.at.wall),
        trace_id: view.trace,
    }
}
