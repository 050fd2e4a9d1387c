//! Lines with a level, as every log shows them.

use crate::{
    console::{
        draw::{format, glyphs::Glyphs, theme::Role},
        input::pane_id::PaneId,
        ui::pane::{PaneChip, PaneContext},
    },
    tap::entry::station::Level,
};

/// The names of levels, least first.
pub(crate) const LEVELS: &[&str] =
    &[Level::Trace.name(), Level::Debug.name(), Level::Info.name(), Level::Warn.name(), Level::Error.name()];

/// A level with its sign.
pub(crate) fn level_cell(level: Level, glyphs: &Glyphs) -> (String, Role) {
    match level {
        Level::Error => (format!("{} error", glyphs.bad), Role::Bad),
        Level::Warn => (format!("{} warn", glyphs.warn), Role::Warn),
        quiet => (format!("  {}", quiet.name()), Role::Muted),
    }
}

/// The title of a pane whose older lines were cut.
pub(crate) fn with_cut(pane: PaneId, cut: u64) -> String {
    if cut > 0 { format!("{}, {cut} older cut", pane.name()) } else { pane.name().to_owned() }
}

/// The chip of a log: how many lines are of level warn or error. None is nothing to be warned of.
pub(crate) fn warning_chip(name: &'static str, serious: u64, cx: &PaneContext<'_>) -> PaneChip {
    let figure = if serious > 0 {
        format!("{}{}", format::count(serious), cx.view.glyphs.warn)
    } else {
        "0".to_owned()
    };
    PaneChip::warning(name, figure, serious > 0)
}
