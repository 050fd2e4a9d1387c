//! Opening the gate, with a rule filled in of what one looks at.

use super::{GateList, commands::ask_rules, rule_form::RuleForm};
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId},
        ui::{
            act::{Act, Resolved},
            pane::PaneContext,
            state::{Focus, Ui},
            system::System,
        },
    },
    dissect::EntryRecord,
    field::Fields as _,
    filter::Filter,
    tap::entry::Link,
};

/// Whether an action opens it, or is one of its own.
pub(crate) const fn is_of_it(action: Action) -> bool {
    matches!(
        action,
        Action::Gate | Action::PassFrame | Action::PassAllFrames | Action::DropFrame | Action::DisarmRule
    )
}

/// What opens it; its own actions are the layer's.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Resolved {
    if action != Action::Gate {
        return Err(format!("the gate is not open; {} opens it", cx.view.key(Action::Gate)).into());
    }
    Ok(Act::effects(|ui, cx| {
        let state = cx.live.station_state.as_ref();
        let is_rehearsal = state.is_some_and(|state| state.station.is_rehearsal);
        let form = RuleForm::of(&filter_text(ui), is_rehearsal);
        let holds_frames = cx.live.station.intercepted.at(cx.now.wall).next().is_some();
        let mut list = GateList::of(form, holds_frames);
        let asked = ask_rules(&mut list);
        ui.push(list);
        asked.into_iter().collect()
    }))
}

/// The filter of a rule for what the focused pane shows: its own filter as far as it is one of frames, and
/// the link of its system.
fn filter_text(ui: &Ui) -> String {
    let Focus::Pane(pane) = ui.focus else { return String::new() };
    let filter = ui.table_settings(pane).filter().map_or("", Filter::text);
    let own =
        pane.pane().filter.map_or_else(|| filter.to_owned(), |shipped| Filter::without(filter, shipped));
    let own = Some(own).filter(|text| Filter::parse(text, EntryRecord::SPECS).is_ok()).unwrap_or_default();
    match link(pane) {
        Some(link) if !asks_link(&own) => Filter::and(&own, &format!("link:{}", link.name())),
        _ => own,
    }
}

/// Whether a filter asks for a link already.
fn asks_link(filter: &str) -> bool {
    Filter::parse(filter, EntryRecord::SPECS).is_ok_and(|filter| filter.fields().contains(&"link"))
}

/// The link whose frames a pane's system tells of, where they cross the gate.
fn link(pane: PaneId) -> Option<Link> {
    let of_pane = |system: &&&System| system.view.panes().contains(&pane);
    let system = System::all().iter().find(of_pane)?;
    matches!(system.link, Link::Mpp | Link::Rmp | Link::Macp | Link::Plugin).then_some(system.link)
}
