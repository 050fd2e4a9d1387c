//! A form as it is drawn: its fields, where the work goes, and what the focused field asks for.

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{class::Class, text, theme::Role},
        form::{Field, Form, Kind, Need, Target, Value},
        model::Model,
        overlays::draw_line,
        settings::view::{Canvas, View},
    },
    words::counted,
};

/// Lines below the fields: what the focused one is, what it asks, what is wrong.
pub(super) const DETAIL_ROWS: u16 = 5;
/// Columns of the fields' names at most.
const NAME_COLUMNS_MAX: usize = 32;

/// Draws it.
pub(super) fn draw(form: &Form, canvas: &mut Canvas<'_>, body: Rect, model: &Model, focused: bool) {
    let name = form
        .title
        .as_ref()
        .map_or_else(|| form.event.to_string(), |title| format!("{title} ({})", form.event));
    let inside = canvas.frame(
        body,
        &format!("Invoke: {name}{}", if form.as_json { ", as JSON" } else { "" }),
        focused,
    );
    let room = inside.width.saturating_sub(2);
    let (words, role) = destination(form, model, canvas.view);
    canvas.put(inside.x + 1, inside.y, room, &words, role);
    let area = list_area(inside);
    if form.as_json {
        draw_line::draw(form, canvas, area, focused);
    } else {
        draw_fields(form, canvas, area, focused);
    }
    let details = Rect { y: area.bottom() + 1, height: DETAIL_ROWS.min(inside.height), ..inside };
    let line = canvas.view.glyphs.horizontal.repeat(usize::from(room));
    canvas.put(inside.x + 1, area.bottom(), room, &line, Role::Border);
    let lines = details_of(form, canvas.view, usize::from(room));
    for ((words, role), y) in lines.iter().zip(details.y..details.bottom()) {
        // What is wrong can quote what was written.
        let class = if matches!(role, Role::Bad | Role::Warn) { Class::Payload } else { Class::Public };
        canvas.put_as(inside.x + 1, y, room, words, *role, class);
    }
}

/// Where it goes, and what that means now.
fn destination(form: &Form, model: &Model, view: &View) -> (String, Role) {
    let queue = form.target_queue();
    let known = model
        .mpp()
        .and_then(|mpp| mpp.queues.get(queue.as_str()))
        .filter(|queue| queue.ready_after.is_some());
    let Some(known) = known else {
        return (format!("{} the pack has no queue {queue}", view.glyphs.bad), Role::Bad);
    };
    let (held, draining) = (known.brake.held, known.brake.draining);
    if form.sent.is_some() {
        return (format!("sent to {queue}: waiting for the station"), Role::Accent);
    }
    match (held, draining) {
        (_, true) => {
            (format!("{} queue: {queue} (draining; refuses new work)", view.glyphs.draining), Role::Bad)
        }
        (true, false) => {
            (format!("{} queue: {queue} (held; dispatched once it is resumed)", view.glyphs.held), Role::Warn)
        }
        (false, false) => {
            let behind = if known.pending == 0 {
                "empty".to_owned()
            } else {
                format!("{} pending ahead", known.pending)
            };
            (format!("{} queue: {queue} ({behind})", view.glyphs.into), Role::Muted)
        }
    }
}

fn draw_fields(form: &Form, canvas: &mut Canvas<'_>, area: Rect, focused: bool) {
    let widest = form.fields.iter().map(|field| text::width(text::cut(&field.label, 128))).max().unwrap_or(0);
    let names = u16::try_from(widest.clamp(8, NAME_COLUMNS_MAX)).unwrap_or(32).min(area.width / 3);
    let values = area.width.saturating_sub(names + 8) / 2;
    for (index, field) in form.fields.iter().enumerate().skip(form.offset.saturating_sub(1)) {
        let Some(line) = line_of(form, index).checked_sub(form.offset) else { continue };
        let Ok(line) = u16::try_from(line) else { break };
        if line >= area.height {
            break;
        }
        draw_field(
            form,
            index,
            field,
            canvas,
            Rect { y: area.y + line, height: 1, ..area },
            (names, values),
            focused,
        );
    }
    let below = line_of(form, form.fields.len() - 1).saturating_sub(form.offset + form.height - 1);
    if form.offset > 0 || below > 0 {
        let glyphs = canvas.view.glyphs;
        let words = format!(" {} {}  {} {below} ", glyphs.up, form.offset, glyphs.down_arrow);
        let width = u16::try_from(text::width(&words)).unwrap_or(16);
        canvas.put(area.right().saturating_sub(width + 1), area.y - 1, width, &words, Role::Muted);
    }
}

fn draw_field(
    form: &Form,
    index: usize,
    field: &Field,
    canvas: &mut Canvas<'_>,
    line: Rect,
    (names, values): (u16, u16),
    focused: bool,
) {
    let glyphs = canvas.view.glyphs;
    let is_focused = focused && index == form.focus;
    let fault = form.fault(index);
    let sign = if is_focused { glyphs.into } else { " " };
    canvas.put(line.x, line.y, 1, sign, Role::Focus);
    let need = match field.need {
        Need::Always => "*",
        Need::WithGroup => "+",
        Need::Optional => " ",
    };
    canvas.put(line.x + 1, line.y, 1, need, Role::Accent);
    let used = canvas.put(line.x + 3, line.y, names, text::cut(&field.label, 1_024), Role::Text);
    if is_focused {
        canvas.select(Rect::new(line.x + 3, line.y, used, 1));
    }
    let x = line.x + 3 + names + 2;
    let class = if is_focused && form.is_typed(index) { Class::Public } else { class_of(field) };
    if is_focused && field.takes_text() {
        let (row, column) = form.editor.cursor();
        let before: usize = form.editor.lines().iter().take(row).map(|line| line.chars().count() + 1).sum();
        draw_line::draw_line(canvas, (x, line.y), values, &form.editor.text(), Some(before + column), class);
    } else {
        draw_value(field, canvas, (x, line.y), values, class);
    }
    if let Some(fault) = fault {
        let x = x + values + 1;
        let role = if field.value == Value::Absent { Role::Warn } else { Role::Bad };
        canvas.put_as(
            x,
            line.y,
            line.right().saturating_sub(x),
            &format!("{} {fault}", glyphs.bad),
            role,
            Class::Payload,
        );
    }
}

fn draw_value(field: &Field, canvas: &mut Canvas<'_>, (x, y): (u16, u16), columns: u16, class: Class) {
    let glyphs = canvas.view.glyphs;
    let count = match &field.kind {
        Kind::Choice(choices) => choices.len(),
        Kind::Boolean => 2,
        _ => 0,
    };
    let (words, role) = match (&field.value, &field.kind) {
        (Value::Absent, _) if field.target == Target::Queue => {
            ("default (event's own)".to_owned(), Role::Muted)
        }
        (Value::Absent, _) => (glyphs.none.to_owned(), Role::Muted),
        (Value::RawJson(json), _) => (format!("{} {}", glyphs.warn, text::cut(json, 1_024)), Role::Warn),
        (Value::Written(text), Kind::Text) if text.is_empty() => ("\"\"".to_owned(), Role::Muted),
        (Value::Written(text), Kind::Boolean) => {
            (format!("[{}] {text}", if text == "true" { "x" } else { " " }), Role::Text)
        }
        _ => (field.display_text().to_owned(), Role::Text),
    };
    // What says that there is no value hides none.
    let class = if field.value == Value::Absent { Class::Public } else { class };
    if count == 0 {
        canvas.put_as(x, y, columns, &words, role, class);
        return;
    }
    let place = field
        .chosen()
        .filter(|_| matches!(field.kind, Kind::Choice(_)))
        .map(|at| format!("  {} of {count}", at + 1));
    let place = place.unwrap_or_else(|| {
        if matches!(field.kind, Kind::Choice(_)) {
            let rest = if field.target == Target::Queue { "other" } else { "choice" };
            format!("; {}", counted(count, rest))
        } else {
            String::new()
        }
    });
    let room = columns.saturating_sub(u16::try_from(text::width(&place)).unwrap_or(0));
    let used = canvas.put_as(x, y, room, &words, role, class);
    canvas.put(x + used, y, columns.saturating_sub(used), &place, Role::Muted);
}

/// Who may see a field's value.
const fn class_of(field: &Field) -> Class {
    match field.target {
        Target::Param(_) => Class::Payload,
        Target::Queue => Class::Public,
        Target::User => Class::Login,
    }
}

/// The line below: what was refused, what does not fit, what is wrong, what the focused field is.
fn details_of(form: &Form, view: &View, columns: usize) -> Vec<(String, Role)> {
    let glyphs = view.glyphs;
    let mut said: Vec<(String, Role)> = Vec::new();
    said.extend(form.refusal.iter().map(|why| (format!("{} {why}", glyphs.bad), Role::Bad)));
    said.extend(form.cut.iter().map(|why| (format!("{} {why}", glyphs.warn), Role::Warn)));
    if let Some(trouble) = form.json_fault() {
        let words = if trouble.column == 0 {
            trouble.text.clone()
        } else {
            format!("line {}, column {}: {}", trouble.line, trouble.column, trouble.text)
        };
        said.push((format!("{} {words}", glyphs.bad), Role::Bad));
    }
    let focused = form.fields.get(form.focus).filter(|_| !form.as_json);
    if let (Some(field), Some(fault)) = (focused, form.fault(form.focus)) {
        said.push((format!("{} {}: {fault}", glyphs.bad, field.label), Role::Bad));
    }
    said.extend(
        form.other_faults().iter().take(3).map(|fault| (format!("{} {fault}", glyphs.bad), Role::Bad)),
    );
    if let Some(field) = focused {
        if !field.about.is_empty() {
            said.push((field.about.clone(), Role::Text));
        }
        let need = match field.need {
            Need::Always => "required",
            Need::WithGroup => "required if its group is used",
            Need::Optional => "optional",
        };
        said.push((format!("{}; {need}{}", field.constraint, key_hint(field, view)), Role::Muted));
    }
    let (rest, cut) = (form.rest_members(), form.properties_cut());
    if !form.as_json && rest + cut > 0 {
        said.push((
            format!(
                "{rest} members and {cut} properties have no field here and are kept; {} shows them",
                view.key(crate::console::input::action::Action::AsJson)
            ),
            Role::Muted,
        ));
    }
    if form.as_json && said.is_empty() {
        said.push((format!("{} valid", glyphs.ok), Role::Ok));
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
        Kind::Number(number) if number.step.is_some() => {
            let step = number.step.unwrap_or(1.0);
            format!("; {left} {right} by {step}")
        }
        Kind::Boolean => format!("; space or {left} {right}"),
        Kind::Choice(_) => format!("; {left} {right} or a letter"),
        _ => String::new(),
    }
}

/// Fields stand one a line; a rule lies between the parameters and what goes with them.
pub(super) fn line_of(form: &Form, index: usize) -> usize {
    let is_beside = form.fields.get(index).is_some_and(|field| !matches!(field.target, Target::Param(_)));
    index + usize::from(is_beside)
}

/// Where fields or lines are: below the line that says where it goes, above the details.
pub(super) fn list_area(inside: Rect) -> Rect {
    Rect { y: inside.y + 2, height: inside.height.saturating_sub(2 + DETAIL_ROWS + 1), ..inside }
}
