//! The model and how it is moved on.

use std::collections::BTreeMap;

use super::{fold, journal::Journal, rates::Rate};
use crate::{
    ids::{Peer, QueueName},
    limits,
    mpp::{self, EndedView},
    port::{AsOf, InvocationRow, Snapshot, StationView},
    tap::{
        EntryRef,
        entry::{
            Transition, What, mpp as events,
            mpp::{CloseCause, RowState},
            station,
        },
    },
    time::{Mono, Now},
};

/// The state that snapshots carry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct World {
    pub(crate) as_of: AsOf,
    pub(crate) station: StationView,
    pub(crate) mpp: mpp::Snapshot,
}

/// What of the first steps has been seen done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lessons {
    pub(crate) paired: bool,
    pub(crate) connected: bool,
    pub(crate) worked: bool,
}

impl Lessons {
    /// Whether nothing is left to learn.
    pub(crate) fn all_done(self) -> bool {
        self.paired && self.connected && self.worked
    }
}

/// Everything that is drawn.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// Nothing until the first snapshot.
    pub(crate) world: Option<World>,
    /// Rows done, by queue.
    pub(crate) rates: BTreeMap<QueueName, Rate>,
    /// Notices of all links.
    pub(crate) journal: Journal,
    /// Entries that this console lost.
    pub(crate) lost: u64,
    /// The last adapter that was not let in, until one is.
    pub(crate) refused: Option<(Peer, CloseCause, Now)>,
    /// What of the first steps has been seen.
    pub(crate) lessons: Lessons,
    /// Whether the first steps were still to be done when the console came up.
    pub(crate) is_first_run: bool,
    /// Rows that ended before the station was started, newest first, at most [`HISTORY_ROWS`].
    pub(crate) history: Vec<EndedView>,
    /// Whether the station is going down.
    pub(crate) stopping: bool,
    seeded: bool,
    rates_cut: u64,
    limits: limits::Mpp,
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
            world: None,
            rates: BTreeMap::new(),
            journal: Journal::new(limits.console),
            lost: 0,
            refused: None,
            lessons: Lessons::default(),
            is_first_run: false,
            history: Vec::new(),
            stopping: false,
            seeded: false,
            rates_cut: 0,
            limits: limits.mpp,
        }
    }

    /// Starts again from a snapshot. Windows of our own stay.
    pub(crate) fn resync(&mut self, snapshot: Snapshot) {
        if !std::mem::replace(&mut self.seeded, true) {
            self.journal.seed(&snapshot.mpp.logs);
            self.world = Some(World { as_of: snapshot.as_of, station: snapshot.station, mpp: snapshot.mpp });
            self.learn();
            // Whether a paired station was ever used, its history says.
            self.is_first_run = !self.lessons.paired;
            return;
        }
        self.world = Some(World { as_of: snapshot.as_of, station: snapshot.station, mpp: snapshot.mpp });
        self.learn();
    }

    /// Takes the newest rows as the store has them: none when nothing was ever recorded.
    pub(crate) fn remember(&mut self, rows: Vec<InvocationRow>) {
        let Some(world) = &self.world else { return };
        if rows.is_empty() {
            self.is_first_run |= !self.lessons.all_done();
            return;
        }
        self.lessons.worked = true;
        let started_at = world.station.started_at.wall;
        let has_ended = |row: &InvocationRow| matches!(row.state, RowState::Done | RowState::Failed | RowState::Refunded);
        self.lessons.connected |= rows.iter().any(|row| !matches!(row.state, RowState::Pending | RowState::Failed));
        self.history = rows.into_iter().filter(|row| has_ended(row) && row.updated_at_ms < started_at).map(ended).collect();
        self.history.sort_by_key(|row| std::cmp::Reverse(row.at.wall));
    }

    /// Rows that ended, newest first.
    pub(crate) fn ended(&self) -> impl Iterator<Item = &EndedView> {
        self.mpp().into_iter().flat_map(|mpp| mpp.recent.iter().rev()).chain(&self.history)
    }

    /// Notes that entries were lost before the next.
    pub(crate) fn lose(&mut self, count: u64, at: Now) {
        self.lost = self.lost.saturating_add(count);
        self.journal.lost(count, at);
    }

    /// Takes one entry. Between a loss and the next snapshot only our own windows move.
    pub(crate) fn fold(&mut self, entry: EntryRef<'_>, resyncing: bool) {
        self.journal.fold(entry);
        self.fold_windows(entry);
        if resyncing {
            return;
        }
        let Some(world) = &mut self.world else { return };
        if world.as_of.covers(entry.entry.link, entry.entry.seq) {
            return;
        }
        match &entry.entry.what {
            What::Transition(Transition::Station(transition)) => fold::station(&mut world.station, *transition, entry),
            _ => fold::mpp(&mut world.mpp, entry, &self.limits),
        }
        world.as_of.0[entry.entry.link.index()] = entry.entry.seq;
        self.learn();
    }

    fn fold_windows(&mut self, entry: EntryRef<'_>) {
        match &entry.entry.what {
            What::Transition(Transition::Mpp(transition)) => match transition {
                events::Transition::Done { queue, .. } => self.rate(queue, entry.entry.at),
                events::Transition::Handshaken { .. } => {
                    self.refused = None;
                    self.lessons.connected = true;
                }
                events::Transition::Enqueued { .. } => self.lessons.worked = true,
                events::Transition::Disconnected { peer, active: false, cause: cause @ CloseCause::Fault(_) } => {
                    self.refused = Some((peer.clone(), *cause, entry.entry.at));
                }
                _ => {}
            },
            What::Transition(Transition::Station(station::Transition::Stopping)) => self.stopping = true,
            _ => {}
        }
    }

    fn rate(&mut self, queue: &QueueName, at: Now) {
        if let Some(rate) = self.rates.get_mut(queue.as_str()) {
            rate.count(at);
        } else if self.rates.len() < RATES_MAX {
            self.rates.entry(queue.clone()).or_default().count(at);
        } else {
            self.rates_cut = self.rates_cut.saturating_add(1);
        }
    }

    fn learn(&mut self) {
        let Some(World { mpp, .. }) = &self.world else { return };
        if self.lessons.all_done() {
            return;
        }
        self.lessons.paired |= mpp.paired;
        self.lessons.connected |= mpp.adapter.is_some() || mpp.last_close.is_some() || !mpp.live.is_empty();
        let ended = mpp.recent.iter().next().is_some();
        self.lessons.worked |= ended
            || !mpp.live.is_empty()
            || mpp.queues.values().any(|queue| queue.pending + queue.other_manifest + queue.done + queue.failed > 0);
        // Work that ran to its end went through an adapter, in this start of the station or an earlier one.
        self.lessons.connected |= mpp.recent.iter().any(|row| row.state == events::RowState::Done);
    }

    /// The bridge, once there is a snapshot.
    pub(crate) fn mpp(&self) -> Option<&mpp::Snapshot> {
        self.world.as_ref().map(|world| &world.mpp)
    }
}
