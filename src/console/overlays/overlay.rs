//! One layer, whatever it is.

use crate::console::{
    records,
    systems::{bridge::invoke_form, runs::submit_draw},
};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::{AlertList, CopyAs, Details, Dialog, Help, KeyList, LedgerOverlay, Output};
use crate::console::{
    form::Form,
    input::{action::Effect, keymap::KeyScope, pane_id::PaneId},
    inspect::Inspector,
    model::Model,
    screen::{Columns, FilterLine},
    settings::view::{Canvas, View},
    systems::{
        bridge::{Events, Pending},
        runs::{Files, Submit},
    },
    ui::state::Ui,
};

/// What a layer does with a key before the keymap is asked.
#[derive(Debug, PartialEq)]
pub(crate) enum Reaction {
    /// It is not for this layer.
    Ignored,
    /// It was taken in.
    Consumed(Vec<Effect>),
}

/// A layer.
#[derive(Debug)]
pub(crate) enum Overlay {
    Pending(Pending),
    Details(Details),
    Dialog(Box<Dialog>),
    Help(Help),
    Events(Events),
    Form(Box<Form>),
    Alerts(AlertList),
    Columns(Columns),
    Keys(Box<KeyList>),
    Output(Output),
    Inspector(Box<Inspector>),
    Filter(Box<FilterLine>),
    CopyAs(CopyAs),
    Ledger(LedgerOverlay),
    Submit(Box<Submit>),
    Files(Files),
}

impl Overlay {
    /// The place of its keys.
    pub(crate) fn key_scope(&self) -> KeyScope {
        match self {
            Self::Pending(_) => KeyScope::Pending,
            Self::Details(_) => KeyScope::Details,
            Self::Dialog(dialog) => dialog.key_scope(),
            Self::Help(_) => KeyScope::Help,
            Self::Events(_) => KeyScope::Events,
            Self::Form(form) => invoke_form::key_scope(form),
            Self::Alerts(_) => KeyScope::Alerts,
            Self::Columns(_) => KeyScope::Columns,
            Self::Keys(_) => KeyScope::Keys,
            Self::Output(_) => KeyScope::Output,
            Self::Inspector(_) => KeyScope::Inspector,
            Self::Filter(_) => KeyScope::FilterLine,
            Self::CopyAs(_) => KeyScope::CopyAs,
            Self::Ledger(_) => KeyScope::Ledger,
            Self::Submit(submit) => submit.key_scope(),
            Self::Files(_) => KeyScope::Files,
        }
    }

    /// Takes a key before the keymap is asked: a layer in which text is written takes what types.
    pub(crate) fn on_key(&mut self, key: KeyEvent, _model: &Model, view: &View) -> Reaction {
        match self {
            Self::Form(form) => invoke_form::on_key(form, key, view),
            Self::Keys(keys) => keys.on_key(key, view),
            Self::Submit(submit) => submit.on_key(key, view),
            Self::Dialog(dialog) => dialog.on_key(key, view),
            Self::Pending(_)
            | Self::Details(_)
            | Self::Help(_)
            | Self::Events(_)
            | Self::Alerts(_)
            | Self::Columns(_)
            | Self::Output(_)
            | Self::Inspector(_)
            | Self::Filter(_)
            | Self::CopyAs(_)
            | Self::Ledger(_)
            | Self::Files(_) => Reaction::Ignored,
        }
    }

    /// Takes pasted text, where text is written.
    pub(crate) fn on_paste(&mut self, text: &str) {
        match self {
            Self::Form(form) => invoke_form::on_paste(form, text),
            Self::Keys(keys) => keys.on_paste(text),
            Self::Submit(submit) => submit.on_paste(text),
            Self::Dialog(dialog) => dialog.on_paste(text),
            Self::Pending(_)
            | Self::Details(_)
            | Self::Help(_)
            | Self::Events(_)
            | Self::Alerts(_)
            | Self::Columns(_)
            | Self::Output(_)
            | Self::Inspector(_)
            | Self::Filter(_)
            | Self::CopyAs(_)
            | Self::Ledger(_)
            | Self::Files(_) => {}
        }
    }

    /// Fits it to the room there is.
    pub(crate) fn reconcile(&mut self, body: Rect) {
        match self {
            Self::Pending(pending) => pending.reconcile(body),
            Self::Help(help) => help.reconcile(body),
            Self::Keys(keys) => keys.reconcile(body),
            Self::Output(output) => output.reconcile(body),
            Self::Events(events) => events.reconcile(body),
            Self::Form(form) => invoke_form::reconcile(form, body),
            Self::Alerts(tray) => tray.reconcile(body),
            Self::Inspector(inspector) => inspector.fit(body),
            Self::Submit(submit) => submit.reconcile(body),
            Self::Files(files) => files.reconcile(body),
            Self::Details(_)
            | Self::Dialog(_)
            | Self::Columns(_)
            | Self::Filter(_)
            | Self::CopyAs(_)
            | Self::Ledger(_) => {}
        }
    }

    /// Takes a click at a place of the screen; whether it was on the row that was selected already, and so
    /// opens it.
    pub(crate) fn click(&mut self, body: Rect, column: u16, row: u16, model: &Model) -> bool {
        match self {
            Self::Pending(pending) => pending.click(body, row),
            Self::Events(events) => events.click(body, row),
            Self::Files(files) => files.click(body, row),
            Self::Alerts(tray) => tray.click(body, row, model),
            Self::Form(form) => {
                invoke_form::click(form, body, column, row);
                false
            }
            Self::Keys(keys) => {
                keys.click(body, row);
                false
            }
            Self::Submit(submit) => {
                submit.click(body, column, row);
                false
            }
            Self::Inspector(inspector) => inspector.click(body, column, row),
            Self::Details(_)
            | Self::Dialog(_)
            | Self::Columns(_)
            | Self::Help(_)
            | Self::Output(_)
            | Self::Filter(_)
            | Self::CopyAs(_)
            | Self::Ledger(_) => false,
        }
    }

    /// Scrolls text by some lines; the last line stays on the screen.
    pub(crate) fn scroll(&mut self, by: isize) {
        match self {
            Self::Details(facts) => facts.scroll(by),
            Self::Help(help) => help.scroll(by),
            Self::Keys(keys) => keys.step(by),
            Self::Output(output) => output.scroll(by),
            Self::Pending(pending) => pending.step(by),
            Self::Events(events) => events.step(by),
            Self::Columns(columns) => columns.step(by),
            Self::Form(form) => invoke_form::scroll(form, by),
            Self::Inspector(inspector) => inspector.step(by),
            Self::Submit(submit) => submit.scroll(by),
            Self::Files(files) => files.step(by),
            Self::Dialog(_) | Self::Alerts(_) | Self::Filter(_) | Self::CopyAs(_) | Self::Ledger(_) => {}
        }
    }
}

/// Draws the layers, the lowest first.
pub(crate) fn draw(canvas: &mut Canvas<'_>, body: Rect, model: &Model, present: &Model, ui: &Ui) {
    for overlay in &ui.overlays {
        match overlay {
            Overlay::Pending(pending) => pending.draw(canvas, body, model, ui, overlay_is_top(overlay, ui)),
            Overlay::Events(events) => events.draw(canvas, body, model, ui, overlay_is_top(overlay, ui)),
            Overlay::Form(form) => {
                invoke_form::draw(form, canvas, body, present, overlay_is_top(overlay, ui))
            }
            Overlay::Details(facts) => facts.draw(canvas, body, model),
            Overlay::Dialog(dialog) => dialog.draw(canvas, body, present),
            Overlay::Help(help) => help.draw(canvas, body),
            Overlay::Alerts(tray) => tray.draw(canvas, body, model, overlay_is_top(overlay, ui)),
            Overlay::Keys(keys) => keys.draw(canvas, body),
            Overlay::Output(output) => output.draw(canvas, body),
            Overlay::Inspector(inspector) => inspector.draw(canvas, body, overlay_is_top(overlay, ui)),
            Overlay::Filter(line) => {
                let layout = ui.layout(model);
                let area = layout.panes.iter().find(|(pane, _)| *pane == line.pane).map(|(_, area)| *area);
                if let Some(area) = if line.pane == PaneId::Pending { Some(body) } else { area } {
                    line.draw(canvas, area, records::counts(line.pane, ui, model));
                }
            }
            Overlay::CopyAs(menu) => menu.draw(canvas, body),
            Overlay::Ledger(account) => account.draw(canvas, body, model, ui),
            Overlay::Submit(submit) => {
                submit_draw::draw(submit, canvas, body, present, overlay_is_top(overlay, ui))
            }
            Overlay::Files(files) => files.draw(canvas, body, overlay_is_top(overlay, ui)),
            Overlay::Columns(columns) => {
                let pane = ui.layout(model).area_of(columns.pane);
                columns.draw(canvas, body, pane, ui, overlay_is_top(overlay, ui));
            }
        }
    }
}

fn overlay_is_top(overlay: &Overlay, ui: &Ui) -> bool {
    ui.overlays.last().is_some_and(|top| std::ptr::eq(top, overlay))
}

/// The middle of an area.
pub(crate) fn centred(area: Rect, columns: u16, rows: u16) -> Rect {
    let (columns, rows) = (columns.min(area.width), rows.min(area.height));
    Rect::new(area.x + (area.width - columns) / 2, area.y + (area.height - rows) / 2, columns, rows)
}
