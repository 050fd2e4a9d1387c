//! The lifecycle records as they declare themselves to the screen.

use crate::{
    console::{
        draw::format,
        input::{pane_id::PaneId, view_id::ViewId},
        model::mplp::health,
        ui::{
            pane::{PaneContext, Room},
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
    act_first: |_, _| None,
    act_otherwise: |_, _| None,
    report: health::report,
    restarted: "lifecycle records restarted",
    questions: |_| Questions::NONE,
    listed_questions: |_| Vec::new(),
    alert_object: |_, _| (PaneId::Runs, None),
    brakes: None,
    begin: |_, _, _| {},
    unmark: |_| false,
    dismiss: |_, _| {},
    after_event: |_, _, _| Vec::new(),
    masters: &[],
    follow: |_, _, _| {},
    detail_trace: |_, _| None,
    queries: |_, _, _, _| Vec::new(),
};

fn figure(cx: &PaneContext<'_>, _: Room) -> String {
    let withheld = cx.model.station_state.as_ref().map_or(0, |state| state.mplp.withheld);
    if withheld == 0 { String::new() } else { format!("{} withheld", format::count(withheld)) }
}
