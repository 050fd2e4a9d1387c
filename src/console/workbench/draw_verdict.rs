//! What was foreseen of a frame, and next to it what became of the one that was sent.

use ratatui::layout::Rect;

use super::{
    Workbench,
    bench::Side,
    panel::{VerdictLine, wrapped},
    sending::{summary, summary_class},
    state::SentRecord,
};
use crate::{
    console::{
        draw::{glyphs::Glyphs, theme::Role},
        input::action::Action,
        model::Timeline,
        records::ladder_view::HopLanes,
        settings::view::Canvas,
        ui::Scene,
    },
    dissect::{EntryRecord, EntrySummary, summary_line},
    ids::{ConnectionId, Peer},
    port::{DOOR_OPENS, JudgedRow, SentFrame, ToldEntry},
    tap::{
        EntryRef,
        entry::{Door, Entry, FrameOrigin, Link, What},
    },
    time::Wall,
};

/// Entries that are shown of what became of a frame.
const TOLD_MAX: usize = 32;
/// Entries before it among which it is looked for what came between.
const LOOK_BACK: u64 = 512;

/// Columns between the two sides.
const GAP: u16 = 2;

/// The lines of both sides.
pub(super) struct Lines {
    foreseen: Vec<VerdictLine>,
    /// Nothing before a frame is sent.
    sent: Option<Vec<VerdictLine>>,
}

impl Lines {
    /// How many the longer side has.
    pub(super) fn count(&self) -> usize {
        self.foreseen.len().max(self.sent.as_ref().map_or(0, Vec::len))
    }
}

/// The columns of a side, of so many in all.
fn side_columns(bench: &Workbench, width: u16) -> u16 {
    let room = width.saturating_sub(GAP);
    if bench.result.is_some() || bench.pending.is_some() { (room / 2).saturating_sub(1) } else { room }
}

/// The lines of a panel of so many columns.
pub(super) fn lines(bench: &Workbench, width: u16, time: &Timeline, now: Wall, glyphs: &Glyphs) -> Lines {
    let columns = side_columns(bench, width);
    let sent = match &bench.result {
        Some(record) => Some(sent_lines(record, time, glyphs)),
        None if bench.pending.is_some() => {
            Some(vec![VerdictLine::new("sent; waiting for what becomes of it".to_owned(), Role::Muted)])
        }
        None => None,
    };
    Lines {
        foreseen: wrapped(bench.verdict_lines(now), columns),
        sent: sent.map(|lines| wrapped(lines, columns)),
    }
}

/// Draws them, with a line above.
pub(super) fn draw(bench: &Workbench, canvas: &mut Canvas<'_>, area: Rect, scene: &Scene<'_>) {
    let room = area.width.saturating_sub(GAP);
    let view = canvas.view;
    let border = view.glyphs.horizontal.repeat(usize::from(room));
    let above = area.y.saturating_sub(1);
    canvas.put(area.x + 1, above, room, &border, Role::Border);
    let is_here = scene.is_top && bench.side == Side::Verdict;
    let (role, how) = if is_here {
        (Role::Focus, "the arrows go there".to_owned())
    } else {
        (Role::Muted, format!("{} goes there", view.key(Action::NextField)))
    };
    // What is shown may be the past; cores judge as they are.
    let is_past = scene.ui.time.is_stopped();
    let title = if is_past { " foreseen, as of the present " } else { " foreseen " };
    let columns = side_columns(bench, area.width);
    canvas.put(area.x + 2, above, columns, title, role);
    let lines = lines(bench, area.width, &scene.ui.time, view.clock.wall, view.glyphs);
    let left = Rect { x: area.x + 1, width: columns, ..area };
    bench.panel.draw(canvas, left, &lines.foreseen, &how);
    if let Some(sent) = lines.sent {
        let right = Rect { x: left.right() + GAP, ..left };
        canvas.put(right.x, above, columns, " sent ", role);
        bench.panel.draw(canvas, right, &sent, &how);
    }
}

/// What became of a frame: whether it was as foreseen, and the ladder of the entries in their order.
fn sent_lines(record: &SentRecord, time: &Timeline, glyphs: &Glyphs) -> Vec<VerdictLine> {
    let (text, is_bad) = summary(record);
    let role = if is_bad { Role::Bad } else { Role::Ok };
    let mut lines = vec![VerdictLine { text, role, class: summary_class(record) }];
    let Ok(sent) = &record.outcome else { return lines };
    if let Some(foreseen) = &record.foreseen {
        lines.extend(compared(foreseen, sent, (&record.door, time)));
    }
    if let Some(closed) = &sent.closed {
        lines.push(VerdictLine::new(format!("closed: {closed}"), Role::Warn));
    }
    let ladder = Lanes::of(sent);
    let shown = sent.told.iter().take(TOLD_MAX);
    lines.extend(shown.map(|told| entry_line(told, ladder.hop(told), glyphs)));
    let more = sent.more + sent.told.len().saturating_sub(TOLD_MAX) as u64;
    if more > 0 {
        lines.push(VerdictLine::new(format!("and {more} more; the trace has them"), Role::Muted));
    }
    lines
}

/// Whether it came to what was foreseen; where it did not, what came between, where it did, the values in
/// which the answers are not the same.
fn compared(foreseen: &JudgedRow, sent: &SentFrame, (door, time): (&str, &Timeline)) -> Vec<VerdictLine> {
    if let Some(why) = foreseen.uncompared(sent) {
        return vec![VerdictLine::new(why.to_owned(), Role::Muted)];
    }
    let found = foreseen.differences(sent);
    if found.is_empty() {
        let mut lines = vec![VerdictLine::new("equal to what was foreseen".to_owned(), Role::Ok)];
        let others = sent.other_values();
        if !others.is_empty() {
            lines.push(VerdictLine::quoting(format!("but for {}", others.join("; ")), Role::Muted));
        }
        return lines;
    }
    let mut lines = vec![VerdictLine::new(format!("different: {}", found.join("; ")), Role::Warn)];
    lines.extend(between(foreseen, sent, (door, time)).map(|text| VerdictLine::quoting(text, Role::Warn)));
    lines
}

/// What came between the judgement and the frame, which may be why that came to something else: at its host
/// or, where nothing did there, elsewhere.
fn between(foreseen: &JudgedRow, sent: &SentFrame, (door, time): (&str, &Timeline)) -> Option<String> {
    let own = sent.own()?;
    let entries = time.entries();
    let at = entries.index_of(own.seq)?;
    let through = Through::of(entries.entry(at)?.entry, sent.door, door);
    let earlier = (at.saturating_sub(LOOK_BACK)..at).rev().filter_map(|index| entries.entry(index));
    let others = earlier
        .take_while(|entry| entry.entry.at.wall >= foreseen.at_ms)
        .filter(|entry| own.trace.is_none() || entry.entry.trace != own.trace)
        .filter(|entry| !EntryRecord(*entry).is_routine() && !through.has(*entry));
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        others.partition(|entry| entry.entry.link.name() == foreseen.link);
    let found = if here.is_empty() { elsewhere } else { here };
    let last = summary_line(found.first()?.entry);
    Some(match found.len() {
        1 => format!("came between: {last}"),
        count => format!("came between: {count} entries, {last} the last"),
    })
}

/// A door, and its connection where that is its own.
struct Through<'a> {
    door: u64,
    /// Which way it leads, in words.
    words: &'a str,
    /// Of a peer's connection nothing else is the door's.
    connection: Option<(Option<&'a Peer>, Option<ConnectionId>)>,
}

impl<'a> Through<'a> {
    /// The one by which a frame came.
    fn of(own: &'a Entry, door: u64, words: &'a str) -> Self {
        let EntrySummary { peer, session, .. } = EntrySummary::of(own);
        let is_own = origin(own).is_some_and(|origin| origin.door == Door::Own);
        Self { door, words, connection: is_own.then_some((peer, session)) }
    }

    /// Whether an entry is that of a frame through it, or tells that it was opened, or of its connection.
    fn has(&self, EntryRef { entry, bytes }: EntryRef<'_>) -> bool {
        let is_through = |origin: &FrameOrigin| origin.door != Door::Gate && origin.number == self.door;
        let opens = || bytes.strip_prefix(DOOR_OPENS.as_bytes()) == Some(self.words.as_bytes());
        let EntrySummary { peer, session, .. } = EntrySummary::of(entry);
        let is_of_connection = match self.connection {
            Some((_, own @ Some(_))) => session == own,
            Some((own @ Some(_), None)) => peer == own,
            _ => false,
        };
        is_of_connection || origin(entry).is_some_and(is_through) || (entry.link == Link::Station && opens())
    }
}

fn origin(entry: &Entry) -> Option<&FrameOrigin> {
    if let What::Frame(frame) = &entry.what { frame.origin.as_deref() } else { None }
}

fn entry_line(told: &ToldEntry, hop: HopLanes, glyphs: &Glyphs) -> VerdictLine {
    let role = match told.outcome.as_deref() {
        Some("fault" | "bad") => Role::Bad,
        Some("warn" | "late") => Role::Warn,
        _ => Role::Text,
    };
    VerdictLine::quoting(format!("{} {}: {}", hop.drawn(glyphs), told.kind, told.line), role)
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
