//! What of the bridge no snapshot has: rates, what happened to what the store has, the windows of the state.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    counts::{BridgeWindowCounts, Changes},
    journal::{self, CloseMessages},
    onboarding::OnboardingProgress,
};
use crate::{
    console::model::{
        journal::{NoticeDraft, Origin},
        rates::Rate,
        station::StationState,
        systems::{Folding, NODE_BYTES, Resync, SystemModel},
    },
    dissect::mpp::reply_of,
    ids::{Peer, QueueName},
    limits, mpp,
    mpp::{EndedView, LiveView, LogView, QueueView},
    port::InvocationRow,
    tap::{
        EntryRef,
        entry::{
            Link, Transition, What,
            mpp::{CloseCause, RowState, Transition as T},
            station::Level,
        },
    },
    time::{Mono, Now},
    words::cut_marked,
};

/// Rows of the store that are asked for when the console comes up.
pub(crate) const HISTORY_ROWS: u64 = 100;
/// Queues whose rates are kept.
const RATES_MAX: usize = 1_024;

/// What the model keeps of the bridge.
#[derive(Clone, Debug)]
pub(crate) struct Bridge {
    /// Rows done, by queue.
    pub(crate) rates: BTreeMap<QueueName, Rate>,
    /// Rows failed, refunded or cancelled, by queue.
    pub(crate) failures: BTreeMap<QueueName, Rate>,
    /// The number of the first line that is kept of the adapter's log; the others follow it.
    pub(crate) first_line: u64,
    /// Lines of the adapter's log that were cut.
    pub(crate) lines_cut: u64,
    /// The last adapter that was not let in, until one is.
    pub(super) refused: Option<(Peer, CloseCause, Now)>,
    /// What of the first steps has been seen.
    pub(crate) onboarding: OnboardingProgress,
    /// Whether the first steps were still to be done when the console came up.
    pub(crate) is_first_run: bool,
    /// Rows that ended before the station was started, newest first, at most [`HISTORY_ROWS`].
    pub(crate) history: Vec<EndedView>,
    /// What happened to what the store has.
    pub(crate) changes: Changes,
    /// What came into the windows of the bridge's state, and what they let go.
    pub(crate) window_counts: BridgeWindowCounts,
    close_messages: CloseMessages,
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

impl Bridge {
    /// Takes the newest rows as the store has them: none when nothing was ever recorded. `started_at` is when
    /// the station came up.
    pub(crate) fn set_history(&mut self, rows: Vec<InvocationRow>, started_at: crate::time::Wall) {
        if rows.is_empty() {
            self.is_first_run |= !self.onboarding.is_complete();
            return;
        }
        self.onboarding.worked = true;
        self.onboarding.done |= rows.iter().any(|row| row.state == RowState::Done);
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

    /// Takes over what holds now, and what lists were asked by, from the live state; what this one has beside
    /// it goes further back.
    pub(in crate::console::model) fn keep_present(&mut self, live: Self) {
        (self.history, self.is_first_run) = (live.history, live.is_first_run);
        (self.onboarding, self.changes) = (live.onboarding, live.changes);
        self.first_line = live.first_line;
    }

    /// The lines of a new snapshot keep the numbers of those that were there before, where they are the same.
    fn renumber_lines(&mut self, known: &mpp::Snapshot, to: &mpp::Snapshot) {
        let next = self.first_line.wrapping_add(known.logs.len() as u64);
        let last = known.logs.back().and_then(|last| to.logs.iter().rposition(|line| line == last));
        self.first_line = match last {
            Some(place) => next.wrapping_sub(place as u64 + 1),
            None => next,
        };
    }

    /// Takes what a transition says by itself.
    fn count(&mut self, transition: &T, at: Now) {
        self.changes.note(transition);
        match transition {
            T::Done { queue, .. } => {
                count_rate(&mut self.rates, queue, at);
                self.onboarding.done = true;
            }
            T::Failed { queue, .. } | T::Refunded { queue, .. } | T::OtherCancelled { queue, .. } => {
                count_rate(&mut self.failures, queue, at);
            }
            T::Handshaken { .. } => {
                self.refused = None;
                self.onboarding.connected = true;
            }
            T::Enqueued { .. } => self.onboarding.worked = true,
            T::Disconnected { peer, active: false, cause: cause @ CloseCause::Fault(_) } => {
                self.refused = Some((peer.clone(), *cause, at));
            }
            _ => {}
        }
    }

    /// Carries the bridge's state on; the line that the adapter's log got, if it did.
    fn carry(&mut self, entry: EntryRef<'_>, mpp: &mut mpp::Snapshot) -> Option<Arc<str>> {
        let (lines, ended) = (mpp.logs.len(), mpp.recent.len());
        let What::Transition(Transition::Mpp(transition)) = &entry.entry.what else {
            mpp.apply(entry.entry, "", &self.limits);
            self.onboarding.update(mpp);
            return None;
        };
        mpp.apply(entry.entry, &entry.text(), &self.limits);
        self.onboarding.update(mpp);
        let ends = matches!(transition, T::Done { .. } | T::Failed { .. } | T::Refunded { .. });
        let is_line = matches!(transition, T::Logged { .. });
        self.window_counts.ended.note(usize::from(ends), ended, mpp.recent.len());
        self.window_counts.lines.note(usize::from(is_line), lines, mpp.logs.len());
        if !is_line {
            return None;
        }
        let cut = (lines + 1).saturating_sub(mpp.logs.len()) as u64;
        self.first_line = self.first_line.wrapping_add(cut);
        self.lines_cut = self.lines_cut.saturating_add(cut);
        mpp.logs.back().map(|line| Arc::clone(&line.text))
    }

    /// What of an entry a person should read; `line` is the line that the adapter's log got.
    fn notice(&mut self, entry: EntryRef<'_>, line: Option<Arc<str>>) -> Option<NoticeDraft> {
        match &entry.entry.what {
            What::Transition(Transition::Mpp(transition)) => match transition {
                T::Logged { level } => {
                    let whole = || cut_marked(&entry.text(), self.limits.log_line_bytes_max).as_ref().into();
                    let text = line.unwrap_or_else(whole);
                    Some(journal::describe_log(*level, text))
                }
                T::RefundRecorded { id, status, .. } => Some(journal::describe_refund(*id, *status)),
                T::Disconnected { peer, active, cause } => {
                    let told = self.close_messages.take(peer);
                    journal::describe_disconnect(peer, *active, *cause, told.as_deref())
                }
                transition => journal::describe(transition, &entry.text()),
            },
            // An adapter that is gone may miss it.
            What::Unsent { frames, bytes } => {
                Some(NoticeDraft::unsent(Level::Warn, Origin::System(Link::Mpp), *frames, *bytes))
            }
            _ => None,
        }
    }
}

fn count_rate(rates: &mut BTreeMap<QueueName, Rate>, queue: &QueueName, at: Now) {
    if let Some(rate) = rates.get_mut(queue.as_str()) {
        rate.count(at);
    } else if rates.len() < RATES_MAX {
        rates.entry(queue.clone()).or_default().count(at);
    }
}

impl SystemModel for Bridge {
    const STATION_LOG: Option<Level> = Some(Level::Trace);

    fn new(limits: &limits::Limits) -> Self {
        Self {
            rates: BTreeMap::new(),
            failures: BTreeMap::new(),
            first_line: 0,
            lines_cut: 0,
            refused: None,
            onboarding: OnboardingProgress::default(),
            is_first_run: false,
            history: Vec::new(),
            changes: Changes::default(),
            window_counts: BridgeWindowCounts::default(),
            close_messages: CloseMessages::default(),
            limits: limits.mpp,
        }
    }

    fn reset(&mut self) {
        self.refused = None;
        (self.rates, self.failures) = (BTreeMap::new(), BTreeMap::new());
    }

    fn resync(&mut self, to: &mut Resync<'_>) {
        let mpp = &to.snapshot.mpp;
        self.changes.resyncs += 1;
        if let Some(known) = to.known {
            self.renumber_lines(&known.mpp, mpp);
        }
        self.window_counts.ended.restart(mpp.recent.len());
        self.window_counts.lines.restart(mpp.logs.len());
        self.onboarding.update(mpp);
        if to.is_first {
            let line = |line: &LogView| (line.at, journal::describe_log(line.level, Arc::clone(&line.text)));
            to.journal.seed(mpp.logs.iter().map(line));
            // Whether a paired station was ever used, its history says.
            self.is_first_run = !self.onboarding.paired;
        }
    }

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Folding<'_>) {
        if let What::Transition(Transition::Mpp(transition)) = &entry.entry.what {
            self.count(transition, entry.entry.at);
        }
        let line = cx.carried().and_then(|state| self.carry(entry, &mut state.mpp));
        cx.note(entry, self.notice(entry, line));
        if let Some((peer, words)) = reply_of(entry) {
            self.close_messages.record(peer, words);
        }
    }

    fn memory_bytes(&self, state: Option<&StationState>) -> usize {
        let state = state.map_or(0, |StationState { mpp, .. }| {
            let lines: usize = mpp.logs.iter().map(|line| line.text.len()).sum();
            let reasons: usize =
                mpp.recent.iter().filter_map(|row| row.reason.as_ref()).map(|reason| reason.len()).sum();
            mpp.live.len() * (size_of::<LiveView>() + NODE_BYTES)
                + mpp.queues.len() * (size_of::<QueueView>() + NODE_BYTES)
                + mpp.recent.len() * size_of::<EndedView>()
                + mpp.logs.len() * size_of::<LogView>()
                + lines
                + reasons
        });
        let rates = (self.rates.len() + self.failures.len()) * (NODE_BYTES + 256);
        state + rates + self.history.len() * size_of::<EndedView>()
    }
}
