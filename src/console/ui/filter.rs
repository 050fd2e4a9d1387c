//! Filters of panes: written by `/`, made of a cell by `f`. The line of a search is written as theirs.

use std::collections::BTreeSet;

use crossterm::event::KeyEvent;

use crate::{
    console::{
        draw::class::Class,
        input::{action::Action, keymap::KeyScope, pane_id::PaneId},
        model::Model,
        records::ManualPlace,
        settings::view::{Canvas, View},
        ui,
        ui::{
            FilterLine, Layer, Purpose, Reaction, Scene, Target,
            act::{Act, ActContext, Resolved, act_if},
            effect::Effect,
            layout::Layout,
            message::{show_message, show_message_as},
            pane::PaneContext,
            search,
            state::{Focus, Ui},
        },
    },
    field::Value,
    filter::{Fault, Filter, complete},
    time::Now,
};

/// Values of a field that are offered at most.
const SEEN_MAX: usize = 50;
/// Rows that are looked through for them.
const LOOKED_MAX: usize = 2_000;

/// The pane whose rows can be filtered now.
fn pane(ui: &Ui) -> Option<PaneId> {
    ui.target_list().filter(|pane| !ui::specs(*pane).is_empty())
}

/// The pane that a line would be opened over: from a chip, and from the first steps, the view's first.
fn pane_to_filter(ui: &Ui, model: &Model) -> Option<PaneId> {
    let first =
        || ui.layout(model).panes.into_iter().map(|(pane, _)| pane).find(|pane| !ui::specs(*pane).is_empty());
    let is_beside = ui.overlays.is_empty()
        && match ui.focus {
            Focus::Chips(_) => true,
            Focus::Pane(pane) => !pane.pane().has_rows(),
        };
    pane(ui).or_else(|| if is_beside { first() } else { None })
}

/// Opens the line at the foot of the focused pane, filters by a cell, or takes the shipped filter off or on.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Resolved {
    if action == Action::ShippedFilter {
        return toggle_shipped(cx);
    }
    let PaneContext { model, ui, .. } = *cx;
    let pane = if action == Action::Filter { pane_to_filter(ui, model) } else { pane(ui) };
    let pane = pane.ok_or("no pane focused; Tab moves to one")?;
    if action == Action::Filter {
        return Ok(Act::change(move |ui, _| {
            if ui.overlays.is_empty() {
                ui.focus = Focus::Pane(pane);
            }
            let before = ui.table_settings(pane).filter().cloned();
            ui.push(FilterLine::over(pane, before));
        }));
    }
    act_if(
        ui.selected(pane, model).is_some(),
        || Act::effects(move |ui, cx| by_cell(ui, pane, cx)),
        "nothing here",
    )
}

/// Puts a filter in force, or none.
pub(super) fn apply(ui: &mut Ui, pane: PaneId, filter: Option<Filter>) {
    let filter = filter.filter(|filter| !filter.is_empty());
    let text = filter.as_ref().map(Filter::canonical);
    let is_it = |layer: &&mut Box<dyn Layer>| layer.list().is_some_and(|(list, _)| list == pane);
    if let Some(layer) = ui.overlays.iter_mut().rev().find(is_it) {
        layer.set_filter(text);
    } else {
        ui.selection_mut(pane).set_filtered(filter.is_some());
        ui.paged_lists.set_filter(pane, text);
    }
    ui.table_settings_mut(pane).set_filter(filter);
}

/// Takes the operator's filter off the pane that has the focus; whether it had one. The filter that the pane
/// begins with stays as it is, and the line's history has the other still.
pub(crate) fn end(ui: &mut Ui) -> bool {
    let Some(pane) = pane(ui) else { return false };
    let text = text(ui, pane);
    let shipped = pane.pane().filter.filter(|shipped| Filter::has_term(text, shipped));
    if text == shipped.unwrap_or_default() {
        return false;
    }
    apply(ui, pane, shipped.and_then(|shipped| Filter::parse(shipped, ui::specs(pane)).ok()));
    true
}

/// Takes every filter off the pane that has the focus.
pub(crate) fn clear(ui: &mut Ui) {
    if let Some(pane) = pane(ui) {
        apply(ui, pane, None);
    }
}

/// The text of the filter in force.
fn text(ui: &Ui, pane: PaneId) -> &str {
    ui.table_settings(pane).filter().map_or("", Filter::text)
}

/// Takes the filter that the pane begins with off, or puts it on again; the operator's own stays.
fn toggle_shipped(cx: &PaneContext<'_>) -> Resolved {
    let shipped = pane(cx.ui).and_then(|pane| Some((pane, pane.pane().filter?)));
    let (pane, shipped) = shipped.ok_or("this pane has no default filter")?;
    Ok(Act::effects(move |ui, cx| {
        let before = text(ui, pane);
        let after = if Filter::has_term(before, shipped) {
            Filter::without(before, shipped)
        } else {
            Filter::and(before, shipped)
        };
        match read(&after, pane, cx.view, cx.now) {
            Ok(filter) => apply(ui, pane, Some(filter)),
            Err(_) => show_message(ui, "the filter would be too long".to_owned(), true, cx.now),
        }
        Vec::new()
    }))
}

/// Reads a filter as the operator's clock has it.
pub(super) fn read(text: &str, pane: PaneId, view: &View, now: Now) -> Result<Filter, Fault> {
    Filter::parse(text.trim_end(), ui::specs(pane)).map(|filter| filter.anchored(now, &view.zone))
}

/// Filters by the chosen cell of the selected row, on top of what is filtered already.
fn by_cell(ui: &mut Ui, pane: PaneId, cx: &ActContext<'_>) -> Vec<Effect> {
    let ActContext { model, view, now, .. } = *cx;
    let field = ui
        .table_settings(pane)
        .cell
        .or_else(|| ui::visible_columns(pane, ui, ui.columns).first().map(|(field, _)| *field))
        .unwrap_or(0);
    let Some(spec) = ui::specs(pane).get(field) else { return Vec::new() };
    let index = ui.selection(pane).map_or(0, crate::console::records::selection::Selection::index);
    let Some(term) = ui::rows(pane, ui, model).with(index, |row| Filter::term(spec, &row.value(field, now)))
    else {
        return Vec::new();
    };
    let text = Filter::and(self::text(ui, pane), &term);
    if let Ok(filter) = read(&text, pane, view, now) {
        apply(ui, pane, Some(filter));
        return remember(ui, &text);
    }
    // What is wrong with it would quote the cell.
    show_message(ui, "the filter would be too long with this cell; shorten it first".to_owned(), true, now);
    Vec::new()
}

fn remember(ui: &mut Ui, text: &str) -> Vec<Effect> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    ui.filters.push(text.to_owned());
    vec![Effect::RememberFilter(text.to_owned())]
}

impl Layer for FilterLine {
    fn key_scope(&self) -> KeyScope {
        match self.purpose {
            Purpose::Filter => KeyScope::FilterLine,
            Purpose::Search(_) => KeyScope::SearchLine,
        }
    }

    /// The language; the fields of the pane, where one is named that it does not have.
    fn manual_place(&self, _cx: &PaneContext<'_>) -> ManualPlace {
        match &self.fault {
            Some(fault) if fault.is_about_field => ManualPlace::at("columns", [self.pane.name()]),
            _ => ManualPlace::page("filter"),
        }
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        let Scene { body, model, ui, .. } = *scene;
        let layout = ui.layout(model);
        let area = layout.panes.iter().find(|(pane, _)| *pane == self.pane).map(|(_, area)| *area);
        if let Some(area) = if self.pane == PaneId::Pending { Some(body) } else { area } {
            let found = match (&self.purpose, ui::counts(self.pane, ui, model)) {
                (Purpose::Search(_), _) => search::counted(self.pane, ui),
                (Purpose::Filter, (shown, _)) if ui::is_paged(self.pane) => format!("{shown} so far"),
                (Purpose::Filter, (shown, all)) => format!("{shown} of {all}"),
            };
            self.draw(canvas, area, &found);
        }
    }

    fn reconcile(&mut self, _layout: &Layout, _model: &Model, _ui: &Ui) {}

    fn step(&mut self, _by: isize, _model: &Model) {}

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Nothing
    }

    fn act(&self, action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
        let by = if matches!(action, Action::NextField | Action::Down) { 1 } else { -1 };
        let change: fn(&mut Self, &mut Ui, &Model, isize) = match action {
            Action::Open => return Some(Ok(keep(self))),
            Action::NextHit | Action::PreviousHit => return Some(search::step(action, self.pane, cx)),
            Action::Back if self.is_choosing() => {
                return Some(Ok(Act::layer(|line: &mut Self, _, _| line.dismiss_choice())));
            }
            Action::NextField | Action::PreviousField => turn,
            Action::Up | Action::Down if self.is_choosing() => |line, _, _, by| line.choose(by),
            Action::Up | Action::Down => |line, ui, _, by| line.recall(by < 0, &ui.filters),
            _ => return None,
        };
        Some(Ok(Act::layer(move |line, ui, cx| {
            change(line, ui, cx.model, by);
            follow(line, ui, cx.view);
        })))
    }

    /// What was in force before is so again.
    fn leave(self: Box<Self>, ui: &mut Ui) -> Vec<Effect> {
        match self.purpose {
            Purpose::Filter => apply(ui, self.pane, self.before),
            Purpose::Search(from) => search::restore(ui, self.pane, self.before, from),
        }
        Vec::new()
    }

    fn on_key(&mut self, key: KeyEvent, ui: &mut Ui, view: &View) -> Reaction {
        if view.keymap.lookup(self.key_scope(), key).is_some() {
            return Reaction::Ignored;
        }
        if self.input(key) {
            follow(self, ui, view);
        }
        Reaction::Consumed(Vec::new())
    }

    fn on_paste(&mut self, text: &str, ui: &mut Ui, view: &View) {
        self.paste(text);
        follow(self, ui, view);
    }
}

/// Puts what is written in force, or nothing.
fn put(line: &FilterLine, ui: &mut Ui, filter: Option<Filter>) {
    match &line.purpose {
        Purpose::Filter => apply(ui, line.pane, filter),
        Purpose::Search(from) => search::put(ui, line.pane, filter, from.clone()),
    }
}

/// Has the pane show what the line lets through, or looks for. While it cannot be read, what it said last
/// holds.
fn follow(line: &mut FilterLine, ui: &mut Ui, view: &View) {
    let (pane, read) = (line.pane, read(line.text(), line.pane, view, ui.at));
    line.fault = read.as_ref().err().cloned();
    let settings = ui.table_settings(pane);
    let known = match line.purpose {
        Purpose::Filter => settings.filter(),
        Purpose::Search(_) => settings.search(),
    };
    if let Ok(filter) = read
        && known.map_or("", Filter::text) != filter.text()
    {
        put(line, ui, Some(filter));
    }
}

/// Keeps what is written.
fn keep(line: &FilterLine) -> Act {
    let Some(fault) = &line.fault else {
        return Act::close(|line: FilterLine, ui, _| {
            if line.text().trim().is_empty() {
                put(&line, ui, None);
            }
            remember(ui, line.text().trim_end())
        });
    };
    // It quotes the line.
    let nothing = if matches!(line.purpose, Purpose::Filter) { "no filter yet" } else { "no search yet" };
    let words = format!("{nothing}: {}", fault.words);
    Act::change(|ui, _| show_message_as(ui, words, true, Class::Payload, ui.at))
}

/// Writes the next thing that could stand at the cursor.
fn turn(line: &mut FilterLine, ui: &mut Ui, model: &Model, by: isize) {
    if line.is_choosing() {
        line.choose(by);
        return;
    }
    let pane = line.pane;
    let completion =
        complete(line.text(), line.cursor(), ui::specs(pane), &|field| seen(ui, model, pane, field, ui.at));
    if !completion.candidates.is_empty() {
        line.offer(completion);
    }
}

/// The values of a field in the rows that are shown, each once.
fn seen(ui: &Ui, model: &Model, pane: PaneId, field: usize, now: Now) -> Vec<String> {
    let rows = ui::rows(pane, ui, model);
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
