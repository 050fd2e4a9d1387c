//! A search through all pages of the manual.

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{class::Class, theme::Role},
        settings::view::Canvas,
        ui::Line,
    },
    manual::{self, LazyManual, Place},
};

/// Places that a search lists.
const HITS_MAX: usize = 100;

/// A search through all pages.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) words: Line,
    /// Whether the words were not typed here: on air they are masked.
    pub(super) is_prefilled: bool,
    pub(super) hits: Vec<Hit>,
    pub(super) selected: usize,
    pub(super) offset: usize,
}

#[derive(Debug)]
pub(super) struct Hit {
    pub(super) page: &'static str,
    pub(super) place: Place,
    pub(super) section: Option<String>,
    pub(super) text: String,
}

impl Search {
    pub(super) fn of(words: &str, is_prefilled: bool, manual: &LazyManual) -> Self {
        let mut search =
            Self { words: Line::new(words), is_prefilled, hits: Vec::new(), selected: 0, offset: 0 };
        search.find(manual);
        search
    }

    pub(super) fn find(&mut self, manual: &LazyManual) {
        let hit = |hit: manual::Hit<'_>| Hit {
            page: hit.page.name,
            place: hit.place,
            section: hit.section.map(str::to_owned),
            text: hit.text,
        };
        self.hits = manual.search(self.words.text(), HITS_MAX).into_iter().map(hit).collect();
        (self.selected, self.offset) = (0, 0);
    }

    pub(super) fn select(&mut self, index: usize, height: usize) {
        self.selected = index.min(self.hits.len().saturating_sub(1));
        self.offset = self.offset.min(self.selected).max((self.selected + 1).saturating_sub(height));
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, inside: Rect) {
        let (x, columns) = (inside.x + 1, inside.width.saturating_sub(2));
        let used = canvas.put(x, inside.y, columns, "find: ", Role::Muted);
        let room = columns.saturating_sub(used);
        if self.is_prefilled && canvas.view.mask_policy.masks(Class::Payload) {
            self.words.draw_recalled(canvas, (x + used, inside.y), room, 0, Class::Payload);
        } else {
            self.words.draw(canvas, x + used, inside.y, room);
        }
        let first = inside.y + 2;
        if self.hits.is_empty() && !self.words.text().trim().is_empty() {
            canvas.put(x, first, columns, "no page has these words", Role::Muted);
        }
        for ((at, hit), y) in self.hits.iter().enumerate().skip(self.offset).zip(first..inside.bottom()) {
            canvas.put(x, y, 13, hit.page, Role::Accent);
            let section = hit.section.as_ref().map_or_else(String::new, |section| format!("{section}: "));
            canvas.put(x + 14, y, columns.saturating_sub(14), &format!("{section}{}", hit.text), Role::Text);
            if at == self.selected {
                canvas.select(Rect::new(inside.x, y, inside.width, 1));
            }
        }
    }
}
