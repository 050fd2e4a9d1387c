//! Sends each event where it belongs.

use std::time::Duration;

use crossterm::event::{KeyEvent, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};

use super::{acting, answers, hindrance, moving};
use crate::{
    console::{
        action::{Action, Effect},
        event::Event,
        keymap, layout,
        model::Model,
        overlays::Overlay,
        panes,
        ui::{Focus, Message, Ui},
        view::View,
    },
    time::{Mono, Now},
};

/// How long a message stands.
const MESSAGE_STANDS: Duration = Duration::from_secs(10);

/// Lets one event have its effect.
pub(crate) fn update(ui: &mut Ui, model: &Model, view: &View, event: Event, now: Now) -> Vec<Effect> {
    ui.settle(model);
    let taught = ui.teaches(model) || std::mem::take(&mut ui.was_taught);
    let effects = match event {
        Event::Key { key, at } if key.kind != KeyEventKind::Release => on_key(ui, model, key, at, now),
        Event::Mouse(mouse) => on_mouse(ui, model, view, mouse),
        Event::Resize { columns, rows } => {
            (ui.columns, ui.rows) = (columns, rows);
            Vec::new()
        }
        Event::Tick => {
            if ui.message.as_ref().is_some_and(|message| message.until <= now.mono) {
                ui.message = None;
            }
            moving::refresh(ui, model)
        }
        Event::Key { .. } | Event::Data => Vec::new(),
        Event::Commanded { asked, outcome } => answers::commanded(ui, &asked, outcome, now),
        Event::Queried { asked, page } => answers::queried(ui, asked, page, now),
    };
    ui.was_taught = ui.teaches(model);
    if taught && model.lessons.all_done() && !ui.lessons_dismissed {
        say(ui, "done: you are live".to_owned(), false, now);
    }
    ui.settle(model);
    let mut effects = effects;
    effects.extend(moving::next_page(ui));
    effects
}

/// Says something on the line above the footer.
pub(super) fn say(ui: &mut Ui, text: String, is_error: bool, now: Now) {
    ui.message = Some(Message { text, is_error, until: now.mono + MESSAGE_STANDS });
}

/// Debug builds fail on F12, so that what a fault of ours does to a terminal can be tried on the real thing.
#[cfg(debug_assertions)]
fn fail_on_demand(key: KeyEvent) {
    assert!(key.code != crossterm::event::KeyCode::F(12), "F12 was pressed in a debug build");
}

fn on_key(ui: &mut Ui, model: &Model, key: KeyEvent, typed_at: Mono, now: Now) -> Vec<Effect> {
    #[cfg(debug_assertions)]
    fail_on_demand(key);
    if let Some(Overlay::Dialog(dialog)) = ui.overlays.last()
        && !dialog.takes(typed_at)
    {
        return Vec::new();
    }
    let Some(action) = keymap::lookup(ui.place(), key) else { return Vec::new() };
    if layout::too_small(ui.columns, ui.rows) {
        // Nobody can read a question here: only what asks none is done.
        let quits = action == Action::Quit && ui.overlays.is_empty() && model.mpp().is_none_or(|mpp| mpp.live.is_empty());
        return if quits { vec![Effect::Quit] } else { Vec::new() };
    }
    if let Some(why) = hindrance(action, ui, model) {
        say(ui, why, true, now);
        return Vec::new();
    }
    ui.message = None;
    perform(ui, model, action, now)
}

fn perform(ui: &mut Ui, model: &Model, action: Action, now: Now) -> Vec<Effect> {
    match action {
        Action::FocusNext
        | Action::FocusPrevious
        | Action::Up
        | Action::Down
        | Action::Left
        | Action::Right
        | Action::PageUp
        | Action::PageDown
        | Action::First
        | Action::Last => {
            moving::go(ui, model, action);
            Vec::new()
        }
        Action::Back => {
            moving::back(ui, model);
            Vec::new()
        }
        Action::Zoom => {
            moving::zoom(ui);
            Vec::new()
        }
        Action::NextTheme => {
            ui.theme_steps = ui.theme_steps.wrapping_add(1);
            Vec::new()
        }
        Action::FreeMouse => {
            ui.mouse = !ui.mouse;
            let words = if ui.mouse { "the mouse is captured: it selects and scrolls here" } else { "the mouse is free for the terminal" };
            say(ui, words.to_owned(), false, now);
            vec![Effect::Mouse(ui.mouse)]
        }
        _ => acting::act(ui, model, action),
    }
}

fn on_mouse(ui: &mut Ui, model: &Model, view: &View, mouse: MouseEvent) -> Vec<Effect> {
    if layout::too_small(ui.columns, ui.rows) {
        return Vec::new();
    }
    let by = match mouse.kind {
        MouseEventKind::ScrollUp => -3,
        MouseEventKind::ScrollDown => 3,
        MouseEventKind::Down(MouseButton::Left) => 0,
        _ => return Vec::new(),
    };
    let layout = ui.layout(model);
    match ui.overlays.last_mut() {
        Some(Overlay::Pending(pending)) if by == 0 => {
            if let Some(index) = panes::row_at(layout.body, mouse.row, &pending.selection) {
                let keys = pending.keys();
                let height = pending.height();
                pending.selection.select(index, &keys, height);
            }
        }
        Some(Overlay::Pending(pending)) => pending.step(by),
        Some(overlay) => overlay.scroll(by),
        None => {
            if let Some((pane, area)) = layout.pane_at(mouse.column, mouse.row) {
                let keys = panes::keys(pane, model);
                let selection = ui.selections.entry(pane).or_default();
                if by != 0 {
                    selection.step(by, &keys, panes::list_height(area));
                } else {
                    ui.focus = Focus::Pane(pane);
                    if let Some(index) = panes::row_at(area, mouse.row, selection).filter(|index| *index < keys.len()) {
                        selection.select(index, &keys, panes::list_height(area));
                    }
                }
            } else if mouse.row == layout.chips.y
                && by == 0
                && let Some(index) = panes::chip_at(view, mouse.column, model, ui)
            {
                let was_there = ui.focus == Focus::Chips(index);
                ui.focus = Focus::Chips(index);
                if was_there {
                    return acting::act(ui, model, Action::Open);
                }
            }
        }
    }
    Vec::new()
}
