//! A page of the manual as it is open: laid out, with its links and what is marked on it.

use ratatui::{layout::Rect, style::Modifier};

use crate::{
    console::{
        draw::{text, theme::Role},
        settings::view::Canvas,
    },
    manual::{self, LazyManual, Page, Place, Span, Style},
};

/// A page that is open.
#[derive(Debug)]
pub(super) struct OpenPage {
    pub(super) name: &'static str,
    pub(super) title: String,
    /// In which it is laid out.
    pub(super) columns: u16,
    pub(super) lines: Vec<manual::Line>,
    pub(super) links: Vec<Link>,
    pub(super) scroll: usize,
    /// What was asked for.
    pub(super) marked: Option<Place>,
    /// The place in `links` of the selected one.
    pub(super) selected: Option<usize>,
}

/// A link as it is laid out.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) target: String,
    /// Line, first column and columns of each of its parts.
    pub(super) parts: Vec<(usize, usize, usize)>,
}

impl OpenPage {
    pub(super) fn of(manual: &LazyManual, name: &str, columns: u16) -> Self {
        let contents = manual.contents();
        let page: &Page = manual.page(name).unwrap_or(&contents);
        let lines =
            manual::lines(&page.blocks, manual::Layout { columns: columns.into(), breaks_code: true });
        let targets = links(&lines);
        Self {
            name: page.name,
            title: page.title.clone(),
            columns,
            lines,
            links: targets,
            scroll: 0,
            marked: None,
            selected: None,
        }
    }

    /// The first line of a place.
    pub(super) fn line_of(&self, place: Place) -> Option<usize> {
        self.lines.iter().position(|line| line.place == place)
    }

    /// Shows a place and marks it, a few lines above it.
    pub(super) fn mark(&mut self, place: Option<Place>, height: usize) {
        self.marked = place;
        let line = place.and_then(|place| self.line_of(place));
        self.scroll = line.map_or(0, |line| line.saturating_sub(height / 4));
        self.scroll(0, height);
        self.selected = self.links.iter().position(|link| link.line() >= line.unwrap_or(0));
    }

    /// Lays it out in so many columns, with the same at its top and the same link selected.
    pub(super) fn fit(&mut self, manual: &LazyManual, columns: u16, height: usize) {
        if self.columns != columns {
            let top = self.lines.get(self.scroll).map(|line| line.place).unwrap_or_default();
            let (marked, selected) = (self.marked, self.selected);
            *self = Self { marked, selected, ..Self::of(manual, self.name, columns) };
            self.scroll = self.lines.iter().position(|line| line.place >= top).unwrap_or(0);
        }
        self.scroll(0, height);
    }

    pub(super) fn scroll(&mut self, by: isize, height: usize) {
        let lowest = self.lines.len().saturating_sub(height);
        self.scroll = self.scroll.saturating_add_signed(by).min(lowest);
    }

    /// Selects the next or the previous link, and shows it; the first one that is seen where the selected one
    /// is not.
    pub(super) fn step_link(&mut self, by: isize, height: usize) {
        if self.links.is_empty() {
            return;
        }
        let seen = self.scroll..self.scroll + height;
        let is_seen = |at: usize| self.links.get(at).is_some_and(|link| seen.contains(&link.line()));
        let next = match self.selected.filter(|at| is_seen(*at)) {
            Some(at) => at.checked_add_signed(by).unwrap_or(self.links.len() - 1) % self.links.len(),
            None => (0..self.links.len()).find(|at| is_seen(*at)).unwrap_or(0),
        };
        self.selected = Some(next);
        let line = self.links[next].line();
        self.scroll = self.scroll.min(line).max((line + 1).saturating_sub(height));
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, inside: Rect, height: usize) {
        let marked = self.marked.and_then(|place| self.line_of(place));
        let shown = self.lines.iter().enumerate().skip(self.scroll).take(height);
        for ((at, line), y) in shown.zip(inside.y..inside.bottom()) {
            if marked == Some(at) {
                canvas.put(inside.x, y, 1, canvas.view.glyphs.into, Role::Accent);
            }
            let mut x = inside.x + 2;
            for span in &line.spans {
                let used = canvas.put(x, y, inside.right().saturating_sub(x), &span.text, role(span));
                let look = ratatui::style::Style::new().add_modifier(modifier(span));
                canvas.buffer.set_style(Rect::new(x, y, used, 1), look);
                x += used;
            }
        }
        let Some(link) = self.selected.and_then(|at| self.links.get(at)) else { return };
        for (line, column, columns) in &link.parts {
            let Some(row) = line.checked_sub(self.scroll).filter(|row| *row < height) else { continue };
            let cells = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
            let place = Rect::new(inside.x + 2 + cells(*column), inside.y + cells(row), cells(*columns), 1);
            canvas.select(place.intersection(inside));
        }
    }
}

impl Link {
    pub(super) fn line(&self) -> usize {
        self.parts.first().map_or(0, |(line, ..)| *line)
    }
}

/// The links of lines; one that is wrapped has several parts.
fn links(lines: &[manual::Line]) -> Vec<Link> {
    let mut found: Vec<Link> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let mut column = 0;
        // What the line above ended within goes on here.
        let mut goes_on = at.checked_sub(1).and_then(|above| lines[above].spans.last()?.link.as_ref());
        for span in &line.spans {
            let columns = text::width(&span.text);
            if let Some(target) = &span.link {
                match found.last_mut().filter(|_| goes_on == Some(target)) {
                    Some(link) => link.parts.push((at, column, columns)),
                    None => found.push(Link { target: target.clone(), parts: vec![(at, column, columns)] }),
                }
            }
            if !span.text.trim().is_empty() {
                goes_on = None;
            }
            column += columns;
        }
    }
    found
}

fn role(span: &Span) -> Role {
    match (span.style, &span.link) {
        (_, Some(_)) | (Style::Code, None) => Role::Accent,
        (Style::Heading | Style::Strong | Style::Plain, None) => Role::Text,
    }
}

fn modifier(span: &Span) -> Modifier {
    match (span.style, &span.link) {
        (_, Some(_)) => Modifier::UNDERLINED,
        (Style::Heading, None) => Modifier::BOLD | Modifier::UNDERLINED,
        (Style::Strong, None) => Modifier::BOLD,
        (Style::Code | Style::Plain, None) => Modifier::empty(),
    }
}
