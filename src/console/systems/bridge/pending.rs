//! The pending rows of one queue, in pages, oldest first. The list holds a bounded window and grows at the
//! end that the selection nears.

use crate::console::{draw::format, records, screen};
use ratatui::layout::Rect;

use crate::{
    console::{
        draw::theme::Role,
        input::{
            action::{Direction, Effect, Purpose},
            pane_id::PaneId,
        },
        model::Model,
        records::{
            paged_list::{PageQuery, PagedList},
            selection::RecordKey,
        },
        screen::{list_height, row_at},
        settings::view::Canvas,
        systems::bridge::last_known_state,
        ui::state::Ui,
    },
    ids::{InvocationId, QueueName},
    port::{InvocationRow, Query},
    tap::entry::mpp::RowState,
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
        Effect::Query {
            purpose: Purpose::Pending { queue: self.queue.clone(), direction, serial },
            query: Query::Invocations {
                state: Some(RowState::Pending),
                queue: Some(self.queue.clone()),
                beyond: beyond.map(InvocationId),
                oldest_first,
                other_manifest: false,
                filter: self.filter.clone(),
                limit,
            },
        }
    }

    /// Has the store filter the list; it is asked for anew.
    pub(crate) fn set_filter(&mut self, filter: Option<String>) {
        if self.filter != filter {
            self.window.selection.set_filtered(filter.is_some());
            self.filter = filter;
            self.window.reset();
        }
    }

    /// What is to be asked for now: the first page, or one that the selection has come near to.
    pub(crate) fn wanted_page(&self) -> Option<Direction> {
        let is_new =
            !self.window.is_filled() && self.window.pending().is_none() && self.window.error().is_none();
        if is_new { Some(Direction::Initial) } else { self.window.wanted_direction() }
    }

    /// Whether everything pending is listed, so that fresh rows are to be asked for when there are some.
    pub(crate) fn is_at_end(&self) -> bool {
        !self.window.more().1
    }

    /// The identities of its rows.
    pub(crate) fn keys(&self) -> Vec<RecordKey> {
        self.window.keys()
    }

    /// The selected row.
    pub(crate) fn selected(&self) -> Option<&InvocationRow> {
        self.window.selected()
    }

    /// Rows that are shown at once.
    pub(crate) fn height(&self) -> usize {
        self.window.height()
    }

    /// Moves the selection.
    pub(crate) fn step(&mut self, by: isize) {
        self.window.step(by);
    }

    /// Selects the row at a line of the screen.
    pub(crate) fn click(&mut self, body: Rect, row: u16) -> bool {
        let (keys, height) = (self.keys(), self.height());
        let Some(index) = row_at(body, row, &self.window.selection).filter(|index| *index < keys.len())
        else {
            return false;
        };
        let was_there = self.window.selection.index() == index;
        self.window.selection.select(index, &keys, height);
        was_there
    }

    /// Fits it to the room there is.
    pub(crate) fn reconcile(&mut self, body: Rect) {
        self.window.reconcile(list_height(body));
    }

    /// Where a row stands now: pages are as old as their answer, the model is not.
    pub(crate) fn state_now(row: &InvocationRow, model: &Model) -> RowState {
        let Some(mpp) = model.mpp() else { return row.state };
        if let Some(live) = mpp.live.get(&row.id) {
            return live.state;
        }
        mpp.recent
            .iter()
            .rev()
            .find(|ended| ended.id == row.id)
            .map_or_else(|| last_known_state(row, model), |ended| ended.state)
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
        canvas.clear(body);
        let queue = model.mpp().and_then(|mpp| mpp.queues.get(self.queue.as_str()));
        let pending = queue.map_or(0, |queue| queue.pending + queue.other_manifest);
        let mut title = format!("{}: {} pending", self.queue, format::count(pending));
        if self.window.pending().is_some() {
            title.push_str(", asking");
        }
        if let Some(marked) = ui.marked_rows.title_text() {
            title.push_str(&marked);
        }
        let inside = canvas.frame(body, &title, focused);
        screen::draw_filter(canvas, PaneId::Pending, body, (&title, focused), model, ui);
        let rows = self.window.rows();
        if let Some(trouble) = self.window.error().filter(|_| rows.is_empty()) {
            canvas.put(inside.x + 1, inside.y, inside.width.saturating_sub(1), trouble, Role::Bad);
            return;
        }
        if rows.is_empty() {
            let words = if self.window.pending().is_some() {
                "asking the station"
            } else if self.filter.is_some() {
                "nothing that is pending on this queue fits the filter"
            } else {
                "nothing is pending on this queue"
            };
            canvas.put(inside.x + 1, inside.y, inside.width.saturating_sub(1), words, Role::Muted);
            return;
        }
        let shown = records::rows(PaneId::Pending, ui, model);
        screen::table_of(canvas, PaneId::Pending, inside, (&shown, ui), focused, self.window.more());
    }
}
