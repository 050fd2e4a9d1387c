//! What all panes have in common: their rows' identities, and where to draw them.

use ratatui::layout::Rect;

use super::{in_flight, log, queues, recent, started};
use crate::console::{
    model::{Model, in_flight as count_in_flight},
    theme::Role,
    ui::{Focus, PaneId, RecordKey, Selection, Ui},
    view::Canvas,
};

/// The identities of a pane's rows, from the top.
pub(crate) fn keys(pane: PaneId, model: &Model) -> Vec<RecordKey> {
    let Some(mpp) = model.mpp() else { return Vec::new() };
    match pane {
        PaneId::Queues => mpp.queues.keys().cloned().map(RecordKey::Queue).collect(),
        PaneId::InFlight => mpp.live.keys().copied().map(RecordKey::Invocation).collect(),
        PaneId::Recent => model.ended().map(|row| RecordKey::Invocation(row.id)).collect(),
        PaneId::Log => model.journal.notices.iter().rev().map(|notice| RecordKey::Notice(notice.number)).collect(),
        PaneId::Started => Vec::new(),
    }
}

/// Rows that a pane of this size shows, its frame and head taken off.
pub(crate) fn list_height(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(3))
}

/// The row at a place of a pane, as counted from its first.
pub(crate) fn row_at(area: Rect, row: u16, selection: &Selection) -> Option<usize> {
    let line = usize::from(row.checked_sub(area.y + 2)?);
    (line < list_height(area)).then(|| selection.offset() + line)
}

/// Draws a pane.
pub(crate) fn draw(canvas: &mut Canvas<'_>, pane: PaneId, area: Rect, model: &Model, ui: &Ui) {
    let focused = ui.overlays.is_empty() && ui.focus == Focus::Pane(pane);
    let unselected = Selection::default();
    let selection = ui.selections.get(&pane).unwrap_or(&unselected);
    let inner = canvas.frame(area, &title(pane, model), focused);
    let Some(world) = &model.world else {
        canvas.put(inner.x + 1, inner.y, inner.width.saturating_sub(1), "starting", Role::Muted);
        return;
    };
    match pane {
        PaneId::Queues => queues::draw(canvas, inner, model, &world.mpp, selection, focused),
        PaneId::InFlight => in_flight::draw(canvas, inner, &world.mpp, selection, focused),
        PaneId::Recent => recent::draw(canvas, inner, model, selection, focused),
        PaneId::Log => log::draw(canvas, inner, model, selection, focused),
        PaneId::Started => started::draw(canvas, inner, model, world),
    }
}

fn title(pane: PaneId, model: &Model) -> String {
    let mpp = model.mpp();
    match pane {
        PaneId::Queues => "Queues".to_owned(),
        PaneId::InFlight => match mpp.map_or((0, 0), count_in_flight) {
            (0, 0) => "In flight".to_owned(),
            (flying, 0) => format!("In flight {flying}"),
            (flying, applied) => format!("In flight {flying} + {applied} applied"),
        },
        PaneId::Recent => "Recent".to_owned(),
        PaneId::Log => "Log".to_owned(),
        PaneId::Started => "Getting started (Esc puts it away)".to_owned(),
    }
}
