//! The pending rows of one queue, in pages, oldest first. The list holds a bounded window and grows at the
//! end that the selection nears.

use ratatui::layout::{Position, Rect};

use super::history::invocations;
use crate::{
    console::{
        draw::{format, theme::Role},
        input::{action::Action, direction::Direction, keymap::KeyScope, pane_id::PaneId},
        model::Model,
        overlays::Details,
        records::{
            paged_list::{PageQuery, PagedList, error_text, page_rows},
            row_list::Rows,
            selection::Selection,
            table::{list_height, row_at},
        },
        settings::view::Canvas,
        systems::bridge::{
            StoredInvocation,
            details::{InvocationDetails, on_invocation},
            history::{LOADED_ROWS, PENDING, pending_bound, rows},
        },
        ui,
        ui::{
            Layer, Scene, Target,
            act::{Act, Resolved},
            effect::{Effect, OnPage},
            layout::Layout,
            ledger::Account,
            message::show_message,
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneContext, Source, Title},
            search,
            state::Ui,
        },
    },
    field::Fields as _,
    ids::{InvocationId, QueueName},
    port::{InvocationRow, Page, PortError, Query},
    tap::entry::mpp::RowState,
    time::Now,
};

/// A window of the pending rows of a queue.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) queue: QueueName,
    pub(crate) window: PagedList<InvocationRow>,
    /// The filter that goes with the questions.
    filter: Option<String>,
}

impl Pending {
    /// An empty list, and the question that fills it.
    pub(crate) fn open(queue: QueueName) -> (Self, Effect) {
        let mut list = Self { queue, window: PagedList::new(true), filter: None };
        let effect = list.ask(Direction::Initial);
        (list, effect)
    }

    /// Asks for a page.
    pub(crate) fn ask(&mut self, direction: Direction) -> Effect {
        let PageQuery { beyond, oldest_first, limit, serial } = self.window.ask(direction);
        let query = Query::Invocations {
            state: Some(RowState::Pending),
            queue: Some(self.queue.clone()),
            beyond: beyond.map(InvocationId),
            oldest_first,
            other_manifest: false,
            filter: self.filter.clone(),
            limit,
        };
        Effect::query(query, PendingPage { queue: self.queue.clone(), direction, serial })
    }

    /// The page that is due: the first page, or one that the selection has come near to.
    pub(crate) fn wanted_page(&self) -> Option<Direction> {
        let is_new =
            !self.window.is_filled() && self.window.pending().is_none() && self.window.error().is_none();
        if is_new { Some(Direction::Initial) } else { self.window.wanted_direction() }
    }

    /// Whether everything pending is listed, so that fresh rows are to be asked for when there are some.
    pub(crate) fn is_at_end(&self) -> bool {
        !self.window.more().1
    }

    /// The selected row.
    pub(crate) fn selected(&self) -> Option<&InvocationRow> {
        self.window.selected()
    }

    /// Rows of the list that are still pending.
    pub(crate) fn still_pending(&self, model: &Model) -> u64 {
        let Some(mpp) = model.mpp() else { return 0 };
        let ended: std::collections::BTreeSet<InvocationId> = mpp.recent.iter().map(|row| row.id).collect();
        self.window
            .rows()
            .iter()
            .filter(|row| !mpp.live.contains_key(&row.id) && !ended.contains(&row.id))
            .count() as u64
    }

    /// Draws it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, model: &Model, ui: &Ui, focused: bool) {
        let queue = model.mpp().and_then(|mpp| mpp.queues.get(self.queue.as_str()));
        let pending = queue.map_or(0, |queue| queue.pending + queue.other_manifest);
        let mut title = format!("{}: {} pending", self.queue, format::count(pending));
        if self.window.pending().is_some() {
            title.push_str(", loading");
        }
        if let Some(marked) = ui.systems.bridge.marked_rows.title_text() {
            title.push_str(&marked);
        }
        let inside = canvas.frame(body, &title, focused);
        let start = ui::title_end(canvas, body, (&title, focused));
        let start = search::draw(canvas, PaneId::Pending, body, start, ui);
        ui::draw_filter(canvas, PaneId::Pending, body, start, model, ui);
        let rows = self.window.rows();
        if let Some(trouble) = self.window.error().filter(|_| rows.is_empty()) {
            canvas.put(inside.x + 1, inside.y, inside.width.saturating_sub(1), trouble, Role::Bad);
            return;
        }
        if rows.is_empty() {
            let words = if self.window.pending().is_some() {
                "loading"
            } else if self.filter.is_some() {
                "no pending rows match the filter"
            } else {
                "no pending rows"
            };
            canvas.put(inside.x + 1, inside.y, inside.width.saturating_sub(1), words, Role::Muted);
            return;
        }
        let shown = ui::rows(PaneId::Pending, ui, model);
        ui::table_of(canvas, PaneId::Pending, inside, (&shown, ui, model), focused, self.window.more());
    }
}

impl Layer for Pending {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Pane(PaneId::Pending)
    }

    fn covers_body(&self) -> bool {
        true
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body, scene.model, scene.ui, scene.is_top);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        self.window.reconcile(list_height(layout.body));
    }

    fn step(&mut self, by: isize, _model: &Model) {
        self.window.step(by);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Row(PaneId::Pending)
    }

    fn act(&self, action: Action, _cx: &PaneContext<'_>) -> Option<Resolved> {
        let open = |id| Act::effects(move |ui, _| vec![open_invocation(ui, id)]);
        let row = self.selected().ok_or_else(|| "nothing selected".into());
        (action == Action::Open).then(|| row.map(|row| open(row.id)))
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        let (keys, height) = (self.window.keys(), self.window.height());
        let index = row_at(layout.body, at.y, &self.window.selection).filter(|index| *index < keys.len())?;
        let was_there = self.window.selection.index() == index;
        self.window.selection.select(index, &keys, height);
        was_there.then_some(Action::Open)
    }

    fn page(&self) -> Option<usize> {
        Some(self.window.height())
    }

    fn list(&self) -> Option<(PaneId, &Selection)> {
        Some((PaneId::Pending, &self.window.selection))
    }

    fn list_selection_mut(&mut self) -> Option<&mut Selection> {
        Some(&mut self.window.selection)
    }

    fn loaded(&self) -> (usize, (bool, bool)) {
        (self.window.rows().len(), self.window.more())
    }

    fn set_filter(&mut self, filter: Option<String>) {
        if self.filter != filter {
            self.window.selection.set_filtered(filter.is_some());
            self.filter = filter;
            self.window.reset();
        }
    }

    /// Rows enqueued since it was filled.
    fn refresh(&mut self, model: &Model) -> Option<Effect> {
        let queue = model.mpp()?.queues.get(self.queue.as_str())?;
        let is_idle = self.window.pending().is_none() && self.is_at_end();
        if !is_idle || queue.pending + queue.other_manifest <= self.still_pending(model) {
            return None;
        }
        let direction = if self.window.rows().is_empty() { Direction::Initial } else { Direction::Forward };
        Some(self.ask(direction))
    }

    fn next_page(&mut self) -> Option<Effect> {
        let direction = self.wanted_page()?;
        Some(self.ask(direction))
    }
}

/// Opens the pending rows of a queue.
pub(crate) fn open(ui: &mut Ui, queue: QueueName) -> Effect {
    // A filter and a search are of one queue's list.
    ui.table_settings_mut(PaneId::Pending).set_filter(None);
    ui.table_settings_mut(PaneId::Pending).set_search(None);
    let (pending, effect) = Pending::open(queue);
    ui.push(pending);
    effect
}

/// Opens the details of an invocation.
pub(crate) fn open_invocation(ui: &mut Ui, id: InvocationId) -> Effect {
    ui.push(Details::of(Box::new(InvocationDetails { id, row: None })));
    Effect::query(Query::Invocation { id }, WholeInvocation { id })
}

/// A page of the pending rows of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PendingPage {
    pub(crate) queue: QueueName,
    pub(crate) direction: Direction,
    pub(crate) serial: u64,
}

impl OnPage for PendingPage {
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, now: Now) {
        let Self { queue, direction, serial } = self;
        let is_it = |list: &&mut Pending| {
            list.queue == *queue
                && list.window.pending() == Some(*direction)
                && list.window.serial() == *serial
        };
        let Some(list) = ui.layers_mut::<Pending>().find(is_it) else { return };
        let answer = page_rows(page, invocations);
        let trouble = answer.as_ref().err().cloned();
        list.window.answer(*serial, answer);
        search::forget_hits(ui, PaneId::Pending);
        if let Some(trouble) = trouble {
            show_message(ui, trouble, true, now);
        }
    }
}

/// An invocation with all that the store has of it, for its details.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WholeInvocation {
    pub(crate) id: InvocationId,
}

impl OnPage for WholeInvocation {
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, now: Now) {
        match page {
            Ok(Page::Invocation(Some(found))) => on_invocation(ui, self.id, &found),
            Ok(Page::Invocation(None)) => {
                let text =
                    format!("invocation {} is no longer stored (limits.store.ended_rows_max)", self.id);
                show_message(ui, text, true, now);
            }
            Ok(_) => {}
            Err(error) => show_message(ui, error_text(&error), true, now),
        }
    }
}

/// What waits on one queue: a list that lies over the panes.
pub(crate) static PANE: Pane = Pane {
    specs: StoredInvocation::SPECS,
    columns: Columns::Named(PENDING),
    source: Source::OwnPages { field: "id" },
    rows: |ui, model| {
        ui.layer::<Pending>().map_or_else(Rows::none, |pending| rows(pending.window.rows(), model))
    },
    pages: Pages::None,
    filter: None,
    title: Title::Name,
    empty: Empty::Text("no pending rows"),
    drawing: Drawing::Table,
    chip: None,
    ledger: |ui, _, all| Some(Account::whole(LOADED_ROWS, all, pending_bound(ui))),
};
