//! The first line: where you are, in time and otherwise; recording; loss; the clock.

use ratatui::layout::Rect;

use crate::console::{format, model::Model, text, theme::Role, view::Canvas};

/// Draws it.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, model: &Model) {
    let view = canvas.view;
    let glyphs = view.glyphs;
    let clock = view.time_of_day(view.now);
    let clock_at = area.right().saturating_sub(9);
    canvas.put(clock_at, area.y, 8, &clock, Role::Text);

    let room = clock_at.saturating_sub(2);
    let mut x = area.x + 1;
    let mut put = |canvas: &mut Canvas<'_>, words: &str, role: Role, gap: u16| {
        if x < room {
            x += canvas.put(x, area.y, room - x, words, role) + gap;
        }
    };
    put(canvas, "rl-console", Role::Accent, 1);
    put(canvas, glyphs.into, Role::Muted, 1);
    let name = text::truncate(&view.name, 24, glyphs.ellipsis).into_owned();
    put(canvas, &name, Role::Text, 3);
    let Some(world) = &model.world else {
        put(canvas, &format!("{} starting", glyphs.degraded), Role::Warn, 3);
        return;
    };
    let up = format::elapsed(view.now.mono.since(world.station.started_at.mono));
    if model.stopping {
        put(canvas, &format!("{} STOPPING", glyphs.degraded), Role::Warn, 2);
    } else {
        put(canvas, &format!("{} LIVE", glyphs.well), Role::Ok, 2);
    }
    put(canvas, &up, Role::Text, 3);
    if let Some(recording) = &world.station.recording {
        put(canvas, &format!("{}REC {}", glyphs.well, format::bytes(recording.bytes)), Role::Bad, 3);
    }
    let held = world.mpp.queues.values().filter(|queue| queue.brake.held).count();
    if held > 0 && held == world.mpp.queues.len() {
        put(canvas, &format!("{} ALL HELD", glyphs.held), Role::Warn, 3);
    } else if held > 0 {
        put(canvas, &format!("{} {held} held", glyphs.held), Role::Warn, 3);
    }
    let loss_role = if model.lost > 0 { Role::Warn } else { Role::Muted };
    put(canvas, &format!("loss {}", format::count(model.lost)), loss_role, 3);
}
