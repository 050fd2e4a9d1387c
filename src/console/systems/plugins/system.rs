//! The plugins as they declare themselves to the screen.

use ratatui::layout::Rect;

use super::{actions, detail_plugin, keys::PLUGIN};
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        model::{plugins::health, station::StationState},
        records::record_key::RecordKey,
        ui::{
            layout::{ViewSpec, columns, split_rows},
            pane::{PaneContext, Room},
            question::Question,
            system::{Questions, System},
        },
    },
    ids::PluginId,
    plugin::snapshot::AskedView,
    tap::entry::{Link, alerts::Alert},
};

/// The plugins.
pub(crate) static SYSTEM: System = System {
    link: Link::Plugin,
    title: "Plugin host",
    view: ViewId::Plugins,
    page: "plugins",
    chip: "PLUG",
    figure,
    act_first: actions::act,
    act_otherwise: |_, _| None,
    report: health::report,
    restarted: "plugin host restarted: plugins are starting",
    questions,
    listed_questions,
    alert_object,
    brakes: None,
    begin: |_, _, _| {},
    unmark: |_| false,
    dismiss: |_, _| {},
    after_event: |_, _, _| Vec::new(),
    masters: detail_plugin::MASTERS,
    follow: detail_plugin::follow,
    forget: |_| {},
    detail_trace: |_, _| None,
    queries: |_, _, _, _| Vec::new(),
};

/// The Plugins: the list over the whole width; below it what the selected one may do and says.
pub(crate) static VIEW: ViewSpec = ViewSpec {
    panes: &[
        PaneId::Plugins,
        PaneId::PluginLog,
        PaneId::Capabilities,
        PaneId::PluginStatus,
        PaneId::PluginAudit,
    ],
    occasional: |_, _| Vec::new(),
    arrange,
    glance_from: None,
};

/// Rows of the list over the whole width: four plugins, its header and its borders.
const LIST_ROWS_MIN: u16 = 7;

/// The questions for credentials.
fn asked(state: &StationState) -> Vec<&AskedView> {
    let mut asked: Vec<_> = state.plugin.plugins.values().filter_map(|view| view.asked.as_ref()).collect();
    asked.sort_by_key(|asked| asked.until);
    asked
}

fn questions(state: &StationState) -> Questions {
    let asked = asked(state);
    Questions { waiting: asked.len() as u64, first_expires_at: asked.first().map(|asked| asked.until) }
}

fn listed_questions(state: &StationState) -> Vec<&dyn Question> {
    asked(state).into_iter().map(|asked| asked as &dyn Question).collect()
}

/// The plugin that it is about.
fn alert_object(alert: &Alert, state: &StationState) -> (PaneId, Option<RecordKey>) {
    let plugin = PluginId::new(&alert.subject);
    let is_there = state.plugin.plugins.contains_key(&plugin);
    (PaneId::Plugins, is_there.then(|| PLUGIN.of(plugin)))
}

fn figure(cx: &PaneContext<'_>, room: Room) -> String {
    let Some(plugins) = cx.model.plugins() else { return String::new() };
    match (room, plugins.plugins.len()) {
        (_, 0) => String::new(),
        (Room::Least, _) if plugins.up() == plugins.enabled() => String::new(),
        (_, all) => format!("{}/{all}", plugins.up()),
    }
}

fn arrange(body: Rect, _: &[PaneId]) -> Vec<(PaneId, Rect)> {
    use PaneId::{Capabilities, PluginAudit, PluginLog, PluginStatus, Plugins};
    match body.width {
        120.. => {
            let (list, below) = split_rows(body, (body.height * 3 / 10).max(LIST_ROWS_MIN));
            let beside: &[_] = if below.height >= 21 {
                &[(Capabilities, 3), (PluginStatus, 2), (PluginAudit, 3)]
            } else {
                &[(Capabilities, 1), (PluginAudit, 1)]
            };
            let mut placed = vec![(Plugins, list)];
            placed.extend(columns(below, &[&[(PluginLog, 1)], beside]));
            placed
        }
        _ if body.height >= 42 => columns(
            body,
            &[&[(Plugins, 3), (PluginLog, 3), (Capabilities, 2), (PluginStatus, 2), (PluginAudit, 2)]],
        ),
        _ if body.height >= 28 => columns(body, &[&[(Plugins, 3), (PluginLog, 3), (Capabilities, 2)]]),
        _ => columns(body, &[&[(Plugins, 1), (PluginLog, 1)]]),
    }
}
