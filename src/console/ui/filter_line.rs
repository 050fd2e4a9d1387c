//! The filter of a pane, or what is looked for in it, while it is written: at the pane's foot, in force as
//! far as it can be read.

use std::ops::Range;

use crossterm::event::KeyEvent;
use ratatui::{layout::Rect, style::Modifier};

use crate::{
    console::{
        draw::{class::Class, text, theme::Role},
        input::pane_id::PaneId,
        records::selection::Selection,
        settings::view::{Canvas, View},
        ui,
        ui::{Line, history::History},
    },
    filter::{Candidate, Completion, Fault, Filter},
};

/// Rows of what could be written that are shown at most.
const CANDIDATES_MAX: usize = 8;

/// What could be written, while it is chosen from.
#[derive(Debug)]
struct Choice {
    /// The line without what is chosen, and what of it a candidate takes the place of.
    text: String,
    replace: Range<usize>,
    candidates: Vec<Candidate>,
    selected: usize,
}

/// What a line is for.
#[derive(Debug)]
pub(crate) enum Purpose {
    /// Rows that do not fit are hidden.
    Filter,
    /// Rows that fit are marked; with what was selected before.
    Search(Selection),
}

/// The line.
#[derive(Debug)]
pub(crate) struct FilterLine {
    pub(crate) pane: PaneId,
    pub(crate) purpose: Purpose,
    line: Line,
    /// What was in force before.
    pub(crate) before: Option<Filter>,
    /// Why the line cannot be read, and where.
    pub(crate) fault: Option<Fault>,
    choice: Option<Choice>,
    /// How many lines ago the line was kept that was called back.
    recalled: Option<usize>,
    /// What was written before one was called back, and whether it was given.
    draft: (String, bool),
    /// Whether some of it was not typed here: it was in force, kept, or seen in a row. On air it is masked
    /// as what it quotes.
    is_prefilled: bool,
}

impl FilterLine {
    /// A line over a pane, with the filter that is in force; what is typed goes beside it.
    pub(crate) fn over(pane: PaneId, before: Option<Filter>) -> Self {
        let line =
            Line::new(&before.as_ref().map_or_else(String::new, |filter| format!("{} ", filter.text())));
        let is_prefilled = before.is_some();
        Self {
            pane,
            purpose: Purpose::Filter,
            line,
            before,
            fault: None,
            choice: None,
            recalled: None,
            draft: (String::new(), false),
            is_prefilled,
        }
    }

    /// An empty line over a pane, for what is looked for in it from the selected row on.
    pub(crate) fn searching(pane: PaneId, before: Option<Filter>, from: Selection) -> Self {
        Self { purpose: Purpose::Search(from), before, ..Self::over(pane, None) }
    }

    /// Whether the pane's filter, or its search, is still another one because this line cannot be read.
    pub(crate) fn is_unread(&self, pane: PaneId, searches: bool) -> bool {
        self.pane == pane && self.fault.is_some() && matches!(self.purpose, Purpose::Search(_)) == searches
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        self.line.text()
    }

    /// The cursor's place, in bytes.
    pub(crate) fn cursor(&self) -> usize {
        self.line.cursor()
    }

    /// Takes a key that edits the line; whether it was one.
    pub(crate) fn input(&mut self, key: KeyEvent) -> bool {
        let is_edit = self.line.input(key);
        if is_edit {
            self.edited();
        }
        is_edit
    }

    /// Takes pasted text.
    pub(crate) fn paste(&mut self, pasted: &str) {
        self.line.paste(pasted);
        self.edited();
    }

    fn edited(&mut self) {
        (self.choice, self.recalled) = (None, None);
        self.is_prefilled &= !self.text().is_empty();
    }

    /// Puts away what could be written; whether it was there.
    pub(crate) fn dismiss_choice(&mut self) {
        self.choice = None;
    }

    /// Whether it is being chosen from what could be written.
    pub(crate) fn is_choosing(&self) -> bool {
        self.choice.is_some()
    }

    /// Offers what could be written, and writes the first of it; the only one is written at once.
    pub(crate) fn offer(&mut self, completion: Completion) {
        let Completion { replace, candidates } = completion;
        let only = candidates.len() == 1;
        self.choice = Some(Choice { text: self.text().to_owned(), replace, candidates, selected: 0 });
        self.choose(0);
        if only {
            self.choice = None;
        }
    }

    /// Writes the candidate so many further on.
    pub(crate) fn choose(&mut self, by: isize) {
        let Some(choice) = &mut self.choice else { return };
        let len = isize::try_from(choice.candidates.len()).unwrap_or(isize::MAX).max(1);
        let at = isize::try_from(choice.selected).unwrap_or(0);
        choice.selected = usize::try_from((at + by).rem_euclid(len)).unwrap_or(0);
        let Some(candidate) = choice.candidates.get(choice.selected) else {
            self.choice = None;
            return;
        };
        let (before, behind) = (&choice.text[..choice.replace.start], &choice.text[choice.replace.end..]);
        let cursor = before.len() + candidate.text.len();
        self.line = Line::at(&format!("{before}{}{behind}", candidate.text), cursor);
        self.is_prefilled |= candidate.class != Class::Public;
    }

    /// Calls back a filter that was kept before: further back, or nearer.
    pub(crate) fn recall(&mut self, further: bool, history: &History) {
        let ago = match (self.recalled, further) {
            (None, true) => Some(0),
            (Some(ago), true) => Some(ago + 1),
            (Some(0), false) => {
                self.recalled = None;
                self.line = Line::new(&self.draft.0);
                self.is_prefilled = self.draft.1;
                return;
            }
            (Some(ago), false) => Some(ago - 1),
            (None, false) => None,
        };
        let Some((ago, line)) = ago.and_then(|ago| Some((ago, history.ago(ago)?))) else { return };
        if self.recalled.is_none() {
            self.draft = (self.text().to_owned(), self.is_prefilled);
        }
        (self.recalled, self.is_prefilled) = (Some(ago), true);
        self.choice = None;
        self.line = Line::new(line);
    }

    /// Draws it on the last lines of its pane, with what it finds.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, pane: Rect, found: &str) {
        if pane.height < 4 || pane.width < 8 {
            return;
        }
        let (x, columns, y) = (pane.x + 1, pane.width - 2, pane.bottom() - 2);
        canvas.clear(Rect::new(x, y - 1, columns, 2));
        let (words, role) = self.status_text(canvas.view, found);
        let told = if self.fault.is_some() {
            canvas.view.mask_policy.strictest([Class::Login, Class::Payload])
        } else {
            Class::Public
        };
        canvas.put_as(x, y - 1, columns, &words, role, told);
        let sign = if matches!(self.purpose, Purpose::Filter) { "/ " } else { "find: " };
        let x = x + canvas.put(x, y, columns, sign, Role::Accent);
        let (class, room) = (self.class(canvas.view), (pane.right() - 1).saturating_sub(x));
        if class == Class::Public {
            self.line.draw(canvas, x, y, room);
        } else {
            self.line.draw_recalled(canvas, (x, y), room, 0, class);
        }
        if let Some(fault) = self.fault.as_ref().filter(|_| class == Class::Public) {
            self.underline_fault(canvas, fault, Rect::new(x, y, room, 1));
        }
        if let Some(choice) = &self.choice {
            choice.draw(canvas, pane, y - 1);
        }
    }

    /// Who may see the line: what is typed here is seen as it is typed, what was given is of the classes that
    /// it quotes.
    fn class(&self, view: &View) -> Class {
        let read = Filter::parse(self.text(), ui::specs(self.pane));
        let quotes = |class: &Class| read.as_ref().map_or(true, |filter| filter.quotes(*class));
        if self.is_prefilled {
            view.mask_policy.strictest([Class::Login, Class::Payload].into_iter().filter(quotes))
        } else {
            Class::Public
        }
    }

    /// The remark on it: what it finds, or why it cannot be read.
    fn status_text(&self, view: &View, found: &str) -> (String, Role) {
        match &self.fault {
            Some(fault) => (format!("{} {}", view.glyphs.bad, fault.words), Role::Bad),
            None => (format!("{} {found}", view.glyphs.ok), Role::Ok),
        }
    }

    /// Underlines what is meant, where the whole line is seen.
    fn underline_fault(&self, canvas: &mut Canvas<'_>, fault: &Fault, area: Rect) {
        let ascii = canvas.view.glyphs.ascii;
        let width = |part: &str| u16::try_from(text::width(&text::visible(part, ascii))).unwrap_or(u16::MAX);
        let Some((before, meant)) = self.text().get(..fault.at.start).zip(self.text().get(fault.at.clone()))
        else {
            return;
        };
        if width(self.text()) >= area.width {
            return;
        }
        let place = Rect::new(area.x + width(before), area.y, width(meant).max(1), 1);
        canvas.buffer.set_style(place, ratatui::style::Style::new().add_modifier(Modifier::UNDERLINED));
    }
}

impl Choice {
    fn draw(&self, canvas: &mut Canvas<'_>, pane: Rect, below: u16) {
        let rows =
            self.candidates.len().min(CANDIDATES_MAX).min(usize::from(below.saturating_sub(pane.y + 1)));
        let first = (self.selected + 1).saturating_sub(rows);
        let top = below - u16::try_from(rows).unwrap_or(0);
        let (x, columns) = (pane.x + 3, pane.width.saturating_sub(5));
        canvas.clear(Rect::new(pane.x + 1, top, pane.width - 2, below - top));
        for ((index, candidate), y) in self.candidates.iter().enumerate().skip(first).zip(top..below) {
            let used = canvas.put_as(x, y, columns, &candidate.text, Role::Text, candidate.class);
            canvas.put(x + used + 2, y, columns.saturating_sub(used + 2), &candidate.about, Role::Muted);
            if index == self.selected {
                canvas.select(Rect::new(x, y, columns, 1));
            }
        }
    }
}
