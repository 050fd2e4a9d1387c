//! What a recording answers to queries: from the state where it is, and from its entries until there.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    invocations::{self, Narrowed},
    lists::{self, page, rows_max},
    pack_events, pack_state,
    past::PastReader,
    plugin_log, refunds, run_events, session, session_log,
    shared::Shared,
    walk::each_entry,
};
use crate::{
    ids::{Seq, TraceId},
    port::{
        ConfirmationRow, Ladder, Page, Paging, PortError, Query, Snapshot, drop_rows, peer_rows, plugin_rows,
        subscription_rows, topic_rows,
    },
    station::{
        bridge::{adapter_rows, queue_rows},
        findings, violations,
    },
    time::Now,
};

/// What is read for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// The state where the replay is: it is at hand.
    State,
    /// All entries until there.
    Entries,
    /// All entries until there. For a screen they are only read while the replay holds: one that plays would
    /// have them read anew with every move.
    EntriesWhileHeld {
        what: &'static str,
        /// The subcommand that prints it.
        command: &'static str,
    },
    /// What is attached to the recording.
    Attached,
    /// Nothing: only a station has this, in its store or its hosts.
    Nothing(&'static str),
}

impl Reading {
    const fn of(query: &Query) -> Self {
        match query {
            Query::Queues
            | Query::Adapters
            | Query::Topics
            | Query::Peers
            | Query::Subscriptions
            | Query::Drops
            | Query::Plugins
            | Query::Confirmations
            | Query::Alerts { .. }
            | Query::Runs { .. }
            | Query::Run { .. }
            | Query::Sessions { .. }
            | Query::Session { .. } => Self::State,
            Query::Trace { .. } | Query::Violations | Query::Findings => Self::Entries,
            Query::Invocations { other_manifest: true, .. } => Self::Nothing("the manifests of invocations"),
            Query::Invocations { .. } | Query::Invocation { .. } => {
                Self::while_held("the history of invocations", "ls invocations")
            }
            Query::RunEvents { .. } => Self::while_held("the events of runs", "run events RUN"),
            Query::SessionLog { .. } => {
                Self::while_held("the logs of sessions", "session show SESSION --log")
            }
            Query::PluginLog { .. } => Self::while_held("the logs of plugins", "plugin logs PLUGIN"),
            Query::InvocationWhen { .. } => Self::Nothing("invocations to wait for"),
            Query::Refunds { .. } => Self::while_held("the refunds", "ls refunds"),
            Query::RunArtifacts { .. } => Self::Nothing("the artifacts of runs"),
            Query::Plugin { .. } | Query::PluginAudit { .. } => {
                Self::Nothing("the manifests and audits of plugins")
            }
            Query::Stream => Self::Nothing("what plays"),
            Query::Lifecycle { .. } => Self::Nothing("lifecycle records"),
            Query::Events => Self::Attached,
            Query::State => Self::while_held("the pack's state", "ls state"),
            Query::Health | Query::Clients => Self::Nothing("the station's own figures"),
            Query::Triggers => Self::Nothing("the triggers of a station"),
            Query::Judge { .. } => Self::Nothing("a station that judges frames"),
            Query::GateRules | Query::Intercepted | Query::InterceptedFrame { .. } => {
                Self::Nothing("frames that are held")
            }
            Query::Entries { .. }
            | Query::ClipHead { .. }
            | Query::ClipEntries { .. }
            | Query::Keyframe { .. } => Self::Nothing("entries as a page"),
        }
    }

    const fn while_held(what: &'static str, command: &'static str) -> Self {
        Self::EntriesWhileHeld { what, command }
    }
}

/// Whether all entries until the place are read for an answer.
pub(super) fn reads_entries(query: &Query) -> bool {
    matches!(Reading::of(query), Reading::Entries | Reading::EntriesWhileHeld { .. })
}

/// Why a question is refused on a screen of a replay that plays, if it is.
pub(super) fn refused_while_playing(query: &Query) -> Option<PortError> {
    match Reading::of(query) {
        Reading::EntriesWhileHeld { what, command } => {
            Some(PortError::NotOnScreen { what: what.to_owned(), command: command.to_owned() })
        }
        Reading::State | Reading::Entries | Reading::Attached | Reading::Nothing(_) => None,
    }
}

/// Answers from what is at hand; nothing where files have to be read for it.
pub(super) fn from_state(state: &Snapshot, now: Now, query: &Query) -> Option<Result<Page, PortError>> {
    if reads_entries(query) || Reading::of(query) == Reading::Attached {
        return None;
    }
    Some(match query {
        // Since when the first one waits is known to the bridge alone.
        Query::Queues => Ok(Page::Queues(queue_rows(&state.mpp, &BTreeMap::default()))),
        Query::Adapters => Ok(Page::Adapters(adapter_rows(&state.mpp))),
        Query::Topics => Ok(Page::Topics(topic_rows(&state.rmp))),
        Query::Peers => Ok(Page::Peers(peer_rows(&state.rmp))),
        Query::Subscriptions => Ok(Page::Subscriptions(subscription_rows(&state.rmp))),
        Query::Drops => Ok(Page::Drops(drop_rows(&state.rmp))),
        Query::Plugins => Ok(Page::Plugins(plugin_rows(&state.plugin, now))),
        Query::Confirmations => {
            Ok(Page::Confirmations(state.runs.asks.iter().cloned().map(ConfirmationRow::from).collect()))
        }
        Query::Run { run } => Ok(Page::Run(
            lists::runs(&state.runs)
                .into_iter()
                .rfind(|row| row.run == *run)
                .map(|row| Box::new(lists::run_detail(row, &state.runs))),
        )),
        Query::Session { session } => {
            Ok(Page::Session(state.macp.session(session).map(|view| Box::new(session::detail(view)))))
        }
        Query::Alerts { .. } | Query::Runs { .. } | Query::Sessions { .. } => paged(state, now, query),
        other => Err(not_recorded(other)),
    })
}

fn paging(beyond: Option<u64>, oldest_first: bool, filter: Option<&String>, limit: u64) -> Paging {
    Paging { beyond, oldest_first, filter: filter.cloned(), limit }
}

/// A page of a list of which all is at hand.
fn paged(state: &Snapshot, now: Now, query: &Query) -> Result<Page, PortError> {
    match query {
        Query::Alerts { state: wanted, since_ms, beyond, oldest_first, filter, limit } => {
            let mut rows = lists::alerts(state);
            rows.retain(|row| {
                wanted.is_none_or(|wanted| row.state == wanted)
                    && since_ms.is_none_or(|since| row.raised_at_ms >= since)
            });
            page(rows, &paging(*beyond, *oldest_first, filter.as_ref(), *limit), now)
        }
        Query::Runs { state: wanted, name, since_ms, beyond, oldest_first, filter, limit } => {
            let mut rows = lists::runs(&state.runs);
            rows.retain(|row| {
                wanted.is_none_or(|wanted| row.state == wanted)
                    && name.as_ref().is_none_or(|name| row.name == *name)
                    && since_ms.is_none_or(|since| row.submitted_at_ms >= since)
            });
            page(rows, &paging(*beyond, *oldest_first, filter.as_ref(), *limit), now)
        }
        Query::Sessions { state: wanted, mode, since_ms, beyond, oldest_first, filter, limit } => {
            let mut rows = lists::sessions(&state.macp);
            rows.retain(|row| {
                wanted.is_none_or(|wanted| row.state == wanted)
                    && mode.is_none_or(|mode| row.mode == mode)
                    && since_ms.is_none_or(|since| row.started_at_ms >= since)
            });
            page(rows, &paging(*beyond, *oldest_first, filter.as_ref(), *limit), now)
        }
        other => Err(not_recorded(other)),
    }
}

/// Answers for which files are read: the entries until the place where the replay is, or what is attached.
pub(super) fn from_files(shared: &Arc<Shared>, past: &PastReader, query: &Query) -> Result<Page, PortError> {
    let bus = || shared.stage().state.state().rmp.clone();
    let limits = shared.limits;
    match query {
        Query::Trace { trace: of, after, events, limit } => {
            Ok(trace(shared, past, (*of, *after, *events), *limit))
        }
        Query::Violations => Ok(Page::Violations(violations::rows_of(bus(), &limits.rmp, |take| {
            each_entry(shared, past, take);
        }))),
        Query::Findings => Ok(Page::Findings(findings::rows_of(bus(), &limits, |take| {
            each_entry(shared, past, take);
        }))),
        Query::RunEvents { run, after, limit } => {
            Ok(run_events::answer(shared, past, *run, (*after, *limit)))
        }
        Query::SessionLog { session, after, limit } => {
            Ok(session_log::answer(shared, past, session, (*after, *limit)))
        }
        Query::PluginLog { plugin, after, limit } => {
            Ok(plugin_log::answer(shared, past, plugin, (*after, *limit)))
        }
        Query::Invocation { id } => Ok(invocations::one(shared, past, *id)),
        Query::Invocations { other_manifest: false, state, queue, beyond, oldest_first, filter, limit } => {
            let narrowed = Narrowed { state: *state, queue: queue.clone() };
            let paging = paging(beyond.map(|id| id.0), *oldest_first, filter.as_ref(), *limit);
            invocations::list(shared, past, &narrowed, &paging)
        }
        Query::Refunds { status, beyond, oldest_first, filter, limit } => {
            let paging = paging(beyond.map(|id| id.0), *oldest_first, filter.as_ref(), *limit);
            refunds::list(shared, past, *status, &paging)
        }
        Query::Events => pack_events::answer(shared),
        Query::State => Ok(pack_state::answer(shared, past)),
        other => Err(not_recorded(other)),
    }
}

/// The ladder of a trace until the place where the replay is.
fn trace(
    shared: &Arc<Shared>,
    past: &PastReader,
    (trace, after, events): (TraceId, Seq, bool),
    limit: u64,
) -> Page {
    let bus = shared.stage().state.state().rmp.clone();
    let mut ladder = Ladder::new(trace, events, after, rows_max(limit));
    ladder.observe_peers(&bus);
    let mut kept_since_ms = None;
    each_entry(shared, past, &mut |entry| {
        kept_since_ms.get_or_insert(entry.entry.at.wall);
        ladder.take(entry);
    });
    let (hops, more) = ladder.hops();
    Page::Trace { hops, more, kept_since_ms: kept_since_ms.unwrap_or_default() }
}

/// That only a station has it.
fn not_recorded(query: &Query) -> PortError {
    let what = match Reading::of(query) {
        Reading::Nothing(what) | Reading::EntriesWhileHeld { what, .. } => what,
        Reading::State | Reading::Entries | Reading::Attached => "this list",
    };
    PortError::NotRecorded { what: what.to_owned() }
}
