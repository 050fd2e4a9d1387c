//! The state of the screen itself: what is focused, selected, open, said.

use std::{cell::RefCell, collections::BTreeMap};

use ratatui::layout::Rect;

use super::{history::History, layout::Layout, message::Message, system::System};
use crate::{
    console::{
        input::{keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        model::{Model, Timeline},
        records,
        records::{
            PaneRecord,
            bookmarks::{AwaitedBookmark, Bookmarks},
            ladder_view::LadderView,
            places::Places,
            selection::{RecordKey, RowKeys, Selection},
            system_state::SystemState,
            table,
            table_settings::{Sort, TableSettings},
        },
        settings::config_watcher::Fault,
        ui,
        ui::{Arrangement, Layer, layout, paged_lists::PagedLists, palette::Palette, rows, rows::Hits},
    },
    filter::Filter,
    ids::TraceId,
    limits::Limits,
    time::{Mono, Now},
};

/// Entries that the wire's filter is tested on before a frame is drawn; the rest are tested between two looks
/// at the input.
const WIRE_RECONCILE_ENTRIES: u64 = 1_024;
/// Entries that the time bar counts before a frame is drawn.
const BAR_RECONCILE_ENTRIES: u64 = 1_024;
/// Entries that it is tested on, and that are counted, between two looks at the clock.
const WIRE_SLICE_ENTRIES: u64 = 256;

/// Where keys go when nothing is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    Pane(PaneId),
    /// The chips; the place of the selected one.
    Chips(usize),
}

/// The state of the screen.
#[derive(Debug)]
pub(crate) struct Ui {
    pub(crate) columns: u16,
    pub(crate) rows: u16,
    pub(crate) view: ViewId,
    /// Where the focus was in views that were left.
    pub(crate) last_focus: BTreeMap<ViewId, Focus>,
    pub(crate) focus: Focus,
    /// Of the panes whose rows are all in the model.
    pub(crate) selections: BTreeMap<PaneId, Selection>,
    /// The lists that come in pages.
    pub(crate) paged_lists: PagedLists,
    /// Which of the kept entries the wire shows.
    pub(crate) wire: records::EntryList,
    /// Which of those fit what is looked for in it.
    pub(crate) wire_hits: records::EntryList,
    /// What the wire told of its selected entry when it was drawn last.
    pub(crate) glance: RefCell<Option<Box<dyn Layer>>>,
    /// How panes are looked at.
    pub(crate) table_settings: BTreeMap<PaneId, TableSettings>,
    /// What of that was kept for the next start.
    pub(crate) saved_layout_revision: u64,
    /// The rows of panes that are filtered or sorted, as they were settled last.
    arranged: BTreeMap<PaneId, Arrangement>,
    /// The rows that fit the searches of other panes, as they were settled last.
    pub(super) hits: BTreeMap<PaneId, Hits>,
    /// The pane in whose search the first hit is still to be selected.
    pub(crate) seek: Option<PaneId>,
    /// The moment of the last event.
    pub(crate) at: Now,
    pub(crate) overlays: Vec<Box<dyn Layer>>,
    pub(crate) message: Option<Message>,
    /// Faults of the configuration and themes, until they are mended or put away.
    pub(crate) faults: Vec<Fault>,
    pub(crate) zoomed: Option<PaneId>,
    /// The bounds in force.
    pub(crate) limits: Limits,
    pub(crate) mouse: bool,
    /// The palette, over whatever is open.
    pub(crate) palette: Option<Box<Palette>>,
    pub(crate) history: History,
    /// The filters that were kept.
    pub(crate) filters: History,
    /// What was typed has its answer, which is painted as soon as what was typed.
    pub(crate) is_answered: bool,
    /// Counts the subcommands that were run.
    pub(crate) subcommand_count: u64,
    /// Counts the times that the operator asked for the next theme.
    pub(crate) theme_steps: u32,
    /// Counts the entries that were inspected, so that what the worker read finds its inspector.
    pub(crate) inspect_count: u64,
    /// What can be looked back at.
    pub(crate) time: Timeline,
    pub(crate) bookmarks: Bookmarks,
    /// The bookmark whose place in a recording is gone to.
    pub(crate) awaited: Option<AwaitedBookmark>,
    /// Where the operator came from.
    pub(crate) places: Places,
    /// The trace that was chosen to be shown.
    pub(crate) trace: Option<TraceId>,
    /// Its messages, or those of the run that is shown.
    pub(crate) ladder_view: LadderView,
    /// What the systems keep, each for itself.
    pub(crate) systems: SystemState,
    /// The list that has the keys and since when, of those whose selected record other panes tell of.
    pub(crate) dwelling: Option<(PaneId, Mono)>,
}

impl Ui {
    /// A screen of this size with nothing open.
    pub(crate) fn new(columns: u16, rows: u16, mouse: bool) -> Self {
        Self {
            columns,
            rows,
            view: ViewId::Deck,
            last_focus: BTreeMap::new(),
            focus: Focus::Pane(PaneId::Queues),
            selections: BTreeMap::new(),
            paged_lists: PagedLists::new(),
            wire: records::EntryList::default(),
            wire_hits: records::EntryList::default(),
            glance: RefCell::default(),
            table_settings: BTreeMap::new(),
            saved_layout_revision: 0,
            arranged: BTreeMap::new(),
            hits: BTreeMap::new(),
            seek: None,
            at: Now::default(),
            overlays: Vec::new(),
            message: None,
            faults: Vec::new(),
            zoomed: None,
            limits: Limits::default(),
            mouse,
            palette: None,
            history: History::default(),
            filters: History::new([], Limits::default().console.history_lines_max),
            is_answered: false,
            subcommand_count: 0,
            theme_steps: 0,
            inspect_count: 0,
            time: Timeline::new(&Limits::default().console),
            bookmarks: Bookmarks::default(),
            awaited: None,
            places: Places::default(),
            trace: None,
            ladder_view: LadderView::default(),
            systems: SystemState::default(),
            dwelling: None,
        }
    }

    /// Begins with these bounds, the lines that were run before and the filters that were kept. What is told
    /// every second is off the wire, and what only tells how a run stands is off its ladder, until those
    /// filters are taken off.
    pub(crate) fn begin(&mut self, limits: &Limits, lines: Vec<String>, filters: Vec<String>) {
        self.limits = *limits;
        self.time = Timeline::new(&limits.console);
        self.history = History::new(lines, limits.console.history_lines_max);
        self.filters = History::new(filters, limits.console.history_lines_max);
        for (pane, quiet) in PaneId::ALL.iter().filter_map(|pane| Some((*pane, pane.pane().filter?))) {
            let quiet = Filter::parse(quiet, ui::specs(pane)).ok();
            self.selection_mut(pane).set_filtered(quiet.is_some());
            self.table_settings_mut(pane).set_filter(quiet);
        }
    }

    /// Shows a view; its focus is where it was left.
    pub(crate) fn show(&mut self, view: ViewId) {
        let is_other = view != self.view;
        if is_other {
            self.last_focus.insert(self.view, self.focus);
            self.view = view;
            self.zoomed = None;
            self.release_dwelt();
        }
        // Who asks for a view looks at its panes: a chip does not keep the keys.
        let left = self.last_focus.get(&view).filter(|focus| matches!(focus, Focus::Pane(_))).copied();
        if is_other || matches!(self.focus, Focus::Chips(_)) {
            self.focus = left.unwrap_or(Focus::Pane(view.panes()[0]));
        }
    }

    /// Where everything is.
    pub(crate) fn layout(&self, model: &Model) -> Layout {
        let occasional = (self.view.spec().occasional)(self, model);
        layout::of(self.columns, self.rows, self.view, self.zoomed, &occasional)
    }

    /// Where the next key goes.
    pub(crate) fn key_scope(&self) -> KeyScope {
        if self.palette.is_some() {
            return KeyScope::Palette;
        }
        self.key_scope_below_palette()
    }

    /// Where it would go without the palette.
    pub(crate) fn key_scope_below_palette(&self) -> KeyScope {
        match (self.overlays.last(), self.focus) {
            (Some(overlay), _) => overlay.key_scope(),
            (None, Focus::Pane(pane)) => KeyScope::Pane(pane),
            (None, Focus::Chips(_)) => KeyScope::Chips,
        }
    }

    /// The selected row of a pane.
    pub(crate) fn selected_row<'a>(
        &'a self,
        pane: PaneId,
        model: &'a Model,
    ) -> Option<Box<dyn PaneRecord + 'a>> {
        let index = self.selection(pane).map_or(0, Selection::index);
        ui::rows(pane, self, model).into_row(index)
    }

    /// The selected record of a pane.
    pub(crate) fn selected(&self, pane: PaneId, model: &Model) -> Option<RecordKey> {
        let index = self.selection(pane).map_or(0, Selection::index);
        ui::rows(pane, self, model).key(index)
    }

    /// How a pane is looked at.
    pub(crate) fn table_settings(&self, pane: PaneId) -> &TableSettings {
        static PLAIN: TableSettings = TableSettings::DEFAULT;
        self.table_settings.get(&pane).unwrap_or(&PLAIN)
    }

    /// How a pane is looked at, to be changed.
    pub(crate) fn table_settings_mut(&mut self, pane: PaneId) -> &mut TableSettings {
        self.table_settings.entry(pane).or_default()
    }

    /// Sorts a pane by a field, or leaves its rows in its own order. Lists in pages turn round.
    pub(crate) fn sort_by(&mut self, pane: PaneId, sort: Option<Sort>) {
        let is_other_way = match (self.paged_lists.oldest_first(pane), sort) {
            (Some(oldest_first), Some(sort)) => oldest_first == sort.descending,
            (Some(oldest_first), None) => oldest_first != PagedLists::is_oldest_first(pane),
            (None, _) => false,
        };
        if is_other_way {
            self.paged_lists.reverse(pane);
        }
        self.table_settings_mut(pane).set_sort(sort);
    }

    /// A pane's order and columns as shipped.
    pub(crate) fn reset(&mut self, pane: PaneId) {
        self.sort_by(pane, None);
        self.table_settings_mut(pane).set_columns(None);
    }

    /// Looks at panes as they were looked at in the last start.
    pub(crate) fn restore(&mut self, lenses: BTreeMap<PaneId, TableSettings>) {
        for (pane, lens) in lenses {
            let sort = lens.sort();
            self.table_settings.insert(pane, lens);
            self.sort_by(pane, sort);
        }
        self.saved_layout_revision = self.table_settings.values().map(TableSettings::layout_revision).sum();
    }

    /// The list that has the keys: a pane, or the pending list over the panes.
    pub(crate) fn target_list(&self) -> Option<PaneId> {
        match (self.overlays.last(), self.focus) {
            (Some(layer), _) => layer.list().map(|(list, _)| list),
            (None, Focus::Pane(pane)) if pane.pane().has_rows() => Some(pane),
            _ => None,
        }
    }

    /// Forgets what is selected in these panes, and how their rows were arranged: they tell of something else
    /// now.
    pub(crate) fn reset_panes(&mut self, panes: impl IntoIterator<Item = PaneId>) {
        for pane in panes {
            self.selections.remove(&pane);
            self.arranged.remove(&pane);
        }
    }

    /// The rows of a pane as they were arranged last.
    pub(crate) fn arranged(&self, pane: PaneId) -> Option<&Arrangement> {
        self.arranged.get(&pane)
    }

    /// Lets go of what was arranged, so that it is arranged anew.
    pub(crate) fn drop_arranged(&mut self) {
        self.arranged.clear();
    }

    /// The field that a pane is sorted by, if it is by one.
    pub(crate) fn sort(&self, pane: PaneId) -> Option<Sort> {
        let oldest_first =
            self.paged_lists.oldest_first(pane).or_else(|| ui::has_fixed_order(pane).then_some(true));
        match oldest_first {
            Some(oldest_first) => {
                ui::fixed_order(pane).map(|field| Sort { field, descending: !oldest_first })
            }
            None => self.table_settings(pane).sort(),
        }
    }

    /// Where the selection of a pane is.
    pub(crate) fn selection(&self, pane: PaneId) -> Option<&Selection> {
        if pane == PaneId::Pending {
            return self.overlays.iter().rev().find_map(|layer| layer.list()).map(|(_, selection)| selection);
        }
        self.paged_lists.selection(pane).or_else(|| self.selections.get(&pane))
    }

    /// The selection of a pane, to be changed.
    pub(crate) fn selection_mut(&mut self, pane: PaneId) -> &mut Selection {
        let layers = self.overlays.iter_mut().rev().filter(|_| pane == PaneId::Pending);
        let of_layer = { layers }.find_map(|layer| layer.list_selection_mut());
        match of_layer.or_else(|| self.paged_lists.selection_mut(pane)) {
            Some(selection) => selection,
            None => self.selections.entry(pane).or_default(),
        }
    }

    /// The moment that is shown, for what is counted by it.
    pub(crate) fn moment(&self) -> Now {
        self.time.instant().unwrap_or(self.at)
    }

    /// Fits focus and selections to what is shown: while time is stopped, not to the live model.
    pub(crate) fn reconcile_visible(&mut self, live: &Model) {
        let Some(past) = self.time.visible_model() else { return self.reconcile(live) };
        self.time.advance_bar(BAR_RECONCILE_ENTRIES);
        self.reconcile(&past);
        self.reconcile_present(live);
    }

    /// Carries the list of the wire on with what came since and with a filter that is not tested on all yet:
    /// at most so many entries. Whether there are more to be tested.
    pub(crate) fn advance_wire(&mut self, entries: u64) -> bool {
        let (kept, now) = (self.time.entries(), self.moment());
        self.wire.end_at(self.time.is_stopped().then(|| self.time.visible_end()));
        self.wire.set_filter(
            self.table_settings.get(&PaneId::Wire).and_then(TableSettings::filter),
            kept,
            now,
        );
        self.wire.advance(kept, now, entries);
        self.wire_hits.end_at(self.time.is_stopped().then(|| self.time.visible_end()));
        self.wire_hits.set_filter(rows::of_wire(&self.table_settings).as_ref(), kept, now);
        self.wire_hits.advance(kept, now, entries);
        self.wire.is_behind(kept) || self.wire_hits.is_behind(kept)
    }

    /// Carries the list of the wire and the time bar on until that is so. There is something new to be shown
    /// then.
    pub(crate) fn advance_until(&mut self, is_over: impl Fn() -> bool, at: Now) -> bool {
        self.at = at;
        while (self.advance_wire(WIRE_SLICE_ENTRIES)
            | self.fold_ladder(WIRE_SLICE_ENTRIES)
            | self.time.advance_bar(WIRE_SLICE_ENTRIES))
            && !is_over()
        {}
        true
    }

    /// Forgets every entry: those that come are of another place of a recording. How they are looked at
    /// stays.
    pub(crate) fn forget_entries(&mut self) {
        self.time = Timeline::new(&self.limits.console);
        (self.wire, self.wire_hits) = (records::EntryList::default(), records::EntryList::default());
        self.ladder_view = LadderView::default();
        self.paged_lists.forget();
        for system in System::all() {
            (system.forget)(&mut self.systems);
        }
        if let Some(awaited) = &mut self.awaited {
            awaited.has_left = true;
        }
    }

    /// Whether the wire is shown and its filter was not tested on all that is kept, or a ladder that is not
    /// made of all of it, or the time bar.
    pub(crate) fn is_behind(&self) -> bool {
        let (kept, panes) = (self.time.entries(), self.view.panes());
        (panes.contains(&PaneId::Wire) && (self.wire.is_behind(kept) || self.wire_hits.is_behind(kept)))
            || (panes.contains(&PaneId::Trace) && self.ladder_view.is_behind(kept))
            || self.time.is_bar_behind()
    }

    /// Lets something be done to the selection of a pane in view of its rows.
    pub(crate) fn select_in<T>(
        &mut self,
        pane: PaneId,
        model: &Model,
        act: impl FnOnce(&mut Selection, &dyn RowKeys) -> T,
    ) -> T {
        let mut selection = std::mem::take(self.selection_mut(pane));
        let done = act(&mut selection, &ui::rows(pane, self, model));
        *self.selection_mut(pane) = selection;
        done
    }

    /// Fits focus and selections to what there is now. Called before anything is drawn.
    pub(crate) fn reconcile(&mut self, model: &Model) {
        let layout = self.layout(model);
        match self.focus {
            Focus::Pane(pane) if !layout.has(pane) => {
                self.focus = Focus::Pane(layout.panes.first().map_or(PaneId::Queues, |(pane, _)| *pane));
            }
            Focus::Chips(at) => self.focus = Focus::Chips(at.min(layout.chips().len().saturating_sub(1))),
            Focus::Pane(_) => {}
        }
        if layout.has(PaneId::Wire) {
            self.advance_wire(WIRE_RECONCILE_ENTRIES);
        }
        // What the others tell of is selected in these.
        let (masters, others): (Vec<_>, Vec<_>) =
            layout.panes.iter().partition(|(pane, _)| System::has_master(*pane));
        self.reconcile_panes(model, masters);
        for system in System::all() {
            (system.follow)(self, model, &layout);
        }
        self.advance_ladder(model, WIRE_RECONCILE_ENTRIES);
        self.reconcile_panes(model, others);
        self.reconcile_overlays(model, &layout);
    }

    fn reconcile_panes(&mut self, model: &Model, panes: Vec<&(PaneId, Rect)>) {
        for (pane, area) in panes {
            let height = table::list_height(*area);
            match ui::arrangement(*pane, self, model) {
                Some(arrangement) => self.arranged.insert(*pane, arrangement),
                None => self.arranged.remove(pane),
            };
            self.paged_lists.fit(*pane, height);
            self.select_in(*pane, model, |selection, keys| selection.reconcile(keys, height));
            rows::settle(self, model, *pane);
        }
    }

    fn reconcile_overlays(&mut self, model: &Model, layout: &Layout) {
        self.reconcile_layers(model, layout);
        if self.overlays.iter().any(|layer| layer.list().is_some()) {
            rows::settle(self, model, PaneId::Pending);
        }
        if let Some(palette) = &mut self.palette {
            palette.reconcile(layout.body);
        }
    }
}
