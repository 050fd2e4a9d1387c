//! What the workbench lists: the ways to break a frame.

use ratatui::layout::{Position, Rect};

use super::Workbench;
use crate::{
    console::{
        draw::{Cell, theme::Role},
        input::{action::Action, keymap::KeyScope},
        model::Model,
        records::{
            Table,
            record_key::INDEX,
            selection::{RecordKey, Selection},
            table::{list_height, row_at},
        },
        settings::view::Canvas,
        ui::{
            Layer, Scene, Target,
            act::{Act, Resolved},
            layer::centred,
            layout::Layout,
            pane::PaneContext,
            state::Ui,
        },
    },
    dissect::frame_json::Breakage,
    field::Column,
};

const BREAKAGE_COLUMNS: &[Column] = &[Column::growing("break", 16, 1)];

/// A list in which one is selected.
#[derive(Debug, Default)]
pub(super) struct Listed {
    selection: Selection,
    height: usize,
    count: usize,
}

impl Listed {
    /// The first of so many.
    pub(super) fn of(count: usize) -> Self {
        Self { count, ..Self::default() }
    }

    /// What is selected.
    pub(super) const fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Goes on with another number of rows; from the first one where that is asked for.
    pub(super) fn recount(&mut self, count: usize, is_new: bool) {
        self.count = count;
        if is_new {
            self.selection = Selection::default();
        }
        let keys = self.keys();
        self.selection.reconcile(&keys, self.height);
    }

    fn keys(&self) -> Vec<RecordKey> {
        (0..self.count).map(|index| INDEX.of(index)).collect()
    }

    /// Fits it to the room there is.
    pub(super) fn fit(&mut self, area: Rect) {
        self.height = list_height(area);
        let keys = self.keys();
        self.selection.reconcile(&keys, self.height);
    }

    /// Moves by some rows.
    pub(super) fn step(&mut self, by: isize) {
        let keys = self.keys();
        self.selection.step(by, &keys, self.height);
    }

    /// Selects the row under a click; what it does besides, on the row that was selected already.
    pub(super) fn click(&mut self, area: Rect, at: Position) -> Option<Action> {
        let keys = self.keys();
        let index = row_at(area, at.y, &self.selection).filter(|index| *index < keys.len())?;
        let was_there = self.selection.index() == index;
        self.selection.select(index, &keys, self.height);
        was_there.then_some(Action::Open)
    }
}

/// The ways to break a frame.
#[derive(Debug)]
pub(super) struct BreakageList {
    ways: Vec<Breakage>,
    listed: Listed,
}

impl BreakageList {
    /// These.
    pub(super) fn of(ways: Vec<Breakage>) -> Self {
        Self { listed: Listed::of(ways.len()), ways }
    }

    fn area(&self, body: Rect) -> Rect {
        let rows = u16::try_from(self.ways.len()).unwrap_or(u16::MAX).saturating_add(3);
        centred(body, 32, rows)
    }
}

impl Layer for BreakageList {
    fn key_scope(&self) -> KeyScope {
        KeyScope::WorkbenchList
    }

    fn is_of_present(&self) -> bool {
        true
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        let area = self.area(scene.body);
        canvas.clear(area);
        let inside = canvas.frame(area, "Break the frame", scene.is_top);
        let row = |index: usize| {
            let name = self.ways.get(index).map_or("", |way| way.name());
            vec![Cell::new(name, Role::Text)]
        };
        let table =
            Table::plain(BREAKAGE_COLUMNS, self.ways.len(), &row, &self.listed.selection, scene.is_top);
        table.draw(canvas, inside);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        let area = self.area(layout.body);
        self.listed.fit(area);
    }

    fn step(&mut self, by: isize, _model: &Model) {
        self.listed.step(by);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, _cx: &PaneContext<'_>) -> Option<Resolved> {
        if action != Action::Open {
            return None;
        }
        let way = self.ways.get(self.listed.selection.index()).copied();
        Some(way.ok_or_else(|| "nothing selected".into()).map(|way| {
            Act::close(move |_: Self, ui, _| {
                if let Some(bench) = ui.top_mut::<Workbench>() {
                    bench.break_by(way);
                }
                Vec::new()
            })
        }))
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        let area = self.area(layout.body);
        self.listed.click(area, at)
    }
}
