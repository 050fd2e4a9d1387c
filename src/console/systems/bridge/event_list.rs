//! The events that work can be given of, from the manifest in force.

use ratatui::layout::{Position, Rect};

use crate::{
    console::{
        draw::{Cell, theme::Role},
        input::{action::Action, keymap::KeyScope},
        model::Model,
        records::{
            Table,
            paged_list::error_text,
            selection::{RecordKey, Selection},
            table::{list_height, row_at},
        },
        settings::view::{Canvas, View},
        systems::bridge::{invoke, invoke::OTHER_VERSION, keys::EVENT, state_sign},
        ui::{
            Layer, Scene, Target,
            act::{Act, Resolved, act_if},
            effect::{Effect, OnPage},
            layout::Layout,
            pane::PaneContext,
            state::Ui,
        },
    },
    field::Column,
    ids::{InvocationId, QueueName},
    port::{EventRow, Page, PortError, Query},
    tap::entry::mpp::RowState,
    time::Now,
};

const COLUMNS: &[Column] = &[
    Column::growing("event", 14, 2),
    Column::growing("title", 12, 3).from(70),
    Column::growing("queue", 10, 1),
    Column::fixed("brake", 10),
    Column::fixed("last run", 22),
];

/// The list of events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// Nothing until the station has answered.
    pub(crate) rows: Option<Vec<EventRow>>,
    pub(crate) selection: Selection,
    /// Why there was no answer.
    pub(crate) error: Option<String>,
    height: usize,
}

impl Events {
    /// An empty list, and the question that fills it.
    pub(crate) fn open() -> (Self, Effect) {
        (Self::default(), Effect::query(Query::Events, ManifestEvents))
    }

    /// The selected event.
    pub(crate) fn selected(&self) -> Option<&EventRow> {
        self.rows.as_ref()?.get(self.selection.index())
    }

    fn keys(&self) -> Vec<RecordKey> {
        self.rows.iter().flatten().map(|row| EVENT.of(row.event.clone())).collect()
    }

    /// Draws it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, model: &Model, ui: &Ui, focused: bool) {
        let inside = canvas.frame(body, "Invoke: choose an event", focused);
        let words = match (&self.error, &self.rows) {
            (Some(trouble), _) => Some((trouble.as_str(), Role::Bad)),
            (None, None) => Some(("loading", Role::Muted)),
            (None, Some(rows)) if rows.is_empty() => Some(("the pack has no events", Role::Muted)),
            _ => None,
        };
        if let Some((words, role)) = words {
            canvas.put(inside.x + 1, inside.y, inside.width.saturating_sub(1), words, role);
            return;
        }
        let rows = self.rows.as_deref().unwrap_or_default();
        let view = canvas.view;
        let row = |index: usize| rows.get(index).map_or_else(Vec::new, |row| cells(view, row, model, ui));
        Table::plain(COLUMNS, rows.len(), &row, &self.selection, focused).draw(canvas, inside);
    }
}

impl Layer for Events {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Events
    }

    fn covers_body(&self) -> bool {
        true
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body, scene.model, scene.ui, scene.is_top);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        self.height = list_height(layout.body);
        let keys = self.keys();
        self.selection.reconcile(&keys, self.height);
    }

    fn step(&mut self, by: isize, _model: &Model) {
        let keys = self.keys();
        self.selection.step(by, &keys, self.height);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, _cx: &PaneContext<'_>) -> Option<Resolved> {
        let open = || Act::layer(|list: &mut Self, ui, cx| invoke::open_form(ui, cx.model, list.selected()));
        (action == Action::Open).then(|| act_if(self.selected().is_some(), open, "nothing selected"))
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        let keys = self.keys();
        let index = row_at(layout.body, at.y, &self.selection).filter(|index| *index < keys.len())?;
        let was_there = self.selection.index() == index;
        self.selection.select(index, &keys, self.height);
        was_there.then_some(Action::Open)
    }
}

fn cells(view: &View, row: &EventRow, model: &Model, ui: &Ui) -> Vec<Cell> {
    let given = ui.systems.bridge.form_drafts.of(&row.event).and_then(|form| form.last_invocation);
    let (last, role) = given.map_or((String::new(), Role::Muted), |id| {
        let state = state_of(id, model);
        let (sign, role) = state_sign(state, view.glyphs);
        (format!("{sign} {id} {}", state.name()), role)
    });
    let (brake, brake_role) = brake_text(&row.queue, model, view);
    vec![
        Cell::new(row.event.to_string(), Role::Text),
        Cell::new(row.title.clone().unwrap_or_default(), Role::Muted),
        Cell::new(row.queue.to_string(), Role::Muted),
        Cell::new(brake, brake_role),
        Cell::new(last, role),
    ]
}

/// What holds on a queue, in a word.
fn brake_text(queue: &QueueName, model: &Model, view: &View) -> (String, Role) {
    let brake = model
        .mpp()
        .and_then(|mpp| mpp.queues.get(queue.as_str()))
        .map(|queue| queue.brake)
        .unwrap_or_default();
    match (brake.held, brake.draining) {
        (_, true) => (format!("{} draining", view.glyphs.draining), Role::Bad),
        (true, false) => (format!("{} held", view.glyphs.held), Role::Warn),
        (false, false) => (String::new(), Role::Muted),
    }
}

/// Where a row stands that was given from here.
fn state_of(id: InvocationId, model: &Model) -> RowState {
    let Some(mpp) = model.mpp() else { return RowState::Pending };
    let live = mpp.live.get(&id).map(|live| live.state);
    let ended = || mpp.recent.iter().rev().find(|ended| ended.id == id).map(|ended| ended.state);
    live.or_else(ended).unwrap_or(RowState::Pending)
}

/// Opens the list of events.
pub(crate) fn open_events(ui: &mut Ui) -> Vec<Effect> {
    let (events, effect) = Events::open();
    ui.push(events);
    vec![effect]
}

/// The events of the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ManifestEvents;

impl OnPage for ManifestEvents {
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, _now: Now) {
        let Some(list) = ui.layers_mut::<Events>().next() else { return };
        match page {
            Ok(Page::Events(rows)) => list.rows = Some(rows),
            Ok(_) => list.error = Some(OTHER_VERSION.to_owned()),
            Err(error) => list.error = Some(error_text(&error)),
        }
    }
}
