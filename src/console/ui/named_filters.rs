//! Opens a pane with one of the operator's named filters, and judges such filters when they are read.

use crate::{
    console::{
        draw::class::Class,
        input::{keymap::NamedFilter, pane_id::PaneId, view_id::ViewId},
        model::Model,
        settings::view::View,
        ui,
        ui::{
            filter, layout,
            message::show_message_as,
            state::{Focus, Ui},
        },
    },
    filter::Filter,
    time::Now,
};

/// Judges the filter of a pane.
///
/// # Errors
/// What is wrong with it, for people.
pub(crate) fn check(pane: PaneId, text: &str) -> Result<(), String> {
    if ui::specs(pane).is_empty() {
        return Err(format!("{} has no rows", pane.name()));
    }
    match Filter::parse(text, ui::specs(pane)) {
        Ok(filter) if filter.is_empty() => Err("it is empty".to_owned()),
        Ok(_) => Ok(()),
        Err(fault) => Err(fault.words),
    }
}

/// What of a named filter's text is not for everybody's eyes.
pub(crate) fn class(named: &NamedFilter, view: &View) -> Class {
    let read = Filter::parse(&named.text, ui::specs(named.pane)).ok();
    let quoted = [Class::Login, Class::Payload]
        .into_iter()
        .filter(|class| read.as_ref().is_none_or(|filter| filter.quotes(*class)));
    view.mask_policy.strictest(quoted)
}

/// Opens the pane of a named filter with it.
pub(crate) fn open(ui: &mut Ui, model: &Model, view: &View, named: &NamedFilter, now: Now) {
    let pane = named.pane;
    let filter = match filter::read(&named.text, pane, view, now) {
        Ok(filter) => filter,
        Err(fault) => {
            let words = format!("the filter {} cannot be read: {}", named.name, fault.words);
            return show_message_as(ui, words, true, Class::Payload, now);
        }
    };
    show_filtered(ui, model, pane, filter);
}

/// Goes to the pane and shows what the filter lets through: where the pane is shown already, else in the view
/// that it belongs to; a pane without room is zoomed.
pub(crate) fn show_filtered(ui: &mut Ui, model: &Model, pane: PaneId, filter: Filter) {
    if !ui.layout(model).has(pane) {
        let home = ViewId::ALL.into_iter().filter(|known| *known != ViewId::Deck);
        let home = home.chain([ViewId::Deck]).find(|known| known.panes().contains(&pane));
        if ui.view.panes().contains(&pane) {
            ui.zoomed = None;
        } else if let Some(home) = home {
            ui.show(home);
        }
    }
    if !layout::too_small(ui.columns, ui.rows) && !ui.layout(model).has(pane) {
        ui.zoomed = Some(pane);
    }
    ui.focus = Focus::Pane(pane);
    filter::apply(ui, pane, Some(filter));
}
