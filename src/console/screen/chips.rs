//! The second line: one chip a system, then one for each pane that has no room.

use ratatui::layout::Rect;

use crate::console::{
    draw::{format, text, theme::Role},
    input::pane_id::ChipId,
    model::{
        Condition, Model,
        bus::{MESSAGES, rmp_report},
        in_flight, mpp_report,
        runs::runs_report,
        sessions::macp_report,
        store_report,
    },
    settings::view::{Canvas, View},
    ui::{
        pane::{PaneChip, PaneContext, Room},
        state::{Focus, Ui},
    },
};

/// A chip's name, its sign, and its figure. While the station does not answer, none of them stands out.
fn parts(view: &View, chip: ChipId, model: &Model, ui: &Ui, room: Room) -> [(String, Role); 3] {
    let parts = known(view, chip, model, ui, room);
    if model.is_reachable() { parts } else { parts.map(|(words, _)| (words, Role::Muted)) }
}

fn known(view: &View, chip: ChipId, model: &Model, ui: &Ui, room: Room) -> [(String, Role); 3] {
    let glyphs = view.glyphs;
    let sign = |condition| match condition {
        // How it is nobody knows: what is shown is how it was.
        _ if !model.is_reachable() => ("?".to_owned(), Role::Muted),
        Condition::Healthy => (glyphs.well.to_owned(), Role::Ok),
        Condition::Degraded => (glyphs.degraded.to_owned(), Role::Warn),
        Condition::Down => (glyphs.down.to_owned(), Role::Bad),
    };
    match chip {
        ChipId::Mpp => {
            let figure = model.mpp().map_or_else(String::new, |mpp| {
                let (flying, _) = in_flight(mpp);
                let figures = format!("{}q {flying}{}", mpp.queues.len(), glyphs.flying);
                let columns = match room {
                    Room::Least => return String::new(),
                    Room::Tight if mpp.adapter.is_none() => return "no adapter".to_owned(),
                    Room::Tight => return figures,
                    // What is missing says more than the pack's name.
                    _ if mpp.adapter.is_none() => return format!("no adapter {figures}"),
                    Room::Narrow => 12,
                    Room::Wide => 20,
                };
                format!(
                    "{} {figures}",
                    text::truncate(&text::visible(&mpp.pack.name, glyphs.ascii), columns, glyphs.ellipsis)
                )
            });
            [("MPP".to_owned(), Role::Mpp), sign(mpp_report(model, view.now).condition), (figure, Role::Text)]
        }
        ChipId::Rmp => {
            let figure = model.rmp().map_or_else(String::new, |rmp| {
                let rate = crate::console::model::rate_text(model.bus.all.per_second(MESSAGES, view.now));
                match room {
                    Room::Least => String::new(),
                    Room::Tight => format!("{rate}/s"),
                    _ => format!(
                        "{} {} {rate}/s",
                        rmp.peers.len(),
                        if rmp.peers.len() == 1 { "peer" } else { "peers" }
                    ),
                }
            });
            [("RMP".to_owned(), Role::Rmp), sign(rmp_report(model, view.now).condition), (figure, Role::Text)]
        }
        ChipId::Macp => {
            let figure = model.macp().map_or_else(String::new, |macp| match room {
                Room::Least if macp.totals.open == 0 => String::new(),
                Room::Least | Room::Tight => format::count(macp.totals.open),
                _ => format!("{} open", format::count(macp.totals.open)),
            });
            [
                ("MACP".to_owned(), Role::Macp),
                sign(macp_report(model, view.now).condition),
                (figure, Role::Text),
            ]
        }
        ChipId::Runs => {
            let figure = model.runs().map_or_else(String::new, |runs| {
                let (open, totals) = (format::count(runs.open().count() as u64), runs.totals);
                let bad = format::count(totals.failed);
                match room {
                    Room::Least | Room::Tight if runs.open().next().is_some() => {
                        format!("{open}{}", glyphs.flying)
                    }
                    Room::Least | Room::Tight => String::new(),
                    _ => format!(
                        "{open}{} {}{} {bad}{}",
                        glyphs.flying,
                        format::count(totals.succeeded),
                        glyphs.ok,
                        glyphs.bad
                    ),
                }
            });
            [
                ("RUNS".to_owned(), Role::Runs),
                sign(runs_report(model, view.now).condition),
                (figure, Role::Text),
            ]
        }
        ChipId::Store => {
            let figure = match model.station_state.as_ref().map(|state| state.station.store_failing.is_some())
            {
                Some(true) => "failing",
                // Where it is tight, the sign alone says it.
                Some(false) if room == Room::Wide => "well",
                _ => "",
            };
            [
                ("STORE".to_owned(), Role::Station),
                sign(store_report(model).condition),
                (figure.to_owned(), Role::Text),
            ]
        }
        ChipId::Hidden(pane) => {
            let chip = pane.pane().chip.map(|chip| chip(&PaneContext { model, ui, view }, room));
            let PaneChip { name, figure, role } = chip.unwrap_or_else(|| PaneChip::new("", "", Role::Muted));
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

/// Where each chip is.
fn positions(view: &View, area: Rect, model: &Model, ui: &Ui) -> Vec<(Rect, [(String, Role); 3])> {
    let chips = ui.layout(model).chips();
    let all = |room| chips.iter().map(|chip| parts(view, *chip, model, ui, room)).collect::<Vec<_>>();
    let fits = |(chips, gap): &(Vec<[(String, Role); 3]>, u16)| {
        chips.iter().map(|chip| columns(chip) + gap).sum::<u16>() < area.width
    };
    let widest = if area.width < 120 { Room::Narrow } else { Room::Wide };
    let steps = [(widest, 2), (Room::Tight, 2), (Room::Tight, 1), (Room::Tight, 0), (Room::Least, 1)];
    let fitting = steps.into_iter().map(|(room, gap)| (all(room), gap)).find(fits);
    let (chips, gap) = fitting.unwrap_or_else(|| (all(Room::Least), 0));
    let mut x = area.x + 1;
    chips
        .into_iter()
        .map_while(|parts| {
            let columns = columns(&parts);
            let place = Rect::new(x, area.y, columns.min(area.right().saturating_sub(x)), 1);
            x = x.saturating_add(columns + gap);
            (place.width > 0).then_some((place, parts))
        })
        .collect()
}

/// Draws them.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, model: &Model, ui: &Ui) {
    let view = canvas.view;
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
