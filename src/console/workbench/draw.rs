//! The workbench as it is drawn: the way at its head, the JSON, the bytes, and below what was foreseen next
//! to what became of the frame.

use ratatui::{
    layout::Rect,
    style::{Modifier, Style},
};

use super::{
    Workbench,
    bench::{Leads, Side},
    draw_form, draw_verdict,
    gate_edit::GateEdit,
    verdict::offset,
};
use crate::{
    console::{
        draw::{class::Class, theme::Role},
        inspect::hex::Columns,
        overlays::draw_line::{GUTTER, draw_line, reversed},
        settings::view::Canvas,
        ui::Scene,
    },
    words::counted,
};

/// Lines of the verdict at least, and at most: a third of the height.
const VERDICT_ROWS_MIN: u16 = 6;
const VERDICT_ROWS_MAX: u16 = 12;
/// Columns of a dump with 16 bytes a line.
const WIDE_DUMP: u16 = 72;
/// Columns of one with 8.
const NARROW_DUMP: u16 = 39;

/// Where everything is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Areas {
    pub(super) head: Rect,
    pub(super) fault: Rect,
    pub(super) json: Rect,
    pub(super) bytes: Rect,
    pub(super) verdict: Rect,
}

/// The parts of a body.
pub(super) fn areas(body: Rect) -> Areas {
    let inside =
        Rect::new(body.x + 1, body.y + 1, body.width.saturating_sub(2), body.height.saturating_sub(2));
    let verdict_rows = (inside.height / 3).clamp(VERDICT_ROWS_MIN, VERDICT_ROWS_MAX);
    let verdict_rows = verdict_rows.min(inside.height.saturating_sub(5));
    let rows = inside.height.saturating_sub(verdict_rows + 3);
    let dump = if inside.width >= 2 * WIDE_DUMP { WIDE_DUMP } else { NARROW_DUMP.min(inside.width / 2) };
    let y = inside.y + 2;
    Areas {
        head: Rect { height: 1, ..inside },
        fault: Rect { y: inside.y + 1, height: 1, ..inside },
        json: Rect { y, height: rows, width: inside.width.saturating_sub(dump + 1), ..inside },
        bytes: Rect { x: inside.right().saturating_sub(dump), y, width: dump, height: rows },
        verdict: Rect { y: y + rows + 1, height: verdict_rows, ..inside },
    }
}

/// Draws it.
pub(super) fn draw(bench: &Workbench, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
    let areas = areas(scene.body);
    let of = bench.of.map_or_else(String::new, |seq| format!(": made of {seq}"));
    if let Some(edit) = &bench.at_gate {
        canvas.frame(scene.body, &format!("Workbench: frame {} at the gate", edit.number), scene.is_top);
        draw_gate_edit(edit, canvas, areas.head);
    } else {
        canvas.frame(scene.body, &format!("Workbench{of}"), scene.is_top);
        draw_head(bench, canvas, areas.head, scene.is_top);
    }
    draw_fault(bench, canvas, areas.fault);
    match &bench.form {
        Some(form) => draw_form::draw(bench, form, canvas, areas.json, scene.is_top),
        None => draw_json(bench, canvas, areas.json, scene.is_top),
    }
    for y in areas.json.y..areas.json.bottom() {
        let glyph = canvas.view.glyphs.vertical;
        canvas.put(areas.json.right(), y, 1, glyph, Role::Border);
    }
    draw_bytes(bench, canvas, areas.bytes, scene.is_top);
    draw_verdict::draw(bench, canvas, areas.verdict, scene);
}

/// The held frame that the edited one takes the place of, in the place of a way that could be chosen.
fn draw_gate_edit(edit: &GateEdit, canvas: &mut Canvas<'_>, area: Rect) {
    let now = canvas.view.clock.wall;
    let (text, role) = edit.words(now);
    let used = canvas.put(area.x + 1, area.y, area.width.saturating_sub(1), &text, role);
    let x = area.x + 1 + used + 2;
    let (kept, role) = if edit.keeps {
        ("the rule keeps this change", Role::Warn)
    } else {
        ("this frame alone", Role::Muted)
    };
    canvas.put(x, area.y, area.right().saturating_sub(x), kept, role);
}

fn draw_head(bench: &Workbench, canvas: &mut Canvas<'_>, area: Rect, focused: bool) {
    let mut way = bench.way.clone();
    let mut x = area.x + 1;
    for (index, field) in way.fields().iter().enumerate() {
        let here = focused && bench.side == Side::Way(index);
        let room = |x: u16| area.right().saturating_sub(x);
        x += canvas.put(x, area.y, room(x), field.name(), Role::Muted) + 1;
        let value = if field.value().is_empty() { "none" } else { field.value() };
        let role = if here { Role::Focus } else { Role::Text };
        let used = canvas.put(x, area.y, room(x), value, role);
        if here {
            canvas.buffer.set_style(Rect::new(x, area.y, used.max(1), 1), reversed());
        }
        x += used + 2;
    }
    if let Some(door) = &bench.door {
        let words = format!("open: {} ({})", door.number, door.peer);
        canvas.put(x, area.y, area.right().saturating_sub(x), &words, Role::Ok);
    }
}

/// The fault of the JSON or of its bytes, or which of them leads.
fn draw_fault(bench: &Workbench, canvas: &mut Canvas<'_>, area: Rect) {
    let view = canvas.view;
    let (text, role, class) = if let Some(fault) = &bench.json_fault {
        let place =
            fault.place.map_or_else(String::new, |(line, column)| format!("line {line}, column {column}: "));
        (format!("{} {place}{}", view.glyphs.bad, fault.text), Role::Bad, Class::Payload)
    } else if let Some(apart) = &bench.apart {
        let key = view.key(crate::console::input::action::Action::RefreshFrame);
        let is_answer = bench.at_gate.as_ref().is_some_and(|edit| edit.is_answer);
        let hint = if bench.leads == Leads::Reading || is_answer {
            String::new()
        } else {
            format!("; {key} reads the JSON of them")
        };
        (format!("{} {apart}{hint}", view.glyphs.warn), Role::Warn, Class::Public)
    } else if !bench.breakages.is_empty() {
        let names: Vec<&str> = bench.breakages.iter().map(|it| it.name()).collect();
        let names = names.join(", ");
        let text = format!("{} broken: {names}; an edit of the JSON undoes it", view.glyphs.warn);
        (text, Role::Warn, Class::Public)
    } else if let Some(fault) = &bench.fault {
        let text = format!("{} byte {}: {fault}", view.glyphs.bad, offset(fault.offset as u64));
        (text, Role::Bad, Class::Payload)
    } else {
        (counted(bench.bytes.bytes().len(), "byte"), Role::Muted, Class::Public)
    };
    let room = area.width.saturating_sub(1);
    let used = canvas.put_as(area.x + 1, area.y, room, &text, role, class);
    if let Some(from) = &bench.snippet {
        let words = format!("  {}", from.words());
        canvas.put(area.x + 1 + used, area.y, room.saturating_sub(used), &words, Role::Muted);
    }
}

fn draw_json(bench: &Workbench, canvas: &mut Canvas<'_>, area: Rect, focused: bool) {
    let focused = focused && bench.side == Side::Json;
    let (row, column) = bench.editor.cursor();
    let columns = area.width.saturating_sub(GUTTER + 1);
    let wrong = bench.wrong_line();
    let mark = bench.mark();
    let lines = bench.editor.lines().iter().enumerate().skip(bench.offset);
    for ((index, line), y) in lines.zip(area.y..area.bottom()) {
        let is_wrong = wrong == Some(index);
        let role = if is_wrong { Role::Bad } else { Role::Muted };
        canvas.put(area.x, y, 1, if is_wrong { canvas.view.glyphs.bad } else { " " }, role);
        canvas.put(area.x + 1, y, GUTTER - 2, &format!("{:>5}", index + 1), role);
        let cursor = (focused && index == row).then_some(column);
        draw_json_line(bench, canvas, (area.x + GUTTER, y), (columns, line, cursor));
        let short = |column: usize| u16::try_from(column).unwrap_or(u16::MAX).min(columns);
        if let Some(mark) = mark.as_ref().filter(|mark| mark.line == index) {
            let (from, to) = (short(mark.columns.start), short(mark.columns.end));
            let marked = Rect::new(area.x + GUTTER + from, y, to.saturating_sub(from), 1);
            canvas.buffer.set_style(marked, marked_style());
        }
    }
}

/// How the value under the cursor is marked, as the inspector does it.
fn marked_style() -> Style {
    Style::new().add_modifier(Modifier::UNDERLINED | Modifier::BOLD)
}

/// A line of the JSON; of one that is a captured frame's still, the value is masked on air.
fn draw_json_line(
    bench: &Workbench,
    canvas: &mut Canvas<'_>,
    (x, y): (u16, u16),
    (columns, line, cursor): (u16, &str, Option<usize>),
) {
    let is_masked = bench.is_captured(line) && canvas.view.mask_policy.masks(Class::Payload);
    let has_value = line.contains(|character: char| !" {}[],".contains(character));
    if !is_masked || !has_value {
        return draw_line(canvas, (x, y), columns, line, cursor, Class::Public);
    }
    let (name, value) =
        line.split_once("\": ").map_or(("", line.trim_start()), |(name, value)| (name, value));
    let before = if name.is_empty() {
        " ".repeat(line.len() - line.trim_start().len())
    } else {
        format!("{name}\": ")
    };
    let used = canvas.put(x, y, columns, &before, Role::Text);
    let class = if matches!(value, "{" | "[") { Class::Public } else { Class::Payload };
    canvas.put_as(x + used, y, columns.saturating_sub(used), value, Role::Text, class);
    if cursor.is_some()
        && let Some(cell) = canvas.buffer.cell_mut((x, y))
    {
        cell.set_style(reversed());
    }
}

fn draw_bytes(bench: &Workbench, canvas: &mut Canvas<'_>, area: Rect, focused: bool) {
    let bytes = bench.bytes.bytes();
    let columns = Columns::of(area.width, bytes.len());
    let per_line = usize::from(columns.bytes);
    let (at, digit) = bench.bytes.cursor();
    let here = focused && bench.side == Side::Bytes;
    let faint = if bench.is_made() { Role::Text } else { Role::Muted };
    let wrong = bench.fault.as_ref().map(|fault| fault.offset);
    let marked = bench.mark().map_or(0..0, |mark| mark.bytes);
    for (line, y) in (bench.bytes.offset..).zip(area.y..area.bottom()) {
        let from = line * per_line;
        if from > bytes.len() || (from == bytes.len() && !(here && at == from)) {
            break;
        }
        let offset = format!("{from:0width$x}", width = usize::from(columns.offset));
        canvas.put(area.x, y, columns.offset, &offset, Role::Muted);
        for (index, place) in (from..).zip(0..columns.bytes) {
            if let Some(byte) = bytes.get(index) {
                let role = if wrong == Some(index) { Role::Bad } else { faint };
                let [x, shown] = columns.put(canvas, (area.x, y), (place, *byte), (role, Class::Payload));
                if marked.contains(&index) {
                    canvas.buffer.set_style(Rect::new(x, y, 2, 1), marked_style());
                    canvas.buffer.set_style(Rect::new(shown, y, 1, 1), marked_style());
                }
            }
            if here
                && index == at
                && let Ok(digit) = u16::try_from(digit)
                && let Some(cell) = canvas.buffer.cell_mut((area.x + columns.digits(place) + digit, y))
            {
                cell.set_style(reversed());
            }
        }
    }
}
