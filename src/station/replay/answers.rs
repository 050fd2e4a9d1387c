//! What a recording answers to queries: from the state where it is, and from its entries until there.

use std::sync::Arc;

use super::{past::PastReader, shared::Shared};
use crate::{
    ids::{Seq, TraceId},
    port::{
        AlertRow, Ladder, Page, PortError, Query, Snapshot, drop_rows, peer_rows, plugin_rows,
        subscription_rows, topic_rows,
    },
    recording::{PlacedItem, RecordedItem, SetCursor},
    time::Now,
};

/// Rows of a page, where the one who asks leaves it open.
const ROWS_MAX: u64 = 10_000;

/// Answers from what is at hand; nothing where the entries have to be read for it.
pub(super) fn from_state(state: &Snapshot, now: Now, query: &Query) -> Option<Result<Page, PortError>> {
    Some(Ok(match query {
        Query::Topics => Page::Topics(topic_rows(&state.rmp)),
        Query::Peers => Page::Peers(peer_rows(&state.rmp)),
        Query::Subscriptions => Page::Subscriptions(subscription_rows(&state.rmp)),
        Query::Drops => Page::Drops(drop_rows(&state.rmp)),
        Query::Plugins => Page::Plugins(plugin_rows(&state.plugin, now)),
        Query::Alerts { state: wanted, since_ms, beyond, oldest_first, filter: None, limit } => {
            let mut rows: Vec<AlertRow> = state
                .station
                .alerts
                .iter()
                .filter(|alert| wanted.is_none_or(|wanted| alert.state() == wanted))
                .filter(|alert| since_ms.is_none_or(|since| alert.raised_at.wall >= since))
                .filter(|alert| {
                    beyond.is_none_or(|id| if *oldest_first { alert.id > id } else { alert.id < id })
                })
                .map(|alert| AlertRow::from(&**alert))
                .collect();
            rows.sort_by_key(|row| row.id);
            if !oldest_first {
                rows.reverse();
            }
            let limit = usize::try_from(rows_max(*limit)).unwrap_or(usize::MAX);
            let more = rows.len() > limit;
            rows.truncate(limit);
            Page::Alerts { beyond: rows.last().map(|row| row.id), rows, more }
        }
        Query::Trace { .. } => return None,
        other => return Some(Err(not_recorded(other))),
    }))
}

fn rows_max(limit: u64) -> u64 {
    if limit == 0 { ROWS_MAX } else { limit.min(ROWS_MAX) }
}

/// The ladder of a trace until the place where the replay is.
pub(super) fn trace(
    shared: &Arc<Shared>,
    past: &PastReader,
    (trace, after, events): (TraceId, Seq, bool),
    limit: u64,
) -> Page {
    let (bus, last, near) = {
        let stage = shared.stage();
        (stage.state.state().rmp.clone(), stage.state.last(), stage.chunk.saturating_sub(1))
    };
    let mut ladder = Ladder::new(trace, events, after, rows_max(limit));
    ladder.observe_peers(&bus);
    let mut kept_since_ms = None;
    past.read(|reader| {
        let start = shared.set.start_of(near);
        let mut cursor = SetCursor::at(&shared.set, start.start);
        while let Some(item) = cursor.next(reader) {
            let Ok(PlacedItem { item: RecordedItem::Entry(entry), .. }) = item else { continue };
            if last.is_none_or(|last| entry.entry.seq > last) {
                break;
            }
            kept_since_ms.get_or_insert(entry.entry.at.wall);
            ladder.take(entry.as_ref());
        }
    });
    let (hops, more) = ladder.hops();
    Page::Trace { hops, more, kept_since_ms: kept_since_ms.unwrap_or_default() }
}

/// What only the station has: its store, its pack, its hosts.
fn not_recorded(query: &Query) -> PortError {
    let what = match query {
        Query::Invocations { .. } | Query::Invocation { .. } | Query::InvocationWhen { .. } => {
            "the history of invocations"
        }
        Query::Refunds { .. } => "the refunds",
        Query::Runs { .. } | Query::Run { .. } => "the history of runs",
        Query::RunEvents { .. } => "the events of runs",
        Query::RunArtifacts { .. } => "the artifacts of runs",
        Query::Sessions { .. } | Query::Session { .. } => "the history of sessions",
        Query::SessionLog { .. } => "the logs of sessions",
        Query::Plugin { .. } | Query::PluginLog { .. } | Query::PluginAudit { .. } => {
            "the logs and audits of plugins"
        }
        Query::Stream => "what plays",
        Query::Lifecycle { .. } => "lifecycle records",
        Query::Events => "the events of the pack",
        Query::State => "the pack's state",
        Query::Health | Query::Clients => "the station's own figures",
        Query::Judge { .. } => "a station that judges frames",
        Query::GateRules | Query::Intercepted | Query::InterceptedFrame { .. } => "frames that are held",
        _ => "this list",
    };
    PortError::NotRecorded { what: what.to_owned() }
}
