//! The first line: where you are, in time and otherwise; recording; loss; the clock.

use ratatui::layout::Rect;

use crate::console::{
    format,
    model::Model,
    text,
    theme::Role,
    view::{Canvas, View},
};

/// Draws it.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, model: &Model) {
    let view = canvas.view;
    let glyphs = view.glyphs;
    let clock = view.time_of_day(view.now);
    let clock_at = area.right().saturating_sub(9);
    canvas.put(clock_at, area.y, 8, &clock, Role::Text);

    let name = text::truncate(&text::visible(&view.name, glyphs.ascii), 24, glyphs.ellipsis).into_owned();
    let mut parts = vec![(format!("rl-console {}", glyphs.into), Role::Accent), (name, Role::Text)];
    parts.extend(state(view, model));
    let room = clock_at.saturating_sub(2);
    let columns: usize = parts.iter().map(|(words, _)| text::width(words) + GAP).sum();
    // Where it is tight, the program's own name is what is missed least.
    let skipped = usize::from(columns > usize::from(room));
    let mut x = area.x + 1;
    for (words, role) in parts.iter().skip(skipped) {
        x += canvas.put(x, area.y, room.saturating_sub(x), words, *role) + u16::try_from(GAP).unwrap_or(2);
    }
}

/// Columns between two parts.
const GAP: usize = 2;

/// Where in time, what is recorded, held and lost.
fn state(view: &View, model: &Model) -> Vec<(String, Role)> {
    let glyphs = view.glyphs;
    let Some(world) = &model.world else { return vec![(format!("{} starting", glyphs.degraded), Role::Warn)] };
    let mut parts = Vec::with_capacity(5);
    if model.stopping {
        parts.push((format!("{} STOPPING", glyphs.degraded), Role::Warn));
    } else {
        parts.push((format!("{} LIVE", glyphs.well), Role::Ok));
    }
    parts.push((format::elapsed(view.now.mono.since(world.station.started_at.mono)), Role::Text));
    if let Some(recording) = &world.station.recording {
        parts.push((format!("{}REC {}", glyphs.well, format::bytes(recording.bytes)), Role::Bad));
    }
    let held = world.mpp.queues.values().filter(|queue| queue.brake.held).count();
    if held > 0 && held == world.mpp.queues.len() {
        parts.push((format!("{} ALL HELD", glyphs.held), Role::Warn));
    } else if held > 0 {
        parts.push((format!("{} {held} held", glyphs.held), Role::Warn));
    }
    parts.push((format!("loss {}", format::count(model.lost)), if model.lost > 0 { Role::Warn } else { Role::Muted }));
    parts
}
