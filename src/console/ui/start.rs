//! What a console shows at its start, where that was asked for.

use crate::{
    console::{
        input::{action::Action, keymap::Keymap, pane_id::PaneId, view_id::ViewId},
        settings::{Start, view::View},
        ui,
        ui::{filter, state::Focus, state::Ui},
    },
    filter::Filter,
    time::Now,
    words::nearest,
};

/// Judges what is to be shown.
///
/// # Errors
/// What is wrong with it, for people.
pub(crate) fn check(start: &Start) -> Result<(), String> {
    let view = start.view.as_deref().map_or(Ok(ViewId::Deck), view)?;
    let Some(filter) = &start.filter else { return Ok(()) };
    let pane = pane(view);
    Filter::parse(filter, ui::specs(pane))
        .map(drop)
        .map_err(|fault| format!("of {}: {}", pane.name(), fault.words))
}

/// Shows it.
pub(crate) fn apply(ui: &mut Ui, start: &Start, view: &View, now: Now) {
    let shown = start.view.as_deref().and_then(|name| self::view(name).ok());
    if let Some(shown) = shown {
        ui.show(shown);
    }
    let pane = pane(shown.unwrap_or(ViewId::Deck));
    if let Some(filter) = start.filter.as_deref().and_then(|text| filter::read(text, pane, view, now).ok()) {
        ui.focus = Focus::Pane(pane);
        filter::apply(ui, pane, Some(filter));
    }
}

/// The view of this name or key, whatever its case.
fn view(name: &str) -> Result<ViewId, String> {
    let keymap = Keymap::default();
    let is_of = |view: &ViewId| {
        let mut keys = keymap.keys(Action::showing(*view)).into_iter();
        view.name().eq_ignore_ascii_case(name) || keys.any(|key| key.spelled() == name)
    };
    ViewId::ALL.into_iter().find(is_of).ok_or_else(|| {
        let names = ViewId::ALL.map(|view| view.name().to_lowercase());
        let near = nearest(name, names.iter().map(String::as_str));
        let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        format!("there is no view `{name}`{near} The views are {}", names.join(", "))
    })
}

/// The first pane of a view that lists records.
fn pane(view: ViewId) -> PaneId {
    view.panes().iter().copied().find(|pane| pane.pane().has_rows()).unwrap_or(PaneId::Queues)
}
