//! The station as it declares itself to the screen: its chip is the store's.

use ratatui::layout::Rect;

use super::{actions, started};
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        model::station::health,
        ui::{
            layout::{ViewSpec, columns},
            pane::{PaneContext, Room},
            system::{Questions, System},
        },
    },
    tap::entry::Link,
};

/// The station.
pub(crate) static SYSTEM: System = System {
    link: Link::Station,
    title: "Store",
    view: ViewId::Journal,
    page: "security",
    chip: "STORE",
    figure,
    act_first: |_, _| None,
    act_otherwise: actions::act,
    report: health::report,
    restarted: "bridge restarted: adapters can connect",
    questions: |_| Questions::NONE,
    listed_questions: |_| Vec::new(),
    alert_object: |_, _| (PaneId::StationLog, None),
    brakes: None,
    begin: |_, _, _| {},
    unmark: |_| false,
    dismiss: started::dismiss,
    after_event: started::after_event,
    masters: &[],
    follow: |_, _, _| {},
    detail_trace: |_, _| None,
    queries: |_, _, _, _| Vec::new(),
};

/// The Journal: the log of everybody, then what peers broke, then the station's own log, then
/// what this console itself costs. Where only two panes have room, the log is the
/// station's own: there an adapter or a bus that says much hides nothing.
pub(crate) static VIEW: ViewSpec = ViewSpec {
    panes: &[PaneId::Log, PaneId::Violations, PaneId::StationLog, PaneId::Meter],
    occasional: |_, _| Vec::new(),
    arrange,
    glance_from: None,
};

fn figure(cx: &PaneContext<'_>, room: Room) -> String {
    let is_known = cx.model.station_state.is_some();
    // Where it is tight, the sign alone says it.
    let is_ok = is_known && health::report(cx.model, cx.view.now).word.is_empty();
    if is_ok && room == Room::Wide { "ok".to_owned() } else { String::new() }
}

fn arrange(body: Rect, _: &[PaneId]) -> Vec<(PaneId, Rect)> {
    use PaneId::{Log, Meter, StationLog, Violations};
    match body.width {
        120.. if body.height >= 32 => {
            columns(body, &[&[(Log, 1)], &[(Violations, 2), (StationLog, 3), (Meter, 3)]])
        }
        120.. => columns(body, &[&[(Log, 1)], &[(Violations, 2), (StationLog, 3)]]),
        _ if body.height >= 56 => columns(body, &[&[(Log, 3), (Violations, 2), (StationLog, 2), (Meter, 2)]]),
        _ if body.height >= 32 => columns(body, &[&[(Log, 2), (Violations, 1), (StationLog, 1)]]),
        _ => columns(body, &[&[(StationLog, 3), (Violations, 2)]]),
    }
}
