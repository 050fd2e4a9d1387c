//! What was foreseen of a frame, and next to it what became of the one that was sent.

use ratatui::layout::Rect;

use super::{
    Workbench,
    sending::{differences, summary},
    state::SentRecord,
    verdict::Said,
};
use crate::{
    console::{
        draw::{glyphs::Glyphs, theme::Role},
        input::action::Action,
        records::ladder_view::HopLanes,
        settings::view::Canvas,
    },
    port::{SentFrame, ToldEntry},
};

/// Draws them, with a line above.
pub(super) fn draw(bench: &Workbench, canvas: &mut Canvas<'_>, area: Rect, is_past: bool) {
    let room = area.width.saturating_sub(2);
    let view = canvas.view;
    let border = view.glyphs.horizontal.repeat(usize::from(room));
    let above = area.y.saturating_sub(1);
    canvas.put(area.x + 1, above, room, &border, Role::Border);
    let is_sending = bench.pending.is_some();
    let half = if bench.result.is_some() || is_sending { room / 2 } else { room };
    // What is shown may be the past; cores judge as they are.
    let title = if is_past { " foreseen, as of the present " } else { " foreseen " };
    canvas.put(area.x + 2, above, half, title, Role::Muted);
    put(canvas, Rect { x: area.x + 1, width: half, ..area }, &bench.verdict_lines(view.clock.wall));
    if half == room {
        return;
    }
    let x = area.x + half + 2;
    canvas.put(x + 1, above, half, " sent ", Role::Muted);
    let right = Rect { x, width: area.right().saturating_sub(x + 1), ..area };
    let lines = match &bench.result {
        Some(record) => {
            sent_lines(record, usize::from(area.height), view.glyphs, &view.key(Action::SentTrace))
        }
        None => vec![Said::new("sent; waiting for what becomes of it".to_owned(), Role::Muted)],
    };
    put(canvas, right, &lines);
}

fn put(canvas: &mut Canvas<'_>, area: Rect, lines: &[Said]) {
    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
        canvas.put_as(area.x, y, area.width, &line.text, line.role, line.class);
    }
}

/// What became of a frame: whether it was as foreseen, and the ladder of the entries in their order.
fn sent_lines(record: &SentRecord, rows: usize, glyphs: &Glyphs, trace_key: &str) -> Vec<Said> {
    let (text, is_bad) = summary(record);
    let mut lines = vec![Said::quoting(text, if is_bad { Role::Bad } else { Role::Ok })];
    let Ok(sent) = &record.outcome else { return lines };
    if let Some(foreseen) = &record.foreseen {
        let found = differences(foreseen, sent);
        lines.push(if found.is_empty() {
            Said::new("equal to what was foreseen".to_owned(), Role::Ok)
        } else {
            Said::new(format!("different: {}", found.join("; ")), Role::Warn)
        });
    }
    if let Some(closed) = &sent.closed {
        lines.push(Said::new(format!("closed: {closed}"), Role::Warn));
    }
    let room = rows.saturating_sub(lines.len());
    let hidden = sent.told.len().saturating_sub(room);
    let shown = if hidden > 0 { room.saturating_sub(1) } else { room };
    let ladder = Lanes::of(sent);
    lines.extend(sent.told.iter().take(shown).map(|told| entry_line(told, ladder.hop(told), glyphs)));
    let more = sent.more + sent.told.len().saturating_sub(shown) as u64;
    if more > 0 {
        lines.push(Said::new(format!("and {more} more; {trace_key} opens the trace"), Role::Muted));
    }
    lines
}

fn entry_line(told: &ToldEntry, hop: HopLanes, glyphs: &Glyphs) -> Said {
    let role = match told.outcome.as_deref() {
        Some("fault" | "bad") => Role::Bad,
        Some("warn" | "late") => Role::Warn,
        _ => Role::Text,
    };
    Said::quoting(format!("{} {}: {}", hop.drawn(glyphs), told.kind, told.line), role)
}

/// Lanes of the small ladder at most, the station's among them; peers past them share the last.
const LANES_MAX: usize = 4;
/// The station's lane, next to that of who sent the frame.
const STATION: usize = 1;

/// Whose the lanes of the small ladder are.
struct Lanes<'a> {
    /// The peers, in the order in which they come; who sent the frame first.
    peers: Vec<&'a str>,
}

impl<'a> Lanes<'a> {
    fn of(sent: &'a SentFrame) -> Self {
        let mut peers: Vec<&str> = Vec::new();
        let first = sent.own().and_then(|own| own.peer.as_deref());
        for peer in first.into_iter().chain(sent.told.iter().filter_map(|told| told.peer.as_deref())) {
            if peers.len() + 1 < LANES_MAX && !peers.contains(&peer) {
                peers.push(peer);
            }
        }
        Self { peers }
    }

    /// The way of an entry; a change is at the station.
    fn hop(&self, told: &ToldEntry) -> HopLanes {
        let lane = told.peer.as_deref().map_or(STATION, |peer| {
            let place = self.peers.iter().position(|known| *known == peer);
            match place.unwrap_or(LANES_MAX - 2) {
                0 => 0,
                place => place + 1,
            }
        });
        let (from, to) =
            if told.direction.as_deref() == Some("out") { (STATION, lane) } else { (lane, STATION) };
        HopLanes { from, to, lanes: (self.peers.len() + 1).max(STATION + 1) }
    }
}
