//! The station's actions: recording, starting a host again, quitting, and the tray of alerts.

use crate::{
    console::{
        input::{action::Action, pane_id::PaneId},
        model::Model,
        systems::station::{
            AlertList,
            confirmations::{Quit, StopRecording, has_work, recording},
            outcomes::StationCommand,
        },
        ui::{
            Target,
            act::{Act, Resolved, act_if},
            effect::Effect,
            pane::PaneContext,
            state::{Focus, Ui},
            system::{ChipId, SYSTEM, System},
        },
    },
    port::{Command, HostState},
    tap::entry::{Link, alerts::Alert},
};

/// Seconds that a clip has.
const CLIP_S: u64 = 60;

/// What an action of the station does; nothing where it is none of the station's.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
    let PaneContext { model, ui, .. } = *cx;
    let command = |command| Act::Do(vec![Effect::command(command, StationCommand)]);
    Some(match action {
        Action::Record => match recording(model).cloned() {
            Some(recording) => Ok(Act::confirm(StopRecording { recording })),
            None => act_if(
                model.station_state.is_some(),
                || command(Command::RecordStart { path: None, preroll_s: None, whole: false }),
                "the station is starting",
            ),
        },
        Action::Clip => act_if(
            model.station_state.is_some(),
            || command(Command::Clip { seconds: CLIP_S, path: None }),
            "the station is starting",
        ),
        Action::Restart => match target_down_host(ui, model) {
            Some(link) => Ok(command(Command::Restart { link })),
            None => Err("every host is up; nothing to restart".into()),
        },
        Action::Quit | Action::StopStation | Action::Detach if cx.view.replay.is_some() => {
            Ok(Act::Do(vec![Effect::Quit]))
        }
        // At once where a restart would find everything in its place, or the station goes on.
        Action::Quit | Action::StopStation if model.attachment.is_none() && has_work(model) => {
            Ok(Act::confirm(Quit))
        }
        Action::StopStation if model.attachment.is_some() => {
            Err(format!("this console is attached; `{}` stops the station", cx.view.commands.line("stop"))
                .into())
        }
        Action::Quit | Action::StopStation => Ok(Act::Do(vec![Effect::Quit])),
        Action::Detach if model.attachment.is_some() => Ok(Act::Do(vec![Effect::Quit])),
        Action::Detach => Ok(Act::Do(vec![Effect::Detach])),
        Action::Open if matches!(ui.target(model), Target::Row(PaneId::Meter)) => {
            Err("metrics have no details".into())
        }
        Action::Alerts => Ok(Act::open(AlertList::default())),
        _ => return None,
    })
}

/// The host that is down and would be started again: of several, the one that is looked at.
fn target_down_host(ui: &Ui, model: &Model) -> Option<Link> {
    let hosts = &model.station_state.as_ref()?.station.hosts;
    let is_down = |link: &Link| matches!(hosts[link.index()], HostState::Down(_));
    let of_view = || System::all().iter().find(|system| system.view == ui.view).map(|system| system.link);
    let first = match ui.target(model) {
        Target::Record(record) => match (SYSTEM.id(&record.key()), record.of_type::<Alert>()) {
            (Some(link), _) => Some(*link),
            (None, Some(alert)) => Some(alert.link),
            (None, None) => of_view(),
        },
        Target::Alert(alert) => alert.map(|alert| alert.link),
        Target::Question(_) => None,
        _ if ui.overlays.is_empty() && matches!(ui.focus, Focus::Chips(_)) => match ui.focused_chip(model) {
            Some(ChipId::System(system)) => Some(system.link),
            Some(ChipId::Hidden(_)) | None => None,
        },
        _ => of_view(),
    };
    first.into_iter().chain(Link::ALL).find(is_down)
}
