//! Text that is being written, on the screen: one line of it, or the JSON of a form with the numbers of its
//! lines.

use ratatui::{
    layout::Rect,
    style::{Modifier, Style},
};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::console::{
    draw::{class::Class, text, theme::Role},
    form::Form,
    settings::view::Canvas,
};

/// Columns before the lines: their numbers, and a sign at the one that is wrong.
pub(crate) const GUTTER: u16 = 7;

/// Draws a line, with the cursor before one of its characters. A line break within it is seen as a sign.
pub(crate) fn draw_line(
    canvas: &mut Canvas<'_>,
    (x, y): (u16, u16),
    columns: u16,
    line: &str,
    cursor: Option<usize>,
    class: Class,
) {
    let (shown, before) = window(line, cursor, usize::from(columns), canvas.view.glyphs.ascii);
    canvas.put_as(x, y, columns, &shown, Role::Text, class);
    let Some(_) = cursor else { return };
    let at = x + u16::try_from(before).unwrap_or(columns).min(columns.saturating_sub(1));
    if let Some(cell) = canvas.buffer.cell_mut((at, y)) {
        cell.set_style(reversed());
    }
}

/// Draws the JSON of a form.
pub(crate) fn draw(form: &Form, canvas: &mut Canvas<'_>, area: Rect, focused: bool) {
    let (row, column) = form.editor.cursor();
    let columns = area.width.saturating_sub(GUTTER + 1);
    let wrong = form.json_fault().filter(|trouble| trouble.column > 0).map(|trouble| trouble.line);
    let lines = form.editor.lines();
    for ((index, line), y) in lines.iter().enumerate().skip(form.offset).zip(area.y..area.bottom()) {
        let is_wrong = wrong == Some(index + 1);
        let role = if is_wrong { Role::Bad } else { Role::Muted };
        canvas.put(area.x, y, 1, if is_wrong { canvas.view.glyphs.bad } else { " " }, role);
        canvas.put(area.x + 1, y, GUTTER - 2, &format!("{:>5}", index + 1), role);
        let cursor = (focused && index == row).then_some(column);
        let class = if focused && form.is_typed(index) { Class::Public } else { Class::Payload };
        draw_line(canvas, (area.x + GUTTER, y), columns, line, cursor, class);
    }
    let below = lines.len().saturating_sub(form.offset + usize::from(area.height));
    if form.offset > 0 || below > 0 {
        let glyphs = canvas.view.glyphs;
        let words = format!(" {} {}  {} {below} ", glyphs.up, form.offset, glyphs.down_arrow);
        let width = u16::try_from(text::width(&words)).unwrap_or(16);
        canvas.put(area.right().saturating_sub(width + 1), area.y - 1, width, &words, Role::Muted);
    }
}

/// How the cursor is shown.
pub(crate) fn reversed() -> Style {
    Style::new().add_modifier(Modifier::REVERSED)
}

/// The part of a line that fits, with the cursor in it; and the columns before the cursor.
pub(crate) fn window(line: &str, cursor: Option<usize>, columns: usize, ascii: bool) -> (String, usize) {
    let Some(cursor) = cursor else { return (text::cut(line, columns as u64 * 16).to_owned(), 0) };
    let at = line.char_indices().nth(cursor).map_or(line.len(), |(at, _)| at);
    let mut used = 0;
    let mut from = at;
    for (start, grapheme) in line[..at].grapheme_indices(true).rev() {
        let wide = text::width(&text::visible(grapheme, ascii));
        if used + wide + 1 > columns {
            break;
        }
        used += wide;
        from = start;
    }
    (text::cut(&line[from..], ((at - from) + columns * 16) as u64).to_owned(), used)
}
