//! The model and how it is moved on.

use crate::console::model::{bus, runs, sessions};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    alerts::{AlertChanges, Alerts},
    bus::state::Bus,
    counts::{BridgeWindowCounts, Changes},
    fold,
    journal::Journal,
    rates::Rate,
    runs::history::RunHistory,
    sessions::history::SessionHistory,
    station::{console_health::ConsoleHealth, state::StationState},
    timeline::FrozenState,
    violations::Faults,
};
use crate::{
    console::settings::config::AlertRules,
    ids::{Peer, QueueName},
    limits, mpp,
    mpp::{EndedView, LogView},
    port::{Attachment, HostState, InvocationRow, Snapshot},
    rmp,
    tap::{
        EntryRef,
        entry::{
            Direction, Frame, Head, Link, Transition, Verdict, What, mpp as events,
            mpp::{CloseCause, RowState},
            station,
            station::Level,
        },
    },
    time::{Mono, Now},
};

/// What of the first steps has been seen done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OnboardingProgress {
    pub(crate) paired: bool,
    pub(crate) connected: bool,
    pub(crate) worked: bool,
}

impl OnboardingProgress {
    /// Whether nothing is left to learn.
    pub(crate) fn is_complete(self) -> bool {
        self.paired && self.connected && self.worked
    }
}

/// What the state stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SyncBasis {
    /// Nothing yet.
    None,
    /// A snapshot and the entries behind it.
    Snapshot,
    /// A host is up again that was down, and began anew: what was known is void until the next snapshot.
    Void,
}

/// Everything that is drawn.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// Nothing until the first snapshot.
    pub(crate) station_state: Option<StationState>,
    /// Rows done, by queue.
    pub(crate) rates: BTreeMap<QueueName, Rate>,
    /// Rows failed, refunded or cancelled, by queue.
    pub(crate) failures: BTreeMap<QueueName, Rate>,
    /// How fast the bus goes.
    pub(crate) bus: Bus,
    /// What runs told lately.
    pub(crate) run_history: RunHistory,
    /// What sessions took lately.
    pub(crate) session_history: SessionHistory,
    /// Faults of peers.
    pub(crate) faults: Faults,
    /// The number of the first line that is kept of the adapter's log; the others follow it.
    pub(crate) first_line: u64,
    /// Lines of the adapter's log that were cut.
    pub(crate) lines_cut: u64,
    /// Notices of all links.
    pub(crate) journal: Journal,
    /// What the operator must not miss.
    pub(crate) alerts: Alerts,
    /// Entries that this console lost.
    pub(crate) lost: u64,
    /// How well it keeps up.
    pub(crate) console_health: ConsoleHealth,
    /// The last adapter that was not let in, until one is.
    pub(crate) refused: Option<(Peer, CloseCause, Now)>,
    /// What of the first steps has been seen.
    pub(crate) onboarding: OnboardingProgress,
    /// Whether the first steps were still to be done when the console came up.
    pub(crate) is_first_run: bool,
    /// Rows that ended before the station was started, newest first, at most [`HISTORY_ROWS`].
    pub(crate) history: Vec<EndedView>,
    /// When this console began to watch: what came before it knows from snapshots alone.
    pub(crate) known_since: Option<Now>,
    /// Whether the station is going down.
    pub(crate) stopping: bool,
    /// How the station is reached, where it is in another process.
    pub(crate) attachment: Option<Attachment>,
    /// What happened to what the store has.
    pub(crate) changes: Changes,
    /// What came into the windows of the bridge's state, and what they let go.
    pub(crate) window_counts: BridgeWindowCounts,
    /// Told anew with every change, by no two models the same: what was made of one is out of date when it
    /// differs.
    pub(crate) revision: u64,
    sync_basis: SyncBasis,
    rates_cut: u64,
    limits: limits::Mpp,
    rmp_limits: limits::Rmp,
    runs_limits: limits::Runs,
    macp_limits: limits::Macp,
    /// Where it is no longer the present: what of that is shown beside it.
    pub(crate) frozen: Option<FrozenState>,
}

/// A revision that no model had yet.
pub(crate) fn next_revision() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

fn ended(row: InvocationRow) -> EndedView {
    EndedView {
        id: row.id,
        queue: row.queue,
        event: row.event,
        state: row.state,
        at: Now { mono: Mono(0), wall: row.updated_at_ms },
        reason: row.reason.map(Into::into),
        trace: Some(row.trace_id),
    }
}

/// Rows of the store that are asked for when the console comes up.
pub(crate) const HISTORY_ROWS: u64 = 100;
/// Queues whose rates are kept.
const RATES_MAX: usize = 1_024;

impl Model {
    /// An empty model.
    pub(crate) fn new(limits: &limits::Limits) -> Self {
        Self {
            station_state: None,
            rates: BTreeMap::new(),
            failures: BTreeMap::new(),
            bus: Bus::new(&limits.rmp),
            run_history: RunHistory::new(limits.console.run_lines_max),
            session_history: SessionHistory::new(limits.console.session_lines_max),
            faults: Faults::default(),
            first_line: 0,
            lines_cut: 0,
            journal: Journal::new(limits),
            alerts: Alerts::new(limits.console),
            lost: 0,
            console_health: ConsoleHealth::default(),
            refused: None,
            onboarding: OnboardingProgress::default(),
            is_first_run: false,
            history: Vec::new(),
            known_since: None,
            stopping: false,
            attachment: None,
            changes: Changes::default(),
            window_counts: BridgeWindowCounts::default(),
            revision: next_revision(),
            sync_basis: SyncBasis::None,
            rates_cut: 0,
            limits: limits.mpp,
            rmp_limits: limits.rmp,
            runs_limits: limits.runs,
            macp_limits: limits.macp,
            frozen: None,
        }
    }

    /// Starts again from a snapshot. Windows of our own stay.
    pub(crate) fn resync(&mut self, snapshot: Snapshot) {
        self.revision = next_revision();
        if self.is_of_another_start(&snapshot) {
            self.stopping = false;
            self.refused = None;
            self.bus = Bus::new(&self.rmp_limits);
            self.faults = Faults::default();
            (self.rates, self.failures) = (BTreeMap::new(), BTreeMap::new());
            self.run_history.reset();
            self.session_history.reset();
            self.station_state = None;
        }
        self.bus.seed(&snapshot.rmp, self.station_state.as_ref().map(|state| &state.rmp), snapshot.at);
        self.known_since.get_or_insert(snapshot.at);
        self.changes.resyncs += 1;
        self.renumber_lines(&snapshot.mpp.logs);
        self.alerts.seed(&snapshot.mpp, snapshot.at);
        self.window_counts.ended.restart(snapshot.mpp.recent.len());
        self.window_counts.lines.restart(snapshot.mpp.logs.len());
        if std::mem::replace(&mut self.sync_basis, SyncBasis::Snapshot) == SyncBasis::None {
            self.journal.seed(&snapshot.mpp.logs);
            self.station_state = Some(StationState::of(snapshot));
            self.update_onboarding();
            // Whether a paired station was ever used, its history says.
            self.is_first_run = !self.onboarding.paired;
            return;
        }
        self.station_state = Some(StationState::of(snapshot));
        self.update_onboarding();
    }

    /// Whether a snapshot is of a station that was started again since the one before.
    pub(crate) fn is_of_another_start(&self, snapshot: &Snapshot) -> bool {
        self.station_state
            .as_ref()
            .is_some_and(|state| state.station.started_at.wall != snapshot.station.started_at.wall)
    }

    /// Takes the newest rows as the store has them: none when nothing was ever recorded.
    pub(crate) fn set_history(&mut self, rows: Vec<InvocationRow>) {
        self.revision = next_revision();
        let Some(state) = &self.station_state else { return };
        if rows.is_empty() {
            self.is_first_run |= !self.onboarding.is_complete();
            return;
        }
        self.onboarding.worked = true;
        let started_at = state.station.started_at.wall;
        let has_ended =
            |row: &InvocationRow| matches!(row.state, RowState::Done | RowState::Failed | RowState::Refunded);
        self.onboarding.connected |=
            rows.iter().any(|row| !matches!(row.state, RowState::Pending | RowState::Failed));
        self.history = rows
            .into_iter()
            .filter(|row| has_ended(row) && row.updated_at_ms < started_at)
            .map(ended)
            .collect();
        self.history.sort_by_key(|row| std::cmp::Reverse(row.at.wall));
    }

    /// Rows that ended, newest first.
    pub(crate) fn ended(&self) -> impl Iterator<Item = &EndedView> {
        self.mpp().into_iter().flat_map(|mpp| mpp.recent.iter().rev()).chain(&self.history)
    }

    /// Notes that entries were lost before the next.
    pub(crate) fn record_loss(&mut self, count: u64, at: Now) {
        if count == 0 {
            return;
        }
        self.revision = next_revision();
        self.lost = self.lost.saturating_add(count);
        self.journal.record_loss(count, at);
    }

    /// Says something of this console itself.
    pub(crate) fn note(&mut self, level: Level, words: &str, at: Now) {
        self.revision = next_revision();
        self.journal.note(level, words, at);
    }

    /// The lines of a new snapshot keep the numbers of those that were there before, where they are the same.
    fn renumber_lines(&mut self, lines: &VecDeque<LogView>) {
        let Some(known) = self.mpp().map(|mpp| &mpp.logs) else { return };
        let next = self.first_line.wrapping_add(known.len() as u64);
        let last = known.back().and_then(|last| lines.iter().rposition(|line| line == last));
        self.first_line = match last {
            Some(place) => next.wrapping_sub(place as u64 + 1),
            None => next,
        };
    }

    /// Takes one entry. Between a loss and the next snapshot only our own windows move.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>, resyncing: bool) {
        self.revision = next_revision();
        self.fold_windows(entry);
        let is_covered =
            |station_state: &StationState| station_state.as_of.covers(entry.entry.link, entry.entry.seq);
        let is_in_snapshot = resyncing || self.station_state.as_ref().is_none_or(is_covered);
        self.bus.fold(entry.entry, is_in_snapshot);
        self.alerts.observe(entry, self.station_state.as_ref().map(|station_state| &station_state.runs));
        let said = match &entry.entry.what {
            What::Transition(Transition::Rmp(transition)) => {
                bus::journal::describe(transition, &entry.text(), self.rmp())
            }
            What::Transition(Transition::Macp(transition)) => {
                sessions::journal::describe(transition, &entry.text())
            }
            What::Transition(Transition::Runs(transition)) => {
                runs::journal::describe(transition, &entry.text(), self.runs())
            }
            What::Frame(Frame {
                direction: Direction::Inbound,
                peer,
                head: Head::Rmp(head),
                verdict: Verdict::Rmp(verdict),
                ..
            }) => {
                let who = || bus::journal::peer_label(peer, head.session, self.rmp());
                if let rmp::Verdict::Refused(refusal) = verdict {
                    Some(bus::journal::describe_refusal(&who(), *refusal))
                } else {
                    None
                }
            }
            _ => None,
        };
        self.faults.fold(entry, self.station_state.as_ref().map(|station_state| &station_state.rmp));
        let line = if resyncing { None } else { self.fold_station_state(entry) };
        self.run_history.fold(entry);
        if !is_in_snapshot {
            self.session_history
                .fold(entry, self.station_state.as_ref().map(|station_state| &station_state.macp));
        }
        if let Some((peer, words)) = self.journal.fold(entry, line, said) {
            self.faults.record_reply(peer, words);
        }
    }

    /// Carries the snapshot's state on; the line that the adapter's log got, if it did.
    fn fold_station_state(&mut self, entry: EntryRef<'_>) -> Option<Arc<str>> {
        let station_state = self.station_state.as_mut()?;
        if station_state.as_of.covers(entry.entry.link, entry.entry.seq) {
            return None;
        }
        let (lines, ended) = (station_state.mpp.logs.len(), station_state.mpp.recent.len());
        match &entry.entry.what {
            What::Transition(Transition::Station(transition)) => {
                if let station::Transition::HostUp { link } = transition
                    && matches!(station_state.station.hosts[link.index()], HostState::Down(_))
                {
                    self.sync_basis = SyncBasis::Void;
                }
                fold::station(&mut station_state.station, *transition, entry);
            }
            _ if entry.entry.link == Link::Rmp => {
                self.bus.compare(entry.entry, &station_state.rmp);
                fold::rmp(&mut station_state.rmp, entry, &self.rmp_limits);
            }
            _ if entry.entry.link == Link::Runs => {
                fold::runs(&mut station_state.runs, entry, &self.runs_limits)
            }
            _ if entry.entry.link == Link::Macp => {
                fold::macp(&mut station_state.macp, entry, &self.macp_limits)
            }
            _ => fold::mpp(&mut station_state.mpp, entry, &self.limits),
        }
        station_state.as_of.0[entry.entry.link.index()] = entry.entry.seq;
        if let What::Transition(Transition::Mpp(transition)) = &entry.entry.what {
            use events::Transition as T;
            let ends = matches!(transition, T::Done { .. } | T::Failed { .. } | T::Refunded { .. });
            self.window_counts.ended.note(usize::from(ends), ended, station_state.mpp.recent.len());
            self.window_counts.lines.note(
                usize::from(matches!(transition, T::Logged { .. })),
                lines,
                station_state.mpp.logs.len(),
            );
        }
        self.alerts.fold(entry);
        let mut line = None;
        if let What::Transition(Transition::Mpp(events::Transition::Logged { .. })) = &entry.entry.what {
            let cut = (lines + 1).saturating_sub(station_state.mpp.logs.len()) as u64;
            self.first_line = self.first_line.wrapping_add(cut);
            self.lines_cut = self.lines_cut.saturating_add(cut);
            line = station_state.mpp.logs.back().map(|line| Arc::clone(&line.text));
        }
        self.update_onboarding();
        line
    }

    /// What tells this state from any other.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether the state is void, so that a snapshot is needed as after a loss.
    pub(crate) fn is_void(&self) -> bool {
        self.sync_basis == SyncBasis::Void
    }

    /// Holds the rules of alerts against what is. To be called once a second.
    pub(crate) fn evaluate_alerts(&mut self, rules: &AlertRules, now: Now) -> AlertChanges {
        self.station_state.as_ref().map_or_else(AlertChanges::default, |state| {
            self.alerts.evaluate(state, &self.bus.drops, rules, now)
        })
    }

    fn fold_windows(&mut self, entry: EntryRef<'_>) {
        match &entry.entry.what {
            What::Transition(Transition::Mpp(transition)) => {
                self.changes.note(transition);
                match transition {
                    events::Transition::Done { queue, .. } => self.rate(queue, entry.entry.at, true),
                    events::Transition::Failed { queue, .. }
                    | events::Transition::Refunded { queue, .. }
                    | events::Transition::OtherCancelled { queue, .. } => {
                        self.rate(queue, entry.entry.at, false)
                    }
                    events::Transition::Handshaken { .. } => {
                        self.refused = None;
                        self.onboarding.connected = true;
                    }
                    events::Transition::Enqueued { .. } => self.onboarding.worked = true,
                    events::Transition::Disconnected {
                        peer,
                        active: false,
                        cause: cause @ CloseCause::Fault(_),
                    } => {
                        self.refused = Some((peer.clone(), *cause, entry.entry.at));
                    }
                    _ => {}
                }
            }
            What::Transition(Transition::Station(station::Transition::Stopping)) => self.stopping = true,
            _ => {}
        }
    }

    fn rate(&mut self, queue: &QueueName, at: Now, is_done: bool) {
        let rates = if is_done { &mut self.rates } else { &mut self.failures };
        if let Some(rate) = rates.get_mut(queue.as_str()) {
            rate.count(at);
        } else if rates.len() < RATES_MAX {
            rates.entry(queue.clone()).or_default().count(at);
        } else {
            self.rates_cut = self.rates_cut.saturating_add(1);
        }
    }

    fn update_onboarding(&mut self) {
        let Some(StationState { mpp, .. }) = &self.station_state else { return };
        if self.onboarding.is_complete() {
            return;
        }
        self.onboarding.paired |= mpp.paired;
        self.onboarding.connected |=
            mpp.adapter.is_some() || mpp.last_close.is_some() || !mpp.live.is_empty();
        let ended = mpp.recent.iter().next().is_some();
        self.onboarding.worked |= ended
            || !mpp.live.is_empty()
            || mpp
                .queues
                .values()
                .any(|queue| queue.pending + queue.other_manifest + queue.done + queue.failed > 0);
        // Work that ran to its end went through an adapter, in this start of the station or an earlier one.
        self.onboarding.connected |= mpp.recent.iter().any(|row| row.state == events::RowState::Done);
    }

    /// The line of the adapter's log with this number, while it is kept.
    pub(crate) fn line(&self, number: u64) -> Option<&LogView> {
        let place = usize::try_from(number.wrapping_sub(self.first_line)).ok()?;
        self.mpp()?.logs.get(place)
    }

    /// The limits of the bus.
    pub(crate) const fn rmp_limits(&self) -> &limits::Rmp {
        &self.rmp_limits
    }

    /// The bus, once there is a snapshot.
    pub(crate) fn rmp(&self) -> Option<&rmp::Snapshot> {
        self.station_state.as_ref().map(|state| &state.rmp)
    }

    /// The bridge, once there is a snapshot.
    pub(crate) fn mpp(&self) -> Option<&mpp::Snapshot> {
        self.station_state.as_ref().map(|state| &state.mpp)
    }
}
