//! One layer, whatever it is.

use ratatui::layout::Rect;

use super::{Dialog, Facts, Help, Pending};
use crate::console::{keymap::Place, model::Model, ui::Ui, view::Canvas};

/// A layer.
#[derive(Debug)]
pub(crate) enum Overlay {
    Pending(Pending),
    Facts(Facts),
    Dialog(Dialog),
    Help(Help),
}

impl Overlay {
    /// The place of its keys.
    pub(crate) const fn place(&self) -> Place {
        match self {
            Self::Pending(_) => Place::Pending,
            Self::Facts(_) => Place::Facts,
            Self::Dialog(dialog) => dialog.place(),
            Self::Help(_) => Place::Help,
        }
    }

    /// Fits it to the room there is.
    pub(crate) fn settle(&mut self, body: Rect) {
        if let Self::Pending(pending) = self {
            pending.settle(body);
        }
    }

    /// Scrolls text by some lines; the last line stays on the screen.
    pub(crate) fn scroll(&mut self, by: isize) {
        match self {
            Self::Facts(facts) => facts.scroll = facts.scroll.saturating_add_signed(by),
            Self::Help(help) => help.scroll = help.scroll.saturating_add_signed(by),
            Self::Pending(_) | Self::Dialog(_) => {}
        }
    }
}

/// Draws the layers, the lowest first.
pub(crate) fn draw(canvas: &mut Canvas<'_>, body: Rect, model: &Model, ui: &Ui) {
    for overlay in &ui.overlays {
        match overlay {
            Overlay::Pending(pending) => pending.draw(canvas, body, model, overlay_is_top(overlay, ui)),
            Overlay::Facts(facts) => facts.draw(canvas, body, model),
            Overlay::Dialog(dialog) => dialog.draw(canvas, body, model),
            Overlay::Help(help) => help.draw(canvas, body),
        }
    }
}

fn overlay_is_top(overlay: &Overlay, ui: &Ui) -> bool {
    ui.overlays.last().is_some_and(|top| std::ptr::eq(top, overlay))
}

/// The middle of an area.
pub(super) fn centred(area: Rect, columns: u16, rows: u16) -> Rect {
    let (columns, rows) = (columns.min(area.width), rows.min(area.height));
    Rect::new(area.x + (area.width - columns) / 2, area.y + (area.height - rows) / 2, columns, rows)
}
