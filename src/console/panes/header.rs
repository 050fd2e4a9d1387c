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
    let columns = |parts: &[(String, Role)]| parts.iter().map(|(words, _)| text::width(words) + GAP).sum::<usize>();
    // Where it is tight, the program's own name is what is missed least, then the station's.
    let skipped = (0..2).find(|skipped| columns(&parts[*skipped..]) <= usize::from(room)).unwrap_or(2);
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
    let declared = world.mpp.queues.values().filter(|queue| queue.ready_after.is_some()).count();
    if held > 0 && held >= declared {
        parts.push((format!("{} ALL HELD", glyphs.held), Role::Warn));
    } else if held > 0 {
        parts.push((format!("{} {held} held", glyphs.held), Role::Warn));
    }
    let mut draining = world.mpp.queues.iter().filter(|(_, queue)| queue.brake.draining).map(|(name, _)| name);
    match (draining.next(), draining.count()) {
        (None, _) => {}
        (Some(name), 0) => {
            let name = text::truncate(&text::visible(name.as_str(), glyphs.ascii), 12, glyphs.ellipsis).into_owned();
            parts.push((format!("{} drain: {name}", glyphs.draining), Role::Warn));
        }
        (Some(_), more) => parts.push((format!("{} {} draining", glyphs.draining, more + 1), Role::Warn)),
    }
    parts.push((format!("loss {}", format::count(model.lost)), if model.lost > 0 { Role::Warn } else { Role::Muted }));
    parts
}
