//! The state of the screen itself: what is focused, selected, open, said.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use super::{
    bookmarks::Bookmarks,
    class::Class,
    form::Kept,
    history::History,
    inspect::Inspector,
    keymap::Place,
    layout::{self, Layout},
    lens::{Lens, Sort},
    marks::Marks,
    model::{Model, Timeline},
    openings::Openings,
    overlays::{Overlay, Palette, Pending},
    pages::Pages,
    pane_id::PaneId,
    panes::{self, Arrangement},
    picture::Picture,
    reload::Fault,
    rungs::Rungs,
    selection::{Keys, RecordKey, Selection},
    update::Bulk,
    view_id::ViewId,
    wire,
};
use ratatui::layout::Rect;

use crate::{
    filter::Filter,
    ids::{QueueName, TraceId},
    limits::Limits,
    macp::{Mode, SessionRef},
    runs::RunView,
    tap::entry::station::Level,
    time::{Clock, Mono, Now},
};

/// Entries that the wire's filter is tested on before a frame is drawn; the rest are tested between two looks
/// at the input.
const WIRE_SETTLE_ENTRIES: u64 = 1_024;
/// Entries that it is tested on between two looks at the clock.
const WIRE_SLICE_ENTRIES: u64 = 256;

/// Where keys go when nothing is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    Pane(PaneId),
    /// The chips; the place of the selected one.
    Chips(usize),
}

/// One line above the footer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) text: String,
    /// How grave it is.
    pub(crate) level: Level,
    /// Whose words it has.
    pub(crate) class: Class,
    /// When it goes.
    pub(crate) until: Mono,
}

/// The state of the screen.
#[derive(Debug)]
pub(crate) struct Ui {
    pub(crate) columns: u16,
    pub(crate) rows: u16,
    pub(crate) view: ViewId,
    /// Where the focus was in views that were left.
    pub(crate) left: BTreeMap<ViewId, Focus>,
    pub(crate) focus: Focus,
    /// Of the panes whose rows are all in the model.
    pub(crate) selections: BTreeMap<PaneId, Selection>,
    /// The lists that come in pages.
    pub(crate) pages: Pages,
    /// Which of the kept entries the wire shows.
    pub(crate) wire: wire::List,
    /// What the wire told of its selected entry when it was drawn last.
    pub(crate) glance: RefCell<Option<Box<Inspector>>>,
    /// How panes are looked at.
    pub(crate) lenses: BTreeMap<PaneId, Lens>,
    /// What of that was kept for the next start.
    pub(crate) layout_kept: u64,
    /// The rows of panes that are filtered or sorted, as they were settled last.
    arranged: BTreeMap<PaneId, Arrangement>,
    /// The moment of the last event.
    pub(crate) at: Now,
    pub(crate) overlays: Vec<Overlay>,
    pub(crate) message: Option<Message>,
    /// What is wrong with the configuration and themes, until it is mended or put away.
    pub(crate) faults: Vec<Fault>,
    pub(crate) zoomed: Option<PaneId>,
    pub(crate) lessons_dismissed: bool,
    /// Whether the first steps were shown after the last event.
    pub(crate) was_taught: bool,
    /// The queues that this console held with all the others, for the release to leave alone those that were
    /// held before.
    pub(crate) held_here: BTreeSet<QueueName>,
    /// Rows to be cancelled together.
    pub(crate) marks: Marks,
    /// The cancellation of many rows that is under way.
    pub(crate) bulk: Option<Bulk>,
    /// Forms that were left.
    pub(crate) kept: Kept,
    /// Counts the work given by hand, so that an answer finds its form.
    pub(crate) given: u64,
    /// The bounds in force.
    pub(crate) limits: Limits,
    pub(crate) mouse: bool,
    /// The palette, over whatever is open.
    pub(crate) palette: Option<Box<Palette>>,
    pub(crate) history: History,
    /// The filters that were kept.
    pub(crate) filters: History,
    /// Counts the subcommands that were run.
    pub(crate) runs: u64,
    /// Counts the times that the operator asked for the next theme.
    pub(crate) theme_steps: u32,
    /// Counts the entries that were inspected, so that what the worker read finds its inspector.
    pub(crate) inspected: u64,
    /// What can be looked back at.
    pub(crate) time: Timeline,
    pub(crate) bookmarks: Bookmarks,
    /// The run that the panes beside the lists of runs tell of.
    pub(crate) run: Option<TraceId>,
    /// The session that the panes beside the lists of sessions tell of.
    pub(crate) session: Option<SessionRef>,
    /// Its mode, as far as that is known.
    pub(crate) mode: Option<Mode>,
    /// The trace that was chosen to be shown.
    pub(crate) trace: Option<TraceId>,
    /// Its messages, or those of the run that is shown.
    pub(crate) rungs: Rungs,
    /// The opening that was written last, and those that were submitted lately.
    pub(crate) openings: Openings,
    /// The list that has the keys and since when, of those whose selected record other panes tell of.
    pub(super) dwelling: Option<(PaneId, Mono)>,
    /// The plan that was drawn last: of which run, with so many nodes and edges.
    picture: RefCell<Option<Drawn>>,
}

/// A plan as it was drawn: of which run, and with how many nodes and edges. Plans grow, and change in no
/// other way.
type Drawn = ((TraceId, usize, usize), Arc<Picture>);

impl Ui {
    /// A screen of this size with nothing open.
    pub(crate) fn new(columns: u16, rows: u16, mouse: bool) -> Self {
        Self {
            columns,
            rows,
            view: ViewId::Deck,
            left: BTreeMap::new(),
            focus: Focus::Pane(PaneId::Queues),
            selections: BTreeMap::new(),
            pages: Pages::new(),
            wire: wire::List::default(),
            glance: RefCell::default(),
            lenses: BTreeMap::new(),
            layout_kept: 0,
            arranged: BTreeMap::new(),
            at: Now::default(),
            overlays: Vec::new(),
            message: None,
            faults: Vec::new(),
            zoomed: None,
            lessons_dismissed: false,
            was_taught: false,
            held_here: BTreeSet::new(),
            marks: Marks::default(),
            bulk: None,
            kept: Kept::default(),
            given: 0,
            limits: Limits::default(),
            mouse,
            palette: None,
            history: History::default(),
            filters: History::new([], Limits::default().console.history_lines_max),
            runs: 0,
            theme_steps: 0,
            inspected: 0,
            time: Timeline::new(&Limits::default().console),
            bookmarks: Bookmarks::default(),
            run: None,
            session: None,
            mode: None,
            trace: None,
            rungs: Rungs::default(),
            openings: Openings::default(),
            dwelling: None,
            picture: RefCell::default(),
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
        for (pane, quiet) in [(PaneId::Wire, "routine:no"), (PaneId::Trace, panes::QUIET)] {
            let quiet = Filter::parse(quiet, panes::specs(pane)).ok();
            self.selection_mut(pane).set_filtered(quiet.is_some());
            self.lens_mut(pane).set_filter(quiet);
        }
    }

    /// Whether the first steps are shown.
    pub(crate) fn teaches(&self, model: &Model) -> bool {
        self.view == ViewId::Deck
            && model.is_first_run
            && !self.lessons_dismissed
            && !model.lessons.all_done()
    }

    /// Shows a view; its focus is where it was left.
    pub(crate) fn show(&mut self, view: ViewId) {
        let is_other = view != self.view;
        if is_other {
            self.left.insert(self.view, self.focus);
            self.view = view;
            self.zoomed = None;
            self.look_away();
        }
        // Who asks for a view looks at its panes: a chip does not keep the keys.
        let left = self.left.get(&view).filter(|focus| matches!(focus, Focus::Pane(_))).copied();
        if is_other || matches!(self.focus, Focus::Chips(_)) {
            self.focus = left.unwrap_or(Focus::Pane(view.panes()[0]));
        }
    }

    /// Where everything is.
    pub(crate) fn layout(&self, model: &Model) -> Layout {
        let runs = model.runs().is_some_and(|runs| !runs.runs.is_empty());
        let sessions = model.macp().is_some_and(|macp| !macp.sessions.is_empty());
        let deck = layout::Deck { teaches: self.teaches(model), runs, sessions };
        layout::of(self.columns, self.rows, self.view, self.zoomed, deck)
    }

    /// Where the next key goes.
    pub(crate) fn place(&self) -> Place {
        if self.palette.is_some() {
            return Place::Palette;
        }
        self.place_below()
    }

    /// Where it would go without the palette.
    pub(crate) fn place_below(&self) -> Place {
        match (self.overlays.last(), self.focus) {
            (Some(overlay), _) => overlay.place(),
            (None, Focus::Pane(pane)) => pane.place(),
            (None, Focus::Chips(_)) => Place::Chips,
        }
    }

    /// The selected record of a pane.
    pub(crate) fn selected(&self, pane: PaneId, model: &Model) -> Option<RecordKey> {
        let index = self.selection(pane).map_or(0, Selection::index);
        panes::rows(pane, self, model).key(index)
    }

    /// How a pane is looked at.
    pub(crate) fn lens(&self, pane: PaneId) -> &Lens {
        static PLAIN: Lens = Lens::PLAIN;
        self.lenses.get(&pane).unwrap_or(&PLAIN)
    }

    /// The same, to be changed.
    pub(crate) fn lens_mut(&mut self, pane: PaneId) -> &mut Lens {
        self.lenses.entry(pane).or_default()
    }

    /// Sorts a pane by a field, or leaves its rows in its own order. Lists in pages turn round.
    pub(crate) fn sort_by(&mut self, pane: PaneId, sort: Option<Sort>) {
        let is_other_way = match (self.pages.oldest_first(pane), sort) {
            (Some(oldest_first), Some(sort)) => oldest_first == sort.descending,
            (Some(oldest_first), None) => oldest_first != Pages::is_oldest_first(pane),
            (None, _) => false,
        };
        if is_other_way {
            self.pages.reverse(pane);
        }
        self.lens_mut(pane).set_sort(sort);
    }

    /// A pane's order and columns as shipped.
    pub(crate) fn reset(&mut self, pane: PaneId) {
        self.sort_by(pane, None);
        self.lens_mut(pane).set_columns(None);
    }

    /// Looks at panes as they were looked at in the last start.
    pub(crate) fn restore(&mut self, lenses: BTreeMap<PaneId, Lens>) {
        for (pane, lens) in lenses {
            let sort = lens.sort();
            self.lenses.insert(pane, lens);
            self.sort_by(pane, sort);
        }
        self.layout_kept = self.lenses.values().map(Lens::layout_revision).sum();
    }

    /// The list that has the keys: a pane, or the pending list over the panes.
    pub(crate) fn list_at_hand(&self) -> Option<PaneId> {
        match (self.overlays.last(), self.focus) {
            (Some(Overlay::Pending(_)), _) => Some(PaneId::Pending),
            (None, Focus::Pane(pane)) if pane != PaneId::Started => Some(pane),
            _ => None,
        }
    }

    /// The pending list, while it is open.
    pub(crate) fn pending(&self) -> Option<&Pending> {
        self.overlays.iter().rev().find_map(|overlay| match overlay {
            Overlay::Pending(pending) => Some(pending),
            _ => None,
        })
    }

    /// The same, to be changed.
    pub(crate) fn pending_mut(&mut self) -> Option<&mut Pending> {
        self.overlays.iter_mut().rev().find_map(|overlay| match overlay {
            Overlay::Pending(pending) => Some(pending),
            _ => None,
        })
    }

    /// The rows of a pane as they were arranged last.
    pub(crate) fn arranged(&self, pane: PaneId) -> Option<&Arrangement> {
        self.arranged.get(&pane)
    }

    /// Lets go of what was arranged, so that it is arranged anew.
    #[cfg(test)]
    pub(crate) fn forget_arranged(&mut self) {
        self.arranged.clear();
    }

    /// The field that a pane is sorted by, if it is by one.
    pub(crate) fn sort(&self, pane: PaneId) -> Option<Sort> {
        let oldest_first = self
            .pages
            .oldest_first(pane)
            .or_else(|| matches!(pane, PaneId::Pending | PaneId::Wire).then_some(true));
        match oldest_first {
            Some(oldest_first) => {
                panes::own_order(pane).map(|field| Sort { field, descending: !oldest_first })
            }
            None => self.lens(pane).sort(),
        }
    }

    /// Where the selection of a pane is.
    pub(crate) fn selection(&self, pane: PaneId) -> Option<&Selection> {
        if pane == PaneId::Pending {
            return self.pending().map(|pending| &pending.window.selection);
        }
        self.pages.selection(pane).or_else(|| self.selections.get(&pane))
    }

    /// The same, to be changed.
    pub(crate) fn selection_mut(&mut self, pane: PaneId) -> &mut Selection {
        match self.pages.selection_mut(pane) {
            Some(selection) => selection,
            None => self.selections.entry(pane).or_default(),
        }
    }

    /// A run as it is shown, or as the store has it where its plan is shown no more.
    pub(crate) fn run_view<'a>(&'a self, model: &'a Model, run: TraceId) -> Option<&'a RunView> {
        let shown = model.runs().and_then(|runs| runs.run(run));
        let is_whole = |view: &&RunView| !view.nodes.is_empty() || view.planned == 0;
        shown.filter(is_whole).or_else(|| self.pages.runs.view(run).map(|view| &**view)).or(shown)
    }

    /// The plan of a run as it is drawn.
    pub(crate) fn picture_of(&self, run: &RunView) -> Arc<Picture> {
        let key = (run.run, run.plan.nodes.len(), run.plan.edges.len());
        let mut drawn = self.picture.borrow_mut();
        match drawn.as_ref() {
            Some((known, picture)) if *known == key => Arc::clone(picture),
            _ => Arc::clone(&drawn.insert((key, Arc::new(Picture::of(&run.plan)))).1),
        }
    }

    /// The moment that is shown, for what is counted by it.
    pub(crate) fn moment(&self) -> Now {
        self.time.instant().unwrap_or(self.at)
    }

    /// Fits focus and selections to what is shown: while time is stopped, not to the live model.
    pub(crate) fn settle_shown(&mut self, live: &Model) {
        let past = self.time.shown();
        self.settle(past.as_deref().unwrap_or(live));
    }

    /// Carries the list of the wire on with what came since and with a filter that is not tested on all yet:
    /// at most so many entries. Whether there are more to be tested.
    pub(crate) fn carry_on(&mut self, entries: u64) -> bool {
        let (kept, now) = (self.time.kept(), self.moment());
        self.wire.end_at(self.time.is_stopped().then(|| self.time.end()));
        self.wire.set_filter(self.lenses.get(&PaneId::Wire).and_then(Lens::filter), kept, now);
        self.wire.carry_on(kept, now, entries);
        self.wire.is_behind(kept)
    }

    /// Carries the list of the wire on for so long. There is something new to be shown then.
    pub(crate) fn filter_for(&mut self, slice: Duration, clock: Clock) -> bool {
        let begun = clock.now();
        self.at = begun;
        while (self.carry_on(WIRE_SLICE_ENTRIES) | self.fold_rungs(WIRE_SLICE_ENTRIES))
            && clock.now().mono.since(begun.mono) < slice
        {}
        true
    }

    /// Whether the wire is shown and its filter was not tested on all that is kept, or a ladder that is not
    /// made of all of it.
    pub(crate) fn is_wire_behind(&self) -> bool {
        let kept = self.time.kept();
        match self.view {
            ViewId::Wire => self.wire.is_behind(kept),
            ViewId::Runs | ViewId::Trace => self.rungs.is_behind(kept),
            _ => false,
        }
    }

    /// Lets something be done to the selection of a pane in view of its rows.
    pub(crate) fn select_in<T>(
        &mut self,
        pane: PaneId,
        model: &Model,
        act: impl FnOnce(&mut Selection, &dyn Keys) -> T,
    ) -> T {
        let mut selection = std::mem::take(self.selection_mut(pane));
        let done = act(&mut selection, &panes::rows(pane, self, model));
        *self.selection_mut(pane) = selection;
        done
    }

    /// Fits focus and selections to what there is now. Called before anything is drawn.
    pub(crate) fn settle(&mut self, model: &Model) {
        let layout = self.layout(model);
        match self.focus {
            Focus::Pane(pane) if !layout.has(pane) => {
                self.focus = Focus::Pane(layout.panes.first().map_or(PaneId::Queues, |(pane, _)| *pane));
            }
            Focus::Chips(at) => self.focus = Focus::Chips(at.min(layout.chips().len().saturating_sub(1))),
            Focus::Pane(_) => {}
        }
        if layout.has(PaneId::Wire) {
            self.carry_on(WIRE_SETTLE_ENTRIES);
        }
        // What the others tell of is selected in these.
        let is_list = |pane: PaneId| {
            matches!(pane, PaneId::Runs | PaneId::RunHistory | PaneId::Sessions | PaneId::SessionHistory)
        };
        self.settle_panes(model, layout.panes.iter().filter(|(pane, _)| is_list(*pane)));
        self.follow_run(model, &layout);
        self.follow_session(model, &layout);
        self.carry_rungs(model, WIRE_SETTLE_ENTRIES);
        self.settle_panes(model, layout.panes.iter().filter(|(pane, _)| !is_list(*pane)));
        self.settle_overlays(model, &layout);
    }

    fn settle_panes<'a>(&mut self, model: &Model, panes: impl Iterator<Item = &'a (PaneId, Rect)>) {
        for (pane, area) in panes {
            let height = panes::list_height(*area);
            match panes::arrangement(*pane, self, model) {
                Some(arrangement) => self.arranged.insert(*pane, arrangement),
                None => self.arranged.remove(pane),
            };
            self.pages.fit(*pane, height);
            self.select_in(*pane, model, |selection, keys| selection.settle(keys, height));
        }
    }

    fn settle_overlays(&mut self, model: &Model, layout: &Layout) {
        for overlay in &mut self.overlays {
            overlay.settle(layout.body);
            match overlay {
                Overlay::Columns(columns) => {
                    columns.settle(columns.area(layout.body, layout.area_of(columns.pane)))
                }
                Overlay::Tray(tray) => tray.follow(model),
                Overlay::Inspector(inspector) => inspector.follow(self.time.kept(), self.time.until()),
                Overlay::Facts(facts) => {
                    facts.follow(self.time.kept());
                    facts.follow_run(|run| self.pages.runs.view(run).cloned());
                }
                _ => {}
            }
        }
        if let Some(palette) = &mut self.palette {
            palette.settle(layout.body);
        }
    }
}
