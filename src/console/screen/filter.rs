//! Filters of panes: written by `/`, made of a cell by `f`.

use crate::console::records;
use std::collections::BTreeSet;

use crossterm::event::KeyEvent;

use super::dispatch::{attempt, show_message, show_message_as};
use crate::{
    console::{
        draw::class::Class,
        input::{
            action::{Action, Effect},
            keymap::KeyScope,
            pane_id::PaneId,
        },
        model::Model,
        overlays::Overlay,
        screen::FilterLine,
        settings::view::View,
        ui::state::{Focus, Ui},
    },
    field::{Record as _, Value},
    filter::{Fault, Filter, complete},
    time::Now,
};

/// Values of a field that are offered at most.
const SEEN_MAX: usize = 50;
/// Rows that are looked through for them.
const LOOKED_MAX: usize = 2_000;

/// The pane whose rows can be filtered now.
fn pane(ui: &Ui) -> Option<PaneId> {
    ui.target_list().filter(|pane| !records::specs(*pane).is_empty())
}

/// The pane that a line would be opened over: from a chip, and from the first steps, the view's first.
fn pane_to_filter(ui: &Ui, model: &Model) -> Option<PaneId> {
    let first = || {
        ui.layout(model)
            .panes
            .into_iter()
            .map(|(pane, _)| pane)
            .find(|pane| !records::specs(*pane).is_empty())
    };
    let is_beside =
        ui.overlays.is_empty() && matches!(ui.focus, Focus::Chips(_) | Focus::Pane(PaneId::Started));
    pane(ui).or_else(|| if is_beside { first() } else { None })
}

/// Why there is nothing to filter, or no cell to filter by.
pub(crate) fn unavailable(action: Action, ui: &Ui, model: &Model) -> Option<String> {
    let pane = if action == Action::Filter { pane_to_filter(ui, model) } else { pane(ui) };
    let Some(pane) = pane else { return Some("rows are filtered in a pane: Tab to one".to_owned()) };
    (action == Action::FilterCell && ui.selected(pane, model).is_none())
        .then(|| "there is nothing here".to_owned())
}

/// Opens the line at the foot of the focused pane.
pub(crate) fn open(ui: &mut Ui, model: &Model) {
    if let Some(pane) = pane_to_filter(ui, model) {
        if ui.overlays.is_empty() {
            ui.focus = Focus::Pane(pane);
        }
        let before = ui.table_settings(pane).filter().cloned();
        ui.overlays.push(Overlay::Filter(Box::new(FilterLine::over(pane, before))));
    }
}

/// Puts a filter in force, or none.
fn apply(ui: &mut Ui, pane: PaneId, filter: Option<Filter>) {
    let filter = filter.filter(|filter| !filter.is_empty());
    let text = filter.as_ref().map(Filter::canonical);
    if let Some(pending) = ui.pending_mut().filter(|_| pane == PaneId::Pending) {
        pending.set_filter(text);
    } else {
        ui.selection_mut(pane).set_filtered(filter.is_some());
        ui.paged_lists.set_filter(pane, text);
    }
    ui.table_settings_mut(pane).set_filter(filter);
}

/// Takes off the filter of the pane that has the focus; whether it had one. The line's history has it still.
pub(crate) fn end(ui: &mut Ui) -> bool {
    let filtered = pane(ui).filter(|pane| ui.table_settings(*pane).filter().is_some());
    if let Some(pane) = filtered {
        apply(ui, pane, None);
    }
    filtered.is_some()
}

/// Reads a filter as the operator's clock has it.
fn read(text: &str, pane: PaneId, view: &View, now: Now) -> Result<Filter, Fault> {
    Filter::parse(text.trim_end(), records::specs(pane)).map(|filter| filter.anchored(now, &view.zone))
}

/// Filters by the chosen cell of the selected row, on top of what is filtered already.
pub(crate) fn by_cell(ui: &mut Ui, model: &Model, view: &View, now: Now) -> Vec<Effect> {
    let Some(pane) = pane(ui) else { return Vec::new() };
    let field = ui
        .table_settings(pane)
        .cell
        .or_else(|| records::visible_columns(pane, ui, ui.columns).first().map(|(field, _)| *field))
        .unwrap_or(0);
    let Some(spec) = records::specs(pane).get(field) else { return Vec::new() };
    let index = ui.selection(pane).map_or(0, crate::console::records::selection::Selection::index);
    let Some(term) =
        records::rows(pane, ui, model).with(index, |row| Filter::term(spec, &row.value(field, now)))
    else {
        return Vec::new();
    };
    let text = Filter::and(ui.table_settings(pane).filter().map_or("", Filter::text), &term);
    if let Ok(filter) = read(&text, pane, view, now) {
        apply(ui, pane, Some(filter));
        return remember(ui, &text);
    }
    // What is wrong with it would quote the cell.
    show_message(ui, "the filter would be too long with this cell: shorten it first".to_owned(), true, now);
    Vec::new()
}

fn remember(ui: &mut Ui, text: &str) -> Vec<Effect> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    ui.filters.push(text.to_owned());
    vec![Effect::RememberFilter(text.to_owned())]
}

fn line(ui: &mut Ui) -> Option<&mut FilterLine> {
    match ui.overlays.last_mut() {
        Some(Overlay::Filter(line)) => Some(line),
        _ => None,
    }
}

/// A key while the line is open.
pub(crate) fn on_key(ui: &mut Ui, model: &Model, view: &View, key: KeyEvent, now: Now) -> Vec<Effect> {
    let Some(action) = view.keymap.lookup(KeyScope::FilterLine, key) else {
        if line(ui).is_some_and(|line| line.input(key)) {
            follow(ui, view, now);
        }
        return Vec::new();
    };
    attempt(ui, model, view, action, now)
}

/// Does what an action means in the line, if it means something there.
pub(crate) fn act(ui: &mut Ui, model: &Model, view: &View, action: Action, now: Now) -> Option<Vec<Effect>> {
    line(ui)?;
    match action {
        Action::Back | Action::Close => close(ui, action == Action::Back),
        Action::Open => return Some(keep(ui, now)),
        Action::NextField | Action::PreviousField => {
            turn(ui, model, if action == Action::NextField { 1 } else { -1 }, now);
            follow(ui, view, now);
        }
        Action::Up | Action::Down => {
            if line(ui).is_some_and(|line| line.is_choosing()) {
                turn(ui, model, if action == Action::Down { 1 } else { -1 }, now);
            } else {
                let history = std::mem::take(&mut ui.filters);
                if let Some(line) = line(ui) {
                    line.recall(action == Action::Up, &history);
                }
                ui.filters = history;
            }
            follow(ui, view, now);
        }
        _ => return None,
    }
    Some(Vec::new())
}

/// Text that is pasted.
pub(crate) fn paste(ui: &mut Ui, view: &View, text: &str, now: Now) {
    if let Some(line) = line(ui) {
        line.paste(text);
        follow(ui, view, now);
    }
}

/// Has the pane show what the line lets through. While it cannot be read, what it said last holds.
fn follow(ui: &mut Ui, view: &View, now: Now) {
    let Some(line) = line(ui) else { return };
    let (pane, read) = (line.pane, read(line.text(), line.pane, view, now));
    line.fault = read.as_ref().err().cloned();
    if let Ok(filter) = read
        && ui.table_settings(pane).filter().map_or("", Filter::text) != filter.text()
    {
        apply(ui, pane, Some(filter));
    }
}

/// Puts away what could be written, or else the line, with the filter that was in force before it.
fn close(ui: &mut Ui, by_steps: bool) {
    if by_steps && line(ui).is_some_and(FilterLine::dismiss_choice) {
        return;
    }
    if let Some(Overlay::Filter(line)) = ui.overlays.pop_if(|top| matches!(top, Overlay::Filter(_))) {
        apply(ui, line.pane, line.before);
    }
}

/// Keeps what is written.
fn keep(ui: &mut Ui, now: Now) -> Vec<Effect> {
    let Some(open) = line(ui) else { return Vec::new() };
    if let Some(fault) = &open.fault {
        // It quotes the line.
        let words = format!("no filter yet: {}", fault.words);
        show_message_as(ui, words, true, Class::Payload, now);
        return Vec::new();
    }
    let text = open.text().trim_end().to_owned();
    ui.overlays.pop();
    remember(ui, &text)
}

/// Writes the next thing that could stand at the cursor.
fn turn(ui: &mut Ui, model: &Model, by: isize, now: Now) {
    let Some(open) = line(ui) else { return };
    if open.is_choosing() {
        open.choose(by);
        return;
    }
    let (pane, text, cursor) = (open.pane, open.text().to_owned(), open.cursor());
    let completion =
        complete(&text, cursor, records::specs(pane), &|field| seen(ui, model, pane, field, now));
    if let Some(line) = line(ui).filter(|_| !completion.candidates.is_empty()) {
        line.offer(completion);
    }
}

/// The values of a field in the rows that are shown, each once.
fn seen(ui: &Ui, model: &Model, pane: PaneId, field: usize, now: Now) -> Vec<String> {
    let rows = records::rows(pane, ui, model);
    let mut values = BTreeSet::new();
    for index in 0..LOOKED_MAX {
        if values.len() >= SEEN_MAX {
            break;
        }
        let value = rows.with(index, |row| match row.value(field, now) {
            Value::Text(text) => Some(text.into_owned()),
            Value::Serial(number) => Some(number.to_string()),
            _ => None,
        });
        match value {
            Some(value) => values.extend(value),
            None => break,
        }
    }
    values.into_iter().collect()
}
