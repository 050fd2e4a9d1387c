//! The manual over the screen: a page with links that are followed, and a search through all pages.

use crossterm::event::KeyEvent;
use ratatui::layout::{Position, Rect};

use super::{page::OpenPage, search::Search};
use crate::{
    console::{
        draw::{text, theme::Role},
        input::{action::Action, keymap::KeyScope},
        model::Model,
        records::ManualPlace,
        settings::view::{Canvas, View},
        ui::{
            Layer, Reaction, Scene, Target,
            act::{Act, Resolved},
            effect::Effect,
            layer::centred,
            layout::Layout,
            message::show_message,
            palette::Palette,
            pane::PaneContext,
            state::Ui,
        },
    },
    manual::{self, LazyManual, Place},
};

/// Columns of the text.
const COLUMNS_MAX: u16 = 100;
/// Columns of the frame and of the margin in which the place is marked.
const MARGIN: u16 = 6;
/// Pages that can be gone back to.
const PAGES_BEFORE_MAX: usize = 64;

/// The manual.
#[derive(Debug)]
pub(crate) struct ManualReader {
    manual: LazyManual,
    page: OpenPage,
    /// The pages before, the last one last.
    before: Vec<OpenPage>,
    search: Option<Search>,
    /// The palette that it was opened over.
    palette: Option<Box<Palette>>,
    columns: u16,
    height: usize,
}

impl ManualReader {
    /// The manual at a place; at its contents where it has no such page.
    pub(crate) fn at(place: &ManualPlace, manual: LazyManual, body: Rect) -> Self {
        let (columns, height) = room(body);
        let mut page = OpenPage::of(&manual, place.page, columns);
        page.mark(manual.page(place.page).and_then(|page| page.place(&place.texts)), height);
        Self { manual, page, before: Vec::new(), search: None, palette: None, columns, height }
    }

    /// The manual at what these words name or say: a page, else a search for them. Whether they were written
    /// earlier.
    pub(crate) fn about(words: &str, is_recalled: bool, manual: LazyManual, body: Rect) -> Self {
        let name = manual.page(words).map(|page| page.name);
        let mut reader = Self::at(&ManualPlace::page(name.unwrap_or_default()), manual, body);
        if name.is_none() && !words.is_empty() {
            reader.search = Some(Search::of(words, is_recalled, &reader.manual));
        }
        reader
    }

    /// This reader over a palette, which is there again when it is left.
    pub(crate) fn over(self, palette: Option<Box<Palette>>) -> Self {
        Self { palette, ..self }
    }

    fn open(&mut self, name: &str, place: Option<Place>) {
        if self.before.len() >= PAGES_BEFORE_MAX {
            self.before.remove(0);
        }
        let mut page = OpenPage::of(&self.manual, name, self.columns);
        page.mark(place, self.height);
        self.before.push(std::mem::replace(&mut self.page, page));
    }

    /// Follows the selected link, or opens the selected hit. Whether there was one.
    fn follow(&mut self) -> bool {
        if let Some(search) = &self.search {
            let Some((name, place)) = search.hits.get(search.selected).map(|hit| (hit.page, hit.place))
            else {
                return false;
            };
            self.search = None;
            self.open(name, Some(place));
            return true;
        }
        let Some(link) = self.page.selected.and_then(|at| self.page.links.get(at)) else { return false };
        let target = link.target.clone();
        let (name, section) = manual::target(&target);
        let Some(page) = self.manual.page(name) else { return false };
        let place = section.and_then(|section| page.section(section));
        self.open(name, place);
        true
    }

    /// The link that would be followed, where it leads out of the manual.
    fn outside(&self) -> Option<&str> {
        let link = self.page.selected.and_then(|at| self.page.links.get(at))?;
        link.target.contains(':').then_some(&*link.target)
    }

    fn go_back(&mut self) {
        if let Some(before) = self.before.pop() {
            self.page = before;
            self.page.fit(&self.manual, self.columns, self.height);
        }
    }

    fn draw(&self, canvas: &mut Canvas<'_>, body: Rect) {
        let area = area(body);
        canvas.clear(area);
        if let Some(search) = &self.search {
            let inside = canvas.frame(area, "Manual: search", true);
            return search.draw(canvas, inside);
        }
        let inside = canvas.frame(area, &format!("Manual: {}", self.page.title), true);
        self.page.draw(canvas, inside, self.height);
        let below = self.page.lines.len().saturating_sub(self.page.scroll + self.height);
        draw_more(canvas, area, self.page.scroll, below);
    }
}

#[cfg(test)]
impl ManualReader {
    /// The page that is open, the marked line and the selected link.
    pub(crate) fn shown(&self) -> (&'static str, Option<String>, Option<&str>) {
        let marked = self.page.marked.and_then(|place| self.page.line_of(place));
        let marked = marked.map(|line| self.page.lines[line].text().trim().to_owned());
        let link = self.page.selected.and_then(|at| self.page.links.get(at));
        (self.page.name, marked, link.map(|link| &*link.target))
    }
}

impl Layer for ManualReader {
    fn key_scope(&self) -> KeyScope {
        if self.search.is_some() { KeyScope::ManualSearch } else { KeyScope::Manual }
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        (self.columns, self.height) = room(layout.body);
        let height = self.height;
        self.page.fit(&self.manual, self.columns, height);
        if let Some(search) = &mut self.search {
            search.select(search.selected, height.saturating_sub(2));
        }
    }

    fn step(&mut self, by: isize, _model: &Model) {
        let height = self.height;
        match &mut self.search {
            Some(search) => {
                search.select(search.selected.saturating_add_signed(by), height.saturating_sub(2));
            }
            None => self.page.scroll(by, height),
        }
    }

    fn page(&self) -> Option<usize> {
        Some(self.height.saturating_sub(2).max(1))
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, _cx: &PaneContext<'_>) -> Option<Resolved> {
        let by = if action == Action::PreviousField { -1 } else { 1 };
        Some(match action {
            Action::NextField | Action::PreviousField if self.page.links.is_empty() => {
                Err("this page has no links".into())
            }
            Action::NextField | Action::PreviousField if self.search.is_none() => {
                Ok(Act::layer(move |reader: &mut Self, _, _| reader.page.step_link(by, reader.height)))
            }
            Action::Open => match self.outside() {
                Some(link) if self.search.is_none() => {
                    Err(format!("it leads out of the manual: {link}").into())
                }
                _ => Ok(Act::layer(|reader: &mut Self, ui, cx| {
                    if !reader.follow() {
                        show_message(ui, "there is no link to follow here".to_owned(), true, cx.now);
                    }
                })),
            },
            Action::Filter => Ok(Act::layer(|reader: &mut Self, _, _| {
                reader.search = Some(Search::of("", false, &reader.manual));
            })),
            Action::PlaceBefore if self.before.is_empty() => Err("no page was open before this one".into()),
            Action::PlaceBefore => Ok(Act::layer(|reader: &mut Self, _, _| reader.go_back())),
            Action::Manual => Ok(Act::layer(|reader: &mut Self, _, _| {
                reader.search = None;
                reader.open("", None);
            })),
            Action::Back if self.search.is_some() => {
                Ok(Act::layer(|reader: &mut Self, _, _| reader.search = None))
            }
            _ => return None,
        })
    }

    fn on_key(&mut self, key: KeyEvent, _ui: &mut Ui, view: &View) -> Reaction {
        let Some(search) = &mut self.search else { return Reaction::Ignored };
        if view.keymap.lookup(KeyScope::ManualSearch, key).is_some() || !search.words.input(key) {
            return Reaction::Ignored;
        }
        search.is_prefilled &= !search.words.text().is_empty();
        search.find(&self.manual);
        Reaction::Consumed(Vec::new())
    }

    fn leave(self: Box<Self>, ui: &mut Ui) -> Vec<Effect> {
        ui.palette = self.palette;
        Vec::new()
    }

    fn on_paste(&mut self, text: &str, _ui: &mut Ui, _view: &View) {
        if let Some(search) = &mut self.search {
            search.words.paste(text);
            search.find(&self.manual);
        }
    }

    /// A click follows a link; it selects a hit, and opens the one that is selected.
    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        let area = area(layout.body);
        let inside =
            Rect::new(area.x + 1, area.y + 1, area.width.saturating_sub(2), area.height.saturating_sub(2));
        let row = usize::from(at.y.checked_sub(inside.y).filter(|_| inside.contains(at))?);
        if let Some(search) = &mut self.search {
            let index = search.offset + row.checked_sub(2)?;
            let was_there = search.selected == index;
            (index < search.hits.len()).then(|| search.selected = index)?;
            return was_there.then_some(Action::Open);
        }
        let column = usize::from(at.x.checked_sub(inside.x + 2)?);
        let line = self.page.scroll + row;
        let is_hit = |link: &super::page::Link| {
            let mut parts = link.parts.iter();
            parts.any(|(on, first, columns)| *on == line && (*first..first + columns).contains(&column))
        };
        self.page.selected = Some(self.page.links.iter().position(is_hit)?);
        Some(Action::Open)
    }
}

fn draw_more(canvas: &mut Canvas<'_>, area: Rect, above: usize, below: usize) {
    if above == 0 && below == 0 {
        return;
    }
    let glyphs = canvas.view.glyphs;
    let words = format!(" {} {above}  {} {below} ", glyphs.up, glyphs.down_arrow);
    let used = u16::try_from(text::width(&words)).unwrap_or(u16::MAX);
    let (x, y) = (area.right().saturating_sub(used + 1), area.bottom().saturating_sub(1));
    canvas.put(x, y, used, &words, Role::Muted);
}

fn area(body: Rect) -> Rect {
    centred(body, body.width.min(COLUMNS_MAX + MARGIN), body.height)
}

/// Columns of the text, and lines of it that are seen.
fn room(body: Rect) -> (u16, usize) {
    let area = area(body);
    (area.width.saturating_sub(MARGIN).max(1), usize::from(area.height.saturating_sub(2)).max(1))
}
