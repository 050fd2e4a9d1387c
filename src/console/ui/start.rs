//! What a console shows at its start, where that was asked for.

use super::named_filters;
use crate::{
    console::{
        input::{action::Action, keymap::Keymap, pane_id::PaneId, view_id::ViewId},
        model::Model,
        settings::{Start, view::View},
        ui::{filter, state::Ui},
    },
    time::Now,
};

/// Judges what is to be shown.
///
/// # Errors
/// What is wrong with it, for people.
pub(crate) fn check(start: &Start) -> Result<(), String> {
    let view = start.view.as_deref().map_or(Ok(ViewId::Deck), view)?;
    let Some(text) = &start.filter else { return Ok(()) };
    let pane = pane(view).ok_or_else(|| format!("{} has no pane with rows to filter", view.name()))?;
    named_filters::check(pane, text).map_err(|why| {
        format!("invalid filter for {}, the first pane of {}: {why}", pane.name(), view.name())
    })
}

/// Shows it.
pub(crate) fn apply(ui: &mut Ui, model: &Model, start: &Start, view: &View, now: Now) {
    let shown = start.view.as_deref().and_then(|name| self::view(name).ok()).unwrap_or(ViewId::Deck);
    ui.show(shown);
    let (Some(pane), Some(text)) = (pane(shown), start.filter.as_deref()) else { return };
    // It was judged before.
    if let Ok(filter) = filter::read(text, pane, view, now) {
        named_filters::show_filtered(ui, model, pane, filter);
    }
}

/// The view of this name or key, whatever its case.
fn view(name: &str) -> Result<ViewId, String> {
    let keymap = Keymap::default();
    let is_of = |view: &ViewId| {
        let mut keys = keymap.keys(Action::showing(*view)).into_iter();
        view.name().eq_ignore_ascii_case(name) || keys.any(|key| key.spelled() == name)
    };
    ViewId::ALL.into_iter().find(is_of).ok_or_else(|| format!("there is no view `{name}`"))
}

/// The first pane of a view that lists records.
fn pane(view: ViewId) -> Option<PaneId> {
    view.panes().iter().copied().find(|pane| pane.pane().has_rows())
}
