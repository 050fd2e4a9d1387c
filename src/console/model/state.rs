//! The model and how it is moved on.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    alerts::{Alerts, Judged},
    bus::Bus,
    bus_words,
    counts::{Changes, Tallies},
    faults::Faults,
    fold,
    journal::Journal,
    meter::Meter,
    rates::Rate,
    run_lines::RunLines,
    run_words,
    session_lines::SessionLines,
    session_words,
    timeline::Past,
    world::World,
};
use crate::{
    console::config::AlertRules,
    ids::{Peer, QueueName},
    limits,
    mpp::{self, EndedView, LogView},
    port::{Attachment, HostState, InvocationRow, Snapshot},
    rmp,
    tap::{
        EntryRef,
        entry::{
            Direction, Frame, Head, Link, Transition, Verdict, What, mpp as events,
            mpp::{CloseCause, RowState},
            station::{self, Level},
        },
    },
    time::{Mono, Now},
};

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

/// What the state stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ground {
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
    pub(crate) world: Option<World>,
    /// Rows done, by queue.
    pub(crate) rates: BTreeMap<QueueName, Rate>,
    /// Rows failed, refunded or cancelled, by queue.
    pub(crate) failures: BTreeMap<QueueName, Rate>,
    /// How fast the bus goes.
    pub(crate) bus: Bus,
    /// What runs told lately.
    pub(crate) run_lines: RunLines,
    /// What sessions took lately.
    pub(crate) session_lines: SessionLines,
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
    pub(crate) meter: Meter,
    /// The last adapter that was not let in, until one is.
    pub(crate) refused: Option<(Peer, CloseCause, Now)>,
    /// What of the first steps has been seen.
    pub(crate) lessons: Lessons,
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
    pub(crate) tally: Tallies,
    /// Told anew with every change, by no two models the same: what was made of one is out of date when it
    /// differs.
    pub(super) revision: u64,
    ground: Ground,
    rates_cut: u64,
    limits: limits::Mpp,
    rmp_limits: limits::Rmp,
    runs_limits: limits::Runs,
    macp_limits: limits::Macp,
    /// Where it is no longer the present: what of that is shown beside it.
    pub(crate) past: Option<Past>,
}

/// A revision that no model had yet.
pub(super) fn next_revision() -> u64 {
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
            world: None,
            rates: BTreeMap::new(),
            failures: BTreeMap::new(),
            bus: Bus::new(&limits.rmp),
            run_lines: RunLines::new(limits.console.run_lines_max),
            session_lines: SessionLines::new(limits.console.session_lines_max),
            faults: Faults::default(),
            first_line: 0,
            lines_cut: 0,
            journal: Journal::new(limits),
            alerts: Alerts::new(limits.console),
            lost: 0,
            meter: Meter::default(),
            refused: None,
            lessons: Lessons::default(),
            is_first_run: false,
            history: Vec::new(),
            known_since: None,
            stopping: false,
            attachment: None,
            changes: Changes::default(),
            tally: Tallies::default(),
            revision: next_revision(),
            ground: Ground::None,
            rates_cut: 0,
            limits: limits.mpp,
            rmp_limits: limits.rmp,
            runs_limits: limits.runs,
            macp_limits: limits.macp,
            past: None,
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
            self.run_lines.begin_again();
            self.session_lines.begin_again();
            self.world = None;
        }
        self.bus.seed(&snapshot.rmp, self.world.as_ref().map(|world| &world.rmp), snapshot.at);
        self.known_since.get_or_insert(snapshot.at);
        self.changes.resyncs += 1;
        self.renumber_lines(&snapshot.mpp.logs);
        self.alerts.seed(&snapshot.mpp, snapshot.at);
        self.tally.ended.begin(snapshot.mpp.recent.len());
        self.tally.lines.begin(snapshot.mpp.logs.len());
        if std::mem::replace(&mut self.ground, Ground::Snapshot) == Ground::None {
            self.journal.seed(&snapshot.mpp.logs);
            self.world = Some(World::of(snapshot));
            self.learn();
            // Whether a paired station was ever used, its history says.
            self.is_first_run = !self.lessons.paired;
            return;
        }
        self.world = Some(World::of(snapshot));
        self.learn();
    }

    /// Whether a snapshot is of a station that was started again since the one before.
    pub(crate) fn is_of_another_start(&self, snapshot: &Snapshot) -> bool {
        self.world
            .as_ref()
            .is_some_and(|world| world.station.started_at.wall != snapshot.station.started_at.wall)
    }

    /// Takes the newest rows as the store has them: none when nothing was ever recorded.
    pub(crate) fn remember(&mut self, rows: Vec<InvocationRow>) {
        self.revision = next_revision();
        let Some(world) = &self.world else { return };
        if rows.is_empty() {
            self.is_first_run |= !self.lessons.all_done();
            return;
        }
        self.lessons.worked = true;
        let started_at = world.station.started_at.wall;
        let has_ended =
            |row: &InvocationRow| matches!(row.state, RowState::Done | RowState::Failed | RowState::Refunded);
        self.lessons.connected |=
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
    pub(crate) fn lose(&mut self, count: u64, at: Now) {
        if count == 0 {
            return;
        }
        self.revision = next_revision();
        self.lost = self.lost.saturating_add(count);
        self.journal.lost(count, at);
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
        let is_covered = |world: &World| world.as_of.covers(entry.entry.link, entry.entry.seq);
        let is_in_snapshot = resyncing || self.world.as_ref().is_none_or(is_covered);
        self.bus.fold(entry.entry, is_in_snapshot);
        self.alerts.hear(entry, self.world.as_ref().map(|world| &world.runs));
        let said = match &entry.entry.what {
            What::Transition(Transition::Rmp(transition)) => {
                bus_words::words(transition, &entry.text(), self.rmp())
            }
            What::Transition(Transition::Macp(transition)) => session_words::words(transition, &entry.text()),
            What::Transition(Transition::Runs(transition)) => {
                run_words::words(transition, &entry.text(), self.runs())
            }
            What::Frame(Frame {
                direction: Direction::Inbound,
                peer,
                head: Head::Rmp(head),
                verdict: Verdict::Rmp(verdict),
                ..
            }) => {
                let who = || bus_words::who(peer, head.session, self.rmp());
                if let rmp::Verdict::Refused(refusal) = verdict {
                    Some(bus_words::refusal_words(&who(), *refusal))
                } else {
                    None
                }
            }
            _ => None,
        };
        self.faults.fold(entry, self.world.as_ref().map(|world| &world.rmp));
        let line = if resyncing { None } else { self.fold_world(entry) };
        self.run_lines.fold(entry);
        if !is_in_snapshot {
            self.session_lines.fold(entry, self.world.as_ref().map(|world| &world.macp));
        }
        if let Some((peer, words)) = self.journal.fold(entry, line, said) {
            self.faults.tell(peer, words);
        }
    }

    /// Carries the snapshot's state on; the line that the adapter's log got, if it did.
    fn fold_world(&mut self, entry: EntryRef<'_>) -> Option<Arc<str>> {
        let world = self.world.as_mut()?;
        if world.as_of.covers(entry.entry.link, entry.entry.seq) {
            return None;
        }
        let (lines, ended) = (world.mpp.logs.len(), world.mpp.recent.len());
        match &entry.entry.what {
            What::Transition(Transition::Station(transition)) => {
                if let station::Transition::HostUp { link } = transition
                    && matches!(world.station.hosts[link.index()], HostState::Down(_))
                {
                    self.ground = Ground::Void;
                }
                fold::station(&mut world.station, *transition, entry);
            }
            _ if entry.entry.link == Link::Rmp => {
                self.bus.compare(entry.entry, &world.rmp);
                fold::rmp(&mut world.rmp, entry, &self.rmp_limits);
            }
            _ if entry.entry.link == Link::Runs => fold::runs(&mut world.runs, entry, &self.runs_limits),
            _ if entry.entry.link == Link::Macp => fold::macp(&mut world.macp, entry, &self.macp_limits),
            _ => fold::mpp(&mut world.mpp, entry, &self.limits),
        }
        world.as_of.0[entry.entry.link.index()] = entry.entry.seq;
        if let What::Transition(Transition::Mpp(transition)) = &entry.entry.what {
            use events::Transition as T;
            let ends = matches!(transition, T::Done { .. } | T::Failed { .. } | T::Refunded { .. });
            self.tally.ended.note(usize::from(ends), ended, world.mpp.recent.len());
            self.tally.lines.note(
                usize::from(matches!(transition, T::Logged { .. })),
                lines,
                world.mpp.logs.len(),
            );
        }
        self.alerts.fold(entry);
        let mut line = None;
        if let What::Transition(Transition::Mpp(events::Transition::Logged { .. })) = &entry.entry.what {
            let cut = (lines + 1).saturating_sub(world.mpp.logs.len()) as u64;
            self.first_line = self.first_line.wrapping_add(cut);
            self.lines_cut = self.lines_cut.saturating_add(cut);
            line = world.mpp.logs.back().map(|line| Arc::clone(&line.text));
        }
        self.learn();
        line
    }

    /// What tells this state from any other.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether the state is void, so that a snapshot is needed as after a loss.
    pub(crate) fn is_void(&self) -> bool {
        self.ground == Ground::Void
    }

    /// Holds the rules of alerts against what is. To be called once a second.
    pub(crate) fn judge(&mut self, rules: &AlertRules, now: Now) -> Judged {
        self.world
            .as_ref()
            .map_or_else(Judged::default, |world| self.alerts.judge(world, &self.bus.drops, rules, now))
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
                        self.lessons.connected = true;
                    }
                    events::Transition::Enqueued { .. } => self.lessons.worked = true,
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
            || mpp
                .queues
                .values()
                .any(|queue| queue.pending + queue.other_manifest + queue.done + queue.failed > 0);
        // Work that ran to its end went through an adapter, in this start of the station or an earlier one.
        self.lessons.connected |= mpp.recent.iter().any(|row| row.state == events::RowState::Done);
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
        self.world.as_ref().map(|world| &world.rmp)
    }

    /// The bridge, once there is a snapshot.
    pub(crate) fn mpp(&self) -> Option<&mpp::Snapshot> {
        self.world.as_ref().map(|world| &world.mpp)
    }
}
