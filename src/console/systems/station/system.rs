//! The station as it declares itself to the screen: its chip is the store's.

use ratatui::layout::Rect;

use super::{actions, started};
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        model::{Model, station::health},
        ui::{
            layout::{ViewSpec, columns},
            pane::{PaneContext, Room},
            state::Ui,
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
    begin: started::begin,
    unmark: |_| false,
    dismiss: started::dismiss,
    after_event: started::after_event,
    masters: &[],
    follow: |_, _, _| {},
    forget: |_| {},
    detail_trace: |_, _| None,
    queries: |_, _, _, _| Vec::new(),
};

/// The Journal: the log of everybody, then what peers broke, what was found in MPLP messages if there is
/// some, the station's own log, and what this console itself costs. Where only two panes have room, the log
/// is the station's own: there an adapter or a bus that says much hides nothing.
pub(crate) static VIEW: ViewSpec = ViewSpec {
    panes: &[PaneId::Log, PaneId::Violations, PaneId::Findings, PaneId::StationLog, PaneId::Meter],
    occasional,
    arrange,
    glance_from: None,
};

fn figure(cx: &PaneContext<'_>, room: Room) -> String {
    let is_known = cx.model.station_state.is_some();
    // Where it is tight, the sign alone says it.
    let is_ok = is_known && health::report(cx.model, cx.view.now).word.is_empty();
    if is_ok && room == Room::Wide { "ok".to_owned() } else { String::new() }
}

/// Findings, once there are some.
fn occasional(_: &Ui, model: &Model) -> Vec<PaneId> {
    let has_findings = model.findings.groups().next().is_some();
    has_findings.then_some(PaneId::Findings).into_iter().collect()
}

fn arrange(body: Rect, occasional: &[PaneId]) -> Vec<(PaneId, Rect)> {
    use PaneId::{Findings, Log, Meter, StationLog, Violations};
    let findings = occasional.contains(&Findings);
    // What peers broke, with what was found in their records below it.
    let with = |violations: u16, below: &[(PaneId, u16)]| -> Vec<(PaneId, u16)> {
        let found = findings.then_some((Findings, violations));
        [(Violations, violations)].into_iter().chain(found).chain(below.iter().copied()).collect()
    };
    match body.width {
        120.. if body.height >= 32 => columns(body, &[&[(Log, 1)], &with(2, &[(StationLog, 3), (Meter, 3)])]),
        120.. => columns(body, &[&[(Log, 1)], &with(2, &[(StationLog, 3)])]),
        _ if body.height >= 56 => {
            let below = with(2, &[(StationLog, 2), (Meter, 2)]);
            columns(body, &[&[(Log, 3)].into_iter().chain(below).collect::<Vec<_>>()])
        }
        _ if body.height >= 32 => {
            let below = with(1, &[(StationLog, 1)]);
            columns(body, &[&[(Log, 2)].into_iter().chain(below).collect::<Vec<_>>()])
        }
        _ => {
            let below = with(2, &[]);
            columns(body, &[&[(StationLog, 3)].into_iter().chain(below).collect::<Vec<_>>()])
        }
    }
}
