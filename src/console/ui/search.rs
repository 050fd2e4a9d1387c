//! Searches of panes: rows that fit are marked, and none is hidden.

use ratatui::layout::Rect;

use super::{
    rows::{Stamp, stamp},
    state::{Focus, Ui},
};
use crate::{
    console::{
        draw::{class::Class, format, text, theme::Role},
        input::{action::Action, pane_id::PaneId},
        model::Model,
        records::{
            Rows,
            selection::{RowKeys as _, Selection},
            table,
            table_settings::TableSettings,
        },
        settings::view::Canvas,
        ui,
        ui::{
            FilterLine,
            act::{Act, ActContext, Resolved},
            message::show_message,
            pane::{PaneContext, Source},
        },
    },
    filter::Filter,
    words,
};

/// The rows of a pane that fit its search, from the top.
#[derive(Debug)]
pub(crate) struct Hits {
    stamp: Stamp,
    rows: Vec<usize>,
}

/// Opens the line in which is written what to look for, or goes from hit to hit.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Resolved {
    let pane = match (cx.ui.overlays.last(), cx.ui.focus) {
        (None, Focus::Pane(pane)) if pane.pane().has_rows() => pane,
        _ => return Err("rows are looked for in a pane: Tab to one".into()),
    };
    if action != Action::Find {
        return step(action, pane, cx);
    }
    Ok(Act::change(move |ui, _| {
        let before = ui.table_settings(pane).search().cloned();
        let from = ui.selection(pane).cloned().unwrap_or_default();
        ui.push(FilterLine::searching(pane, before, from));
    }))
}

/// Goes to the next hit of a pane, or to the one before.
pub(crate) fn step(action: Action, pane: PaneId, cx: &PaneContext<'_>) -> Resolved {
    if cx.ui.table_settings(pane).search().is_none() {
        let words = format!("nothing is looked for in {} yet: {}", pane.name(), cx.view.key(Action::Find));
        return Err(words.into());
    }
    if let Some(progress) = progress(pane, cx.ui) {
        return Err(format!("{progress} % are searched yet").into());
    }
    Ok(Act::change(move |ui, cx| go(ui, pane, action == Action::NextHit, cx)))
}

fn go(ui: &mut Ui, pane: PaneId, forward: bool, cx: &ActContext<'_>) {
    ui.seek = None;
    let Some(hit) = hit_from(ui, cx.model, pane, forward, false) else {
        return show_message(ui, "no row fits the search".to_owned(), true, cx.now);
    };
    select(ui, cx.model, pane, hit.row);
    if hit.is_wrapped {
        let side = if forward { "from the top again" } else { "from the end again" };
        let words = format!("{side}: hit {} of {}", format::count(hit.number), format::count(hit.of));
        show_message(ui, words, false, cx.now);
    }
}

/// A row that fits, and which of all it is.
struct Hit {
    row: usize,
    number: u64,
    of: u64,
    /// Whether it lies on the other side of where was looked from.
    is_wrapped: bool,
}

/// The hit nearest to the selected row in a direction, or at it.
fn hit_from(ui: &Ui, model: &Model, pane: PaneId, forward: bool, may_stay: bool) -> Option<Hit> {
    let from = ui.selection(pane).map_or(0, Selection::index);
    let kept = ui.time.entries();
    let found = if is_of_tap(pane) { Vec::new() } else { found(ui, model, pane) };
    let (of, at, is_here) = if is_of_tap(pane) {
        let index = ui.wire.index(from, kept).unwrap_or(kept.end());
        let at = ui.wire_hits.row_from(index, kept);
        (ui.wire_hits.len(kept), at, ui.wire_hits.index(at, kept) == Some(index))
    } else {
        let at = found.partition_point(|row| *row < from);
        (found.len(), at, found.get(at) == Some(&from))
    };
    let last = of.checked_sub(1)?;
    let wanted = match (is_here, forward) {
        (true, _) if may_stay => Some(at),
        (_, true) => Some(at + usize::from(is_here)).filter(|at| *at < of),
        (_, false) => at.checked_sub(1),
    };
    let hit = wanted.unwrap_or(if forward { 0 } else { last });
    let row = if is_of_tap(pane) {
        ui.wire.row_from(ui.wire_hits.index(hit, kept)?, kept)
    } else {
        *found.get(hit)?
    };
    Some(Hit { row, number: hit as u64 + 1, of: of as u64, is_wrapped: wanted.is_none() })
}

fn select(ui: &mut Ui, model: &Model, pane: PaneId, row: usize) {
    let height = table::list_height(ui.layout(model).area_of(pane));
    ui.select_in(pane, model, |selection, keys| selection.select(row, keys, height));
}

/// Whether a pane's rows are of the tap: so many that they are tested a part at a time.
fn is_of_tap(pane: PaneId) -> bool {
    matches!(pane.pane().source, Source::Tap { .. })
}

/// What is looked for in the Wire, of what is shown there.
pub(crate) fn of_wire(settings: &std::collections::BTreeMap<PaneId, TableSettings>) -> Option<Filter> {
    let settings = settings.get(&PaneId::Wire)?;
    let search = settings.search()?;
    Some(settings.filter().map_or_else(|| search.clone(), |filter| filter.both(search)))
}

/// The rows that fit, from the top.
fn found(ui: &Ui, model: &Model, pane: PaneId) -> Vec<usize> {
    let stamp = stamp(ui, model, ui.table_settings(pane));
    if let Some(known) = ui.hits.get(&pane).filter(|known| known.stamp == stamp) {
        return known.rows.clone();
    }
    let rows = ui::rows(pane, ui, model);
    (0..rows.len()).filter(|row| is_hit(pane, ui, &rows, *row)).collect()
}

/// Whether a row fits what is looked for in its pane.
pub(crate) fn is_hit(pane: PaneId, ui: &Ui, rows: &Rows<'_>, row: usize) -> bool {
    let search = ui.table_settings(pane).search();
    search.is_some_and(|search| rows.with(row, |row| search.admits(row, ui.moment())) == Some(true))
}

/// Settles which rows of a pane fit, and selects the first of them where that is still to be done. Its rows
/// and its selection are settled.
pub(crate) fn settle(ui: &mut Ui, model: &Model, pane: PaneId) {
    if ui.table_settings(pane).search().is_none() {
        ui.hits.remove(&pane);
        return;
    }
    if !is_of_tap(pane) {
        let (rows, stamp) = (found(ui, model, pane), stamp(ui, model, ui.table_settings(pane)));
        ui.hits.insert(pane, Hits { stamp, rows });
    }
    if ui.seek == Some(pane) && progress(pane, ui).is_none() {
        ui.seek = None;
        // A list that follows its end is read from there.
        let from_end = ui.selection(pane).is_none_or(Selection::is_untouched)
            && ui::rows(pane, ui, model).follows_its_end();
        if let Some(hit) = hit_from(ui, model, pane, !from_end, true) {
            select(ui, model, pane, hit.row);
        }
    }
}

/// Looks for something from a selection on, or for nothing.
pub(crate) fn put(ui: &mut Ui, pane: PaneId, search: Option<Filter>, from: Selection) {
    let search = search.filter(|search| !search.is_empty());
    ui.seek = search.is_some().then_some(pane);
    ui.table_settings_mut(pane).set_search(search);
    *ui.selection_mut(pane) = from;
}

/// Looks for what was looked for before, with what was selected then.
pub(crate) fn restore(ui: &mut Ui, pane: PaneId, search: Option<Filter>, from: Selection) {
    put(ui, pane, search, from);
    ui.seek = None;
}

/// Takes the search off the pane that has the focus; whether it had one.
pub(crate) fn end(ui: &mut Ui) -> bool {
    let Some(pane) = ui.target_list().filter(|pane| ui.table_settings(*pane).search().is_some()) else {
        return false;
    };
    ui.table_settings_mut(pane).set_search(None);
    true
}

/// How many of a hundred parts were searched, while that goes on.
fn progress(pane: PaneId, ui: &Ui) -> Option<u64> {
    ui.wire_hits.progress(ui.time.entries()).filter(|_| is_of_tap(pane))
}

/// How many rows fit; of a list in pages, of those that are here.
pub(crate) fn counted(pane: PaneId, ui: &Ui) -> String {
    if let Some(progress) = progress(pane, ui) {
        return format!("{progress} % searched");
    }
    let hits = if is_of_tap(pane) {
        ui.wire_hits.len(ui.time.entries())
    } else {
        ui.hits.get(&pane).map_or(0, |hits| hits.rows.len())
    } as u64;
    let hits = words::counted_as(hits, format::grouped(hits), "hit");
    match ui.paged_lists.list(pane).filter(|list| list.more() != (false, false)) {
        Some(list) => format!("{hits} of {} loaded", format::grouped(list.count() as u64)),
        None => hits,
    }
}

/// Draws what is looked for behind the title of its pane; `still`, where a line is being written that cannot
/// be read. What it quotes may be what a viewer wrote. Where the next words begin.
pub(crate) fn draw(canvas: &mut Canvas<'_>, pane: PaneId, area: Rect, start: u16, ui: &Ui) -> u16 {
    let Some(search) = ui.table_settings(pane).search() else { return start };
    let width = |words: &str| u16::try_from(text::width(words)).unwrap_or(u16::MAX);
    let counted = format!(" ({}) ", counted(pane, ui));
    let room = area.right().saturating_sub(1).saturating_sub(start);
    let is_unread = ui.top::<FilterLine>().is_some_and(|line| line.is_unread(pane, true));
    let (still, role) = if is_unread { ("still ", Role::Warn) } else { ("", Role::Accent) };
    let classes = [Class::Login, Class::Payload].into_iter().filter(|class| search.quotes(*class));
    let class = canvas.view.mask_policy.strictest(classes);
    let label = format!("{still}find: ");
    let label = canvas.put(start, area.y, room, &label, role);
    let left = room.saturating_sub(label + width(&counted));
    let used = label + canvas.put_as(start + label, area.y, left, search.text(), role, class);
    start + used + canvas.put(start + used, area.y, room - used, &counted, role)
}
