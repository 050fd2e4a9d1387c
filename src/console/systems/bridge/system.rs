//! The bridge as it declares itself to the screen.

use ratatui::layout::Rect;

use super::{
    actions,
    keys::{INVOCATION, QUEUE},
};
use crate::{
    console::{
        draw::text,
        input::{pane_id::PaneId, view_id::ViewId},
        model::{
            bridge::{alerts::LEFT_APPLIED, health},
            station::StationState,
        },
        records::record_key::RecordKey,
        ui::{
            layout::{ViewSpec, columns},
            pane::{PaneContext, Room},
            system::{Brakes, Drain, Questions, System},
        },
    },
    ids::{InvocationId, QueueName},
    port::health::mpp::in_flight,
    tap::entry::{Link, alerts::Alert},
};

/// The bridge.
pub(crate) static SYSTEM: System = System {
    link: Link::Mpp,
    title: "MPP bridge",
    view: ViewId::Bridge,
    page: "mpp",
    chip: "MPP",
    figure,
    act_first: |_, _| None,
    act_otherwise: actions::act,
    report: health::report,
    restarted: "bridge restarted: adapters can connect",
    questions: |_| Questions::NONE,
    listed_questions: |_| Vec::new(),
    alert_object,
    brakes: Some(brakes),
    begin: |_, _, _| {},
    unmark: |systems| systems.bridge.marked_rows.clear(),
    dismiss: |_, _| {},
    after_event: |_, _, _| Vec::new(),
    masters: &[],
    follow: |_, _, _| {},
    forget: |_| {},
    detail_trace: |_, _| None,
    queries: |_, _, _, _| Vec::new(),
};

/// The Bridge: what happened gets the most room, beside what waits and what flies. The rest comes in as there
/// is room for it.
pub(crate) static VIEW: ViewSpec = ViewSpec {
    panes: &[
        PaneId::Queues,
        PaneId::InFlight,
        PaneId::History,
        PaneId::OtherPack,
        PaneId::Refunds,
        PaneId::State,
        PaneId::AdapterLog,
    ],
    occasional: |_, _| Vec::new(),
    arrange,
    glance_from: None,
};

/// The queue whose head waits, the row that nobody knows the end of, the rows that failed; of its peers what
/// they broke.
fn alert_object(alert: &Alert, state: &StationState) -> (PaneId, Option<RecordKey>) {
    match &*alert.name {
        "head_waiting" => (PaneId::Queues, Some(QUEUE.of(QueueName::new(&alert.subject)))),
        LEFT_APPLIED => {
            let first = state.mpp.live.iter().find(|(_, live)| live.orphaned);
            (PaneId::InFlight, first.map(|(id, _)| INVOCATION.of(*id)))
        }
        "damaged_rows" => (PaneId::History, alert.last.map(|id| INVOCATION.of(InvocationId(id)))),
        "turned_away" => (PaneId::Violations, None),
        _ => (PaneId::Queues, None),
    }
}

fn figure(cx: &PaneContext<'_>, room: Room) -> String {
    let (Some(mpp), glyphs) = (cx.model.mpp(), cx.view.glyphs) else { return String::new() };
    let figures = format!("{}q {}{}", mpp.queues.len(), in_flight(mpp).0, glyphs.flying);
    let columns = match room {
        Room::Least => return String::new(),
        Room::Tight => return figures,
        // Why it is so says more than the pack's name.
        Room::Wide if mpp.adapter.is_none() => return figures,
        Room::Narrow => 12,
        Room::Wide => 20,
    };
    let pack = text::visible(&mpp.pack.name, glyphs.ascii);
    format!("{} {figures}", text::truncate(&pack, columns, glyphs.ellipsis))
}

fn brakes(state: &StationState) -> Brakes<'_> {
    let queues = &state.mpp.queues;
    let draining = queues.iter().filter(|(_, queue)| queue.brake.draining).map(|(name, queue)| Drain {
        name: name.as_str(),
        is_empty: queue.pending == 0 && queue.in_flight.is_none(),
    });
    Brakes {
        name: "QUEUES",
        held: queues.values().filter(|queue| queue.brake.held).count(),
        of: queues.values().filter(|queue| queue.ready_after.is_some()).count(),
        draining: draining.collect(),
    }
}

fn arrange(body: Rect, _: &[PaneId]) -> Vec<(PaneId, Rect)> {
    use PaneId::{AdapterLog, History, InFlight, OtherPack, Queues, Refunds, State};
    let is_tall = body.height >= 32;
    match body.width {
        200.. if is_tall => columns(
            body,
            &[
                &[(Queues, 2), (InFlight, 2), (State, 2)],
                &[(History, 4), (OtherPack, 2)],
                &[(AdapterLog, 4), (Refunds, 2)],
            ],
        ),
        120.. if is_tall => columns(
            body,
            &[
                &[(Queues, 2), (InFlight, 2), (State, 2), (Refunds, 2)],
                &[(History, 4), (OtherPack, 2), (AdapterLog, 2)],
            ],
        ),
        120.. => columns(body, &[&[(Queues, 2), (InFlight, 2)], &[(History, 3), (AdapterLog, 2)]]),
        _ if body.height >= 56 => columns(
            body,
            &[&[
                (Queues, 2),
                (InFlight, 2),
                (History, 4),
                (OtherPack, 2),
                (Refunds, 2),
                (State, 2),
                (AdapterLog, 2),
            ]],
        ),
        _ if body.height >= 42 => {
            columns(body, &[&[(Queues, 2), (InFlight, 2), (History, 4), (State, 2), (AdapterLog, 2)]])
        }
        _ if is_tall => columns(body, &[&[(Queues, 2), (InFlight, 2), (History, 4)]]),
        _ => columns(body, &[&[(Queues, 2), (History, 3)]]),
    }
}
