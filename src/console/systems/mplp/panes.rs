//! The panes that show a record: one among the runs, one among the sessions.

use super::{
    going::name_of,
    pages::take_pages,
    part::{COLUMNS, Parts, SPECS},
};
use crate::{
    console::{
        draw::{format, theme::Role},
        input::pane_id::PaneId,
        records::row_list::Rows,
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, PaneContext, Room, Source, Title},
            state::Ui,
        },
    },
    field::Column,
};

/// The record of a run.
pub(crate) static RUN_PANE: Pane = Pane {
    columns: Columns::Of(|ui| columns(ui, PaneId::Lifecycle)),
    rows: |ui, _| rows(ui, PaneId::Lifecycle),
    title: Title::Of(|cx| title(cx, PaneId::Lifecycle)),
    empty: Empty::Of(|cx| empty_text(cx, PaneId::Lifecycle)),
    chip: Some(|cx, room| chip(cx, PaneId::Lifecycle, room)),
    ..PANE
};

/// The record of a session.
pub(crate) static SESSION_PANE: Pane = PANE;

/// What the two have in common.
const PANE: Pane = Pane {
    specs: SPECS,
    columns: Columns::Of(|ui| columns(ui, PaneId::SessionLifecycle)),
    source: Source::Model,
    rows: |ui, _| rows(ui, PaneId::SessionLifecycle),
    pages: Pages::Parts(take_pages),
    filter: None,
    title: Title::Of(|cx| title(cx, PaneId::SessionLifecycle)),
    empty: Empty::Of(|cx| empty_text(cx, PaneId::SessionLifecycle)),
    drawing: Drawing::Table,
    chip: Some(|cx, room| chip(cx, PaneId::SessionLifecycle, room)),
    ledger: |ui, _, all| {
        let bound =
            LedgerBound::Limit("limits.console.lifecycle_bytes_max", ui.limits.console.lifecycle_bytes_max);
        let what = "unfolded lines of the record; events load as you unfold and scroll";
        Some(Account::whole(what, all, bound))
    },
};

/// Its columns: of a record without findings, none for those.
fn columns(ui: &Ui, pane: PaneId) -> &'static [(&'static str, Column)] {
    let is_clean = ui.systems.mplp.of(pane).record().is_some_and(|record| record.findings == 0);
    if is_clean { &COLUMNS[..COLUMNS.len() - 1] } else { COLUMNS }
}

fn rows(ui: &Ui, pane: PaneId) -> Rows<'_> {
    let state = ui.systems.mplp.of(pane);
    state.shown().map_or_else(Rows::none, |shown| Parts::of(shown, state.lines()).rows())
}

/// What the record is of, how large it is, and what is wrong with it.
fn title(cx: &PaneContext<'_>, pane: PaneId) -> String {
    let named = format!("{} {}", pane.name(), name_of(cx, pane));
    let Some(record) = cx.ui.systems.mplp.of(pane).record() else { return named.trim_end().to_owned() };
    let between = cx.view.glyphs.between;
    let items = format::many(record.total, "item");
    let findings = match record.findings_text() {
        Some(text) => format!("{} {text}", cx.view.glyphs.bad),
        None => format!("{} no findings", cx.view.glyphs.ok),
    };
    format!("{named} {between} profile {} {between} {items} {between} {findings}", record.profile)
}

fn empty_text(cx: &PaneContext<'_>, pane: PaneId) -> String {
    let state = cx.ui.systems.mplp.of(pane);
    match (&state.of, pane) {
        (None, PaneId::SessionLifecycle) => "no session is selected".to_owned(),
        (None, _) => "no run is selected".to_owned(),
        (Some(_), _) => state.empty_text(),
    }
}

fn chip(cx: &PaneContext<'_>, pane: PaneId, room: Room) -> PaneChip {
    let name = if room == Room::Least { "mplp" } else { "lifecycle" };
    match cx.ui.systems.mplp.of(pane).record() {
        Some(record) => match record.findings_text() {
            Some(findings) => PaneChip::warning(name, findings, true),
            None => PaneChip::new(name, format::count(record.total), Role::Text),
        },
        None => PaneChip::new(name, "", Role::Text),
    }
}
