//! One whole screen.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{
    layout,
    model::Model,
    overlays, panes,
    theme::Role,
    ui::Ui,
    view::{Canvas, View},
};

/// Draws everything onto an empty buffer. The user interface must be settled.
pub(crate) fn draw(buffer: &mut Buffer, model: &Model, ui: &Ui, view: &View) {
    let area = buffer.area;
    let canvas = &mut Canvas { buffer, view };
    canvas.clear(area);
    if layout::too_small(area.width, area.height) {
        draw_too_small(canvas, area);
        return;
    }
    let layout = ui.layout(model);
    panes::draw_header(canvas, layout.header, model);
    panes::draw_chips(canvas, layout.chips, model, ui);
    for (pane, area) in &layout.panes {
        panes::draw(canvas, *pane, *area, model, ui);
    }
    overlays::draw(canvas, layout.body, model, ui);
    if let Some(message) = &ui.message {
        canvas.clear(layout.message);
        let glyphs = view.glyphs;
        let (sign, role) = if message.is_error { (glyphs.bad, Role::Bad) } else { (glyphs.ok, Role::Ok) };
        let used = canvas.put(layout.message.x + 1, layout.message.y, 2, sign, role);
        canvas.put(layout.message.x + 2 + used, layout.message.y, layout.message.width.saturating_sub(4), &message.text, role);
    }
    panes::draw_footer(canvas, layout.footer, model, ui);
}

fn draw_too_small(canvas: &mut Canvas<'_>, area: Rect) {
    let lines = [
        format!("This terminal has {}×{}.", area.width, area.height),
        format!("rl-console needs {}×{}.", layout::COLUMNS_MIN, layout::ROWS_MIN),
        "Make it larger, please.".to_owned(),
    ];
    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
        let line = if canvas.view.glyphs.ascii { line.replace('×', "x") } else { line.clone() };
        canvas.put(area.x, y, area.width, &line, Role::Warn);
    }
}
