//! Every action with its keys, wherever they work; what is typed finds some of them.

use crossterm::event::KeyEvent;
use ratatui::{
    layout::{Position, Rect},
    style::Modifier,
};

use crate::console::{
    draw::{text, theme::Role},
    input::{
        action::Action,
        fuzzy::FuzzyMatcher,
        keymap::{KeyScope, NamedFilter},
    },
    model::Model,
    settings::view::{Canvas, View},
    ui::{Layer, Line, Reaction, Scene, Target, layer::centred, layout::Layout, state::Ui},
};

/// One action.
#[derive(Debug)]
struct Row {
    name: String,
    about: String,
    /// Its key in the configuration.
    configured: String,
    keys: String,
    scopes: String,
    is_custom: bool,
}

/// The list of keys.
#[derive(Debug)]
pub(crate) struct KeyList {
    query: Line,
    rows: Vec<Row>,
    /// The places in `rows` of those that match.
    visible: Vec<usize>,
    selected: usize,
    offset: usize,
    height: usize,
}

/// Lines below the list that tell more of the selected action.
const DETAIL_LINES: u16 = 4;

impl KeyList {
    /// All keys of a keymap.
    pub(crate) fn of(view: &View) -> Self {
        let row = |action: &Action| {
            let keys: Vec<String> =
                view.keymap.keys(*action).iter().map(|key| key.name(view.glyphs)).collect();
            let places: Vec<KeyScope> = KeyScope::all()
                .filter(|place| view.keymap.keys_in(*place, *action).next().is_some())
                .collect();
            Row {
                name: action.name().to_owned(),
                about: action.about().trim().to_owned(),
                configured: action.key().to_owned(),
                keys: if keys.is_empty() { view.glyphs.none.to_owned() } else { keys.join("  ") },
                scopes: scope_names(&places),
                is_custom: view.keymap.is_own(*action),
            }
        };
        let filter = |filter: &NamedFilter| Row {
            name: filter.name.clone(),
            about: format!("Open {} with this filter.", filter.pane.name()),
            configured: format!("console.filters.{}", filter.name),
            keys: filter.key(view.glyphs),
            scopes: scope_names(KeyScope::VIEWS),
            is_custom: true,
        };
        let filters = view.keymap.filters().iter().map(filter);
        let rows: Vec<Row> = Action::ALL.iter().map(row).chain(filters).collect();
        let visible = (0..rows.len()).collect();
        Self { query: Line::new(""), rows, visible, selected: 0, offset: 0, height: 1 }
    }

    fn find(&mut self) {
        let mut matching = FuzzyMatcher::new(self.query.text());
        let score = |(index, row): (usize, &Row)| {
            let told = format!("{} {} {}", row.keys, row.about, row.scopes);
            matching.score(&row.name, &told).map(|score| (score, index))
        };
        let mut found: Vec<_> = self.rows.iter().enumerate().filter_map(score).collect();
        if !self.query.text().is_empty() {
            found.sort_by_key(|(score, index)| (std::cmp::Reverse(*score), *index));
        }
        self.visible = found.into_iter().map(|(_, index)| index).collect();
        (self.selected, self.offset) = (0, 0);
    }

    /// Moves the selection.
    pub(crate) fn step(&mut self, by: isize) {
        self.select(self.selected.saturating_add_signed(by));
    }

    fn select(&mut self, index: usize) {
        self.selected = index.min(self.visible.len().saturating_sub(1));
        self.offset = self.offset.min(self.selected).max((self.selected + 1).saturating_sub(self.height));
    }

    /// Selects the row under a click.
    pub(crate) fn click(&mut self, body: Rect, row: u16) {
        let first = area(body).y + 2;
        if let Some(line) = row.checked_sub(first).map(usize::from).filter(|line| *line < self.height) {
            self.select(self.offset + line);
        }
    }

    /// Fits it to the room there is.
    pub(crate) fn reconcile(&mut self, body: Rect) {
        self.height = usize::from(area(body).height.saturating_sub(3 + DETAIL_LINES)).max(1);
        self.select(self.selected);
    }

    /// Draws it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect) {
        let area = area(body);
        canvas.clear(area);
        let inside =
            canvas.frame(area, &format!("Keys ({} of {})", self.visible.len(), self.rows.len()), true);
        let (x, columns) = (inside.x + 1, inside.width.saturating_sub(2));
        let used = canvas.put(x, inside.y, columns, "find: ", Role::Muted);
        self.query.draw(canvas, x + used, inside.y, columns.saturating_sub(used));
        let rows =
            self.visible.iter().skip(self.offset).take(self.height).filter_map(|index| self.rows.get(*index));
        for ((index, row), y) in rows.enumerate().zip(inside.y + 1..) {
            canvas.put(x, y, 17, &row.keys, Role::Accent);
            canvas.put(x + 18, y, 19, &row.name, Role::Text);
            canvas.put(x + 38, y, 6, if row.is_custom { "custom" } else { "" }, Role::Warn);
            canvas.put(x + 45, y, columns.saturating_sub(45), &row.about, Role::Muted);
            if self.offset + index == self.selected {
                let line = Rect::new(inside.x, y, inside.width, 1);
                canvas.buffer.set_style(line, ratatui::style::Style::new().add_modifier(Modifier::REVERSED));
            }
        }
        let below = self.visible.len().saturating_sub(self.offset + self.height);
        if below > 0 || self.offset > 0 {
            let glyphs = canvas.view.glyphs;
            let words = format!(" {} {}  {} {below} ", glyphs.up, self.offset, glyphs.down_arrow);
            let used = u16::try_from(text::width(&words)).unwrap_or(u16::MAX);
            canvas.put(
                area.right().saturating_sub(used + 1),
                area.bottom().saturating_sub(1),
                used,
                &words,
                Role::Muted,
            );
        }
        self.draw_details(
            canvas,
            Rect { y: inside.bottom().saturating_sub(DETAIL_LINES), height: DETAIL_LINES, ..inside },
        );
    }

    fn draw_details(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let Some(row) = self.visible.get(self.selected).and_then(|index| self.rows.get(*index)) else {
            canvas.put(area.x + 1, area.y, area.width.saturating_sub(2), "no matches", Role::Muted);
            return;
        };
        let columns = area.width.saturating_sub(2);
        for x in area.x..area.right() {
            canvas.put(x, area.y, 1, canvas.view.glyphs.horizontal, Role::Border);
        }
        canvas.put(area.x + 1, area.y + 1, columns, &row.about, Role::Text);
        let whose = if row.is_custom { "custom" } else { "default" };
        let words = format!(
            "{} ({whose}), works in: {}",
            row.configured,
            if row.scopes.is_empty() { "nowhere" } else { &row.scopes }
        );
        let lines = text::wrap(&words, usize::from(columns));
        for (line, y) in lines.iter().zip(area.y + 2..area.bottom()) {
            canvas.put(area.x + 1, y, columns, line, Role::Muted);
        }
    }
}

impl Layer for KeyList {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Keys
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        self.reconcile(layout.body);
    }

    fn step(&mut self, by: isize, _model: &Model) {
        self.step(by);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn on_key(&mut self, key: KeyEvent, _ui: &mut Ui, view: &View) -> Reaction {
        if view.keymap.lookup(KeyScope::Keys, key).is_some() || !self.query.input(key) {
            return Reaction::Ignored;
        }
        self.find();
        Reaction::Consumed(Vec::new())
    }

    fn on_paste(&mut self, text: &str, _ui: &mut Ui, _view: &View) {
        self.query.paste(text);
        self.find();
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        self.click(layout.body, at.y);
        None
    }
}

/// The names of places; all views together are one.
fn scope_names(places: &[KeyScope]) -> String {
    let is_everywhere = KeyScope::VIEWS.iter().all(|place| places.contains(place));
    let rest = places
        .iter()
        .filter(|place| !is_everywhere || !KeyScope::VIEWS.contains(place))
        .map(|place| place.name());
    is_everywhere.then_some("every pane").into_iter().chain(rest).collect::<Vec<_>>().join(", ")
}

fn area(body: Rect) -> Rect {
    centred(body, body.width.saturating_sub(2).min(130), body.height.saturating_sub(1))
}
