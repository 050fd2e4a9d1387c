//! The account of a pane: what became of all that it could show. It balances: received = shown + filtered +
//! evicted + lost.

use crate::{
    console::{input::pane_id::PaneId, model::Model, records, ui::state::Ui},
    limits::Limits,
};

/// The account of a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ledger {
    /// What there was to be shown.
    pub(crate) received: u64,
    pub(crate) visible: u64,
    /// What the pane's filter keeps back.
    pub(crate) filtered: u64,
    /// What made room for newer.
    pub(crate) evicted: u64,
    /// What never came to this console.
    pub(crate) lost: u64,
    /// What is counted.
    pub(crate) what: &'static str,
    /// What bounds it: a limit's key and value, or words.
    pub(crate) bound: LedgerBound,
}

/// What bounds the rows of a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LedgerBound {
    /// A limit, which can be raised: its key and its value.
    Limit(&'static str, u64),
    /// Something else.
    Text(&'static str),
}

/// The account of a pane; none for one without records.
pub(crate) fn of(pane: PaneId, ui: &Ui, model: &Model) -> Option<Ledger> {
    let (shown, all) = records::counts(pane, ui, model);
    let (shown, all) = (shown as u64, all as u64);
    let limits = &ui.limits;
    let (console, mpp, store) = (&limits.console, &limits.mpp, &limits.store);
    let journal = LedgerBound::Limit("limits.console.journal_entries_max", console.journal_entries_max);
    let ended = LedgerBound::Limit("limits.store.ended_rows_max", store.ended_rows_max);
    let pending = LedgerBound::Limit("limits.mpp.pending_rows_max", mpp.pending_rows_max);
    let (what, came, evicted, lost, bound) = match pane {
        PaneId::Started => return None,
        PaneId::Queues => (
            "queues of the pack and of pending rows",
            all,
            0,
            0,
            LedgerBound::Text("there are as many as the pack and its rows name"),
        ),
        PaneId::InFlight => (
            "rows that are with the adapter now",
            all,
            0,
            0,
            LedgerBound::Limit("limits.mpp.live_rows_max", mpp.live_rows_max),
        ),
        PaneId::State => {
            ("values as they are now", all, 0, 0, LedgerBound::Text("there are as many as the pack declares"))
        }
        PaneId::Recent => {
            let tally = model.bridge.window_counts.ended;
            let earlier = model.bridge.history.len() as u64;
            let bound = LedgerBound::Limit("limits.mpp.recent_rows_max", mpp.recent_rows_max);
            (
                "rows that ended, as far as this console knows",
                tally.received + earlier,
                tally.evicted,
                0,
                bound,
            )
        }
        PaneId::Log => ("notices of all origins", model.journal.received, model.journal.evicted, 0, journal),
        PaneId::StationLog => (
            "notices of the station, its bridge and this console",
            model.journal.station_received,
            model.journal.station_evicted,
            0,
            journal,
        ),
        PaneId::AdapterLog => {
            let tally = model.bridge.window_counts.lines;
            let bound = LedgerBound::Limit("limits.mpp.log_entries_max", mpp.log_entries_max);
            (
                "lines that the adapter said, as far as this console knows",
                tally.received,
                tally.evicted,
                0,
                bound,
            )
        }
        PaneId::Violations => {
            let bound = LedgerBound::Text(
                "there are as many rows as there are faults to make; each is counted in its own",
            );
            ("faults of peers, by what was broken", all, 0, 0, bound)
        }
        PaneId::Topics => {
            let bound = LedgerBound::Limit("limits.rmp.shown_topics_max", limits.rmp.shown_topics_max);
            let came = model.rmp().map_or(0, |rmp| rmp.totals.topics).max(all);
            ("topics of the bus that were used since it started", came, came - all, 0, bound)
        }
        PaneId::Subscribers => {
            let there: u64 =
                model.rmp().map_or(0, |rmp| rmp.peers.values().map(|peer| peer.subs.len() as u64).sum());
            let bound = if there > all {
                LedgerBound::Text(
                    "those that need no look are told together where a session has many; with a filter each is listed",
                )
            } else {
                LedgerBound::Limit("limits.rmp.subscriptions_max", limits.rmp.subscriptions_max)
            };
            (
                "subscriptions as they are now; each session may have so many",
                there,
                there.saturating_sub(all),
                0,
                bound,
            )
        }
        PaneId::Peers => (
            "connections of the bus as they are now",
            all,
            0,
            0,
            LedgerBound::Limit("limits.rmp.connections_max", limits.rmp.connections_max),
        ),
        PaneId::Drops => {
            let bound = LedgerBound::Limit("limits.rmp.shown_drops_max", limits.rmp.shown_drops_max);
            ("drops by reason, topic and culprit, as far as their notices are kept", all, 0, 0, bound)
        }
        PaneId::Runs => (
            "runs that are open or ended lately",
            all,
            0,
            0,
            LedgerBound::Limit("limits.runs.shown_max", limits.runs.shown_max),
        ),
        PaneId::Plan => (
            "nodes of the run that is shown",
            all,
            0,
            0,
            LedgerBound::Limit("limits.runs.nodes_max", limits.runs.nodes_max),
        ),
        PaneId::RunEvents => {
            let bound = LedgerBound::Limit("limits.console.run_lines_max", console.run_lines_max);
            (
                "events that were heard, and those before them that are loaded here; more come as you move up",
                all,
                0,
                0,
                bound,
            )
        }
        PaneId::Trace => {
            let (cut, bound) = (
                ui.ladder_view.cut(),
                LedgerBound::Limit("limits.port.ladder_hops_max", limits.port.ladder_hops_max),
            );
            let came = all.saturating_add(cut);
            ("the messages of the trace that is shown, as far as they are kept", came, cut, 0, bound)
        }
        PaneId::Artifacts => (
            "what the run kept, as far as it is loaded here",
            all,
            0,
            0,
            LedgerBound::Text("`run artifacts` lists all"),
        ),
        PaneId::RunHistory => {
            let bound = LedgerBound::Limit("limits.store.ended_runs_max", store.ended_runs_max);
            ("runs of the store that are loaded here; more come as you move on", all, 0, 0, bound)
        }
        PaneId::Sessions
        | PaneId::Positions
        | PaneId::Statements
        | PaneId::SessionLog
        | PaneId::SessionHistory => of_sessions(pane, limits, model, all),
        PaneId::Meter => (
            "figures of this console itself",
            all,
            0,
            0,
            LedgerBound::Text("they tell of the last minute, and always fit"),
        ),
        PaneId::History => {
            ("rows of the store that are loaded here; more come as you move on", all, 0, 0, ended)
        }
        PaneId::OtherPack | PaneId::Pending => {
            ("rows of the store that are loaded here; more come as you move on", all, 0, 0, pending)
        }
        PaneId::Refunds => {
            let bound = LedgerBound::Limit("limits.store.refund_rows_max", store.refund_rows_max);
            ("refunds of the store that are loaded here; more come as you move on", all, 0, 0, bound)
        }
        PaneId::Wire => {
            let kept = ui.time.entries().ledger();
            let bound = if kept.bytes.saturating_mul(10) > console.kept_bytes_max.saturating_mul(9) {
                LedgerBound::Limit("limits.console.kept_bytes_max", console.kept_bytes_max)
            } else {
                LedgerBound::Limit("limits.console.kept_entries_max", console.kept_entries_max)
            };
            ("entries of the tap", kept.received, kept.evicted, kept.lost, bound)
        }
    };
    Some(Ledger {
        received: came.saturating_add(lost),
        visible: shown,
        filtered: all.saturating_sub(shown),
        evicted,
        lost,
        what,
        bound,
    })
}

/// The account of a pane of sessions: what is counted, how many came, were evicted and lost, and what bounds
/// them.
fn of_sessions(
    pane: PaneId,
    limits: &Limits,
    model: &Model,
    all: u64,
) -> (&'static str, u64, u64, u64, LedgerBound) {
    let (macp, console, store) = (&limits.macp, &limits.console, &limits.store);
    match pane {
        PaneId::Sessions => {
            let came = model.macp().map_or(0, |macp| macp.totals.started).max(all);
            let bound = LedgerBound::Limit("limits.macp.shown_max", macp.shown_max);
            ("sessions that began since the runtime started, or were open then", came, came - all, 0, bound)
        }
        PaneId::Positions => {
            let bound = LedgerBound::Limit("limits.macp.shown_proposals_max", macp.shown_proposals_max);
            ("proposals or participants of the session that is shown", all, 0, 0, bound)
        }
        PaneId::Statements => {
            let bound = LedgerBound::Limit("limits.macp.shown_opinions_max", macp.shown_opinions_max);
            (
                "the last evaluations and objections, and the votes that count, of the session that is shown",
                all,
                0,
                0,
                bound,
            )
        }
        PaneId::SessionLog => {
            let bound = LedgerBound::Limit("limits.console.session_lines_max", console.session_lines_max);
            (
                "records that were heard, and those before them that are loaded here; more come as you move up",
                all,
                0,
                0,
                bound,
            )
        }
        _ => {
            let bound = LedgerBound::Limit("limits.store.ended_sessions_max", store.ended_sessions_max);
            ("sessions of the store that are loaded here; more come as you move on", all, 0, 0, bound)
        }
    }
}

impl Ledger {
    /// Whether nothing is missing, and nothing counted twice.
    #[cfg(test)]
    pub(crate) fn balances(&self) -> bool {
        self.received == self.visible + self.filtered + self.evicted + self.lost
    }
}
