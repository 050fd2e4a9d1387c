//! Searches of panes: rows that fit are marked, and none is hidden.

use ratatui::layout::Rect;

use super::{
    rows::{hit_from, is_of_tap, progress, select},
    state::Ui,
};
use crate::{
    console::{
        draw::{class::Class, format, text, theme::Role},
        input::{action::Action, pane_id::PaneId},
        records::selection::Selection,
        settings::view::Canvas,
        ui::{
            FilterLine, Layer,
            act::{Act, ActContext, Resolved},
            message::show_message,
            pane::PaneContext,
        },
    },
    filter::Filter,
    words,
};

/// Opens the line in which is written what to look for, or goes from hit to hit.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Resolved {
    let pane = cx.ui.target_list().ok_or("no pane focused; Tab moves to one")?;
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
        let words = format!("no search in {} yet; {} starts one", pane.name(), cx.view.key(Action::Find));
        return Err(words.into());
    }
    if let Some(progress) = progress(pane, cx.ui) {
        return Err(format!("{progress} % searched so far").into());
    }
    Ok(Act::change(move |ui, cx| go(ui, pane, action == Action::NextHit, cx)))
}

fn go(ui: &mut Ui, pane: PaneId, forward: bool, cx: &ActContext<'_>) {
    ui.seek = None;
    let Some(hit) = hit_from(ui, cx.model, pane, forward, false) else {
        return show_message(ui, "no row matches the search".to_owned(), true, cx.now);
    };
    select(ui, cx.model, pane, hit.row);
    if hit.is_wrapped {
        let side = if forward { "wrapped to the top" } else { "wrapped to the end" };
        let words = format!("{side}: hit {} of {}", format::count(hit.number), format::count(hit.of));
        show_message(ui, words, false, cx.now);
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

/// Has the rows of a pane tested again: others came than those that were.
pub(crate) fn forget_hits(ui: &mut Ui, pane: PaneId) {
    ui.hits.remove(&pane);
}

/// How many rows of a pane's list are here, where there are more of it.
pub(crate) fn loaded_of_more(pane: PaneId, ui: &Ui) -> Option<usize> {
    let of_layer = |layer: &dyn Layer| layer.list().is_some_and(|(list, _)| list == pane);
    let layer = ui.overlays.iter().rev().find(|layer| of_layer(&***layer)).map(|layer| layer.loaded());
    let list = || ui.paged_lists.list(pane).map(|list| (list.count(), list.more()));
    layer.or_else(list).filter(|(_, more)| *more != (false, false)).map(|(count, _)| count)
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
    match loaded_of_more(pane, ui) {
        Some(count) => format!("{hits} of {} loaded", format::grouped(count as u64)),
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
