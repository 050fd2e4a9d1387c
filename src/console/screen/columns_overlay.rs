//! The columns of a pane: which fields have one, in which order, and which one the rows are sorted by. What
//! is changed is seen at once.

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{Cell, theme::Role},
        input::{action::Action, pane_id::PaneId},
        records::{
            Table,
            record_key::INDEX,
            selection::{RecordKey, Selection},
            table,
            table_settings::Sort,
        },
        settings::view::Canvas,
        ui,
        ui::state::Ui,
    },
    field::Column,
};

const COLUMNS: &[Column] = &[
    Column::fixed("", 1),
    Column::fixed("field", 12),
    Column::fixed("sort", 5),
    Column::growing("description", 20, 1),
];
/// Columns that the list takes.
const WIDTH: u16 = 62;

/// The open list of a pane's fields.
#[derive(Debug)]
pub(crate) struct Columns {
    pub(crate) pane: PaneId,
    /// Every field: those with a column first, from the left.
    order: Vec<usize>,
    /// Which have a column.
    has_column: Vec<bool>,
    selection: Selection,
    height: usize,
}

impl Columns {
    /// The fields of a pane whose table has this width.
    pub(crate) fn of(pane: PaneId, ui: &Ui, width: u16) -> Self {
        let mut columns = Self {
            pane,
            order: Vec::new(),
            has_column: Vec::new(),
            selection: Selection::default(),
            height: 1,
        };
        columns.read(ui, width);
        columns
    }

    /// Takes the columns as they are now.
    pub(crate) fn read(&mut self, ui: &Ui, width: u16) {
        let all = ui::specs(self.pane).len();
        let chosen = ui.table_settings(self.pane).columns().map(<[usize]>::to_vec);
        let shown = chosen.unwrap_or_else(|| {
            ui::visible_columns(self.pane, ui, width).into_iter().map(|(field, _)| field).collect()
        });
        self.has_column = (0..all).map(|field| shown.contains(&field)).collect();
        self.order = shown.into_iter().filter(|field| *field < all).collect();
        self.order.extend((0..all).filter(|field| !self.has_column[*field]));
        self.reconcile_keys();
    }

    /// The selected field.
    pub(crate) fn field(&self) -> Option<usize> {
        self.order.get(self.selection.index()).copied()
    }

    /// Whether the selected field alone has a column.
    pub(crate) fn is_last(&self) -> bool {
        self.visible_fields().len() == 1 && self.field().is_some_and(|field| self.has(field))
    }

    fn has(&self, field: usize) -> bool {
        self.has_column.get(field).copied().unwrap_or(false)
    }

    /// The fields that have a column, from the left.
    pub(crate) fn visible_fields(&self) -> Vec<usize> {
        self.order.iter().copied().filter(|field| self.has(*field)).collect()
    }

    /// Gives the selected field a column, or takes it away.
    pub(crate) fn toggle(&mut self) {
        if let Some(has) = self.field().and_then(|field| self.has_column.get_mut(field)) {
            *has = !*has;
        }
    }

    /// Where the selected field would go, if it can.
    pub(crate) fn shift_target(&self, action: Action) -> Option<usize> {
        let at = self.selection.index();
        let to = if action == Action::ColumnEarlier { at.checked_sub(1) } else { Some(at + 1) };
        to.filter(|to| *to < self.order.len())
    }

    /// Moves the selected field.
    pub(crate) fn shift(&mut self, action: Action) {
        if let Some(to) = self.shift_target(action) {
            self.order.swap(self.selection.index(), to);
            self.reconcile_keys();
        }
    }

    fn keys(&self) -> Vec<RecordKey> {
        self.order.iter().map(|field| INDEX.of(*field)).collect()
    }

    fn reconcile_keys(&mut self) {
        let keys = self.keys();
        if self.selection.is_untouched() {
            self.selection.select(0, &keys, self.height);
        }
        self.selection.reconcile(&keys, self.height);
    }

    /// Moves the selection.
    pub(crate) fn step(&mut self, by: isize) {
        let keys = self.keys();
        self.selection.step(by, &keys, self.height);
    }

    /// Selects the field at a line of the screen; whether it was selected already.
    pub(crate) fn click(&mut self, area: Rect, column: u16, row: u16) -> bool {
        let at = table::row_at(area, row, &self.selection).filter(|_| area.contains((column, row).into()));
        let Some(index) = at.filter(|index| *index < self.order.len()) else { return false };
        let was_there = self.selection.index() == index;
        let keys = self.keys();
        self.selection.select(index, &keys, self.height);
        was_there
    }

    /// Fits it to the room there is.
    pub(crate) fn reconcile(&mut self, area: Rect) {
        self.height = table::list_height(area);
        self.reconcile_keys();
    }

    /// Where it is: beside the pane, so that what is changed is seen.
    pub(crate) fn area(&self, body: Rect, pane: Rect) -> Rect {
        let rows = u16::try_from(self.order.len()).unwrap_or(u16::MAX).saturating_add(3).min(body.height);
        let width = WIDTH.min(body.width);
        let (is_left, is_upper) = (
            pane.x + pane.width / 2 < body.x + body.width / 2,
            pane.y + pane.height / 2 <= body.y + body.height / 2,
        );
        let x = if is_left || pane.width > body.width / 2 { body.right() - width } else { body.x };
        let y = if is_upper { body.bottom() - rows } else { body.y };
        Rect::new(x, y, width, rows)
    }

    /// Draws it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, pane: Rect, ui: &Ui, focused: bool) {
        let area = self.area(body, pane);
        canvas.clear(area);
        let inside = canvas.frame(area, &format!("Columns of {}", self.pane.name()), focused);
        let specs = ui::specs(self.pane);
        let shown = ui::visible_columns(self.pane, ui, table::inner_width(pane));
        let glyphs = canvas.view.glyphs;
        let sorted = ui.sort(self.pane);
        let row = |index: usize| {
            let Some((field, spec)) =
                self.order.get(index).and_then(|field| specs.get(*field).map(|spec| (*field, spec)))
            else {
                return Vec::new();
            };
            let has_room = shown.iter().any(|(known, _)| *known == field);
            let role = if self.has(field) { Role::Text } else { Role::Muted };
            let about = if self.has(field) && !has_room {
                format!("(no room) {}", spec.about)
            } else {
                spec.about.to_owned()
            };
            let sort = match sorted.filter(|sort| sort.field == field) {
                Some(Sort { descending: true, .. }) => glyphs.descending,
                Some(_) => glyphs.ascending,
                None => "",
            };
            vec![
                Cell::new(if self.has(field) { glyphs.ok } else { "" }, Role::Ok),
                Cell::new(spec.name, role),
                Cell::new(sort, Role::Accent),
                Cell::new(about, Role::Muted),
            ]
        };
        Table::plain(COLUMNS, self.order.len(), &row, &self.selection, focused).draw(canvas, inside);
    }
}
