//! Opening, asking and commanding.

use super::unavailable::{target_bus_session, target_chip, target_down_host, target_orphan, target_row};
use crate::{
    console::{
        input::action::Action,
        inspect,
        model::{Model, bus::peer_name},
        overlays::{Confirm, Details, Dialog, Help, KeyList, LedgerOverlay},
        records::row::DetailsRecord,
        settings::view::View,
        systems::{
            bridge::{
                confirmations::{Cancel, CancelMany, Kick, Migrate, Settle},
                event_list,
                keys::{INVOCATION, QUEUE},
                pending,
                queue_control::{drain, hold, hold_all},
            },
            bus::confirmations::KickPeer,
            runs,
            runs::submitting,
            sessions,
            station::{
                AlertList,
                confirmations::{Quit, StopRecording, has_work, recording},
                outcomes::StationCommand,
            },
        },
        ui::{
            effect::Effect,
            palette::Palette,
            state::{Focus, Ui},
            system::ChipId,
        },
        wire::ENTRY,
    },
    ids::ConnectionId,
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
            let bound = target_orphan(ui, model).map(|(id, live)| Settle {
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
            if ui.marked_rows.is_empty() {
                let row = target_row(ui, model);
                ask(ui, row.map(|row| Cancel { id: row.id, queue: row.queue, event: row.event }))
            } else {
                let rows = ui.marked_rows.iter().map(|(id, queue)| (id, queue.clone())).collect();
                ask(ui, Some(CancelMany { rows }))
            }
        }
        Action::Mark => {
            if let Some(row) = target_row(ui, model) {
                ui.marked_rows.toggle(row.id, row.queue, ui.limits.console.marks_max);
                super::moving::go(ui, model, Action::Down);
            }
            Vec::new()
        }
        Action::Migrate => ask(ui, Some(Migrate)),
        Action::Record => {
            if let Some(path) = recording(model) {
                return ask(ui, Some(StopRecording { path: path.to_owned() }));
            }
            vec![Effect::command(Command::RecordStart { path: None }, StationCommand)]
        }
        Action::Invoke => event_list::open_events(ui),
        Action::Submit => submitting::open(ui),
        Action::Kick => {
            if let Some(session) = target_bus_session(ui, model) {
                return ask(ui, Some(KickPeer { session, client: client_of(model, session) }));
            }
            let adapter = model.mpp().and_then(|mpp| mpp.adapter.as_ref());
            ask(ui, adapter.map(|adapter| Kick { peer: adapter.peer.clone() }))
        }
        Action::Restart => {
            let restart = |link| Effect::command(Command::Restart { link }, StationCommand);
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

/// Asks a question, where there is something to be asked.
pub(crate) fn ask(ui: &mut Ui, question: Option<impl Confirm + 'static>) -> Vec<Effect> {
    if let Some(question) = question {
        ui.push(Dialog::new(Box::new(question)));
    }
    Vec::new()
}

/// What a session of the bus calls itself.
fn client_of(model: &Model, session: ConnectionId) -> String {
    let peer = model.rmp().and_then(|rmp| rmp.peers.get(&session)).filter(|peer| peer.greeting.is_some());
    peer.map_or_else(|| format!("session {session}"), |peer| peer_name(peer, false))
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
    ask(ui, Some(Quit))
}

fn open(ui: &mut Ui, model: &Model, view: &View) -> Vec<Effect> {
    match ui.focus {
        Focus::Chips(_) => {
            match target_chip(ui, model) {
                Some(ChipId::Hidden(pane)) => {
                    ui.zoomed = Some(pane);
                    ui.focus = Focus::Pane(pane);
                }
                Some(ChipId::System(system)) => return inspect(ui, Some(Box::new(system))),
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
