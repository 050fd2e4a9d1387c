//! The bus as it declares itself to the screen.

use ratatui::layout::Rect;

use super::actions;
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        model::{
            bus::{MESSAGES, health},
            rate_text,
            station::StationState,
        },
        records::record_key::RecordKey,
        ui::{
            layout::{ViewSpec, columns},
            pane::{PaneContext, Room},
            system::{Questions, System},
        },
    },
    tap::entry::{Link, alerts::Alert},
};

/// The bus.
pub(crate) static SYSTEM: System = System {
    link: Link::Rmp,
    title: "RMP bus",
    view: ViewId::Bus,
    page: "bus",
    chip: "RMP",
    figure,
    act_first: actions::act,
    act_otherwise: |_, _| None,
    report: health::report,
    restarted: "bus restarted: peers can connect",
    questions: |_| Questions::NONE,
    listed_questions: |_| Vec::new(),
    alert_object,
    brakes: None,
    begin: |_, _, _| {},
    unmark: |_| false,
    dismiss: |_, _| {},
    after_event: |_, _, _| Vec::new(),
    masters: &[],
    follow: |_, _, _| {},
    forget: |_| {},
    detail_trace: |_, _| None,
    queries: |_, _, _, _| Vec::new(),
};

/// The Bus: what is published beside who listens, then who is connected and what was dropped.
pub(crate) static VIEW: ViewSpec = ViewSpec {
    panes: &[PaneId::Topics, PaneId::Subscribers, PaneId::Peers, PaneId::Drops],
    occasional: |_, _| Vec::new(),
    arrange,
    glance_from: None,
};

/// The drops, or the peers.
fn alert_object(alert: &Alert, _: &StationState) -> (PaneId, Option<RecordKey>) {
    (if *alert.name == *"dropping" { PaneId::Drops } else { PaneId::Peers }, None)
}

fn figure(cx: &PaneContext<'_>, room: Room) -> String {
    let Some(rmp) = cx.model.rmp() else { return String::new() };
    let rate = rate_text(cx.model.bus.all.per_second(MESSAGES, cx.view.now));
    match (room, rmp.peers.len()) {
        (Room::Least, _) => String::new(),
        (Room::Tight, _) => format!("{rate}/s"),
        (_, 1) => format!("1 peer {rate}/s"),
        (_, peers) => format!("{peers} peers {rate}/s"),
    }
}

fn arrange(body: Rect, _: &[PaneId]) -> Vec<(PaneId, Rect)> {
    use PaneId::{Drops, Peers, Subscribers, Topics};
    match body.width {
        120.. if body.height >= 20 => {
            columns(body, &[&[(Topics, 3), (Drops, 2)], &[(Subscribers, 3), (Peers, 2)]])
        }
        _ if body.height >= 32 => columns(body, &[&[(Topics, 3), (Subscribers, 3), (Peers, 2), (Drops, 2)]]),
        _ => columns(body, &[&[(Topics, 1), (Subscribers, 1)]]),
    }
}
