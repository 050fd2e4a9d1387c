//! The keys of a place, from the keymap.

use ratatui::layout::Rect;

use super::overlay::centred;
use crate::console::{
    keymap::{self, Place},
    theme::Role,
    view::Canvas,
};

/// Help for a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Help {
    pub(crate) about: Place,
    pub(crate) scroll: usize,
}

impl Help {
    /// Draws it.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect) {
        let glyphs = canvas.view.glyphs;
        let lines: Vec<(String, &str)> = keymap::bindings(self.about)
            .map(|binding| {
                let keys: Vec<_> = binding.keys.iter().map(|key| key.name(glyphs)).collect();
                (keys.join("  "), binding.label)
            })
            .collect();
        let half = lines.len().div_ceil(2);
        let rows = u16::try_from(half).unwrap_or(u16::MAX).saturating_add(2);
        let area = centred(body, 78, rows);
        canvas.clear(area);
        let inside = canvas.frame(area, &format!("Keys of {}", self.about.name()), true);
        let scroll = self.scroll.min(half.saturating_sub(usize::from(inside.height)));
        let column = inside.width / 2;
        for (index, y) in (scroll..half).zip(inside.y..inside.bottom()) {
            for (line, x) in [(lines.get(index), inside.x + 1), (lines.get(half + index), inside.x + 1 + column)] {
                if let Some((keys, label)) = line {
                    canvas.put(x, y, 14, keys, Role::Accent);
                    canvas.put(x + 15, y, column.saturating_sub(16), label, Role::Text);
                }
            }
        }
    }
}
