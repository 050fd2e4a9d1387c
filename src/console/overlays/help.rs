//! The keys of a place, from the keymap, in groups.

use std::borrow::Cow;

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{format, glyphs::Glyphs, text, theme::Role},
        input::{action::Action, group::Group, keymap::KeyScope},
        model::Model,
        settings::view::{Canvas, View},
        ui::{
            Layer, Scene, Target, act::Resolved, layer::centred, layout::Layout, pane::PaneContext, state::Ui,
        },
    },
    filter::GRAMMAR,
};

/// Columns of one of the two columns.
const COLUMNS: u16 = 38;
/// Columns of the keys in it.
const KEY_COLUMNS: u16 = 15;
/// Columns of what is written in a filter.
const FORM_COLUMNS: u16 = 31;

/// One line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    Group(&'static str),
    Key { keys: String, label: Cow<'static, str> },
    Gap,
}

/// Help for a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Help {
    about: KeyScope,
    /// Both columns, of equal length.
    columns: [Vec<Line>; 2],
    /// The filter's language, where rows are filtered: what is written, and what it finds.
    grammar: Vec<(String, String)>,
    scroll: usize,
    height: usize,
}

impl Help {
    /// Help for a place, as the keymap has it.
    pub(crate) fn of(about: KeyScope, view: &View) -> Self {
        let mut columns = [Vec::new(), Vec::new()];
        for group in Group::ALL {
            let lines = group_lines(about, group, view);
            if lines.is_empty() {
                continue;
            }
            // Groups stay whole; the shorter column takes the next one.
            let shorter = usize::from(columns[1].len() < columns[0].len());
            if !columns[shorter].is_empty() {
                columns[shorter].push(Line::Gap);
            }
            columns[shorter].push(Line::Group(group.name()));
            columns[shorter].extend(lines);
        }
        let filters = view.keymap.filters_in(about);
        if !filters.is_empty() {
            let shorter = usize::from(columns[1].len() < columns[0].len());
            columns[shorter].extend([Line::Gap, Line::Group("Your filters")]);
            columns[shorter].extend(filters.iter().map(|filter| Line::Key {
                keys: filter.key(view.glyphs),
                label: format!("{}, in {}", filter.name, filter.pane.name()).into(),
            }));
        }
        let rows = columns[0].len().max(columns[1].len());
        for lines in &mut columns {
            lines.resize(rows, Line::Gap);
        }
        let is_filtered = view
            .keymap
            .bindings(about)
            .any(|binding| binding.action == Action::Filter && !binding.keys.is_empty());
        let grammar: Vec<_> = if is_filtered { grammar() } else { Vec::new() };
        let height = rows + grammar.len();
        Self { about, columns, grammar, scroll: 0, height }
    }

    /// Moves by some lines; the last one stays on the screen.
    pub(crate) fn scroll(&mut self, by: isize) {
        let lowest = self.rows().saturating_sub(self.height);
        self.scroll = self.scroll.saturating_add_signed(by).min(lowest);
    }

    /// Fits it to the room there is.
    pub(crate) fn reconcile(&mut self, body: Rect) {
        self.height = usize::from(self.area(body).height.saturating_sub(3));
        self.scroll(0);
    }

    fn rows(&self) -> usize {
        self.columns[0].len() + self.grammar.len()
    }

    fn area(&self, body: Rect) -> Rect {
        let rows = u16::try_from(self.rows()).unwrap_or(u16::MAX).saturating_add(3);
        centred(body, COLUMNS * 2 + 4, rows)
    }

    /// Draws it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect) {
        let area = self.area(body);
        canvas.clear(area);
        let inside = canvas.frame(area, &format!("Keys of {}", self.about.name()), true);
        for (index, y) in (self.scroll..self.rows()).zip(inside.y..inside.bottom().saturating_sub(1)) {
            if let Some((form, finds)) =
                index.checked_sub(self.columns[0].len()).and_then(|at| self.grammar.get(at))
            {
                let (x, room) = (inside.x + 1, inside.width.saturating_sub(2));
                canvas.put(x, y, room, form, if finds.is_empty() { Role::Muted } else { Role::Accent });
                canvas.put(x + FORM_COLUMNS, y, room.saturating_sub(FORM_COLUMNS), finds, Role::Text);
                continue;
            }
            for (lines, x) in self.columns.iter().zip([inside.x + 1, inside.x + 2 + COLUMNS]) {
                match &lines[index] {
                    Line::Gap => {}
                    Line::Group(name) => {
                        canvas.put(x, y, COLUMNS, name, Role::Muted);
                    }
                    Line::Key { keys, label } => {
                        canvas.put(x, y, KEY_COLUMNS - 1, keys, Role::Accent);
                        canvas.put(x + KEY_COLUMNS, y, COLUMNS - KEY_COLUMNS, label, Role::Text);
                    }
                }
            }
        }
        let view = canvas.view;
        let below = self.rows().saturating_sub(self.scroll + self.height);
        let more =
            if below > 0 { format!("{} {below} more   ", view.glyphs.down_arrow) } else { String::new() };
        let zone = format::zone_name(view.clock.wall, &view.zone);
        // The clock stands above the chips.
        let zone = if self.about == KeyScope::Chips { format!("   times in {zone}") } else { String::new() };
        let words =
            format!("{more}{} all keys   {} manual{zone}", view.key(Action::Keys), view.key(Action::Manual));
        canvas.put(
            inside.x + 1,
            inside.bottom().saturating_sub(1),
            inside.width.saturating_sub(2),
            &words,
            Role::Muted,
        );
    }
}

/// The filter's language, as long lines go on under themselves.
fn grammar() -> Vec<(String, String)> {
    let room = usize::from(COLUMNS * 2 + 1 - FORM_COLUMNS);
    let mut lines = vec![(String::new(), String::new()), ("Filter syntax".to_owned(), String::new())];
    for (form, finds) in GRAMMAR {
        let finds = text::wrap(finds, room);
        lines.extend(
            finds
                .into_iter()
                .enumerate()
                .map(|(at, part)| (if at == 0 { (*form).to_owned() } else { String::new() }, part)),
        );
    }
    lines
}

impl Layer for Help {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Help
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        self.reconcile(layout.body);
    }

    fn step(&mut self, by: isize, _model: &Model) {
        self.scroll(by);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, _cx: &PaneContext<'_>) -> Option<Resolved> {
        (action == Action::Open).then(|| Err("nothing to open in help".into()))
    }
}

fn group_lines(about: KeyScope, group: Group, view: &View) -> Vec<Line> {
    let bindings = view
        .keymap
        .bindings(about)
        .filter(|binding| binding.action.group() == group && !binding.keys.is_empty())
        .filter(|binding| view.offers(binding.action));
    bindings
        .map(|binding| Line::Key { keys: named(&binding.keys, view.glyphs), label: binding.label.into() })
        .collect()
}

/// As many names of keys as have room.
fn named(keys: &[crate::console::input::keymap::Chord], glyphs: &Glyphs) -> String {
    let mut words = String::new();
    for key in keys.iter().map(|key| key.name(glyphs)) {
        let gap = if words.is_empty() { "" } else { "  " };
        if !words.is_empty()
            && text::width(&words) + gap.len() + text::width(&key) >= usize::from(KEY_COLUMNS)
        {
            break;
        }
        words.push_str(gap);
        words.push_str(&key);
    }
    words
}
