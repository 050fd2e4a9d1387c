//! The form as it is drawn: names in a column, the value that is edited with its cursor, and what is wrong
//! marked at its field.

use ratatui::layout::Rect;

use super::{
    Workbench,
    bench::Side,
    form::{FormField, FrameForm},
};
use crate::{
    console::{
        draw::{class::Class, theme::Role},
        overlays::draw_line::reversed,
        settings::view::Canvas,
    },
    dissect::tree::Kind,
};

/// Columns of the mark before a field.
const MARK_COLUMNS: u16 = 2;
/// Columns that the names have at most, of a hundred.
const NAMES_PERCENT: u16 = 45;

pub(super) fn draw(bench: &Workbench, form: &FrameForm, canvas: &mut Canvas<'_>, area: Rect, focused: bool) {
    let focused = focused && bench.side == Side::Json;
    let x = area.x + MARK_COLUMNS;
    let room = area.width.saturating_sub(MARK_COLUMNS + 1);
    let most = u16::try_from(u32::from(room) * u32::from(NAMES_PERCENT) / 100).unwrap_or(room);
    let widest =
        form.fields.iter().filter(|field| !field.is_folder).map(|field| name_columns(field) + 2).max();
    let names = widest.unwrap_or(0).min(most);
    let wrong = bench.wrong_at();
    let fields = form.fields.iter().enumerate().skip(form.offset);
    for ((index, field), y) in fields.zip(area.y..area.bottom()) {
        let is_here = index == form.at;
        let is_wrong = !field.is_folder && wrong.as_ref().is_some_and(|at| at.contains(&field.json.start));
        if is_wrong {
            canvas.put(area.x, y, 1, canvas.view.glyphs.bad, Role::Bad);
        }
        let indent = 2 * field.depth;
        let role = if is_here && focused { Role::Focus } else { Role::Muted };
        let end = if field.is_folder { room } else { names };
        canvas.put(x + indent, y, end.saturating_sub(indent), &field.name, role);
        if field.is_folder {
            if is_here && focused {
                canvas.buffer.set_style(Rect::new(x + indent, y, name_columns(field).max(1), 1), reversed());
            }
            continue;
        }
        let value = Rect::new(x + names, y, room.saturating_sub(names), 1);
        let cursor = is_here && focused;
        draw_value(bench, form, (field, cursor), canvas, value);
    }
}

fn name_columns(field: &FormField) -> u16 {
    2 * field.depth + u16::try_from(field.name.chars().count()).unwrap_or(u16::MAX).min(200)
}

fn draw_value(
    bench: &Workbench,
    form: &FrameForm,
    (field, cursor): (&FormField, bool),
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let is_captured = bench.is_captured(line_of(&form.text, field.json.start));
    let class = if is_captured { Class::Payload } else { Class::Public };
    let is_masked = canvas.view.mask_policy.masks(class);
    if cursor && !is_masked {
        return form.line.draw(canvas, area.x, area.y, area.width);
    }
    let role = if field.kind == Kind::Text { Role::Text } else { Role::Accent };
    canvas.put_as(area.x, area.y, area.width, field.shown(&form.text), role, class);
    if cursor {
        canvas.buffer.set_style(Rect { width: 1.min(area.width), ..area }, reversed());
    }
}

/// The line of a text that a byte is in.
fn line_of(text: &str, byte: usize) -> &str {
    let (before, behind) = text.split_at_checked(byte).unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = behind.find('\n').map_or(text.len(), |at| byte + at);
    text.get(start..end).unwrap_or_default()
}
