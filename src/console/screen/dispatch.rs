//! Sends each event where it belongs.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::{
    frame,
    resolve::{MASKED, resolve},
};
use crate::{
    console::{
        input::{action::Action, keymap::NamedFilter, pane_id::PaneId, view_id::ViewId},
        inspect,
        model::Model,
        overlays::{Dialog, output},
        records::table,
        screen,
        screen::{columns, palette, time_bar, time_travel},
        settings::{config_watcher::Fault, view::View},
        ui,
        ui::{
            Reaction,
            act::{Act, ActContext},
            effect::Effect,
            event::Event,
            layout,
            message::{show_message, show_message_as},
            moving, named_filters,
            pane::PaneContext,
            places,
            state::{Focus, Ui},
            system::System,
        },
        workbench,
    },
    tap::entry::station::Level,
    time::{Mono, Now},
};

/// Lets one event have its effect.
///
/// While time is stopped the past is what is moved about in; what acts is held against `live`.
pub(crate) fn update(ui: &mut Ui, live: &Model, view: &View, event: Event, now: Now) -> Vec<Effect> {
    ui.at = now;
    let past = ui.time.visible_model();
    let model = past.as_deref().unwrap_or(live);
    // Data comes in slices, many for one painted screen, and painting settles too.
    let is_input = !matches!(event, Event::Data);
    if is_input {
        ui.reconcile_visible(live);
        ui.pin_dwelt(model, now.mono);
    }
    let is_tick = matches!(event, Event::Tick);
    let left =
        if matches!(event, Event::Key { .. } | Event::Mouse(_)) { places::present(ui, model) } else { None };
    if matches!(event, Event::Key { .. } | Event::Mouse(_)) {
        ui.awaited = None;
    } else if is_tick {
        time_travel::arrive(ui, live);
    }
    let mut effects = on_event(ui, model, live, view, event, now);
    // The event may have stopped time, or moved it.
    drop(past);
    let past = ui.time.visible_model();
    let model = past.as_deref().unwrap_or(live);
    if left.is_some() {
        let present = places::present(ui, model);
        ui.places.note(left, present.as_ref());
    }
    let cx = ActContext { model, live, view, now };
    for system in System::all() {
        effects.extend((system.after_event)(ui, &cx, is_tick));
    }
    effects.extend(workbench::follow(ui, &cx, is_tick));
    if is_input {
        ui.reconcile_visible(live);
    }
    effects.extend(is_input.then(|| columns::keep(ui)).flatten());
    effects.extend(moving::next_page(ui));
    if !layout::too_small(ui.columns, ui.rows) {
        let layout = ui.layout(model);
        effects.extend(ui.paged_lists.next(&layout, model, past.is_some(), now.mono));
        effects
            .extend(System::all().iter().flat_map(|system| (system.queries)(ui, &layout, model, now.mono)));
    }
    effects
}

/// What an event itself does. `model` is the moment that is shown.
fn on_event(ui: &mut Ui, model: &Model, live: &Model, view: &View, event: Event, now: Now) -> Vec<Effect> {
    let is_stopped = ui.time.is_stopped();
    match event {
        Event::Key { key, at } if key.kind != KeyEventKind::Release => on_key(ui, live, view, key, at, now),
        Event::Paste(text) if ui.palette.is_some() => {
            palette::paste(ui, view, &text);
            Vec::new()
        }
        Event::Paste(text) => {
            ui.paste_to_top(&text, view);
            Vec::new()
        }
        Event::Mouse(mouse) => on_mouse(ui, model, live, view, mouse, now),
        Event::Resize { columns, rows } => {
            (ui.columns, ui.rows) = (columns, rows);
            Vec::new()
        }
        Event::Tick => {
            if ui.message.as_ref().is_some_and(|message| message.until <= now.mono) {
                ui.message = None;
            }
            ui.wire.retest_aged(ui.time.entries(), ui.moment());
            ui.wire_hits.retest_aged(ui.time.entries(), ui.moment());
            let layers = ui.overlays.iter_mut().filter(|_| !is_stopped);
            layers.filter_map(|layer| layer.refresh(model)).collect()
        }
        Event::Key { .. } | Event::Data => Vec::new(),
        Event::CommandAnswered { on_outcome, outcome } => on_outcome.on_outcome(ui, outcome, now),
        Event::Reloaded { faults, later, on_air } => {
            on_reloaded(ui, faults, &later, now);
            if let Some(words) = on_air.and_then(|on_air| on_air_text(on_air, view)) {
                show_message(ui, words, false, now);
            }
            Vec::new()
        }
        Event::QueryAnswered { on_page, page } => {
            on_page.on_page(ui, page, now);
            Vec::new()
        }
        Event::Decoded { number, tree } => {
            inspect::actions::decoded(ui, number, tree);
            Vec::new()
        }
        Event::ObjectRead { on_tree, tree } => {
            on_tree.on_tree(ui, tree);
            Vec::new()
        }
        Event::Frame { number, answer } => {
            workbench::on_frame(ui, number, answer);
            Vec::new()
        }
        Event::Opening(answer) => answer.map_or_else(Vec::new, |answer| answer.apply(ui, now)),
        Event::Snippets(answer) => {
            workbench::on_snippets(ui, answer, now);
            Vec::new()
        }
        Event::Exported(written) => {
            let is_error = written.is_err();
            let (Ok(text) | Err(text)) = written;
            show_message(ui, text, is_error, now);
            Vec::new()
        }
        Event::SubcommandEnded { number, ran } => {
            output::on_subcommand_ended(ui, number, &ran);
            Vec::new()
        }
    }
}

/// A fault stays on the screen; that all is well is said once.
fn on_reloaded(ui: &mut Ui, faults: Vec<Fault>, later: &[String], now: Now) {
    let is_mended = faults.is_empty() && !ui.faults.is_empty();
    let is_new = !faults.is_empty() && faults != ui.faults;
    ui.faults = faults;
    if is_new {
        // What was said before would cover it.
        ui.message = None;
    } else if !later.is_empty() {
        show_message(ui, format!("{}: takes effect at the next start", later.join(", ")), false, now);
    } else if is_mended {
        show_message(ui, "configuration reloaded".to_owned(), false, now);
    }
}

/// The message when the files say something else of being on air. Only a person unmasks a running show.
fn on_air_text(on_air: bool, view: &View) -> Option<String> {
    let key = view.key(Action::OnAir);
    if on_air {
        return Some(format!("on air by the configuration: {MASKED} are masked until {key}"));
    }
    view.mask_policy
        .is_on()
        .then(|| format!("console.on_air = false takes effect at the next start; masked until {key}"))
}

/// Debug builds fail on F12, so that what a fault of ours does to a terminal can be tried on the real thing.
#[cfg(debug_assertions)]
fn fail_on_demand(key: KeyEvent) {
    assert!(key.code != crossterm::event::KeyCode::F(12), "F12 was pressed in a debug build");
}

fn on_key(ui: &mut Ui, live: &Model, view: &View, key: KeyEvent, typed_at: Mono, now: Now) -> Vec<Effect> {
    #[cfg(debug_assertions)]
    fail_on_demand(key);
    if ui.overlays.last().is_some_and(|layer| !layer.accepts(typed_at)) {
        return Vec::new();
    }
    if ui.palette.is_none()
        && !layout::too_small(ui.columns, ui.rows)
        && let Reaction::Consumed(effects) = ui.key_to_top(key, view)
    {
        // What was wrong before this key may be mended by it: the layer itself says what still is.
        ui.message.take_if(|message| message.level >= Level::Error);
        return effects;
    }
    if ui.palette.is_some() && !layout::too_small(ui.columns, ui.rows) {
        let choice = palette::on_key(ui, live, view, key, now);
        return after_palette(ui, live, view, choice, now);
    }
    let Some(action) = view.keymap.lookup(ui.key_scope(), key) else {
        if let Some(filter) = view.keymap.filter_of(ui.key_scope(), key) {
            open_filter(ui, live, view, filter, now);
            return Vec::new();
        }
        if let KeyCode::Char(digit @ '0'..='9') = key.code
            && ui.overlays.is_empty()
        {
            let views =
                ViewId::ALL.map(|known| format!("{} {}", view.key(Action::showing(known)), known.name()));
            show_message(ui, format!("no view on {digit}: {}", views.join(", ")), true, now);
        }
        return Vec::new();
    };
    if layout::too_small(ui.columns, ui.rows) {
        // Nobody can read a question here: only what asks none is done.
        let quits = action == Action::Quit && ui.overlays.is_empty();
        return match resolve(action, &PaneContext { model: live, ui, view }) {
            Ok(Act::Do(effects)) if quits => effects,
            _ => Vec::new(),
        };
    }
    attempt(ui, live, view, action, now)
}

/// Opens a named filter's pane in the moment that is shown.
fn open_filter(ui: &mut Ui, live: &Model, view: &View, filter: &NamedFilter, now: Now) {
    ui.message = None;
    let past = ui.time.visible_model();
    named_filters::open(ui, past.as_deref().unwrap_or(live), view, filter, now);
}

/// Attempts what was chosen in the palette.
fn after_palette(ui: &mut Ui, live: &Model, view: &View, choice: palette::Choice, now: Now) -> Vec<Effect> {
    let (mut effects, chosen) = choice;
    effects.extend(chosen.into_iter().flat_map(|action| attempt(ui, live, view, action, now)));
    effects
}

/// Does what an action asks for, or says why not.
pub(crate) fn attempt(ui: &mut Ui, live: &Model, view: &View, action: Action, now: Now) -> Vec<Effect> {
    let Some(past) = ui.time.visible_model() else { return attempt_on(ui, live, live, view, action, now) };
    let is_of_present = !action.is_of_time() && ui.overlays.last().is_some_and(|layer| layer.is_of_present());
    if !action.acts() && !is_of_present {
        return attempt_on(ui, &past, live, view, action, now);
    }
    if !is_of_present && !time_travel::is_present(ui, &past, live) {
        let words = format!(
            "the past is shown, and this record no longer exists; {} resumes live",
            view.key(Action::Live)
        );
        show_message(ui, words, true, now);
        return Vec::new();
    }
    // The selected record is there in both; every other selection stays where it is in what is shown.
    let selections = ui.selections.clone();
    ui.reconcile(live);
    let effects = attempt_on(ui, live, live, view, action, now);
    ui.selections = selections;
    ui.reconcile(&past);
    effects
}

fn attempt_on(
    ui: &mut Ui,
    model: &Model,
    live: &Model,
    view: &View,
    action: Action,
    now: Now,
) -> Vec<Effect> {
    if action.pins_selection() {
        ui.pin_touched(model);
    }
    let act = match resolve(action, &PaneContext { model, ui, view }) {
        Ok(act) => act,
        Err(why) => {
            if let Some(layer) = ui.overlays.last_mut() {
                layer.on_refused(action);
            }
            show_message_as(ui, why.text, true, why.class, now);
            return Vec::new();
        }
    };
    ui.message = None;
    carry_out(act, ui, &ActContext { model, live, view, now })
}

/// Does what is always possible where it is clicked.
fn run(ui: &mut Ui, action: Action, cx: &ActContext<'_>) -> Vec<Effect> {
    let act = resolve(action, &PaneContext { model: cx.model, ui, view: cx.view });
    act.map_or_else(|_| Vec::new(), |act| carry_out(act, ui, cx))
}

fn carry_out(act: Act, ui: &mut Ui, cx: &ActContext<'_>) -> Vec<Effect> {
    match act {
        Act::Open(layer) => ui.overlays.push(layer),
        Act::Confirm(question) => ui.push(Dialog::new(question)),
        Act::Do(effects) => return effects,
        Act::Change(change) => return change(ui, cx),
    }
    Vec::new()
}

/// Chooses the cell under the mouse.
fn choose_cell(ui: &mut Ui, pane: PaneId, area: Rect, mouse: MouseEvent) {
    if let Some((field, ..)) = ui::field_at(pane, ui, area, mouse.column, mouse.row) {
        ui.table_settings_mut(pane).cell = Some(field);
    }
}

fn on_mouse(
    ui: &mut Ui,
    model: &Model,
    live: &Model,
    view: &View,
    mouse: MouseEvent,
    now: Now,
) -> Vec<Effect> {
    if layout::too_small(ui.columns, ui.rows) {
        return Vec::new();
    }
    let by = match mouse.kind {
        MouseEventKind::ScrollUp => -3,
        MouseEventKind::ScrollDown => 3,
        MouseEventKind::Down(MouseButton::Left) => 0,
        _ => return Vec::new(),
    };
    let (layout, on_top) = (ui.layout(model), ui.model_on_top(model, live));
    if by == 0
        && mouse.row == layout.footer.y
        && let Some(key) =
            screen::key_at(view, layout.footer, mouse.column, screen::FooterScene { model: on_top, live, ui })
    {
        return on_key(ui, live, view, key.event(), now.mono, now);
    }
    let list = ui.overlays.last().and_then(|layer| layer.list()).map(|(list, _)| list);
    if let Some(list) = list.filter(|_| by == 0 && ui.palette.is_none()) {
        choose_cell(ui, list, layout.body, mouse);
    }
    if ui.palette.is_some() {
        let choice = palette::on_mouse(ui, model, live, view, mouse, by, now);
        return after_palette(ui, live, view, choice, now);
    }
    let cx = ActContext { model, live, view, now };
    match ui.overlays.last_mut() {
        Some(layer) if by == 0 => {
            let action = layer.click(&layout, Position::new(mouse.column, mouse.row), on_top);
            action.map_or_else(Vec::new, |action| attempt(ui, live, view, action, now))
        }
        Some(layer) => {
            layer.step(by, on_top);
            Vec::new()
        }
        None if by == 0 => click(ui, &layout, mouse, &cx),
        None => {
            if let Some((pane, area)) = layout.pane_at(mouse.column, mouse.row) {
                let height = table::list_height(area);
                ui.select_in(pane, model, |selection, keys| selection.step(by, keys, height));
            }
            Vec::new()
        }
    }
}

/// A click where no layer lies: on a view's name, in a pane, on the alerts, on a chip, which opens what it
/// stands for.
fn click(ui: &mut Ui, layout: &layout::Layout, mouse: MouseEvent, cx: &ActContext<'_>) -> Vec<Effect> {
    let ActContext { live, view, .. } = *cx;
    let past = ui.time.visible_model();
    let present = frame::of_present(view, past.as_deref(), live);
    if mouse.row == layout.header.y {
        if let Some(shown) = screen::tab_at(view, mouse.column, present, ui) {
            ui.show(shown);
        } else if screen::is_on_alerts(view, mouse.column, present, ui) {
            return run(ui, Action::Alerts, cx);
        } else if screen::is_on_gate(view, mouse.column, present, ui) {
            return run(ui, Action::Gate, cx);
        }
    } else if mouse.row == layout.message.y
        // It is drawn over the last line of the panes.
        && let Some(effects) = time_bar::click(ui, cx, layout.message, mouse.column)
    {
        return effects;
    } else if let Some((pane, area)) = layout.pane_at(mouse.column, mouse.row) {
        return click_pane(ui, pane, area, mouse, cx);
    } else if mouse.row == layout.chips.y
        && let Some(index) = screen::chip_at(view, mouse.column, present, ui)
    {
        ui.focus = Focus::Chips(index);
        return attempt(ui, live, view, Action::Open, cx.now);
    }
    Vec::new()
}

/// Sorts by the head of a column; selects a row, and opens the one that was selected already.
fn click_pane(ui: &mut Ui, pane: PaneId, area: Rect, mouse: MouseEvent, cx: &ActContext<'_>) -> Vec<Effect> {
    if let Some((field, title, true)) = ui::field_at(pane, ui, area, mouse.column, mouse.row) {
        ui.focus = Focus::Pane(pane);
        columns::sort_by_head(ui, pane, field, title, cx.now);
        return Vec::new();
    }
    let had_focus = ui.focus == Focus::Pane(pane);
    let height = table::list_height(area);
    let was_selected = ui.select_in(pane, cx.model, |selection, keys| {
        let index = table::row_at(area, mouse.row, selection).filter(|index| *index < keys.len())?;
        let was_there = selection.index() == index;
        selection.select(index, keys, height);
        Some(was_there)
    });
    if was_selected.is_some() {
        choose_cell(ui, pane, area, mouse);
    }
    if had_focus && was_selected == Some(true) {
        return attempt(ui, cx.live, cx.view, Action::Open, cx.now);
    }
    ui.focus = Focus::Pane(pane);
    Vec::new()
}
