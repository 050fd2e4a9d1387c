//! What all panes have in common: their rows' identities, and where to draw them.

use ratatui::layout::Rect;

use super::{
    Cell, Column, Table, adapter_log, history, in_flight, log, pack_state, queues, recent, refunds, started,
    table::column_at as column_of_table, violations,
};
use crate::console::{
    action::Action,
    model::{Model, in_flight as count_in_flight},
    pane_id::PaneId,
    selection::{RecordKey, Selection},
    sort::Sort,
    text,
    theme::Role,
    ui::{Focus, Ui},
    view::{Canvas, View},
    window::{Record, Window},
};

/// The identities of a pane's rows, from the top.
pub(crate) fn keys(pane: PaneId, ui: &Ui, model: &Model) -> Vec<RecordKey> {
    let Some(mpp) = model.mpp() else { return Vec::new() };
    match pane {
        PaneId::Queues => queues::rows(mpp, model, ui).into_iter().map(|(name, _)| RecordKey::Queue(name.clone())).collect(),
        PaneId::InFlight => in_flight::rows(mpp, ui).into_iter().map(|(id, _)| RecordKey::Invocation(*id)).collect(),
        PaneId::Recent => recent::rows(model, ui).into_iter().map(|row| RecordKey::Invocation(row.id)).collect(),
        PaneId::Log | PaneId::StationLog => log::rows(pane, model, ui).into_iter().map(|notice| RecordKey::Notice(notice.number)).collect(),
        PaneId::History => ui.pages.history.keys(),
        PaneId::OtherPack => ui.pages.other_pack.keys(),
        PaneId::Refunds => ui.pages.refunds.keys(),
        PaneId::State => pack_state::rows(ui).into_iter().map(Record::key).collect(),
        PaneId::AdapterLog => adapter_log::rows(model, ui).into_iter().map(|(number, _)| RecordKey::Line(number)).collect(),
        PaneId::Violations => violations::rows(model, ui).into_iter().map(|group| RecordKey::Clause(group.clause)).collect(),
        PaneId::Started => Vec::new(),
    }
}

/// The columns of a pane's table.
fn columns(pane: PaneId) -> &'static [Column] {
    match pane {
        PaneId::Queues => queues::COLUMNS,
        PaneId::InFlight => in_flight::COLUMNS,
        PaneId::Recent => recent::COLUMNS,
        PaneId::Log | PaneId::StationLog => log::COLUMNS,
        PaneId::History => history::COLUMNS,
        PaneId::OtherPack => history::OTHER_COLUMNS,
        PaneId::Refunds => refunds::COLUMNS,
        PaneId::State => pack_state::COLUMNS,
        PaneId::AdapterLog => adapter_log::COLUMNS,
        PaneId::Violations => violations::COLUMNS,
        PaneId::Started => &[],
    }
}

/// The column whose head is at a place of a pane, and its title.
pub(crate) fn column_at(pane: PaneId, area: Rect, column: u16, row: u16) -> Option<(usize, &'static str)> {
    let inner = inside(area);
    let columns = columns(pane);
    let index = if row == inner.y { column_of_table(columns, inner, column) } else { None }?;
    Some((index, columns[index].title))
}

fn inside(area: Rect) -> Rect {
    Rect::new(area.x + 1, area.y + 1, area.width.saturating_sub(2), area.height.saturating_sub(2))
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

/// Whether a pane of queues has room for how long their heads wait.
pub(crate) fn shows_heads(area: Rect) -> bool {
    inside(area).width >= queues::HEAD_FROM
}

/// What a pane is drawn from.
pub(super) struct Shown<'a> {
    pub(super) model: &'a Model,
    pub(super) ui: &'a Ui,
    selection: &'a Selection,
    focused: bool,
    sort: Option<Sort>,
}

impl Shown<'_> {
    /// The pane's rows as a table.
    pub(super) fn table<'b>(&'b self, columns: &'b [Column], len: usize, row: &'b dyn Fn(usize) -> Vec<Cell>) -> Table<'b> {
        Table { columns, len, row, selection: self.selection, focused: self.focused, sort: self.sort, more: (false, false) }
    }

    /// The rows of a list that the station has, or why there are none.
    pub(super) fn paged<R: Record>(
        &self,
        canvas: &mut Canvas<'_>,
        area: Rect,
        columns: &[Column],
        window: &Window<R>,
        nothing: &str,
        row: &dyn Fn(usize) -> Vec<Cell>,
    ) {
        let room = area.width.saturating_sub(1);
        if window.rows().is_empty() {
            match (window.trouble(), window.is_filled()) {
                (Some(trouble), _) => {
                    let lines = text::wrap(trouble, usize::from(room));
                    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
                        canvas.put(area.x + 1, y, room, line, Role::Bad);
                    }
                }
                (None, is_filled) => {
                    let words = if is_filled { nothing } else { "asking the station" };
                    canvas.put(area.x + 1, area.y, room, words, Role::Muted);
                }
            }
            return;
        }
        Table { more: window.more(), ..self.table(columns, window.rows().len(), row) }.draw(canvas, area);
        if let Some(trouble) = window.trouble() {
            // What is shown is older than it should be: the frame's lower line says why.
            let words = format!(" {} {trouble} ", canvas.view.glyphs.bad);
            canvas.put(area.x + 1, area.bottom(), area.width.saturating_sub(20), &words, Role::Bad);
        }
    }
}

/// Draws a pane.
pub(crate) fn draw(canvas: &mut Canvas<'_>, pane: PaneId, area: Rect, model: &Model, ui: &Ui) {
    let focused = ui.overlays.is_empty() && ui.focus == Focus::Pane(pane);
    let unselected = Selection::default();
    let selection = ui.selection(pane).unwrap_or(&unselected);
    let inner = canvas.frame(area, &title(pane, model, ui, canvas.view), focused);
    let Some(world) = &model.world else {
        canvas.put(inner.x + 1, inner.y, inner.width.saturating_sub(1), "starting", Role::Muted);
        return;
    };
    let shown = Shown { model, ui, selection, focused, sort: ui.sort(pane) };
    match pane {
        PaneId::Queues => queues::draw(canvas, inner, &world.mpp, &shown),
        PaneId::InFlight => in_flight::draw(canvas, inner, &world.mpp, &shown),
        PaneId::Recent => recent::draw(canvas, inner, &shown),
        PaneId::Log | PaneId::StationLog => log::draw(canvas, inner, pane, &shown),
        PaneId::Started => started::draw(canvas, inner, model, world),
        PaneId::History => history::draw(canvas, inner, &shown),
        PaneId::OtherPack => history::draw_other(canvas, inner, &shown),
        PaneId::Refunds => refunds::draw(canvas, inner, &shown),
        PaneId::State => pack_state::draw(canvas, inner, &shown),
        PaneId::AdapterLog => adapter_log::draw(canvas, inner, &shown),
        PaneId::Violations => violations::draw(canvas, inner, &shown),
    }
}

fn title(pane: PaneId, model: &Model, ui: &Ui, view: &View) -> String {
    let mpp = model.mpp();
    let with_cut = |cut: u64| if cut > 0 { format!("{}, {cut} older cut", pane.place().name()) } else { pane.place().name().to_owned() };
    match pane {
        PaneId::InFlight => match mpp.map_or((0, 0), count_in_flight) {
            (0, 0) => "In flight".to_owned(),
            (flying, 0) => format!("In flight {flying}"),
            (flying, applied) => format!("In flight {flying} + {applied} applied"),
        },
        PaneId::Started => format!("Getting started ({} puts it away)", view.key(Action::Back)),
        PaneId::Log => with_cut(model.journal.evicted),
        PaneId::StationLog => with_cut(model.journal.station_evicted),
        PaneId::AdapterLog => with_cut(model.lines_cut),
        PaneId::History => with_marks("History".to_owned(), ui),
        PaneId::OtherPack => match mpp.map_or(0, |mpp| mpp.queues.values().map(|queue| queue.other_manifest).sum::<u64>()) {
            0 => with_marks("Other pack".to_owned(), ui),
            rows => with_marks(format!("Other pack {rows}"), ui),
        },
        PaneId::Refunds => match ui.pages.refund_count(model) {
            (0, _) => "Refunds".to_owned(),
            (refunds, more) => format!("Refunds {refunds}{}", if more { "+" } else { "" }),
        },
        _ => pane.place().name().to_owned(),
    }
}

/// A title, and how many rows are marked: a cancellation takes them all, wherever they are listed.
fn with_marks(title: String, ui: &Ui) -> String {
    title + &ui.marks.words().unwrap_or_default()
}
