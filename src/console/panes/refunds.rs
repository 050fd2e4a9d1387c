//! Refunds: what becomes of each, newest first, in pages.

use ratatui::layout::Rect;

use super::{Align, Cell, Class, Column, pane::Shown};
use crate::{
    console::{
        format,
        overlays::refund_word,
        theme::Role,
        view::{Canvas, View},
    },
    port::RefundRow,
    tap::entry::mpp::RefundStatus,
};

pub(super) const COLUMNS: &[Column] = &[
    Column::fixed("id", 6, Align::Right),
    Column::fixed("at", 8, Align::Left),
    Column::fixed("of", 8, Align::Right),
    Column::fixed("status", 11, Align::Left),
    Column::growing("source", 8, 1),
    Column::growing("user", 8, 1).from(56),
    Column::growing("redemption", 8, 2).from(70),
];

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, shown: &Shown<'_>) {
    let view = canvas.view;
    let refunds = &shown.ui.pages.refunds;
    let row = |index: usize| refunds.rows().get(index).map_or_else(Vec::new, |refund| cells(view, refund));
    shown.paged(canvas, area, COLUMNS, refunds, "no refund was ever recorded", &row);
}

fn cells(view: &View, refund: &RefundRow) -> Vec<Cell> {
    let glyphs = view.glyphs;
    let (sign, role) = match refund.status {
        RefundStatus::Requested => (glyphs.refunded, Role::Text),
        RefundStatus::Skipped => (glyphs.bad, Role::Warn),
        RefundStatus::Manual => (glyphs.warn, Role::Warn),
    };
    vec![
        Cell::new(refund.id.to_string(), Role::Text),
        Cell::new(format::time_of_day(refund.at_ms, &view.zone), Role::Muted),
        Cell::new(refund.invocation_id.to_string(), Role::Text),
        Cell::new(format!("{sign} {}", refund_word(refund.status)), role),
        Cell::new(refund.source.kind.clone(), Role::Muted),
        Cell::of_class(refund.source.user.clone().unwrap_or_default(), Role::Text, Class::Login),
        Cell::of_class(refund.source.redemption.clone().unwrap_or_default(), Role::Muted, Class::Payload),
    ]
}
