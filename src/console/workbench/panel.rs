//! Lines that are wrapped to their columns, and looked at a part at a time where there are more than rows.

use ratatui::layout::Rect;

use crate::console::{
    draw::{class::Class, text::wrap, theme::Role},
    settings::view::Canvas,
};

/// A line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct VerdictLine {
    pub(super) text: String,
    pub(super) role: Role,
    /// What quotes the frame is masked on air.
    pub(super) class: Class,
}

impl VerdictLine {
    pub(super) fn new(text: String, role: Role) -> Self {
        Self { text, role, class: Class::Public }
    }

    pub(super) fn quoting(text: String, role: Role) -> Self {
        Self { text, role, class: Class::Payload }
    }
}

/// Which part of the lines below the frame is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Panel {
    /// Lines that are above it.
    above: usize,
    /// Lines that can be above it.
    above_max: usize,
}

impl Panel {
    /// Whether some of the lines are hidden.
    pub(super) const fn is_scrolled(self) -> bool {
        self.above_max > 0
    }

    /// Goes so many lines on.
    pub(super) fn step(&mut self, by: isize) {
        self.above = self.above.saturating_add_signed(by).min(self.above_max);
    }

    /// Fits it to so many lines of each side, of which there is room for some.
    pub(super) fn fit(&mut self, lines: usize, rows: usize) {
        self.above_max = lines.saturating_sub(rows);
        self.above = self.above.min(self.above_max);
    }

    /// Draws the part of these lines. What is hidden below is counted, and how to get there said.
    pub(super) fn draw(self, canvas: &mut Canvas<'_>, area: Rect, lines: &[VerdictLine], how: &str) {
        let rows = usize::from(area.height);
        let above = self.above.min(lines.len().saturating_sub(rows));
        let below = lines.len() - above;
        let shown = if below > rows { rows.saturating_sub(1) } else { below };
        for (line, y) in lines.iter().skip(above).take(shown).zip(area.y..) {
            canvas.put_as(area.x, y, area.width, &line.text, line.role, line.class);
        }
        if below > rows && rows > 0 {
            let text = format!("+{} more: {how}", below - shown);
            canvas.put(area.x, area.bottom() - 1, area.width, &text, Role::Accent);
        }
    }
}

/// The lines, none wider than so many columns.
pub(super) fn wrapped(lines: Vec<VerdictLine>, columns: u16) -> Vec<VerdictLine> {
    let mut all = Vec::with_capacity(lines.len());
    for line in lines {
        let parts = wrap(&line.text, columns.into());
        all.extend(parts.into_iter().map(|text| VerdictLine { text, ..line }));
    }
    all
}
