//! The model and how it is moved on.

use std::{
    ops::{Deref, DerefMut},
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    journal::Journal,
    past_loading::PastLoading,
    station::{ConsoleHealth, StationState},
    systems::{Folding, Resync},
    table::Systems,
    timeline::FrozenState,
};
use crate::{
    dissect::{
        Faults,
        mplp::{FindingLimits, MplpFindings},
    },
    limits, mpp,
    mpp::EndedView,
    port::{Attachment, InterceptedRow, InvocationRow, Snapshot},
    rmp,
    tap::{EntryRef, entry::station::Level, injected_traces::InjectedTraces},
    time::Now,
};

/// What the state stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SyncBasis {
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
    /// What of each system no snapshot has. A model has it as its own: `model.bus`.
    pub(super) systems: Systems,
    /// Faults of peers.
    pub(crate) faults: Faults,
    /// Findings in the MPLP messages of the bus, but for those that wait to be judged.
    pub(crate) findings: MplpFindings,
    /// What came of frames that were made by hand.
    pub(crate) injected: InjectedTraces,
    /// Notices of all links.
    pub(crate) journal: Journal,
    /// Alerts that came since they were last taken to be heard: their ids, the last few.
    pub(super) raised_alerts: Vec<u64>,
    /// Entries that this console lost.
    pub(crate) lost: u64,
    /// How well it keeps up.
    pub(crate) console_health: ConsoleHealth,
    /// When this console began to watch: what came before it knows from snapshots alone.
    pub(crate) known_since: Option<Now>,
    /// How the station is reached, where it is in another process.
    pub(crate) attachment: Option<Attachment>,
    /// Told anew with every change, by no two models the same: what was made of one is out of date when it
    /// differs.
    pub(crate) revision: u64,
    pub(super) sync_basis: SyncBasis,
    /// How far what was before this console came up has come.
    pub(crate) past: PastLoading,
    /// Where it is no longer the present: what of that is shown beside it.
    pub(crate) frozen: Option<FrozenState>,
}

/// A revision that no model had yet.
pub(crate) fn next_revision() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

impl Deref for Model {
    type Target = Systems;

    fn deref(&self) -> &Systems {
        &self.systems
    }
}

impl DerefMut for Model {
    fn deref_mut(&mut self) -> &mut Systems {
        &mut self.systems
    }
}

impl Model {
    /// An empty model.
    pub(crate) fn new(limits: &limits::Limits) -> Self {
        Self {
            station_state: None,
            systems: Systems::new(limits),
            faults: Faults::default(),
            findings: MplpFindings::new(FindingLimits::new(&limits.mplp)),
            injected: InjectedTraces::default(),
            journal: Journal::new(limits),
            raised_alerts: Vec::new(),
            lost: 0,
            console_health: ConsoleHealth::default(),
            known_since: None,
            attachment: None,
            revision: next_revision(),
            sync_basis: SyncBasis::None,
            past: PastLoading::default(),
            frozen: None,
        }
    }

    /// Starts again from a snapshot. Windows of our own stay.
    pub(crate) fn resync(&mut self, snapshot: Snapshot) {
        self.revision = next_revision();
        self.hear_alerts(&snapshot);
        if self.is_of_another_start(&snapshot) {
            self.faults = Faults::default();
            self.injected = InjectedTraces::default();
            self.findings.clear();
            self.station_state = None;
            self.systems.reset();
        }
        self.injected.restore(snapshot.station.known_injected());
        self.known_since.get_or_insert(snapshot.at);
        let mut to = Resync {
            snapshot: &snapshot,
            known: self.station_state.as_ref().filter(|_| self.sync_basis != SyncBasis::None),
            is_first: self.sync_basis == SyncBasis::None,
            journal: &mut self.journal,
        };
        self.systems.resync(&mut to);
        self.sync_basis = SyncBasis::Snapshot;
        self.station_state = Some(snapshot);
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
        if let Some(state) = &self.station_state {
            self.systems.bridge.set_history(rows, state.station.started_at.wall);
        }
    }

    /// Takes the frames that the gate holds, as the station has them; none where it did not say.
    pub(crate) fn set_intercepted(&mut self, rows: Vec<InterceptedRow>) {
        self.revision = next_revision();
        self.systems.station.intercepted.set(rows);
    }

    /// Rows that ended, newest first.
    pub(crate) fn ended(&self) -> impl Iterator<Item = &EndedView> {
        self.mpp().into_iter().flat_map(|mpp| mpp.recent.iter().rev()).chain(&self.bridge.history)
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

    /// Takes one entry. Between a loss and the next snapshot only our own windows move.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>, resyncing: bool) {
        self.revision = next_revision();
        let (link, seq) = (entry.entry.link, entry.entry.seq);
        let is_covered = |state: &StationState| state.as_of.covers(link, seq);
        let is_in_snapshot = resyncing || self.station_state.as_ref().is_none_or(is_covered);
        if !is_in_snapshot {
            self.hear_alert(entry);
        }
        let bus = self.station_state.as_ref().map(|state| &state.rmp);
        self.injected.fold(entry.entry);
        self.faults.fold(entry, bus);
        self.findings.fold(entry, bus);
        let mut cx = Folding {
            state: self.station_state.as_mut(),
            is_in_snapshot,
            is_void: false,
            journal: &mut self.journal,
        };
        self.systems.fold(entry, &mut cx);
        self.systems.station.intercepted.fold(entry);
        if cx.is_void {
            self.sync_basis = SyncBasis::Void;
        }
        if let Some(state) = cx.carried() {
            state.as_of.0[link.index()] = seq;
        }
    }

    /// Judges one message of MPLP that waits for it. Whether there was one.
    pub(crate) fn judge_next(&mut self) -> bool {
        let was_pending = self.findings.judge_next();
        if was_pending {
            self.revision = next_revision();
        }
        was_pending
    }

    /// Judges all messages that wait for it.
    pub(crate) fn judge_all(&mut self) {
        while self.judge_next() {}
    }

    /// What tells this state from any other.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether the state is void, so that a snapshot is needed as after a loss.
    pub(crate) fn is_void(&self) -> bool {
        self.sync_basis == SyncBasis::Void
    }

    /// The line of the adapter's log with this number, while it is kept.
    #[cfg(test)]
    pub(crate) fn line(&self, number: u64) -> Option<&mpp::LogView> {
        let place = usize::try_from(number.wrapping_sub(self.bridge.first_line)).ok()?;
        self.mpp()?.logs.get(place)
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
