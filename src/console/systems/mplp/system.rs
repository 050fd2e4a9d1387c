//! The lifecycle records as they declare themselves to the screen.

use super::{actions, pages};
use crate::{
    console::{
        draw::format,
        input::{pane_id::PaneId, view_id::ViewId},
        model::mplp::health,
        ui::{
            act::ActContext,
            effect::Effect,
            pane::{PaneContext, Room},
            state::Ui,
            system::{Questions, System},
        },
    },
    tap::entry::Link,
};

/// The lifecycle records.
pub(crate) static SYSTEM: System = System {
    link: Link::Mplp,
    title: "Lifecycle records",
    view: ViewId::Runs,
    page: "mplp",
    chip: "MPLP",
    figure,
    act_first: actions::act,
    act_otherwise: actions::act_otherwise,
    report: health::report,
    restarted: "lifecycle records restarted",
    questions: |_| Questions::NONE,
    listed_questions: |_| Vec::new(),
    alert_object: |_, _| (PaneId::Runs, None),
    brakes: None,
    begin: |_, _, _| {},
    unmark: |_| false,
    dismiss: |_, _| {},
    after_event,
    masters: &[],
    follow: pages::follow,
    forget: |_| {},
    detail_trace: |_, _| None,
    queries: pages::next,
};

fn figure(cx: &PaneContext<'_>, _: Room) -> String {
    let withheld = cx.model.station_state.as_ref().map_or(0, |state| state.mplp.withheld);
    if withheld == 0 { String::new() } else { format!("{} withheld", format::count(withheld)) }
}

/// Opens the palette with the command line that a dialog was answered for.
fn after_event(ui: &mut Ui, cx: &ActContext<'_>, _is_tick: bool) -> Vec<Effect> {
    if let Some(line) = ui.systems.mplp.command.take() {
        actions::open_palette(ui, &line, cx);
    }
    Vec::new()
}
