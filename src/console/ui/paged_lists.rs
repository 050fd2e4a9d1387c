//! The lists that panes show a window of and the station has whole: when to ask for what, and where an answer
//! goes.
//!
//! A pane's list is asked for when the pane is first shown, when the selection nears the end of what is
//! there, and anew at most once a second while it is shown and something changed.

use std::{collections::BTreeMap, time::Duration};

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::format,
        input::{direction::Direction, pane_id::PaneId},
        model::Model,
        records::{
            paged_list::{PageQuery, PagedList, StationList},
            selection::Selection,
            system_state::SystemState,
        },
        ui::{
            effect::{Effect, PanePage},
            layout::Layout,
            pane::{Room, Source},
        },
    },
    port::{Page, PortError, Query},
    time::Mono,
};

/// The least time between two questions for what is there already.
const INTERVAL: Duration = Duration::from_secs(1);

/// What the station is asked for, for a pane.
pub(crate) enum Pages {
    /// Nothing.
    None,
    /// A list.
    List(&'static ListSource),
    /// Parts of the record that is shown, which its system asks for: where an answer goes.
    Parts(fn(&mut SystemState, PaneId, u64, Result<Page, PortError>)),
}

/// A list of the station, for a pane.
pub(crate) struct ListSource {
    /// An empty list.
    pub(crate) list: fn() -> Box<dyn StationList>,
    /// The query for a page of it, with the pane's filter.
    pub(crate) query: fn(PageQuery, Option<String>) -> Query,
    /// Counts the changes of what it lists.
    pub(crate) changes: fn(&Model) -> u64,
    /// Whether it is asked for, by the pane's place on the screen: some panes' chips have a count.
    pub(crate) is_wanted: fn(Option<Rect>) -> bool,
}

/// When a list was asked for last, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LastRequest {
    at: Mono,
    /// How often what it shows had changed, and how often the state had been taken anew.
    changes: (u64, u64),
    first_visible: Option<u64>,
}

/// A pane's list.
#[derive(Debug)]
struct PaneList {
    list: Box<dyn StationList>,
    last_request: Option<LastRequest>,
    /// The filter that goes with the questions.
    filter: Option<String>,
    /// Changes that there were when it was asked for last.
    changes_at_request: u64,
}

/// The lists.
#[derive(Debug)]
pub(crate) struct PagedLists {
    lists: BTreeMap<PaneId, PaneList>,
    /// How often an answer was taken.
    revision: u64,
}

impl PagedLists {
    pub(crate) fn new() -> Self {
        let list = |pane: PaneId| match pane.pane().pages {
            Pages::List(source) => Some((
                pane,
                PaneList { list: (source.list)(), last_request: None, filter: None, changes_at_request: 0 },
            )),
            Pages::None | Pages::Parts(_) => None,
        };
        Self { lists: PaneId::ALL.iter().copied().filter_map(list).collect(), revision: 0 }
    }

    /// The list that a pane shows; none for a pane whose rows the console has.
    pub(crate) fn list(&self, pane: PaneId) -> Option<&dyn StationList> {
        let shows = matches!(pane.pane().source, Source::Whole | Source::Pages { .. });
        self.lists.get(&pane).filter(|_| shows).map(|it| &*it.list)
    }

    fn shown_mut(&mut self, pane: PaneId) -> Option<&mut PaneList> {
        let shows = matches!(pane.pane().source, Source::Whole | Source::Pages { .. });
        self.lists.get_mut(&pane).filter(|_| shows)
    }

    /// A list that comes in pages, which has the store's order.
    fn paged_mut(&mut self, pane: PaneId) -> Option<&mut PaneList> {
        let is_paged = matches!(pane.pane().source, Source::Pages { .. });
        self.lists.get_mut(&pane).filter(|_| is_paged)
    }

    /// The rows that are here of a pane's list, for those who know their type.
    pub(crate) fn rows<R: crate::console::records::paged_list::Record + 'static>(
        &self,
        pane: PaneId,
    ) -> &[R] {
        self.typed(pane).map_or(&[], PagedList::rows)
    }

    /// The selected row of a pane's list.
    pub(crate) fn selected<R: crate::console::records::paged_list::Record + 'static>(
        &self,
        pane: PaneId,
    ) -> Option<&R> {
        self.typed(pane).and_then(PagedList::selected)
    }

    fn typed<R: 'static>(&self, pane: PaneId) -> Option<&PagedList<R>> {
        self.lists.get(&pane)?.list.as_any().downcast_ref()
    }

    /// The selection of a pane that shows a list.
    pub(crate) fn selection(&self, pane: PaneId) -> Option<&Selection> {
        self.list(pane).map(StationList::selection)
    }

    /// The selection of a pane that shows a list, to be changed.
    pub(crate) fn selection_mut(&mut self, pane: PaneId) -> Option<&mut Selection> {
        self.shown_mut(pane).map(|it| it.list.selection_mut())
    }

    /// Whether a pane's list has its oldest row first; none for a pane that does not have the store's order.
    pub(crate) fn oldest_first(&self, pane: PaneId) -> Option<bool> {
        let is_paged = matches!(pane.pane().source, Source::Pages { .. });
        self.list(pane).filter(|_| is_paged).map(StationList::oldest_first)
    }

    /// Whether a list has its oldest row first by itself: what waits goes in that order, what happened is
    /// read the other way.
    pub(crate) fn is_oldest_first(pane: PaneId) -> bool {
        matches!(pane.pane().source, Source::Pages { oldest_first: true, .. })
    }

    /// Turns a pane's list round.
    pub(crate) fn reverse(&mut self, pane: PaneId) {
        if let Some(it) = self.paged_mut(pane) {
            it.list.reverse();
        }
    }

    /// Has the store filter a pane's list that comes in pages.
    pub(crate) fn set_filter(&mut self, pane: PaneId, filter: Option<String>) {
        if let Some(it) = self.paged_mut(pane).filter(|it| it.filter != filter) {
            it.list.reset();
            it.filter = filter;
        }
    }

    /// Asks for every list anew that is shown: a replay is at another place.
    pub(crate) fn forget(&mut self) {
        for it in self.lists.values_mut() {
            it.list.reset();
            it.last_request = None;
        }
    }

    /// Begins a pane's list at its first row again, if that was let go of meanwhile.
    pub(crate) fn restart(&mut self, pane: PaneId) -> bool {
        self.paged_mut(pane).is_some_and(|it| it.list.restart())
    }

    /// Tells a list how many rows of it are shown.
    pub(crate) fn fit(&mut self, pane: PaneId, height: usize) {
        if let Some(it) = self.shown_mut(pane) {
            it.list.fit(height);
        }
    }

    /// How many rows of a pane's list there are with those that came since it was asked for, and whether
    /// there are more than that.
    pub(crate) fn count_with_new(&self, pane: PaneId, changes: u64) -> (u64, bool) {
        let Some(it) = self.lists.get(&pane) else { return (0, false) };
        let (before, behind) = it.list.more();
        (it.list.count() as u64 + changes.saturating_sub(it.changes_at_request), before || behind)
    }

    /// How many rows of a list the store has, as far as they are loaded, and whether there are more.
    pub(crate) fn stored_text(&self, pane: PaneId, room: Room) -> String {
        let Some(list) = self.list(pane) else { return String::new() };
        let more = if list.more() == (false, false) { "" } else { "+" };
        let span = if room >= Room::Narrow && list.count() > 0 { " stored" } else { "" };
        format!("{}{more}{span}", format::count(list.count() as u64))
    }

    /// Takes the answer for a pane.
    pub(crate) fn take(
        &mut self,
        systems: &mut SystemState,
        pane: PaneId,
        serial: u64,
        answer: Result<Page, PortError>,
    ) {
        self.revision += 1;
        match (&pane.pane().pages, self.lists.get_mut(&pane)) {
            (Pages::Parts(take), _) => take(systems, pane, serial, answer),
            (_, Some(it)) => it.list.answer(serial, answer),
            (_, None) => {}
        }
    }

    /// How often an answer was taken: what was made of the lists is out of date when it differs.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// The pages to be asked for now. While time is stopped, only what was never asked for and what the
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
            let wanted = match (&pane.pane().pages, self.lists.get_mut(pane)) {
                (Pages::List(source), Some(it)) if (source.is_wanted)(area) => {
                    it.due(source, model, pane.pane().source.is_paged(), now)
                }
                _ => None,
            };
            effects
                .extend(wanted.map(|(serial, query)| Effect::query(query, PanePage { pane: *pane, serial })));
        }
        effects
    }
}

/// When it is asked.
#[derive(Clone, Copy, Debug)]
struct RequestTime {
    at: Mono,
    /// Time is stopped: what is listed is not asked for again.
    is_paused: bool,
}

impl PaneList {
    /// The query that is due: a page, or the whole list.
    fn due(
        &mut self,
        source: &ListSource,
        model: &Model,
        is_paged: bool,
        now: RequestTime,
    ) -> Option<(u64, Query)> {
        let changes = (source.changes)(model);
        let present = (changes, model.bridge.changes.resyncs);
        let wanted = if is_paged { self.page_due(present, now) } else { self.whole_due(present, now) }?;
        self.changes_at_request = changes;
        Some((wanted.serial, (source.query)(wanted, self.filter.clone())))
    }

    /// Whether it is time to ask anew; if so, that is noted.
    fn is_due(&mut self, present: LastRequest, is_paused: bool) -> bool {
        let is_due = self.last_request.is_none_or(|last| {
            let has_changed = self.list.error().is_some()
                || (last.changes, last.first_visible) != (present.changes, present.first_visible);
            has_changed && !is_paused && present.at.since(last.at) >= INTERVAL
        });
        if is_due {
            self.last_request = Some(present);
        }
        is_due
    }

    /// The page that is to be asked for now.
    fn page_due(&mut self, changes: (u64, u64), now: RequestTime) -> Option<PageQuery> {
        if self.list.is_pending() {
            return None;
        }
        let present = LastRequest { at: now.at, changes, first_visible: self.list.first_visible() };
        let direction = if self.list.is_filled() || self.list.error().is_some() {
            let wants = self.list.wanted_direction();
            wants.or_else(|| self.is_due(present, now.is_paused).then_some(Direction::Refresh))?
        } else {
            self.last_request = Some(present);
            Direction::Initial
        };
        Some(self.list.ask(direction))
    }

    /// Whether a list that comes whole is to be asked for now.
    fn whole_due(&mut self, changes: (u64, u64), now: RequestTime) -> Option<PageQuery> {
        let present = LastRequest { at: now.at, changes, first_visible: None };
        (!self.list.is_pending() && self.is_due(present, now.is_paused))
            .then(|| self.list.ask(Direction::Initial))
    }
}
