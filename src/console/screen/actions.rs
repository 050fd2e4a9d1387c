//! Opening, asking and commanding.

use std::path::PathBuf;

use super::{
    dispatch::show_message,
    unavailable::{target_bus_session, target_chip, target_down_host, target_orphan, target_row},
};
use crate::{
    console::{
        input::{
            action::{Action, Effect, Purpose},
            pane_id::ChipId,
        },
        inspect,
        model::Model,
        overlays::{
            AlertList, Confirmation, DEFAULT_REASON, Details, Dialog, Help, KeyList, LedgerOverlay, has_work,
            no_longer_pending,
        },
        records::details_record::DetailsRecord,
        screen::Palette,
        settings::view::View,
        systems::{
            bridge::{
                bulk, invoke,
                keys::{INVOCATION, QUEUE},
                pending,
                queue_control::{drain, hold, hold_all},
            },
            bus, runs,
            runs::submitting,
            sessions,
            station::details::ChipDetails,
        },
        ui::state::{Focus, Ui},
        wire::ENTRY,
    },
    ids::ConnectionId,
    mpp,
    port::Command,
};

/// Does what an action asks for; it is known to be possible.
pub(crate) fn act(ui: &mut Ui, model: &Model, view: &View, action: Action) -> Vec<Effect> {
    match action {
        Action::Help => {
            ui.push(Help::of(ui.key_scope(), view));
            Vec::new()
        }
        Action::Keys => {
            ui.push(KeyList::of(view));
            Vec::new()
        }
        Action::Palette => {
            ui.palette = Some(Box::new(Palette::over(ui.key_scope(), view)));
            Vec::new()
        }
        Action::Open => open(ui, model, view),
        Action::Quit => quit(ui, model),
        Action::Hold => hold(ui, model).into_iter().collect(),
        Action::Drain => drain(ui, model).into_iter().collect(),
        Action::HoldAll => hold_all(ui, model, view),
        Action::Settle => {
            let bound = target_orphan(ui, model).map(|(id, live)| Confirmation::Settle {
                id,
                queue: live.queue.clone(),
                event: live.event.clone(),
            });
            ask(ui, bound)
        }
        Action::Cancel if runs::actions::concerns_run(ui, model) => runs::actions::cancel(ui, model),
        Action::Cancel if sessions::actions::concerns_session(ui, model) => {
            sessions::actions::cancel(ui, model)
        }
        Action::Approve => runs::actions::decide(ui, model, true),
        Action::Reject => runs::actions::decide(ui, model, false),
        Action::Cancel => {
            let bound = if ui.marked_rows.is_empty() {
                target_row(ui, model).map(|row| Confirmation::Cancel {
                    id: row.id,
                    queue: row.queue,
                    event: row.event,
                })
            } else {
                Some(Confirmation::CancelMany {
                    rows: ui.marked_rows.iter().map(|(id, queue)| (id, queue.clone())).collect(),
                })
            };
            ask(ui, bound)
        }
        Action::Mark => {
            if let Some(row) = target_row(ui, model) {
                ui.marked_rows.toggle(row.id, row.queue, ui.limits.console.marks_max);
                super::moving::go(ui, model, Action::Down);
            }
            Vec::new()
        }
        Action::Migrate => ask(ui, Some(Confirmation::Migrate)),
        Action::Record => {
            if let Some(path) = recording(model) {
                return ask(ui, Some(Confirmation::StopRecording { path: path.to_owned() }));
            }
            vec![Effect::Command { purpose: Purpose::Record, command: Command::RecordStart { path: None } }]
        }
        Action::Invoke => invoke::open_events(ui),
        Action::Submit => submitting::open(ui),
        Action::Kick => {
            let bound = match target_bus_session(ui, model) {
                Some(session) => Some(Confirmation::KickPeer { session, client: client_of(model, session) }),
                None => model
                    .mpp()
                    .and_then(|mpp| mpp.adapter.as_ref())
                    .map(|adapter| Confirmation::Kick { peer: adapter.peer.clone() }),
            };
            ask(ui, bound)
        }
        Action::Restart => {
            let restart =
                |link| Effect::Command { purpose: Purpose::Restart, command: Command::Restart { link } };
            target_down_host(ui, model).map(restart).into_iter().collect()
        }
        Action::Alerts => {
            ui.push(AlertList::default());
            Vec::new()
        }
        Action::Ledger => {
            if let Some(pane) = ui.target_list() {
                ui.push(LedgerOverlay { pane });
            }
            Vec::new()
        }
        _ => Vec::new(),
    }
}

pub(crate) fn ask(ui: &mut Ui, bound: Option<Confirmation>) -> Vec<Effect> {
    if let Some(bound) = bound {
        ui.push(Dialog::new(bound));
    }
    Vec::new()
}

/// What a session of the bus calls itself.
fn client_of(model: &Model, session: ConnectionId) -> String {
    let peer = model.rmp().and_then(|rmp| rmp.peers.get(&session)).filter(|peer| peer.greeting.is_some());
    peer.map_or_else(|| format!("session {session}"), |peer| bus::peer_name(peer, false))
}

/// The file that is recorded into.
fn recording(model: &Model) -> Option<&PathBuf> {
    Some(&model.station_state.as_ref()?.station.recording.as_ref()?.path)
}

/// Whether the end of the console ends or halts something: not where the station goes on without it.
pub(crate) fn quits_station(model: &Model) -> bool {
    model.attachment.is_none() && has_work(model)
}

/// Quits at once when a restart would find everything in its place; asks otherwise.
fn quit(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    if !quits_station(model) {
        return vec![Effect::Quit];
    }
    ask(ui, Some(Confirmation::Quit))
}

pub(crate) fn confirm(dialog: &Dialog, ui: &mut Ui, model: &Model) -> Vec<Effect> {
    let reason = dialog.reason().map(str::to_owned);
    match dialog.confirmation.clone() {
        Confirmation::Quit => vec![Effect::Quit],
        Confirmation::Cancel { id, .. } => {
            let command = mpp::Command::Cancel {
                ids: vec![id],
                reason: DEFAULT_REASON.to_owned(),
                refund: dialog.refund,
            };
            vec![Effect::Command { purpose: Purpose::Cancel { id }, command: Command::Mpp(command) }]
        }
        Confirmation::Kick { peer }
            if model
                .mpp()
                .and_then(|mpp| mpp.adapter.as_ref())
                .is_none_or(|adapter| adapter.peer != peer) =>
        {
            show_message(ui, format!("{peer} has left meanwhile: nobody was dropped"), true, ui.at);
            Vec::new()
        }
        Confirmation::KickPeer { session, .. }
            if model.rmp().is_none_or(|rmp| !rmp.peers.contains_key(&session)) =>
        {
            show_message(
                ui,
                format!("session {session} has ended meanwhile: nobody was dropped"),
                true,
                ui.at,
            );
            Vec::new()
        }
        Confirmation::KickPeer { session, client } => {
            vec![Effect::Command {
                purpose: Purpose::KickPeer { client },
                command: Command::KickPeer { session },
            }]
        }
        Confirmation::Kick { .. } => {
            vec![Effect::Command { purpose: Purpose::Kick, command: Command::Mpp(mpp::Command::Kick) }]
        }
        Confirmation::CancelMany { rows } => {
            let moved = no_longer_pending(model);
            for (id, _) in &rows {
                if moved.contains_key(id) {
                    ui.marked_rows.remove(*id);
                }
            }
            let ids = rows.into_iter().map(|(id, _)| id).filter(|id| !moved.contains_key(id)).collect();
            bulk::start(ui, ids, dialog.refund)
        }
        Confirmation::Migrate => {
            vec![Effect::Command { purpose: Purpose::Migrate, command: Command::Mpp(mpp::Command::Migrate) }]
        }
        Confirmation::StopRecording { path } if recording(model) != Some(&path) => {
            show_message(
                ui,
                format!("{} has ended meanwhile: nothing was stopped", path.display()),
                true,
                ui.at,
            );
            Vec::new()
        }
        Confirmation::StopRecording { .. } => {
            vec![Effect::Command { purpose: Purpose::Record, command: Command::RecordStop }]
        }
        Confirmation::CancelRun { run, name } => runs::actions::confirm_cancel(ui, model, run, &name),
        Confirmation::CancelSession { session } => {
            sessions::actions::confirm_cancel(ui, model, &session, reason.as_deref())
        }
        Confirmation::Decide { action, approved, .. } => {
            runs::actions::confirm_decide(ui, model, action, approved)
        }
        Confirmation::Settle { .. } => Vec::new(),
    }
}

pub(crate) fn settle(dialog: &Dialog, to: mpp::Settlement) -> Vec<Effect> {
    let Confirmation::Settle { id, .. } = dialog.confirmation else { return Vec::new() };
    vec![Effect::Command {
        purpose: Purpose::Settle { id },
        command: Command::Mpp(mpp::Command::Settle { id, to }),
    }]
}

fn open(ui: &mut Ui, model: &Model, view: &View) -> Vec<Effect> {
    match ui.focus {
        Focus::Chips(_) => {
            match target_chip(ui, model) {
                Some(ChipId::Hidden(pane)) => {
                    ui.zoomed = Some(pane);
                    ui.focus = Focus::Pane(pane);
                }
                Some(chip) => return inspect(ui, Some(Box::new(ChipDetails(chip)))),
                None => {}
            }
            Vec::new()
        }
        Focus::Pane(pane) => {
            let Some(key) = ui.selected(pane, model) else { return Vec::new() };
            if let Some(queue) = QUEUE.id(&key) {
                return vec![pending::open(ui, queue.clone())];
            }
            if let Some(id) = INVOCATION.id(&key) {
                return vec![pending::open_invocation(ui, *id)];
            }
            if let Some(seq) = ENTRY.id(&key) {
                return inspect::actions::open(ui, view, *seq);
            }
            let subject = ui.selected_row(pane, model).and_then(|row| row.details());
            inspect(ui, subject)
        }
    }
}

pub(crate) fn inspect(ui: &mut Ui, subject: Option<Box<dyn DetailsRecord>>) -> Vec<Effect> {
    if let Some(subject) = subject {
        ui.push(Details::of(subject));
    }
    Vec::new()
}
