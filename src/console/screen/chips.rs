//! The second line: one chip a system, then one for each pane that has no room.

use ratatui::layout::Rect;

use crate::console::{
    draw::{text, theme::Role},
    model::{Condition, Model},
    settings::view::{Canvas, View},
    ui::{
        pane::{PaneChip, PaneContext, Room},
        state::{Focus, Ui},
        system::ChipId,
    },
};

/// How much chips say: why something is amiss stays longest.
#[derive(Clone, Copy)]
struct Fit {
    room: Room,
    /// What is said of how much there is.
    counters: Counters,
    /// On how many chips the reason for a sign is said, from the left.
    words: usize,
    /// Whether what is well has a sign that says so.
    has_well_signs: bool,
}

/// Which chips say how much there is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counters {
    All,
    /// Those of panes whose figure warns.
    Warnings,
    None,
}

impl Fit {
    /// All reasons, and as many counters as go into so much room.
    const fn with_words(room: Room) -> Self {
        Self { room, counters: Counters::All, words: usize::MAX, has_well_signs: true }
    }

    /// So many reasons, and of counters these.
    const fn reasons(words: usize, counters: Counters) -> Self {
        Self { room: Room::Least, counters, words, has_well_signs: true }
    }

    /// All reasons, no counter, and a sign on what is not well alone.
    const fn faults() -> Self {
        Self { has_well_signs: false, ..Self::reasons(usize::MAX, Counters::None) }
    }
}

/// A chip's name, its sign, and its figure. While the station does not answer, none of them stands out.
fn parts(
    view: &View,
    (index, chip): (usize, ChipId),
    model: &Model,
    ui: &Ui,
    fit: Fit,
) -> [(String, Role); 3] {
    let parts = known(view, (index, chip), model, ui, fit);
    if model.is_reachable() { parts } else { parts.map(|(words, _)| (words, Role::Muted)) }
}

fn known(
    view: &View,
    (index, chip): (usize, ChipId),
    model: &Model,
    ui: &Ui,
    Fit { room, counters, words, has_well_signs }: Fit,
) -> [(String, Role); 3] {
    let glyphs = view.glyphs;
    let sign = |condition| match condition {
        // How it is nobody knows: what is shown is how it was.
        _ if !model.is_reachable() => ("?".to_owned(), Role::Muted),
        Condition::Ok if !has_well_signs => (String::new(), Role::Ok),
        Condition::Ok => (glyphs.well.to_owned(), Role::Ok),
        Condition::Degraded => (glyphs.degraded.to_owned(), Role::Warn),
        Condition::Down => (glyphs.down.to_owned(), Role::Bad),
    };
    let cx = PaneContext { model, ui, view };
    match chip {
        ChipId::System(system) => {
            // The chips are of the present, also while the panes show the past.
            let now = if ui.time.is_stopped() { view.clock } else { view.now };
            let report = (system.report)(model, now);
            // Of a system with nothing to tell a name says nothing either, where room is scarce.
            let is_idle = report.condition == Condition::Ok && (system.figure)(&cx, Room::Wide).is_empty();
            if is_idle && room != Room::Wide && ui.focus != Focus::Chips(index) {
                return [(); 3].map(|()| (String::new(), Role::Muted));
            }
            let figure = (system.figure)(&cx, room);
            let text = match room {
                _ if report.word.is_empty() && counters == Counters::All => figure,
                // Where it is tightest, the sign alone says it.
                _ if index >= words => String::new(),
                Room::Wide => format!("{} {figure}", report.word).trim_end().to_owned(),
                Room::Narrow | Room::Tight | Room::Least => report.word,
            };
            [(system.chip.to_owned(), Role::of(system.link)), sign(report.condition), (text, Role::Text)]
        }
        ChipId::Hidden(pane) => {
            let chip = pane.pane().chip.map(|chip| chip(&cx, room));
            let PaneChip { name, figure, role } = chip.unwrap_or_else(|| PaneChip::new("", "", Role::Muted));
            let is_said = match counters {
                Counters::All => true,
                Counters::Warnings => role == Role::Warn,
                Counters::None => false,
            };
            let figure = if is_said { figure } else { String::new() };
            [(name.to_owned(), Role::Accent), (String::new(), Role::Muted), (figure, role)]
        }
    }
}

/// Columns of a chip, the gap behind it left out.
fn columns(parts: &[(String, Role); 3]) -> u16 {
    let columns: usize =
        parts.iter().filter(|(words, _)| !words.is_empty()).map(|(words, _)| text::width(words) + 1).sum();
    u16::try_from(columns).unwrap_or(u16::MAX)
}

/// What stands before the chips while the panes show the past, and they do not.
const PRESENT: &str = "NOW:";

fn is_of_present(view: &View, ui: &Ui) -> bool {
    ui.time.is_stopped() && view.replay.is_none()
}

/// Where the chips have room.
fn room(view: &View, area: Rect, ui: &Ui) -> Rect {
    let used = if is_of_present(view, ui) { PRESENT.len() + 1 } else { 0 };
    let used = u16::try_from(used).unwrap_or_default().min(area.width);
    Rect { x: area.x + used, width: area.width - used, ..area }
}

/// Where each chip is.
fn positions(view: &View, area: Rect, model: &Model, ui: &Ui) -> Vec<(Rect, [(String, Role); 3])> {
    let area = room(view, area, ui);
    let chips = ui.layout(model).chips();
    let systems = chips.iter().filter(|chip| matches!(chip, ChipId::System(_))).count();
    let all = |fit| {
        let chips = chips.iter().copied().enumerate();
        chips.map(|chip| parts(view, chip, model, ui, fit)).collect::<Vec<_>>()
    };
    let with_gap = |columns: u16, gap: u16| if columns > 0 { columns + gap } else { 0 };
    let with_fitting_gap = |(fit, gaps): (Fit, &[u16])| {
        let chips = all(fit);
        let columns: Vec<u16> = chips.iter().map(columns).collect();
        let fits = |gap: &u16| columns.iter().map(|wide| with_gap(*wide, *gap)).sum::<u16>() < area.width;
        let gap = gaps.iter().copied().find(fits)?;
        Some((chips, gap))
    };
    let widest = if area.width < 120 { Room::Narrow } else { Room::Wide };
    // What one needs is the reason: counters go before it, and so do panes that have no room.
    let steps: [(Fit, &[u16]); 6] = [
        (Fit::with_words(widest), &[2]),
        (Fit::with_words(Room::Tight), &[2, 1, 0]),
        (Fit::with_words(Room::Least), &[1, 0]),
        (Fit::reasons(usize::MAX, Counters::Warnings), &[1, 0]),
        (Fit::reasons(usize::MAX, Counters::None), &[0]),
        (Fit::faults(), &[0]),
    ];
    let fitting = steps.into_iter().find_map(with_fitting_gap);
    let of_systems = |chips: &Vec<_>| chips[..systems.min(chips.len())].iter().map(columns).sum::<u16>();
    let cut = || {
        let mut reasons = (0..=systems).rev().map(|words| all(Fit::reasons(words, Counters::None)));
        reasons.find(|chips| of_systems(chips) < area.width)
    };
    let (chips, gap) =
        fitting.unwrap_or_else(|| (cut().unwrap_or_else(|| all(Fit::reasons(0, Counters::None))), 0));
    let mut x = area.x + 1;
    chips
        .into_iter()
        .enumerate()
        .map_while(|(index, parts)| {
            let columns = columns(&parts);
            let place = Rect::new(x, area.y, columns.min(area.right().saturating_sub(x)), 1);
            x = x.saturating_add(with_gap(columns, gap));
            // A pane's name is there whole, or not at all.
            let least = if index < systems { columns.min(1) } else { columns };
            (place.width >= least).then_some((place, parts))
        })
        .collect()
}

/// Draws them.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, model: &Model, ui: &Ui) {
    let view = canvas.view;
    if is_of_present(view, ui) {
        canvas.put(area.x + 1, area.y, area.width.saturating_sub(1), PRESENT, Role::Warn);
    }
    for (index, (place, parts)) in positions(view, area, model, ui).into_iter().enumerate() {
        let mut x = place.x + 1;
        for (words, role) in parts.iter().filter(|(words, _)| !words.is_empty()) {
            x += canvas.put(x, place.y, place.right().saturating_sub(x), words, *role) + 1;
        }
        if ui.overlays.is_empty() && ui.focus == Focus::Chips(index) {
            canvas.select(place);
        }
    }
}

/// The chip under a column, as counted from the first.
pub(crate) fn chip_at(view: &View, column: u16, model: &Model, ui: &Ui) -> Option<usize> {
    let area = ui.layout(model).chips;
    positions(view, area, model, ui).iter().position(|(place, _)| place.contains((column, area.y).into()))
}
