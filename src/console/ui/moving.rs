//! Moving about: focus, selection, layers, pages.

use crate::console::{
    input::{action::Action, keymap::KeyScope, pane_id::PaneId},
    model::Model,
    records::table,
    ui,
    ui::{
        effect::Effect,
        filter,
        rows::column_fields,
        search,
        state::{Focus, Ui},
        system::System,
    },
};

/// Moves the focus or the selection.
pub(crate) fn go(ui: &mut Ui, model: &Model, action: Action) {
    let layout = ui.layout(model);
    let stops: Vec<Focus> =
        layout.panes.iter().map(|(pane, _)| Focus::Pane(*pane)).chain([Focus::Chips(0)]).collect();
    let here = stops.iter().position(|stop| {
        std::mem::discriminant(stop) == std::mem::discriminant(&ui.focus) && same(*stop, ui.focus)
    });
    let at = here.unwrap_or(0);
    if go_in_layer(ui, model, action) {
        return;
    }
    match action {
        Action::FocusNext => ui.focus = stops[(at + 1) % stops.len()],
        Action::FocusPrevious => ui.focus = stops[(at + stops.len() - 1) % stops.len()],
        _ => match (ui.overlays.is_empty(), ui.focus) {
            (false, _) => {}
            (true, Focus::Chips(chip)) => go_in_chips(ui, model, chip, action),
            (true, Focus::Pane(pane)) => go_in_pane(ui, model, pane, action),
        },
    }
}

fn same(stop: Focus, focus: Focus) -> bool {
    matches!((stop, focus), (Focus::Chips(_), Focus::Chips(_))) || stop == focus
}

fn go_in_chips(ui: &mut Ui, model: &Model, chip: usize, action: Action) {
    let layout = ui.layout(model);
    let last = layout.chips().len().saturating_sub(1);
    match action {
        Action::Left => ui.focus = Focus::Chips(chip.saturating_sub(1)),
        Action::Right => ui.focus = Focus::Chips((chip + 1).min(last)),
        Action::Down => {
            if let Some((pane, _)) = layout.panes.first() {
                ui.focus = Focus::Pane(*pane);
            }
        }
        _ => {}
    }
}

fn go_in_pane(ui: &mut Ui, model: &Model, pane: PaneId, action: Action) {
    let layout = ui.layout(model);
    let Some((_, area)) = layout.panes.iter().find(|(known, _)| *known == pane).copied() else { return };
    let height = table::list_height(area);
    match action {
        Action::Left | Action::Right if go_in_row(ui, model, pane, action) => {}
        Action::Left => {
            leave(ui, model, pane, action, |from, to| to.right() <= from.x && shared_rows(from, to) > 0);
        }
        Action::Right => {
            leave(ui, model, pane, action, |from, to| to.x >= from.right() && shared_rows(from, to) > 0);
        }
        Action::First if ui.paged_lists.restart(pane) => {}
        _ => ui.select_in(pane, model, |selection, keys| {
            selection.step(rows(action, height, keys.len()), keys, height);
        }),
    }
}

/// Chooses the next cell of the selected row; whether there is one. Without a chosen cell, the way to the
/// right begins at the first.
fn go_in_row(ui: &mut Ui, model: &Model, pane: PaneId, action: Action) -> bool {
    let fields = column_fields(ui, model, pane);
    let at = ui.table_settings(pane).cell.and_then(|cell| fields.iter().position(|field| *field == cell));
    let next = match (at, action) {
        (Some(at), Action::Right) => Some(at + 1),
        (Some(at), _) => at.checked_sub(1),
        (None, Action::Right) => Some(0),
        (None, _) => None,
    };
    let next =
        next.and_then(|next| fields.get(next).copied()).filter(|_| !ui::rows(pane, ui, model).is_empty());
    if next.is_some() {
        ui.table_settings_mut(pane).cell = next;
    }
    next.is_some()
}

/// Goes to the pane on a side. Where a cell was chosen, so is the next one: the first of the pane on the
/// right, the last of that on the left.
fn leave(
    ui: &mut Ui,
    model: &Model,
    pane: PaneId,
    action: Action,
    lies: impl Fn(ratatui::layout::Rect, ratatui::layout::Rect) -> bool,
) {
    let focus = neighbour(ui, model, lies);
    let Focus::Pane(next) = focus else { return };
    if next != pane && ui.table_settings(pane).cell.is_some() {
        let fields = column_fields(ui, model, next);
        ui.table_settings_mut(next).cell =
            if action == Action::Right { fields.first().copied() } else { fields.last().copied() };
    }
    ui.focus = focus;
}

/// The lines that two areas have in common.
fn shared_rows(one: ratatui::layout::Rect, other: ratatui::layout::Rect) -> u16 {
    one.bottom().min(other.bottom()).saturating_sub(one.y.max(other.y))
}

/// The nearest pane on a side, of those the one with the most lines in common, or the focus as it is.
fn neighbour(
    ui: &Ui,
    model: &Model,
    lies: impl Fn(ratatui::layout::Rect, ratatui::layout::Rect) -> bool,
) -> Focus {
    let layout = ui.layout(model);
    let from = layout.panes.iter().find(|(pane, _)| ui.focus == Focus::Pane(*pane)).map(|(_, area)| *area);
    from.and_then(|from| {
        let nearness =
            |to: ratatui::layout::Rect| (from.x.abs_diff(to.x), std::cmp::Reverse(shared_rows(from, to)));
        layout.panes.iter().filter(|(_, to)| lies(from, *to)).min_by_key(|(_, to)| nearness(*to))
    })
    .map_or(ui.focus, |(pane, _)| Focus::Pane(*pane))
}

/// Moves about in the topmost layer; whether the action was taken there.
fn go_in_layer(ui: &mut Ui, model: &Model, action: Action) -> bool {
    let list = ui.overlays.last().and_then(|layer| layer.list()).map(|(list, _)| list);
    if let Some(list) = list.filter(|_| matches!(action, Action::Left | Action::Right)) {
        go_in_row(ui, model, list, action);
        return true;
    }
    let page = usize::from(ui.rows.saturating_sub(8)).max(1);
    ui.overlays.last_mut().is_some_and(|layer| layer.navigate(action, page, model))
}

fn rows(action: Action, page: usize, all: usize) -> isize {
    let page = isize::try_from(page).unwrap_or(isize::MAX);
    let all = isize::try_from(all).unwrap_or(isize::MAX);
    match action {
        Action::Up => -1,
        Action::Down => 1,
        Action::PageUp => -page,
        Action::PageDown => page,
        Action::First => -all,
        Action::Last => all,
        _ => 0,
    }
}

/// One layer back: the marks, the search, the filter, a layer, what is wrong with the configuration, the
/// zoom, the first steps.
pub(crate) fn back(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    let has_list = ui.overlays.last().is_none_or(|layer| layer.list().is_some());
    if has_list
        && (System::all().iter().any(|system| (system.unmark)(&mut ui.systems))
            || search::end(ui)
            || filter::end(ui))
    {
        return Vec::new();
    }
    if let Some(effects) = ui.leave_top() {
        return effects;
    }
    if !std::mem::take(&mut ui.faults).is_empty() {
        return Vec::new();
    }
    if ui.zoomed.take().is_some() {
        return Vec::new();
    }
    for system in System::all() {
        (system.dismiss)(ui, model);
    }
    Vec::new()
}

/// Gives the focused pane the whole body, or puts it back.
pub(crate) fn zoom(ui: &mut Ui) {
    if let Focus::Pane(pane) = ui.focus {
        ui.zoomed = if ui.zoomed.is_some() { None } else { Some(pane) };
    }
}

/// The page that the list with the keys has come near to; a line that is written over it does not hide it.
pub(crate) fn next_page(ui: &mut Ui) -> Option<Effect> {
    let layers = ui.overlays.iter_mut().rev();
    let is_line = |scope| matches!(scope, KeyScope::FilterLine | KeyScope::SearchLine);
    layers.into_iter().find(|layer| !is_line(layer.key_scope()))?.next_page()
}
