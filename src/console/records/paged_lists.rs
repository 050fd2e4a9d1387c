//! The lists that panes show a window of and the station has whole: when to ask for what, and where an answer
//! goes.
//!
//! A pane's list is asked for when the pane is first shown, when the selection nears the end of what is
//! there, and anew at most once a second while it is shown and something changed.

use crate::console::screen;
use std::{collections::BTreeMap, time::Duration};

use super::{
    paged_list::{PageQuery, PageRows, PagedList, Record},
    selection::Selection,
};
use crate::{
    console::{
        input::{
            action::{Direction, Effect, Purpose},
            pane_id::PaneId,
        },
        model::{Changes, Model},
        systems::{runs::pages::RunPages, sessions::pages::SessionPages},
        ui::layout::Layout,
    },
    ids::{InvocationId, QueueName, RefundId},
    port::{InvocationRow, Page, PortError, Query, QueueRow, RefundRow, RunRow, SessionRow, StateKeyRow},
    tap::entry::mpp::RowState,
    time::{Mono, Wall},
};

/// The least time between two questions for what is there already.
const INTERVAL: Duration = Duration::from_secs(1);

/// When a list was asked for last, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LastRequest {
    at: Mono,
    /// How often what it shows had changed, and how often the state had been taken anew.
    changes: (u64, u64),
    first_visible: Option<u64>,
}

/// The lists.
#[derive(Debug)]
pub(crate) struct PagedLists {
    pub(crate) history: PagedList<InvocationRow>,
    pub(crate) other_pack: PagedList<InvocationRow>,
    pub(crate) refunds: PagedList<RefundRow>,
    pub(crate) state: PagedList<StateKeyRow>,
    pub(crate) run_history: PagedList<RunRow>,
    /// What the store has of the run that is shown.
    pub(crate) runs: RunPages,
    pub(crate) session_history: PagedList<SessionRow>,
    /// What the store has of the session that is shown.
    pub(crate) sessions: SessionPages,
    queues: PagedList<QueueRow>,
    last_requests: BTreeMap<PaneId, LastRequest>,
    /// The filters that go with the questions.
    filters: BTreeMap<PaneId, String>,
    /// How often an answer was taken.
    revision: u64,
    /// Refunds that were recorded before the list was asked for last.
    refunds_at_request: u64,
}

impl PagedLists {
    pub(crate) fn new() -> Self {
        Self {
            history: PagedList::new(Self::is_oldest_first(PaneId::History)),
            other_pack: PagedList::new(Self::is_oldest_first(PaneId::OtherPack)),
            refunds: PagedList::new(Self::is_oldest_first(PaneId::Refunds)),
            state: PagedList::new(false),
            run_history: PagedList::new(Self::is_oldest_first(PaneId::RunHistory)),
            runs: RunPages::default(),
            session_history: PagedList::new(Self::is_oldest_first(PaneId::SessionHistory)),
            sessions: SessionPages::default(),
            queues: PagedList::new(false),
            last_requests: BTreeMap::new(),
            filters: BTreeMap::new(),
            revision: 0,
            refunds_at_request: 0,
        }
    }

    /// The selection of a pane that shows a list.
    pub(crate) fn selection(&self, pane: PaneId) -> Option<&Selection> {
        match pane {
            PaneId::History => Some(&self.history.selection),
            PaneId::OtherPack => Some(&self.other_pack.selection),
            PaneId::Refunds => Some(&self.refunds.selection),
            PaneId::State => Some(&self.state.selection),
            PaneId::RunHistory => Some(&self.run_history.selection),
            PaneId::SessionHistory => Some(&self.session_history.selection),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(crate) fn selection_mut(&mut self, pane: PaneId) -> Option<&mut Selection> {
        match pane {
            PaneId::History => Some(&mut self.history.selection),
            PaneId::OtherPack => Some(&mut self.other_pack.selection),
            PaneId::Refunds => Some(&mut self.refunds.selection),
            PaneId::State => Some(&mut self.state.selection),
            PaneId::RunHistory => Some(&mut self.run_history.selection),
            PaneId::SessionHistory => Some(&mut self.session_history.selection),
            _ => None,
        }
    }

    /// Whether a pane's list has its oldest row first; none for a pane that does not have the store's order.
    pub(crate) fn oldest_first(&self, pane: PaneId) -> Option<bool> {
        match pane {
            PaneId::History => Some(self.history.oldest_first()),
            PaneId::OtherPack => Some(self.other_pack.oldest_first()),
            PaneId::Refunds => Some(self.refunds.oldest_first()),
            PaneId::RunHistory => Some(self.run_history.oldest_first()),
            PaneId::SessionHistory => Some(self.session_history.oldest_first()),
            _ => None,
        }
    }

    /// Whether a list has its oldest row first by itself: what waits goes in that order, what happened is
    /// read the other way.
    pub(crate) const fn is_oldest_first(pane: PaneId) -> bool {
        matches!(pane, PaneId::OtherPack)
    }

    /// Turns a pane's list round.
    pub(crate) fn reverse(&mut self, pane: PaneId) {
        match pane {
            PaneId::History => self.history.reverse(),
            PaneId::OtherPack => self.other_pack.reverse(),
            PaneId::Refunds => self.refunds.reverse(),
            PaneId::RunHistory => self.run_history.reverse(),
            PaneId::SessionHistory => self.session_history.reverse(),
            _ => {}
        }
    }

    /// Has the store filter a pane's list that comes in pages.
    pub(crate) fn set_filter(&mut self, pane: PaneId, filter: Option<String>) {
        if self.filters.get(&pane) == filter.as_ref() {
            return;
        }
        match pane {
            PaneId::History => self.history.reset(),
            PaneId::OtherPack => self.other_pack.reset(),
            PaneId::Refunds => self.refunds.reset(),
            PaneId::RunHistory => self.run_history.reset(),
            PaneId::SessionHistory => self.session_history.reset(),
            _ => return,
        }
        match filter {
            Some(filter) => self.filters.insert(pane, filter),
            None => self.filters.remove(&pane),
        };
    }

    /// Begins a pane's list at its first row again, if that was let go of meanwhile.
    pub(crate) fn restart(&mut self, pane: PaneId) -> bool {
        match pane {
            PaneId::History => self.history.restart(),
            PaneId::OtherPack => self.other_pack.restart(),
            PaneId::Refunds => self.refunds.restart(),
            PaneId::RunHistory => self.run_history.restart(),
            PaneId::SessionHistory => self.session_history.restart(),
            _ => false,
        }
    }

    /// Tells a list how many rows of it are shown.
    pub(crate) fn fit(&mut self, pane: PaneId, height: usize) {
        match pane {
            PaneId::History => self.history.fit(height),
            PaneId::OtherPack => self.other_pack.fit(height),
            PaneId::Refunds => self.refunds.fit(height),
            PaneId::State => self.state.fit(height),
            PaneId::RunHistory => self.run_history.fit(height),
            PaneId::SessionHistory => self.session_history.fit(height),
            _ => {}
        }
    }

    /// When the oldest pending row of a queue was enqueued, as far as is known.
    pub(crate) fn head_at(&self, queue: &QueueName) -> Option<Wall> {
        self.queues.rows().iter().find(|row| row.queue == *queue)?.head_at_ms
    }

    /// How many refunds there are, and whether there are more than that.
    pub(crate) fn refund_count(&self, model: &Model) -> (u64, bool) {
        let (before, behind) = self.refunds.more();
        let since = model.bridge.changes.refunds.saturating_sub(self.refunds_at_request);
        (self.refunds.rows().len() as u64 + since, before || behind)
    }

    /// Takes the answer for a pane's list.
    pub(crate) fn take(&mut self, pane: PaneId, serial: u64, answer: Result<Page, PortError>) {
        self.revision += 1;
        match pane {
            PaneId::History => self.history.answer(serial, invocations(answer)),
            PaneId::OtherPack => self.other_pack.answer(serial, invocations(answer)),
            PaneId::Refunds => self.refunds.answer(serial, refunds(answer)),
            PaneId::State => self.state.answer(serial, state(answer)),
            PaneId::Queues => self.queues.answer(serial, queues(answer)),
            PaneId::RunHistory => self.run_history.answer(serial, runs(answer)),
            PaneId::Plan | PaneId::RunEvents | PaneId::Artifacts => self.runs.take(pane, serial, answer),
            PaneId::SessionHistory => self.session_history.answer(serial, sessions(answer)),
            PaneId::SessionLog | PaneId::Positions => self.sessions.take(pane, serial, answer),
            _ => {}
        }
    }

    /// How often an answer was taken: what was made of the lists is out of date when it differs.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// What is to be asked for now. While time is stopped, only what was never asked for and what the
    /// selection nears: the store knows nothing of the past, and what is listed shall hold still.
    pub(crate) fn next(
        &mut self,
        layout: &Layout,
        model: &Model,
        is_stopped: bool,
        now: Mono,
    ) -> Vec<Effect> {
        let now = RequestTime { at: now, is_paused: is_stopped };
        if model.station_state.is_none() {
            return Vec::new();
        }
        let mut effects = Vec::new();
        for pane in layout.view.panes() {
            let area = layout.panes.iter().find(|(known, _)| known == pane).map(|(_, area)| *area);
            let wanted = match (pane, area) {
                (PaneId::History, Some(_)) => self.ask_history(&model.bridge.changes, now),
                (PaneId::OtherPack, Some(_)) => self.ask_other_pack(&model.bridge.changes, now),
                // Their chips have a count.
                (PaneId::Refunds, _) => self.ask_refunds(&model.bridge.changes, now),
                (PaneId::State, _) => self.ask_state(&model.bridge.changes, now),
                (PaneId::RunHistory, _) => self.ask_runs(model, now),
                (PaneId::SessionHistory, _) => self.ask_sessions(model, now),
                (PaneId::Queues, Some(area)) if screen::shows_head_age(area) => {
                    self.ask_queues(&model.bridge.changes, now)
                }
                _ => None,
            };
            let effect =
                |(serial, query)| Effect::Query { purpose: Purpose::Page { pane: *pane, serial }, query };
            effects.extend(wanted.map(effect));
        }
        effects
    }

    fn ask_history(&mut self, changes: &Changes, now: RequestTime) -> Option<(u64, Query)> {
        let wanted = page_due(
            &mut self.history,
            self.last_requests.entry(PaneId::History),
            (changes.rows, changes.resyncs),
            now,
        )?;
        Some((wanted.serial, invocations_query(wanted, None, false, self.filters.get(&PaneId::History))))
    }

    fn ask_other_pack(&mut self, changes: &Changes, now: RequestTime) -> Option<(u64, Query)> {
        let wanted = page_due(
            &mut self.other_pack,
            self.last_requests.entry(PaneId::OtherPack),
            (changes.others, changes.resyncs),
            now,
        )?;
        Some((
            wanted.serial,
            invocations_query(wanted, Some(RowState::Pending), true, self.filters.get(&PaneId::OtherPack)),
        ))
    }

    fn ask_refunds(&mut self, changes: &Changes, now: RequestTime) -> Option<(u64, Query)> {
        let PageQuery { beyond, oldest_first, limit, serial } = page_due(
            &mut self.refunds,
            self.last_requests.entry(PaneId::Refunds),
            (changes.refunds, changes.resyncs),
            now,
        )?;
        self.refunds_at_request = changes.refunds;
        let filter = self.filters.get(&PaneId::Refunds).cloned();
        Some((
            serial,
            Query::Refunds { status: None, beyond: beyond.map(RefundId), oldest_first, filter, limit },
        ))
    }

    fn ask_state(&mut self, changes: &Changes, now: RequestTime) -> Option<(u64, Query)> {
        let wanted = whole_due(
            &mut self.state,
            self.last_requests.entry(PaneId::State),
            (changes.state, changes.resyncs),
            now,
        )?;
        Some((wanted.serial, Query::State))
    }

    fn ask_runs(&mut self, model: &Model, now: RequestTime) -> Option<(u64, Query)> {
        let changes = (model.runs.run_changes, model.bridge.changes.resyncs);
        let PageQuery { beyond, oldest_first, limit, serial } =
            page_due(&mut self.run_history, self.last_requests.entry(PaneId::RunHistory), changes, now)?;
        let filter = self.filters.get(&PaneId::RunHistory).cloned();
        Some((
            serial,
            Query::Runs { state: None, name: None, since_ms: None, beyond, oldest_first, filter, limit },
        ))
    }

    fn ask_sessions(&mut self, model: &Model, now: RequestTime) -> Option<(u64, Query)> {
        let totals = model.macp().map(|macp| macp.totals).unwrap_or_default();
        let changes = (
            totals.started + totals.resolved + totals.expired + totals.cancelled,
            model.bridge.changes.resyncs,
        );
        let wanted = page_due(
            &mut self.session_history,
            self.last_requests.entry(PaneId::SessionHistory),
            changes,
            now,
        )?;
        let PageQuery { beyond, oldest_first, limit, serial } = wanted;
        let filter = self.filters.get(&PaneId::SessionHistory).cloned();
        Some((
            serial,
            Query::Sessions { state: None, mode: None, since_ms: None, beyond, oldest_first, filter, limit },
        ))
    }

    fn ask_queues(&mut self, changes: &Changes, now: RequestTime) -> Option<(u64, Query)> {
        let wanted = whole_due(
            &mut self.queues,
            self.last_requests.entry(PaneId::Queues),
            (changes.rows, changes.resyncs),
            now,
        )?;
        Some((wanted.serial, Query::Queues))
    }
}

/// When it is asked.
#[derive(Clone, Copy, Debug)]
struct RequestTime {
    at: Mono,
    /// Time is stopped: what is listed is not asked for again.
    is_paused: bool,
}

type LastRequestEntry<'a> = std::collections::btree_map::Entry<'a, PaneId, LastRequest>;

/// Whether it is time to ask anew; if so, that is noted.
fn is_due(mark: LastRequestEntry<'_>, present: LastRequest, has_trouble: bool, holds: bool) -> bool {
    use std::collections::btree_map::Entry;
    match mark {
        Entry::Vacant(slot) => {
            slot.insert(present);
            true
        }
        Entry::Occupied(mut slot) => {
            let mark = slot.get();
            let has_changed =
                has_trouble || (mark.changes, mark.first_visible) != (present.changes, present.first_visible);
            let is_due = has_changed && !holds && present.at.since(mark.at) >= INTERVAL;
            if is_due {
                slot.insert(present);
            }
            is_due
        }
    }
}

/// The page of a list that is to be asked for now.
fn page_due<R: Record>(
    window: &mut PagedList<R>,
    mark: LastRequestEntry<'_>,
    changes: (u64, u64),
    now: RequestTime,
) -> Option<PageQuery> {
    if window.pending().is_some() {
        return None;
    }
    let present = LastRequest { at: now.at, changes, first_visible: window.first_visible() };
    let direction = if window.is_filled() || window.error().is_some() {
        let wants = window.wanted_direction();
        wants.or_else(|| {
            is_due(mark, present, window.error().is_some(), now.is_paused).then_some(Direction::Refresh)
        })?
    } else {
        *mark.or_insert(present) = present;
        Direction::Initial
    };
    Some(window.ask(direction))
}

/// Whether a list that comes whole is to be asked for now.
fn whole_due<R: Record>(
    window: &mut PagedList<R>,
    mark: LastRequestEntry<'_>,
    changes: (u64, u64),
    now: RequestTime,
) -> Option<PageQuery> {
    let present = LastRequest { at: now.at, changes, first_visible: None };
    (window.pending().is_none() && is_due(mark, present, window.error().is_some(), now.is_paused))
        .then(|| window.ask(Direction::Initial))
}

fn invocations_query(
    wanted: PageQuery,
    state: Option<RowState>,
    other_manifest: bool,
    filter: Option<&String>,
) -> Query {
    let PageQuery { beyond, oldest_first, limit, .. } = wanted;
    Query::Invocations {
        state,
        queue: None,
        beyond: beyond.map(InvocationId),
        oldest_first,
        other_manifest,
        filter: filter.cloned(),
        limit,
    }
}

/// Why an answer did not come, and what to do about it.
pub(crate) fn error_text(error: &PortError) -> String {
    format!("{error}: {}", error.hint())
}

/// An answer of another kind came.
pub(crate) fn unexpected_answer() -> String {
    "the station answered another question".to_owned()
}

/// The rows of a page of invocations, or what went wrong.
pub(crate) fn invocations(page: Result<Page, PortError>) -> Result<PageRows<InvocationRow>, String> {
    match page {
        Ok(Page::Invocations { rows, more, beyond }) => {
            Ok(PageRows { rows, more, beyond: beyond.map(|id| id.0) })
        }
        Ok(_) => Err(unexpected_answer()),
        Err(error) => Err(error_text(&error)),
    }
}

fn refunds(page: Result<Page, PortError>) -> Result<PageRows<RefundRow>, String> {
    match page {
        Ok(Page::Refunds { rows, more, beyond }) => {
            Ok(PageRows { rows, more, beyond: beyond.map(|id| id.0) })
        }
        Ok(_) => Err(unexpected_answer()),
        Err(error) => Err(error_text(&error)),
    }
}

fn runs(page: Result<Page, PortError>) -> Result<PageRows<RunRow>, String> {
    match page {
        Ok(Page::Runs { rows, more, beyond }) => Ok(PageRows { rows, more, beyond }),
        Ok(_) => Err(unexpected_answer()),
        Err(error) => Err(error_text(&error)),
    }
}

fn sessions(page: Result<Page, PortError>) -> Result<PageRows<SessionRow>, String> {
    match page {
        Ok(Page::Sessions { rows, more, beyond }) => Ok(PageRows { rows, more, beyond }),
        Ok(_) => Err(unexpected_answer()),
        Err(error) => Err(error_text(&error)),
    }
}

fn state(page: Result<Page, PortError>) -> Result<PageRows<StateKeyRow>, String> {
    match page {
        Ok(Page::State(rows)) => Ok(PageRows { rows, more: false, beyond: None }),
        Ok(_) => Err(unexpected_answer()),
        Err(error) => Err(error_text(&error)),
    }
}

fn queues(page: Result<Page, PortError>) -> Result<PageRows<QueueRow>, String> {
    match page {
        Ok(Page::Queues(rows)) => Ok(PageRows { rows, more: false, beyond: None }),
        Ok(_) => Err(unexpected_answer()),
        Err(error) => Err(error_text(&error)),
    }
}
