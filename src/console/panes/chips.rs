//! The second line: one chip a system, then one for each pane that has no room.

use ratatui::{layout::Rect, style::Modifier};

use crate::{
    console::{
        model::{Condition, Model, in_flight, mpp_report, store_report},
        text,
        theme::Role,
        ui::{ChipId, Focus, PaneId, Ui},
        view::{Canvas, View},
    },
    tap::entry::mpp::RowState,
};

/// A chip's name, its sign, and its figure.
fn parts(view: &View, chip: ChipId, model: &Model, is_narrow: bool) -> [(String, Role); 3] {
    let glyphs = view.glyphs;
    let sign = |condition| match condition {
        Condition::Well => (glyphs.well.to_owned(), Role::Ok),
        Condition::Degraded => (glyphs.degraded.to_owned(), Role::Warn),
        Condition::Down => (glyphs.down.to_owned(), Role::Bad),
    };
    match chip {
        ChipId::Mpp => {
            let figure = model.mpp().map_or_else(String::new, |mpp| {
                let name = text::truncate(&mpp.pack.name, if is_narrow { 12 } else { 20 }, glyphs.ellipsis).into_owned();
                let (flying, _) = in_flight(mpp);
                format!("{name} {}q {flying}{}", mpp.queues.len(), glyphs.flying)
            });
            [("MPP".to_owned(), Role::Mpp), sign(mpp_report(model, view.now).condition), (figure, Role::Text)]
        }
        ChipId::Store => {
            let figure = match model.world.as_ref().map(|world| world.station.store_failing.is_some()) {
                Some(true) => "failing",
                // Where it is tight, the sign alone says it.
                Some(false) if !is_narrow => "well",
                _ => "",
            };
            [("STORE".to_owned(), Role::Station), sign(store_report(model).condition), (figure.to_owned(), Role::Text)]
        }
        ChipId::Hidden(pane) => {
            let (name, figure, role) = hidden(view, pane, model);
            [(name.to_owned(), Role::Accent), (String::new(), Role::Muted), (figure, role)]
        }
    }
}

fn hidden(view: &View, pane: PaneId, model: &Model) -> (&'static str, String, Role) {
    let glyphs = view.glyphs;
    let mpp = model.mpp();
    match pane {
        PaneId::Queues => ("QUEUES", mpp.map_or(0, |mpp| mpp.queues.len()).to_string(), Role::Text),
        PaneId::InFlight => {
            let (flying, applied) = mpp.map_or((0, 0), in_flight);
            let figure = if applied > 0 { format!("{flying}{} +{applied}", glyphs.flying) } else { format!("{flying}{}", glyphs.flying) };
            ("FLIGHT", figure, Role::Text)
        }
        PaneId::Recent => {
            let ended = |wanted: &[RowState]| model.ended().filter(|row| wanted.contains(&row.state)).count();
            let bad = ended(&[RowState::Failed, RowState::Refunded]);
            let figure = format!("{}{} {bad}{}", ended(&[RowState::Done]), glyphs.ok, glyphs.bad);
            ("RECENT", figure, if bad > 0 { Role::Warn } else { Role::Text })
        }
        PaneId::Log => {
            let serious = model.journal.serious;
            let role = if serious > 0 { Role::Warn } else { Role::Text };
            ("LOG", format!("{serious}{}", glyphs.warn), role)
        }
        PaneId::Started => ("", String::new(), Role::Muted),
    }
}

/// Where each chip is.
fn places(view: &View, area: Rect, model: &Model, ui: &Ui) -> Vec<(Rect, [(String, Role); 3])> {
    let mut x = area.x + 1;
    let chips = ui.layout(model).chips();
    chips
        .into_iter()
        .map_while(|chip| {
            let parts = parts(view, chip, model, area.width < 120);
            let columns: usize = parts.iter().filter(|(words, _)| !words.is_empty()).map(|(words, _)| text::width(words) + 1).sum();
            let columns = u16::try_from(columns).unwrap_or(u16::MAX).saturating_add(1);
            let place = Rect::new(x, area.y, columns.min(area.right().saturating_sub(x)), 1);
            x = x.saturating_add(columns + 1);
            (place.width > 0).then_some((place, parts))
        })
        .collect()
}

/// Draws them.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, model: &Model, ui: &Ui) {
    let view = canvas.view;
    for (index, (place, parts)) in places(view, area, model, ui).into_iter().enumerate() {
        let mut x = place.x + 1;
        for (words, role) in parts.iter().filter(|(words, _)| !words.is_empty()) {
            x += canvas.put(x, place.y, place.right().saturating_sub(x), words, *role) + 1;
        }
        if ui.overlays.is_empty() && ui.focus == Focus::Chips(index) {
            canvas.buffer.set_style(place, ratatui::style::Style::new().add_modifier(Modifier::REVERSED));
        }
    }
}

/// The chip under a column, as counted from the first.
pub(crate) fn chip_at(view: &View, column: u16, model: &Model, ui: &Ui) -> Option<usize> {
    let area = ui.layout(model).chips;
    places(view, area, model, ui).iter().position(|(place, _)| place.contains((column, area.y).into()))
}
