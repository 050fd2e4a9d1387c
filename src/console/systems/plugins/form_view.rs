//! A form of a plugin as it is drawn: its fields, and what the focused one asks for.

use ratatui::layout::Rect;

use super::form::{PluginForm, Purpose};
use crate::console::{
    draw::{class::Class, text, theme::Role},
    form::{Field, Kind, Value},
    input::action::Action,
    overlays::draw_line::draw_line,
    settings::view::{Canvas, View},
};

/// Lines below the fields: what the focused one is, what it asks, what is wrong.
const DETAIL_ROWS: u16 = 5;
/// Columns of the fields' names at most.
const NAME_COLUMNS_MAX: usize = 32;

/// Where the fields are: below the line that says what is sent, above the details.
pub(super) fn list_area(body: Rect) -> Rect {
    let inside =
        Rect::new(body.x + 1, body.y + 1, body.width.saturating_sub(2), body.height.saturating_sub(2));
    Rect { y: inside.y + 2, height: inside.height.saturating_sub(2 + DETAIL_ROWS + 1), ..inside }
}

/// Draws it.
pub(super) fn draw(form: &PluginForm, canvas: &mut Canvas<'_>, body: Rect, focused: bool) {
    let inside = canvas.frame(body, &form.title, focused);
    let room = inside.width.saturating_sub(2);
    let (words, role) = summary(form, canvas.view);
    canvas.put(inside.x + 1, inside.y, room, &words, role);
    let area = list_area(body);
    let widest = form.fields.iter().map(|field| text::width(text::cut(&field.label, 128))).max().unwrap_or(0);
    let names = u16::try_from(widest.clamp(8, NAME_COLUMNS_MAX)).unwrap_or(32).min(area.width / 3);
    for (index, y) in (form.offset..form.fields.len()).zip(area.y..area.bottom()) {
        draw_field(form, index, canvas, Rect { y, height: 1, ..area }, names, focused);
    }
    let line = canvas.view.glyphs.horizontal.repeat(usize::from(room));
    canvas.put(inside.x + 1, area.bottom(), room, &line, Role::Border);
    let details = area.bottom() + 1..inside.bottom();
    for ((words, role), y) in details_of(form, canvas.view, usize::from(room)).iter().zip(details) {
        // What is wrong can quote what was written.
        let class = if matches!(role, Role::Bad | Role::Warn) { Class::Payload } else { Class::Public };
        canvas.put_as(inside.x + 1, y, room, words, *role, class);
    }
}

/// What is sent, and how.
fn summary(form: &PluginForm, view: &View) -> (String, Role) {
    if form.waiting > 0 {
        return ("sent: waiting for the station".to_owned(), Role::Accent);
    }
    let (send, into) = (view.key(Action::Send), view.glyphs.into);
    let words = match &form.purpose {
        Purpose::Invoke(_) => format!("{into} {send} invokes it; the answer is awaited for 30 s"),
        Purpose::Panel(_) if form.fields.is_empty() && form.cut.is_none() => "reading the panel".to_owned(),
        Purpose::Panel(_) => match form.changed().len() {
            0 => format!("{into} {send} saves what is changed; nothing is yet"),
            changed => format!("{into} {send} saves what is changed: {}", fields(changed)),
        },
    };
    (words, Role::Muted)
}

fn fields(count: usize) -> String {
    crate::words::counted(count, "field")
}

fn draw_field(
    form: &PluginForm,
    index: usize,
    canvas: &mut Canvas<'_>,
    line: Rect,
    names: u16,
    focused: bool,
) {
    let Some(field) = form.fields.get(index) else { return };
    let glyphs = canvas.view.glyphs;
    let is_focused = focused && index == form.focus;
    canvas.put(line.x, line.y, 1, if is_focused { glyphs.into } else { " " }, Role::Focus);
    let is_changed =
        matches!(form.purpose, Purpose::Panel(_)) && form.stored.get(index) != Some(&field.value);
    canvas.put(line.x + 1, line.y, 1, if is_changed { "*" } else { " " }, Role::Accent);
    let used = canvas.put(line.x + 3, line.y, names, text::cut(&field.label, 1_024), Role::Text);
    if is_focused {
        canvas.select(Rect::new(line.x + 3, line.y, used, 1));
    }
    let (x, values) = (line.x + 3 + names + 2, line.width.saturating_sub(names + 8) / 2);
    let is_action = matches!(form.purpose, Purpose::Invoke(_)) && index == 0;
    let is_open = is_action || (is_focused && form.is_typed);
    let class = if is_open { Class::Public } else { Class::Payload };
    if is_focused && field.takes_text() {
        let (row, column) = form.editor.cursor();
        let before: usize = form.editor.lines().iter().take(row).map(|line| line.chars().count() + 1).sum();
        draw_line(canvas, (x, line.y), values, &form.editor.text(), Some(before + column), class);
    } else {
        let (words, role) = shown(form, index, field, canvas.view);
        canvas.put_as(x, line.y, values, &words, role, class);
    }
    if let Some(fault) = form.fault(index) {
        let x = x + values + 1;
        let words = format!("{} {fault}", glyphs.bad);
        canvas.put_as(x, line.y, line.right().saturating_sub(x), &words, Role::Bad, Class::Payload);
    }
}

/// The value of a field that is not being written in.
fn shown(form: &PluginForm, index: usize, field: &Field, view: &View) -> (String, Role) {
    match (&field.value, &field.kind) {
        (Value::Absent, _) => {
            let default = match &form.purpose {
                Purpose::Panel(known) => known.get(index).and_then(|(of_panel, _)| {
                    Some(format!("default ({})", of_panel.shown(of_panel.default.as_ref()?)))
                }),
                Purpose::Invoke(_) => Some("{}".to_owned()),
            };
            (default.unwrap_or_else(|| view.glyphs.none.to_owned()), Role::Muted)
        }
        (Value::RawJson(json), _) => (format!("{} {}", view.glyphs.warn, text::cut(json, 1_024)), Role::Warn),
        (Value::Written(text), Kind::Boolean) => (
            format!(
                "[{}] {}",
                if text == "true" { "x" } else { " " },
                if text == "true" { "on" } else { "off" }
            ),
            Role::Text,
        ),
        _ => (field.display_text().to_owned(), Role::Text),
    }
}

/// The lines below: what did not fit, what is wrong, what the focused field is.
fn details_of(form: &PluginForm, view: &View, columns: usize) -> Vec<(String, Role)> {
    let glyphs = view.glyphs;
    let mut said: Vec<(String, Role)> = Vec::new();
    said.extend(form.cut.iter().map(|why| (format!("{} {why}", glyphs.warn), Role::Warn)));
    if let Some(field) = form.fields.get(form.focus) {
        let fault = form.fault(form.focus);
        said.extend(fault.map(|fault| (format!("{} {}: {fault}", glyphs.bad, field.label), Role::Bad)));
        if !field.about.is_empty() {
            said.push((field.about.clone(), Role::Text));
        }
        said.push((format!("{}{}", field.constraint, key_hint(field, view)), Role::Muted));
    }
    let wrapped = said.into_iter().flat_map(|(words, role)| {
        let words = text::visible(text::cut(&words, 2_048), glyphs.ascii).into_owned();
        text::wrap(&words, columns.max(8)).into_iter().map(move |line| (line, role))
    });
    wrapped.take(usize::from(DETAIL_ROWS)).collect()
}

/// The keys that a kind of field has of its own.
fn key_hint(field: &Field, view: &View) -> String {
    let (left, right) = (view.glyphs.left, view.glyphs.right);
    match &field.kind {
        Kind::Number(number) => {
            number.step.map(|step| format!("; {left} {right} by {step}")).unwrap_or_default()
        }
        Kind::Boolean => format!("; space or {left} {right}"),
        Kind::Choice(_) => format!("; {left} {right} or a letter"),
        _ => String::new(),
    }
}
