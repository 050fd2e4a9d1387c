//! The sessions as they declare themselves to the screen.

use ratatui::layout::Rect;

use super::{actions, detail_session, pages};
use crate::{
    console::{
        draw::format,
        input::{pane_id::PaneId, view_id::ViewId},
        model::sessions::health,
        ui::{
            layout::{ViewSpec, columns},
            pane::{PaneContext, Room},
            system::{Questions, System},
        },
    },
    tap::entry::Link,
};

/// The sessions.
pub(crate) static SYSTEM: System = System {
    link: Link::Macp,
    title: "MACP runtime",
    view: ViewId::Sessions,
    page: "sessions",
    chip: "MACP",
    figure,
    act_first: actions::act,
    act_otherwise: |_, _| None,
    report: health::report,
    restarted: "MACP runtime restarted: agents can connect",
    questions: |_| Questions::NONE,
    listed_questions: |_| Vec::new(),
    alert_object: |_, _| (PaneId::Sessions, None),
    brakes: None,
    begin: |_, _, _| {},
    unmark: |_| false,
    dismiss: |_, _| {},
    after_event: |_, _, _| Vec::new(),
    masters: detail_session::MASTERS,
    follow: detail_session::follow,
    forget: |systems| systems.sessions.pages.forget(),
    detail_trace: |_, _| None,
    queries: pages::next,
};

/// The Sessions: how the one that is shown stands and who said what, beside the list; below them its log.
/// Earlier sessions come in as there is room for them.
pub(crate) static VIEW: ViewSpec = ViewSpec {
    panes: &[
        PaneId::Sessions,
        PaneId::Positions,
        PaneId::Statements,
        PaneId::SessionLog,
        PaneId::SessionLifecycle,
        PaneId::SessionHistory,
    ],
    occasional: |_, _| Vec::new(),
    arrange,
    glance_from: None,
};

fn figure(cx: &PaneContext<'_>, room: Room) -> String {
    let Some(macp) = cx.model.macp() else { return String::new() };
    match room {
        Room::Least if macp.totals.open == 0 => String::new(),
        Room::Least | Room::Tight => format::count(macp.totals.open),
        _ => format!("{} open", format::count(macp.totals.open)),
    }
}

fn arrange(body: Rect, _: &[PaneId]) -> Vec<(PaneId, Rect)> {
    use PaneId::{Positions, SessionHistory, SessionLifecycle, SessionLog, Sessions, Statements};
    match body.width {
        120.. if body.height >= 44 => columns(
            body,
            &[
                &[(Sessions, 2), (SessionLifecycle, 2), (SessionHistory, 1)],
                &[(Positions, 3), (Statements, 3), (SessionLog, 4)],
            ],
        ),
        120.. if body.height >= 32 => columns(
            body,
            &[&[(Sessions, 3), (SessionHistory, 2)], &[(Positions, 3), (Statements, 3), (SessionLog, 4)]],
        ),
        120.. => columns(body, &[&[(Sessions, 2), (SessionLog, 2)], &[(Positions, 2), (Statements, 2)]]),
        _ if body.height >= 42 => columns(
            body,
            &[&[(Sessions, 3), (Positions, 3), (Statements, 3), (SessionLog, 3), (SessionHistory, 2)]],
        ),
        _ if body.height >= 28 => {
            columns(body, &[&[(Sessions, 2), (Positions, 2), (Statements, 2), (SessionLog, 2)]])
        }
        _ => columns(body, &[&[(Sessions, 1), (Positions, 1), (Statements, 1)]]),
    }
}
