//! The pending rows of one queue, in pages, oldest first. The list holds a bounded window and grows at the end that the selection nears.

use ratatui::layout::Rect;

use crate::{
    console::{
        action::{Asked, Direction, Effect},
        format,
        model::Model,
        panes::{Align, Cell, Class, Column, Table, list_height, state_sign},
        theme::Role,
        ui::{RecordKey, Selection},
        view::{Canvas, View},
    },
    ids::{InvocationId, QueueName},
    port::{InvocationRow, Query},
    tap::entry::mpp::RowState,
};

/// Rows asked for at once.
const PAGE_ROWS: u64 = 200;
/// Rows kept; past it those at the other end are let go.
const ROWS_MAX: usize = 1_000;

const COLUMNS: &[Column] = &[
    Column::fixed("id", 9, Align::Right),
    Column::growing("event", 12, 2),
    Column::fixed("state", 12, Align::Left),
    Column::fixed("waits", 6, Align::Right),
    Column::growing("params", 12, 4),
    Column::fixed("source", 14, Align::Left).from(90),
    Column::fixed("user", 12, Align::Left).from(110),
];

/// A window of the pending rows of a queue.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) queue: QueueName,
    pub(crate) rows: Vec<InvocationRow>,
    pub(crate) selection: Selection,
    /// What the station is asked for at the moment.
    pub(crate) asking: Option<Direction>,
    /// Why the last page did not come.
    pub(crate) trouble: Option<String>,
    more_before: bool,
    more_behind: bool,
    height: usize,
}

impl Pending {
    /// An empty list, and the question that fills it.
    pub(crate) fn open(queue: QueueName) -> (Self, Effect) {
        let mut list = Self {
            queue,
            rows: Vec::new(),
            selection: Selection::default(),
            asking: None,
            trouble: None,
            more_before: false,
            more_behind: false,
            height: 1,
        };
        let effect = list.ask(Direction::Fresh);
        (list, effect)
    }

    /// Asks for a page.
    pub(crate) fn ask(&mut self, direction: Direction) -> Effect {
        self.asking = Some(direction);
        let beyond = match direction {
            Direction::Fresh => None,
            Direction::Forward => self.rows.last().map(|row| row.id),
            Direction::Backward => self.rows.first().map(|row| row.id),
        };
        Effect::Query {
            asked: Asked::Pending { queue: self.queue.clone(), direction },
            query: Query::Invocations {
                state: Some(RowState::Pending),
                queue: Some(self.queue.clone()),
                beyond,
                oldest_first: direction != Direction::Backward,
                limit: PAGE_ROWS,
            },
        }
    }

    /// Takes a page.
    pub(crate) fn take(&mut self, direction: Direction, mut rows: Vec<InvocationRow>, more: bool) {
        self.asking = None;
        self.trouble = None;
        match direction {
            Direction::Fresh => {
                self.rows = rows;
                self.more_before = false;
                self.more_behind = more;
            }
            Direction::Forward => {
                self.rows.append(&mut rows);
                self.more_behind = more;
                let cut = self.rows.len().saturating_sub(ROWS_MAX);
                self.more_before |= cut > 0;
                self.rows.drain(..cut);
            }
            Direction::Backward => {
                rows.reverse();
                rows.append(&mut self.rows);
                self.rows = rows;
                self.more_before = more;
                self.more_behind |= self.rows.len() > ROWS_MAX;
                self.rows.truncate(ROWS_MAX);
            }
        }
    }

    /// Whether everything pending is listed, so that fresh rows are to be asked for when there are some.
    pub(crate) fn is_at_end(&self) -> bool {
        !self.more_behind
    }

    /// The page that the selection has come near to, if it is not there yet.
    pub(crate) fn wants(&self) -> Option<Direction> {
        let near = self.height.max(10);
        if self.asking.is_some() || self.rows.is_empty() {
            None
        } else if self.more_behind && self.selection.index() + near >= self.rows.len() {
            Some(Direction::Forward)
        } else if self.more_before && self.selection.index() < near {
            Some(Direction::Backward)
        } else {
            None
        }
    }

    /// The identities of its rows.
    pub(crate) fn keys(&self) -> Vec<RecordKey> {
        self.rows.iter().map(|row| RecordKey::Invocation(row.id)).collect()
    }

    /// The selected row.
    pub(crate) fn selected(&self) -> Option<&InvocationRow> {
        self.rows.get(self.selection.index())
    }

    /// Rows that are shown at once.
    pub(crate) fn height(&self) -> usize {
        self.height
    }

    /// Moves the selection.
    pub(crate) fn step(&mut self, by: isize) {
        let keys = self.keys();
        self.selection.step(by, &keys, self.height);
    }

    /// Fits it to the room there is.
    pub(crate) fn settle(&mut self, body: Rect) {
        self.height = list_height(body);
        let keys = self.keys();
        self.selection.settle(&keys, self.height);
    }

    /// Where a row stands now: pages are as old as their answer, the model is not.
    pub(crate) fn state_now(row: &InvocationRow, model: &Model) -> RowState {
        let Some(mpp) = model.mpp() else { return row.state };
        if let Some(live) = mpp.live.get(&row.id) {
            return live.state;
        }
        mpp.recent.iter().rev().find(|ended| ended.id == row.id).map_or(row.state, |ended| ended.state)
    }

    /// Rows of the list that are still pending.
    pub(crate) fn still_pending(&self, model: &Model) -> u64 {
        let Some(mpp) = model.mpp() else { return 0 };
        let ended: std::collections::BTreeSet<InvocationId> = mpp.recent.iter().map(|row| row.id).collect();
        self.rows.iter().filter(|row| !mpp.live.contains_key(&row.id) && !ended.contains(&row.id)).count() as u64
    }

    /// Draws it.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, model: &Model, focused: bool) {
        canvas.clear(body);
        let queue = model.mpp().and_then(|mpp| mpp.queues.get(self.queue.as_str()));
        let pending = queue.map_or(0, |queue| queue.pending + queue.other_manifest);
        let mut title = format!("{}: {} pending", self.queue, format::count(pending));
        if self.asking.is_some() {
            title.push_str(", asking");
        }
        let inside = canvas.frame(body, &title, focused);
        if let Some(trouble) = &self.trouble {
            canvas.put(inside.x + 1, inside.y, inside.width.saturating_sub(1), trouble, Role::Bad);
            return;
        }
        if self.rows.is_empty() {
            let words = if self.asking.is_some() { "asking the station" } else { "nothing is pending on this queue" };
            canvas.put(inside.x + 1, inside.y, inside.width.saturating_sub(1), words, Role::Muted);
            return;
        }
        let view = canvas.view;
        let row = |index: usize| self.rows.get(index).map_or_else(Vec::new, |row| cells(view, row, model));
        Table { columns: COLUMNS, len: self.rows.len(), row: &row, selection: Some(&self.selection), focused }.draw(canvas, inside);
    }
}

fn cells(view: &View, row: &InvocationRow, model: &Model) -> Vec<Cell> {
    let state = Pending::state_now(row, model);
    let (sign, role) = state_sign(state, view.glyphs);
    let is_gone = state != RowState::Pending;
    let text = if is_gone { Role::Muted } else { Role::Text };
    let words = if row.other_manifest.is_some() { "other pack" } else { state.name() };
    vec![
        Cell::new(row.id.to_string(), text),
        Cell::new(row.event.to_string(), text),
        Cell::new(format!("{sign} {words}"), if row.other_manifest.is_some() { Role::Warn } else { role }),
        Cell::new(format::age(view.now.wall.since(row.enqueued_at_ms)), text),
        Cell::of_class(row.params.as_str().to_owned(), Role::Muted, Class::Payload),
        Cell::new(row.source.kind.clone(), Role::Muted),
        Cell::of_class(row.source.user.clone().unwrap_or_default(), Role::Muted, Class::Login),
    ]
}
