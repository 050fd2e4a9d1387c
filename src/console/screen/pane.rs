//! What all panes have in common: their rows' identities, and where to draw them.

use crate::console::{
    draw::{format, text},
    screen::FilterLine,
    systems::{
        bridge::{in_flight, queues},
        sessions::list,
        station::started,
    },
    trace, wire,
};
use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{Cell, class::Class, theme::Role},
        input::{action::Action, pane_id::PaneId},
        model::{Model, in_flight as count_in_flight},
        records::{
            CellContext, Rows, Table,
            paged_list::{PagedList, Record},
            rows::{counts, is_paged, rows, visible_columns},
            selection::{RowKeys as _, Selection},
            table::column_at as column_of_table,
        },
        settings::view::{Canvas, View},
        ui::state::{Focus, Ui},
    },
    field::Column,
    mpp::Snapshot,
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

/// The width of the table in a pane of this size.
pub(crate) fn inner_width(area: Rect) -> u16 {
    inside(area).width
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
    (line < list_height(area)).then(|| selection.row_at(line))
}

/// Whether a pane of queues has room for how long their heads wait.
pub(crate) fn shows_head_age(area: Rect) -> bool {
    inside(area).width >= queues::HEAD_FROM
}

/// Draws a pane's rows as a table.
pub(crate) fn table_of(
    canvas: &mut Canvas<'_>,
    pane: PaneId,
    inner: Rect,
    (rows, ui): (&Rows<'_>, &Ui),
    focused: bool,
    more: (bool, bool),
) {
    let shown = visible_columns(pane, ui, inner.width);
    let columns: Vec<Column> = shown.iter().map(|(_, column)| *column).collect();
    let look = CellContext {
        view: canvas.view,
        marks: &ui.marked_rows,
        width: inner.width,
        only_pending: pane == PaneId::Pending,
    };
    let cells = |index: usize| {
        let cells = rows
            .with(index, |row| shown.iter().map(|(field, _)| row.cell(*field, &look)).collect::<Vec<Cell>>());
        cells.unwrap_or_default()
    };
    let place = |field: usize| shown.iter().position(|(known, _)| *known == field);
    let bookmarked = |index: usize| {
        !ui.bookmarks.is_empty() && rows.key(index).is_some_and(|key| ui.bookmarks.has(pane, &key))
    };
    let unselected = Selection::default();
    Table {
        columns: &columns,
        len: rows.len(),
        row: &cells,
        bookmarked: &bookmarked,
        selection: ui.selection(pane).unwrap_or(&unselected),
        focused,
        sort: ui.sort(pane).and_then(|sort| place(sort.field).map(|at| (at, sort.descending))),
        cell: ui.table_settings(pane).cell.and_then(place),
        more,
    }
    .draw(canvas, inner);
}

/// The rows of a list that the station has, or why there are none.
fn paged<R: Record>(
    canvas: &mut Canvas<'_>,
    area: Rect,
    window: &PagedList<R>,
    nothing: &str,
    draw: &dyn Fn(&mut Canvas<'_>, (bool, bool)),
) {
    let room = area.width.saturating_sub(1);
    if window.rows().is_empty() {
        match (window.error(), window.is_filled()) {
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
    draw(canvas, window.more());
    if let Some(trouble) = window.error() {
        // What is shown is older than it should be: the frame's lower line says why.
        let words = format!(" {} {trouble} ", canvas.view.glyphs.bad);
        canvas.put(area.x + 1, area.bottom(), area.width.saturating_sub(20), &words, Role::Bad);
    }
}

/// Why a pane has no rows at all.
fn empty_text(pane: PaneId, mpp: &Snapshot, model: &Model, ui: &Ui, view: &View) -> String {
    let words = match pane {
        PaneId::InFlight => return in_flight::empty_text(mpp),
        PaneId::Queues => "the pack has no queues",
        PaneId::Recent => "nothing has ended since the station started",
        PaneId::Log | PaneId::StationLog => "quiet so far",
        PaneId::AdapterLog => "the adapter has said nothing",
        PaneId::Violations => "no peer has broken a clause since this console came up",
        PaneId::History => "nothing was ever enqueued on this data folder",
        PaneId::OtherPack => "no row waits under another manifest",
        PaneId::Refunds => "no refund was ever recorded",
        PaneId::State => "no adapter has written a value yet",
        PaneId::Pending => "nothing is pending on this queue",
        PaneId::Wire => "nothing has happened since this console came up",
        PaneId::Topics => "nothing was published on the bus yet",
        PaneId::Subscribers => "nobody subscribes to anything",
        PaneId::Peers => "nobody is connected to the bus",
        PaneId::Drops => "every message reached its subscribers",
        PaneId::Runs => "no run was submitted since the station started",
        PaneId::Plan | PaneId::RunEvents | PaneId::Artifacts => return empty_run_text(pane, model, ui),
        PaneId::Sessions => "no session was begun since the runtime started",
        PaneId::Positions | PaneId::Statements | PaneId::SessionLog => {
            return list::empty_text(pane, model, ui);
        }
        PaneId::SessionHistory => "no session was ever begun on this data folder",
        PaneId::Trace => return trace::pane::empty_text(ui, view, counts(pane, ui, model).1),
        PaneId::RunHistory => "no run was ever submitted on this data folder",
        PaneId::Started | PaneId::Meter => "",
    };
    words.to_owned()
}

/// Why a pane that tells of one run is empty.
fn empty_run_text(pane: PaneId, model: &Model, ui: &Ui) -> String {
    let Some(run) = ui.detail_run(model) else { return "no run is selected".to_owned() };
    if let Some(trouble) = ui.paged_lists.runs.error() {
        return trouble.to_owned();
    }
    let words = match pane {
        PaneId::Plan if ui.run_view(model, run).is_some_and(|view| view.planned == 0) => "it has no nodes",
        PaneId::Plan if ui.paged_lists.runs.is_unknown(run) => "the store has no such run any more",
        PaneId::Plan => "asking the station",
        PaneId::RunEvents => "it told nothing so far",
        _ => "it kept nothing so far",
    };
    words.to_owned()
}

/// Draws a pane.
pub(crate) fn draw(canvas: &mut Canvas<'_>, pane: PaneId, area: Rect, model: &Model, ui: &Ui) {
    let focused = ui.overlays.is_empty() && ui.focus == Focus::Pane(pane);
    let title = title(pane, model, ui, canvas.view);
    let inner = canvas.frame(area, &title, focused);
    draw_filter(canvas, pane, area, (&title, focused), model, ui);
    if let Some((words, role)) =
        title_suffix(pane, model, ui, canvas.view).filter(|_| ui.table_settings(pane).filter().is_none())
    {
        draw_title_suffix(canvas, area, (&title, focused), &words, role);
    }
    let Some(state) = &model.station_state else {
        canvas.put(inner.x + 1, inner.y, inner.width.saturating_sub(1), "starting", Role::Muted);
        return;
    };
    let rows = rows(pane, ui, model);
    let draw = |canvas: &mut Canvas<'_>, more: (bool, bool)| {
        table_of(canvas, pane, inner, (&rows, ui), focused, more)
    };
    let nothing = empty_text(pane, &state.mpp, model, ui, canvas.view);
    match pane {
        PaneId::Started => started::draw(canvas, inner, model, state),
        PaneId::History => paged(canvas, inner, &ui.paged_lists.history, &nothing, &draw),
        PaneId::OtherPack => paged(canvas, inner, &ui.paged_lists.other_pack, &nothing, &draw),
        PaneId::Refunds => paged(canvas, inner, &ui.paged_lists.refunds, &nothing, &draw),
        PaneId::RunHistory => paged(canvas, inner, &ui.paged_lists.run_history, &nothing, &draw),
        PaneId::SessionHistory => paged(canvas, inner, &ui.paged_lists.session_history, &nothing, &draw),
        PaneId::State => paged(canvas, inner, &ui.paged_lists.state, &nothing, &draw),
        PaneId::Trace
            if rows.is_empty() && (trace::pane::is_all_filtered(ui) || counts(pane, ui, model).1 == 0) =>
        {
            let room = inner.width.saturating_sub(1);
            for (line, y) in text::wrap(&nothing, usize::from(room)).iter().zip(inner.y..inner.bottom()) {
                canvas.put(inner.x + 1, y, room, line, Role::Muted);
            }
        }
        _ if rows.is_empty()
            && (ui.table_settings(pane).filter().is_none() || counts(pane, ui, model).1 == 0) =>
        {
            canvas.put(inner.x + 1, inner.y, inner.width.saturating_sub(1), &nothing, Role::Muted);
        }
        _ => draw(canvas, (false, false)),
    }
    if pane == PaneId::Wire {
        wire::pane::mark_instant(canvas, inner, ui);
    }
    if let Some(foot) = (pane == PaneId::Trace && !rows.is_empty())
        .then(|| trace::pane::footer_line(ui, canvas.view, inner.width))
        .flatten()
    {
        canvas.put(
            area.x + 2,
            area.bottom().saturating_sub(1),
            area.width.saturating_sub(4),
            &format!(" {foot} "),
            Role::Muted,
        );
    }
}

fn title(pane: PaneId, model: &Model, ui: &Ui, view: &View) -> String {
    let mpp = model.mpp();
    let with_cut = |cut: u64| {
        if cut > 0 { format!("{}, {cut} older cut", pane.name()) } else { pane.name().to_owned() }
    };
    match pane {
        PaneId::InFlight => match mpp.map_or((0, 0), count_in_flight) {
            (0, 0) => "In flight".to_owned(),
            (flying, 0) => format!("In flight {flying}"),
            (flying, applied) => format!("In flight {flying} + {applied} applied"),
        },
        PaneId::Started => format!("Getting started ({} puts it away)", view.key(Action::Back)),
        PaneId::Log => with_cut(model.journal.evicted),
        PaneId::StationLog => with_cut(model.journal.station_evicted),
        PaneId::AdapterLog => with_cut(model.bridge.lines_cut),
        PaneId::History => with_marks("History".to_owned(), ui),
        PaneId::OtherPack => {
            match mpp.map_or(0, |mpp| mpp.queues.values().map(|queue| queue.other_manifest).sum::<u64>()) {
                0 => with_marks("Other pack".to_owned(), ui),
                rows => with_marks(format!("Other pack {rows}"), ui),
            }
        }
        PaneId::Wire => wire::pane::title(ui, view),
        PaneId::Topics | PaneId::Subscribers | PaneId::Peers | PaneId::Drops => bus_title(pane, model, view),
        PaneId::Runs | PaneId::Plan | PaneId::RunEvents | PaneId::Artifacts => run_title(pane, model, ui),
        PaneId::Sessions | PaneId::Positions | PaneId::Statements | PaneId::SessionLog => {
            list::title(pane, model, ui)
        }
        PaneId::Trace => trace::pane::title(model, ui),
        // They come from the store, which knows nothing of the past.
        PaneId::Refunds | PaneId::State if model.frozen.is_some() => {
            format!("{}, as when time was stopped", pane.name())
        }
        PaneId::Refunds => match ui.paged_lists.refund_count(model) {
            (0, _) => "Refunds".to_owned(),
            (refunds, more) => format!("Refunds {refunds}{}", if more { "+" } else { "" }),
        },
        _ => pane.name().to_owned(),
    }
}

fn run_title(pane: PaneId, model: &Model, ui: &Ui) -> String {
    let name = pane.name();
    let Some(runs) = model.runs() else { return name.to_owned() };
    if pane == PaneId::Runs {
        return match runs.open().count() {
            0 => name.to_owned(),
            open => format!("{name} {open} open"),
        };
    }
    let Some(run) = ui.detail_run(model) else { return name.to_owned() };
    let stored =
        || ui.paged_lists.run_history.rows().iter().find(|row| row.run == run).map(|row| row.name.clone());
    let view = ui.run_view(model, run);
    let of = view.map(|view| view.name.to_string()).or_else(stored).unwrap_or_default();
    let hidden = match view {
        Some(view) if pane == PaneId::Plan => ui.dag_layout_of(view).hidden,
        _ => 0,
    };
    let hidden =
        if hidden > 0 { format!(", {} ways not drawn", format::count(hidden as u64)) } else { String::new() };
    format!("{name} {} {}{hidden}", of, run.short())
}

fn bus_title(pane: PaneId, model: &Model, view: &View) -> String {
    let name = pane.name();
    let Some(rmp) = model.rmp() else { return name.to_owned() };
    let many = |count: usize| format::count(count as u64);
    match pane {
        PaneId::Topics if !rmp.topics.is_empty() => {
            match rmp.totals.topics.saturating_sub(rmp.topics.len() as u64) {
                0 => format!("{name} {}", many(rmp.topics.len())),
                _ => format!("{name} {} of {}", many(rmp.topics.len()), format::count(rmp.totals.topics)),
            }
        }
        PaneId::Subscribers if rmp.totals.keys > 0 => {
            let young = if model.bus.forgets_early(view.now) { ", forgets early" } else { "" };
            let subs = rmp.peers.values().map(|peer| peer.subs.len()).sum();
            format!("{name} {}, dedupe {}{young}", many(subs), format::many(rmp.totals.keys, "key"))
        }
        PaneId::Peers if !rmp.peers.is_empty() => format!("{name} {}", many(rmp.peers.len())),
        PaneId::Drops => match model.bus.dropped_last_minute(view.now) {
            0 => name.to_owned(),
            count => format!("{name} {}/m", format::count(count)),
        },
        _ => name.to_owned(),
    }
}

/// What stands behind a pane's title, for it is the first thing that one looks for: why a run did not
/// succeed, how a session ended.
fn title_suffix(pane: PaneId, model: &Model, ui: &Ui, view: &View) -> Option<(String, Role)> {
    match pane {
        PaneId::Plan => {
            let run = ui.detail_run(model).and_then(|run| ui.run_view(model, run))?;
            run.why.as_deref().map(|why| (why.to_owned(), Role::Bad))
        }
        PaneId::Positions | PaneId::Statements => list::title_suffix(pane, model, ui, view.glyphs),
        _ => None,
    }
}

fn draw_title_suffix(
    canvas: &mut Canvas<'_>,
    area: Rect,
    (title, focused): (&str, bool),
    words: &str,
    role: Role,
) {
    let width = |words: &str| u16::try_from(text::width(words)).unwrap_or(u16::MAX);
    let before = 4 + if focused { width(canvas.view.glyphs.into) + 1 } else { 0 };
    let start = area.x.saturating_add(width(title)).saturating_add(before);
    let room = area.right().saturating_sub(start.saturating_add(2));
    let words = text::visible(text::cut(words, 1_024), canvas.view.glyphs.ascii).into_owned();
    canvas.put_as(start, area.y, room, &format!(" {words} "), role, Class::Payload);
}

/// The filter that is in force, behind the title of its pane; `still`, where one is being written that cannot
/// be read. What it quotes may be what a viewer wrote.
pub(crate) fn draw_filter(
    canvas: &mut Canvas<'_>,
    pane: PaneId,
    area: Rect,
    (title, focused): (&str, bool),
    model: &Model,
    ui: &Ui,
) {
    let Some(filter) = ui.table_settings(pane).filter() else { return };
    let (shown, all) = counts(pane, ui, model);
    let counted = match is_paged(pane) {
        // Its title counts them already.
        _ if pane == PaneId::Wire => " ".to_owned(),
        true => format!(" {shown} "),
        false => format!(" {shown} of {all} "),
    };
    let width = |words: &str| u16::try_from(text::width(words)).unwrap_or(u16::MAX);
    // Behind the frame's corner, the title between two spaces, and the sign of the focus with one more.
    let before = 4 + if focused { width(canvas.view.glyphs.into) + 1 } else { 0 };
    let (start, end) =
        (area.x.saturating_add(width(title)).saturating_add(before), area.right().saturating_sub(1));
    let room = end.saturating_sub(start);
    let is_unread = ui.top::<FilterLine>().is_some_and(|line| line.pane == pane && line.fault.is_some());
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

/// A title, and how many rows are marked: a cancellation takes them all, wherever they are listed.
fn with_marks(title: String, ui: &Ui) -> String {
    title + &ui.marked_rows.title_text().unwrap_or_default()
}
