//! What all panes have in common: their rows' identities, and where to draw them.

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{Cell, class::Class, text, theme::Role},
        input::pane_id::PaneId,
        model::Model,
        records::{
            CellContext, PaneRecord, Rows, Table,
            paged_list::StationList,
            row::cell as cell_of,
            selection::{RowKeys as _, Selection},
            table::{column_at as column_of_table, inside},
        },
        settings::view::Canvas,
        ui::{
            FilterLine,
            pane::{Drawing, Empty, PaneContext, Source, Title},
            rows::{counts, is_paged, rows, visible_columns},
            search,
            state::{Focus, Ui},
        },
    },
    field::{Column, Value},
};

/// The field whose column is at a place of a pane, and the title of that column; whether the place is its
/// head.
pub(crate) fn field_at(
    pane: PaneId,
    ui: &Ui,
    area: Rect,
    column: u16,
    row: u16,
) -> Option<(usize, &'static str, bool)> {
    let inner = inside(area);
    let shown = visible_columns(pane, ui, inner.width);
    let columns: Vec<Column> = shown.iter().map(|(_, column)| *column).collect();
    let (field, column) = shown.get(column_of_table(&columns, inner, column)?)?;
    (inner.y..inner.bottom()).contains(&row).then_some((*field, column.title, row == inner.y))
}

/// Draws a pane's rows as a table.
pub(crate) fn table_of(
    canvas: &mut Canvas<'_>,
    pane: PaneId,
    inner: Rect,
    (rows, ui, model): (&Rows<'_>, &Ui, &Model),
    focused: bool,
    more: (bool, bool),
) {
    let shown = visible_columns(pane, ui, inner.width);
    let columns: Vec<Column> = shown.iter().map(|(_, column)| *column).collect();
    let look = CellContext {
        view: canvas.view,
        systems: &ui.systems,
        width: inner.width,
        only_pending: pane == PaneId::Pending,
    };
    let cells = |index: usize| {
        let cells = rows.with(index, |row| {
            shown.iter().map(|(field, _)| cell_of(row, *field, &look)).collect::<Vec<Cell>>()
        });
        cells.unwrap_or_default()
    };
    let place = |field: usize| shown.iter().position(|(known, _)| *known == field);
    let bookmarked = |index: usize| {
        !ui.bookmarks.is_empty() && rows.key(index).is_some_and(|key| ui.bookmarks.has(pane, &key))
    };
    // What is an entry of the tap says it by itself.
    let is_told = matches!(pane, PaneId::Wire | PaneId::Trace);
    let by_hand = |index: usize| {
        let is_of_it = |row: &dyn PaneRecord| {
            row.is_by_hand() || row.marked_by().is_some_and(|mark| model.injected.has(mark))
        };
        !is_told && rows.with(index, is_of_it).unwrap_or(false)
    };
    let unselected = Selection::default();
    Table {
        columns: &columns,
        len: rows.len(),
        row: &cells,
        bookmarked: &bookmarked,
        by_hand: &by_hand,
        is_hit: &|index| super::rows::is_hit(pane, ui, rows, index),
        selection: ui.selection(pane).unwrap_or(&unselected),
        focused,
        sort: ui.sort(pane).and_then(|sort| place(sort.field).map(|at| (at, sort.descending))),
        cell: ui.table_settings(pane).cell.and_then(place),
        more,
    }
    .draw(canvas, inner);
}

/// The rows of a list that the station has, or why there are none.
fn paged(
    canvas: &mut Canvas<'_>,
    area: Rect,
    window: &dyn StationList,
    nothing: &str,
    draw: &dyn Fn(&mut Canvas<'_>, (bool, bool)),
) {
    let room = area.width.saturating_sub(1);
    if window.count() == 0 {
        match (window.error(), window.is_filled()) {
            (Some(trouble), _) => {
                let lines = text::wrap(trouble, usize::from(room));
                for (line, y) in lines.iter().zip(area.y..area.bottom()) {
                    canvas.put(area.x + 1, y, room, line, Role::Bad);
                }
            }
            (None, is_filled) => {
                let words = if is_filled { nothing } else { "loading" };
                canvas.put(area.x + 1, area.y, room, words, Role::Muted);
            }
        }
        return;
    }
    draw(canvas, window.more());
    if let Some(trouble) = window.error() {
        // What is shown is older than it should be: the frame's lower line says why.
        let words = format!(" {} {trouble} ", canvas.view.glyphs.bad);
        canvas.put(area.x + 1, area.bottom(), area.width.saturating_sub(20), &words, Role::Bad);
    }
}

/// Draws a pane.
pub(crate) fn draw(canvas: &mut Canvas<'_>, pane: PaneId, area: Rect, model: &Model, ui: &Ui) {
    let (declared, cx) = (pane.pane(), PaneContext { model, ui, view: canvas.view });
    let focused = ui.overlays.is_empty() && ui.focus == Focus::Pane(pane);
    let (title, suffix) = match declared.title {
        Title::Name => (pane.name().to_owned(), None),
        Title::Of(title) => (title(&cx), None),
        Title::With(title, suffix) => (title(&cx), suffix(&cx)),
    };
    let title = if focused { title } else { with_rows_above(title, pane, &cx) };
    let inner = canvas.frame(area, &title, focused);
    let start = title_end(canvas, area, (&title, focused));
    let start = search::draw(canvas, pane, area, start, ui);
    draw_filter(canvas, pane, area, start, model, ui);
    if let Some((words, role)) = suffix.filter(|_| ui.table_settings(pane).filter().is_none()) {
        draw_title_suffix(canvas, area, start, &words, role);
    }
    if model.station_state.is_none() {
        canvas.put(inner.x + 1, inner.y, inner.width.saturating_sub(1), "starting", Role::Muted);
        return;
    }
    let mut has_rows = false;
    if let Drawing::Own(own) = declared.drawing {
        own(canvas, inner, &cx);
    } else {
        let rows = rows(pane, ui, model);
        has_rows = !rows.is_empty();
        draw_rows(canvas, pane, inner, &rows, focused, &cx);
    }
    if let Drawing::Marked(mark) = declared.drawing {
        mark(canvas, area, has_rows, &cx);
    }
}

/// The title of a pane that nobody works in and that does not show its head: how much stands above what it
/// shows, newer where it is sorted by time.
fn with_rows_above(title: String, pane: PaneId, cx: &PaneContext<'_>) -> String {
    let (ui, above) = (cx.ui, cx.ui.selection(pane).map_or(0, Selection::offset));
    if above == 0 || matches!(pane.pane().drawing, Drawing::Own(_)) {
        return title;
    }
    let rows = rows(pane, ui, cx.model);
    if rows.follows_its_end() {
        return title;
    }
    let field = ui.sort(pane).map_or(0, |sort| sort.field);
    let time = |index| {
        let value = rows.with(index, |row| match row.value(field, cx.view.now) {
            Value::Time(at) => Some(at),
            _ => None,
        });
        value.flatten()
    };
    let is_newest_first = time(0).zip(time(above)).is_some_and(|(first, shown)| first >= shown);
    format!("{title}, {above} {}", if is_newest_first { "newer" } else { "above" })
}

/// Draws a pane's rows, or why there are none.
fn draw_rows(
    canvas: &mut Canvas<'_>,
    pane: PaneId,
    inner: Rect,
    rows: &Rows<'_>,
    focused: bool,
    cx: &PaneContext<'_>,
) {
    let (ui, declared) = (cx.ui, pane.pane());
    let draw = |canvas: &mut Canvas<'_>, more: (bool, bool)| {
        table_of(canvas, pane, inner, (rows, ui, cx.model), focused, more);
    };
    let nothing = declared.empty.text(cx);
    if let Some(list) = ui.paged_lists.list(pane) {
        return paged(canvas, inner, list, &nothing, &draw);
    }
    let filter = ui.table_settings(pane).filter();
    let is_wrapped = matches!(declared.empty, Empty::Wrapped(_));
    let is_shipped = filter.is_none_or(|filter| is_wrapped && Some(filter.text()) == declared.filter);
    if !rows.is_empty() || !(is_shipped || counts(pane, ui, cx.model).1 == 0) {
        return draw(canvas, (false, false));
    }
    let room = inner.width.saturating_sub(1);
    if is_wrapped {
        for (line, y) in text::wrap(&nothing, usize::from(room)).iter().zip(inner.y..inner.bottom()) {
            canvas.put(inner.x + 1, y, room, line, Role::Muted);
        }
    } else {
        canvas.put(inner.x + 1, inner.y, room, &nothing, Role::Muted);
    }
}

fn draw_title_suffix(canvas: &mut Canvas<'_>, area: Rect, start: u16, words: &str, role: Role) {
    let room = area.right().saturating_sub(start.saturating_add(2));
    let words = text::visible(text::cut(words, 1_024), canvas.view.glyphs.ascii).into_owned();
    canvas.put_as(start, area.y, room, &format!(" {words} "), role, Class::Payload);
}

/// Where what stands behind a pane's title begins: behind the frame's corner, the title between two spaces,
/// and the sign of the focus with one more.
pub(crate) fn title_end(canvas: &Canvas<'_>, area: Rect, (title, focused): (&str, bool)) -> u16 {
    let width = |words: &str| u16::try_from(text::width(words)).unwrap_or(u16::MAX);
    let before = 4 + if focused { width(canvas.view.glyphs.into) + 1 } else { 0 };
    area.x.saturating_add(width(title)).saturating_add(before)
}

/// The filter that is in force, behind the title of its pane; `still`, where one is being written that cannot
/// be read. What it quotes may be what a viewer wrote.
pub(crate) fn draw_filter(
    canvas: &mut Canvas<'_>,
    pane: PaneId,
    area: Rect,
    start: u16,
    model: &Model,
    ui: &Ui,
) {
    let Some(filter) = ui.table_settings(pane).filter() else { return };
    let (shown, all) = counts(pane, ui, model);
    let counted = match is_paged(pane) {
        // Its title counts them already.
        _ if matches!(pane.pane().source, Source::Tap { .. }) => " ".to_owned(),
        true => format!(" {shown} "),
        false => format!(" {shown} of {all} "),
    };
    let width = |words: &str| u16::try_from(text::width(words)).unwrap_or(u16::MAX);
    let room = area.right().saturating_sub(1).saturating_sub(start);
    let is_unread = ui.top::<FilterLine>().is_some_and(|line| line.is_unread(pane, false));
    let (still, role) = if is_unread { ("still ", Role::Warn) } else { ("", Role::Accent) };
    let used = canvas.put_as(
        start,
        area.y,
        room.saturating_sub(width(&counted) + 2),
        &format!("{still}/{}", filter.text()),
        role,
        canvas
            .view
            .mask_policy
            .strictest([Class::Login, Class::Payload].into_iter().filter(|class| filter.quotes(*class))),
    );
    canvas.put(start + used, area.y, room.saturating_sub(used), &counted, role);
}
