//! A form on the screen: its keys, its fields, what is wrong and what the focused field asks for.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Position, Rect};

use crate::console::{
    form::{Form, Kind, overflow_text},
    input::{action::Action, keymap::KeyScope},
    model::Model,
    overlays::draw_line,
    settings::view::{Canvas, View},
    systems::bridge::invoke,
    ui,
    ui::{
        Layer, Reaction, Scene,
        act::{Act, Resolved, Unavailable},
        effect::Effect,
        layout::Layout,
        pane::PaneContext,
        state::Ui,
    },
};

use super::invoke_form_view::{draw, line_of, list_area};

impl Layer for Form {
    fn key_scope(&self) -> KeyScope {
        key_scope(self)
    }

    fn covers_body(&self) -> bool {
        true
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        draw(self, canvas, scene.body, scene.live, scene.is_top);
    }

    fn reconcile(&mut self, layout: &Layout, _model: &Model, _ui: &Ui) {
        reconcile(self, layout.body);
    }

    fn step(&mut self, by: isize, _model: &Model) {
        scroll(self, by);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> ui::Target<'a> {
        ui::Target::Nothing
    }

    fn act(&self, action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
        let focus = |by| Act::layer(move |form, _, _| cycle_focus(form, by));
        let (why, act) = match action {
            Action::Send => (
                sent_already(self)
                    .or_else(|| self.first_fault())
                    .or_else(|| refused_by_queue(self, cx.model)),
                Act::layer_effects(|form, ui, _| invoke::send(form, ui).into_iter().collect()),
            ),
            Action::AsJson => {
                (self.switch_unavailable(), Act::layer(|form: &mut Self, _, _| form.switch_mode()))
            }
            Action::Defaults => (
                sent_already(self)
                    .or_else(|| self.is_untouched().then(|| "already at the defaults".to_owned())),
                Act::layer(|form: &mut Self, _, _| form.toggle_defaults()),
            ),
            Action::NextField => (None, focus(1)),
            Action::PreviousField => (None, focus(-1)),
            _ => return None,
        };
        let refuse = |why: String| match action {
            Action::Send | Action::AsJson => Unavailable::quoting(why),
            _ => why.into(),
        };
        Some(why.map_or(Ok(act), |why| Err(refuse(why))))
    }

    fn on_refused(&mut self, action: Action) {
        if action == Action::Send {
            self.focus_fault();
        }
    }

    fn leave(self: Box<Self>, ui: &mut Ui) -> Vec<Effect> {
        invoke::save_draft(ui, *self);
        Vec::new()
    }

    fn on_key(&mut self, key: KeyEvent, _ui: &mut Ui, view: &View) -> Reaction {
        on_key(self, key, view)
    }

    fn on_paste(&mut self, text: &str, _ui: &mut Ui, _view: &View) {
        on_paste(self, text);
    }

    fn click(&mut self, layout: &Layout, at: Position, _model: &Model) -> Option<Action> {
        click(self, layout.body, at.x, at.y);
        None
    }
}

/// Moves the focus, round at the ends.
fn cycle_focus(form: &mut Form, by: isize) {
    let count = form.fields.len();
    form.focus_field((form.focus + count).saturating_add_signed(by) % count);
}

fn sent_already(form: &Form) -> Option<String> {
    form.sent.map(|_| "already sent; waiting for the station".to_owned())
}

/// Why its queue takes no work now.
fn refused_by_queue(form: &Form, model: &Model) -> Option<String> {
    let queue = form.target_queue();
    match model
        .mpp()
        .and_then(|mpp| mpp.queues.get(queue.as_str()))
        .filter(|queue| queue.ready_after.is_some())
    {
        None => Some(format!("the pack has no queue {queue}")),
        Some(known) if known.brake.draining => {
            Some(format!("{queue} is draining and refuses new work: choose another queue, or end the drain"))
        }
        Some(_) => None,
    }
}

/// The place of a form's keys.
const fn key_scope(form: &Form) -> KeyScope {
    if form.as_json { KeyScope::FormJson } else { KeyScope::Form }
}

/// Takes a key that the keymap has no use for.
fn on_key(form: &mut Form, key: KeyEvent, view: &View) -> Reaction {
    if view.keymap.lookup(key_scope(form), key).is_some() {
        return Reaction::Ignored;
    }
    form.cut = None;
    if form.as_json {
        match key.code {
            KeyCode::PageUp => form.editor.step(-page(form)),
            KeyCode::PageDown => form.editor.step(page(form)),
            _ => type_in(form, key),
        }
        return Reaction::Consumed(Vec::new());
    }
    match key.code {
        KeyCode::Enter => form.focus_field(form.focus + 1),
        KeyCode::PageUp => form.focus_field(form.focus.saturating_sub(form.height)),
        KeyCode::PageDown => form.focus_field(form.focus + form.height),
        _ => edit_field(form, key),
    }
    Reaction::Consumed(Vec::new())
}

fn page(form: &Form) -> isize {
    isize::try_from(form.height).unwrap_or(1).max(1)
}

fn edit_field(form: &mut Form, key: KeyEvent) {
    let Some(field) = form.fields.get(form.focus) else { return };
    let has_step = matches!(&field.kind, Kind::Number(number) if number.step.is_some());
    let forward = key.code == KeyCode::Right;
    match (&field.kind, key.code) {
        (Kind::Boolean, KeyCode::Char(' ')) => {
            form.change(|field| field.choose(usize::from(field.chosen() != Some(1))));
        }
        (Kind::Choice(_), KeyCode::Char(' ')) => form.change(|field| field.cycle(true)),
        (Kind::Boolean | Kind::Choice(_), KeyCode::Left | KeyCode::Right) => {
            form.change(|field| field.cycle(forward));
        }
        (Kind::Boolean | Kind::Choice(_), KeyCode::Backspace | KeyCode::Delete) => {
            form.change(|field| field.write(String::new()));
        }
        (Kind::Choice(_), KeyCode::Char(character)) => form.change(|field| field.seek(character)),
        (Kind::Boolean | Kind::Choice(_), _) => {}
        (Kind::Number(_), KeyCode::Left | KeyCode::Right) if has_step => {
            form.change(|field| field.step(forward));
        }
        _ => type_in(form, key),
    }
}

fn type_in(form: &mut Form, key: KeyEvent) {
    match form.editor.key(key) {
        Ok(true) => form.edited(),
        Ok(false) => {}
        Err(over) => form.cut = Some(overflow_text(over, "form_field_bytes_max, form_bytes_max")),
    }
}

/// Takes pasted text.
fn on_paste(form: &mut Form, pasted: &str) {
    let field = form.fields.get(form.focus).filter(|_| !form.as_json);
    if let Some(field) = field.filter(|field| !field.takes_text()) {
        form.cut = Some(format!("nothing pasted: {} is a choice, not text", field.label));
        return;
    }
    // The line break that copying a whole line brings along is none of the value.
    let pasted = if form.as_json { pasted } else { pasted.strip_suffix(['\n', '\r']).unwrap_or(pasted) };
    let over = form.editor.paste(pasted);
    form.edited();
    form.cut = (over > 0).then(|| overflow_text(over, "form_field_bytes_max, form_bytes_max"));
}

/// Focuses the field or the character at a place of the screen.
fn click(form: &mut Form, body: Rect, column: u16, row: u16) {
    let area = list_area(inside(body));
    let Some(line) = row.checked_sub(area.y).filter(|line| *line < area.height) else { return };
    let index = form.offset + usize::from(line);
    if form.as_json {
        let column = usize::from(column.saturating_sub(area.x + draw_line::GUTTER));
        form.editor.jump(index, column);
    } else if let Some(at) = at_line(form, index) {
        form.focus_field(at);
    }
}

/// Moves by some fields or lines.
fn scroll(form: &mut Form, by: isize) {
    if form.as_json {
        form.editor.step(by);
    } else {
        form.focus_field(form.focus.saturating_add_signed(by));
    }
}

/// Fits it to the room there is.
fn reconcile(form: &mut Form, body: Rect) {
    let height = usize::from(list_area(inside(body)).height).max(1);
    let at = if form.as_json { form.editor.cursor().0 } else { line_of(form, form.focus) };
    form.height = height;
    form.offset = form.offset.min(at).max((at + 1).saturating_sub(height));
}

fn at_line(form: &Form, line: usize) -> Option<usize> {
    (0..form.fields.len()).skip(line.saturating_sub(1)).take(2).find(|index| line_of(form, *index) == line)
}

fn inside(body: Rect) -> Rect {
    Rect::new(body.x + 1, body.y + 1, body.width.saturating_sub(2), body.height.saturating_sub(2))
}
