//! The keys of a place, from the keymap, in groups.

use ratatui::layout::Rect;

use super::overlay::centred;
use crate::console::{
    action::{Action, Group},
    glyphs::Glyphs,
    keymap::Place,
    text,
    theme::Role,
    view::{Canvas, View},
};

/// Columns of one of the two columns.
const COLUMNS: u16 = 38;
/// Columns of the keys in it.
const KEY_COLUMNS: u16 = 15;

/// One line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Line {
    Group(&'static str),
    Key { keys: String, label: &'static str },
    Gap,
}

/// Help for a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Help {
    about: Place,
    /// Both columns, of equal length.
    columns: [Vec<Line>; 2],
    scroll: usize,
    height: usize,
}

impl Help {
    /// Help for a place, as the keymap has it.
    pub(crate) fn of(about: Place, view: &View) -> Self {
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
        let rows = columns[0].len().max(columns[1].len());
        for lines in &mut columns {
            lines.resize(rows, Line::Gap);
        }
        Self { about, columns, scroll: 0, height: rows }
    }

    /// Moves by some lines; the last one stays on the screen.
    pub(super) fn scroll(&mut self, by: isize) {
        let lowest = self.columns[0].len().saturating_sub(self.height);
        self.scroll = self.scroll.saturating_add_signed(by).min(lowest);
    }

    /// Fits it to the room there is.
    pub(super) fn settle(&mut self, body: Rect) {
        self.height = usize::from(self.area(body).height.saturating_sub(3));
        self.scroll(0);
    }

    fn area(&self, body: Rect) -> Rect {
        let rows = u16::try_from(self.columns[0].len()).unwrap_or(u16::MAX).saturating_add(3);
        centred(body, COLUMNS * 2 + 4, rows)
    }

    /// Draws it.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect) {
        let area = self.area(body);
        canvas.clear(area);
        let inside = canvas.frame(area, &format!("Keys of {}", self.about.name()), true);
        for (index, y) in (self.scroll..self.columns[0].len()).zip(inside.y..inside.bottom().saturating_sub(1)) {
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
        let below = self.columns[0].len().saturating_sub(self.scroll + self.height);
        let more = if below > 0 { format!("{} {below} more   ", view.glyphs.down_arrow) } else { String::new() };
        let words = format!("{more}{} every key of every place", view.key(Action::Keys));
        canvas.put(inside.x + 1, inside.bottom().saturating_sub(1), inside.width.saturating_sub(2), &words, Role::Muted);
    }
}

fn group_lines(about: Place, group: Group, view: &View) -> Vec<Line> {
    let bindings = view.keymap.bindings(about).filter(|binding| binding.action.group() == group && !binding.keys.is_empty());
    bindings.map(|binding| Line::Key { keys: named(&binding.keys, view.glyphs), label: binding.label }).collect()
}

/// As many names of keys as have room.
fn named(keys: &[crate::console::keymap::Chord], glyphs: &Glyphs) -> String {
    let mut words = String::new();
    for key in keys.iter().map(|key| key.name(glyphs)) {
        let gap = if words.is_empty() { "" } else { "  " };
        if !words.is_empty() && text::width(&words) + gap.len() + text::width(&key) >= usize::from(KEY_COLUMNS) {
            break;
        }
        words.push_str(gap);
        words.push_str(&key);
    }
    words
}
