//! One whole screen.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    console::{
        draw::{class::Class, text, theme::Role},
        model::Model,
        screen,
        screen::{palette_overlay, time_bar},
        settings::view::{Canvas, View},
        ui,
        ui::{layout, state::Ui},
        wire,
    },
    tap::entry::station::Level,
};

/// Draws everything, whatever is in the buffer. The user interface must be settled.
///
/// While time is stopped the panes are of the past. Header and chips, alerts, approvals and brakes are of the
/// present, and so are questions and forms, which act. A recording has no present beside what is shown.
pub(crate) fn draw(buffer: &mut Buffer, live: &Model, ui: &Ui, view: &View) {
    let past = ui.time.visible_model();
    let model = past.as_deref().unwrap_or(live);
    let area = buffer.area;
    let canvas = &mut Canvas { buffer, view };
    canvas.clear(area);
    if layout::too_small(area.width, area.height) {
        draw_too_small(canvas, area);
        return;
    }
    let layout = ui.layout(model);
    let present = of_present(view, past.as_deref(), live);
    screen::draw_header(canvas, layout.header, present, ui);
    screen::draw_chips(canvas, layout.chips, present, ui);
    if ui::layer::covering(ui).is_none() {
        for (pane, area) in &layout.panes {
            ui::draw_pane::draw(canvas, *pane, *area, model, ui);
        }
        wire::draw_preview(canvas, layout.glance, model, ui);
    }
    ui::layer::draw(canvas, layout.body, model, live, ui);
    if let Some(palette) = &ui.palette {
        palette_overlay::draw(palette, canvas, layout.body, model, ui);
    }
    draw_message(canvas, layout.message, ui);
    let scene = screen::FooterScene { model: ui.model_on_top(model, live), live, ui };
    screen::draw_footer(canvas, layout.footer, scene);
}

/// The model that header and chips are of while the panes may be of the past.
pub(super) fn of_present<'a>(view: &View, past: Option<&'a Model>, live: &'a Model) -> &'a Model {
    past.filter(|_| view.replay.is_some()).unwrap_or(live)
}

/// Lines that a message takes of the body at most.
const MESSAGE_ROWS_MAX: usize = 4;

/// What was said last; when that has gone, what is wrong with the configuration. What is too long for one
/// line grows upwards: the end of it is what to do.
fn draw_message(canvas: &mut Canvas<'_>, line: Rect, ui: &Ui) {
    let glyphs = canvas.view.glyphs;
    let (words, class, level) = match (&ui.message, ui.faults.as_slice()) {
        (Some(message), _) => (message.text.clone(), message.class, message.level),
        (None, []) => return time_bar::draw(canvas, line, ui),
        (None, [fault, more @ ..]) => {
            let more = if more.is_empty() {
                String::new()
            } else {
                format!(" (and {} more: see the Journal)", more.len())
            };
            (format!("{fault}: {}{more}", fault.hint), Class::Public, Level::Error)
        }
    };
    let room = line.width.saturating_sub(4);
    let words = canvas.view.commands.in_text(text::cut(&words, 4_096));
    let words = text::visible(&words, glyphs.ascii);
    let mut lines = text::wrap(&words, usize::from(room));
    if lines.len() > MESSAGE_ROWS_MAX {
        let rest = lines.split_off(MESSAGE_ROWS_MAX - 1);
        lines.push(rest.join(" "));
    }
    let above = u16::try_from(lines.len().saturating_sub(1)).unwrap_or(0).min(line.y);
    let area = Rect { y: line.y - above, height: line.height + above, ..line };
    canvas.clear(area);
    let (sign, role) = match level {
        Level::Error => (glyphs.bad, Role::Bad),
        Level::Warn => (glyphs.warn, Role::Warn),
        Level::Trace | Level::Debug | Level::Info => (glyphs.ok, Role::Ok),
    };
    let used = canvas.put(line.x + 1, area.y, 2, sign, role);
    for (words, y) in lines.iter().zip(area.y..area.bottom()) {
        canvas.put_as(line.x + 2 + used, y, room, words, role, class);
    }
}

fn draw_too_small(canvas: &mut Canvas<'_>, area: Rect) {
    let (has, needs) =
        (format!("{}×{}", area.width, area.height), format!("{}×{}", layout::COLUMNS_MIN, layout::ROWS_MIN));
    let lines = if area.width < 24 {
        [format!("{has} is small."), format!("{needs} is needed."), String::new()]
    } else {
        [
            format!("This terminal has {has}."),
            format!("rl-console needs {needs}."),
            "Enlarge the terminal.".to_owned(),
        ]
    };
    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
        let line = if canvas.view.glyphs.ascii { line.replace('×', "x") } else { line.clone() };
        canvas.put(area.x, y, area.width, &line, Role::Warn);
    }
}
