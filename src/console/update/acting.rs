//! Opening, asking and commanding.

use std::path::PathBuf;

use super::{
    brakes::{drain, hold, hold_all},
    bulk,
    dispatch::say,
    giving,
    hindrance::{chip_at_hand, down_at_hand, left_at_hand, pane_at_hand, row_at_hand, session_at_hand},
    inspecting, meeting, running, submitting,
};
use crate::{
    console::{
        action::{Action, Asked, Effect},
        keymap::Place,
        model::{Model, RunLine, drop_groups},
        overlays::{
            Account, Bound, Dialog, Facts, Help, KeyList, Overlay, Palette, Pending, REASON, Subject, Tray,
            has_work, meanwhile,
        },
        pane_id::{ChipId, PaneId},
        panes,
        selection::RecordKey,
        ui::{Focus, Ui},
        view::View,
    },
    ids::{ConnectionId, InvocationId, QueueName, TraceId},
    mpp,
    port::{Command, Query},
};

/// Does what an action asks for; it is known to be possible.
pub(super) fn act(ui: &mut Ui, model: &Model, view: &View, action: Action) -> Vec<Effect> {
    match action {
        Action::Help => {
            ui.overlays.push(Overlay::Help(Help::of(ui.place(), view)));
            Vec::new()
        }
        Action::Keys => {
            ui.overlays.push(Overlay::Keys(Box::new(KeyList::of(view))));
            Vec::new()
        }
        Action::Palette => {
            ui.palette = Some(Box::new(Palette::over(ui.place(), view)));
            Vec::new()
        }
        Action::Open => open(ui, model, view),
        Action::Quit => quit(ui, model),
        Action::Hold => hold(ui, model).into_iter().collect(),
        Action::Drain => drain(ui, model).into_iter().collect(),
        Action::HoldAll => hold_all(ui, model, view),
        Action::Settle => {
            let bound = left_at_hand(ui, model).map(|(id, live)| Bound::Settle {
                id,
                queue: live.queue.clone(),
                event: live.event.clone(),
            });
            ask(ui, bound)
        }
        Action::SettleDone => settle(ui, mpp::Settlement::Done),
        Action::SettleFailed => settle(ui, mpp::Settlement::Failed),
        Action::Cancel if running::tells_of_run(ui) => running::cancel(ui, model),
        Action::Cancel if meeting::tells_of_session(ui) => meeting::cancel(ui, model),
        Action::Reason => meeting::write(ui),
        Action::Approve => running::decide(ui, model, true),
        Action::Reject => running::decide(ui, model, false),
        Action::Cancel => {
            let bound = if ui.marks.is_empty() {
                row_at_hand(ui, model).map(|row| Bound::Cancel {
                    id: row.id,
                    queue: row.queue,
                    event: row.event,
                })
            } else {
                Some(Bound::CancelMany {
                    rows: ui.marks.iter().map(|(id, queue)| (id, queue.clone())).collect(),
                })
            };
            ask(ui, bound)
        }
        Action::Mark => {
            if let Some(row) = row_at_hand(ui, model) {
                ui.marks.toggle(row.id, row.queue, ui.limits.console.marks_max);
                super::moving::go(ui, model, Action::Down);
            }
            Vec::new()
        }
        Action::Migrate => ask(ui, Some(Bound::Migrate)),
        Action::Record => {
            if let Some(path) = recording(model) {
                return ask(ui, Some(Bound::StopRecording { path: path.to_owned() }));
            }
            vec![Effect::Command { asked: Asked::Record, command: Command::RecordStart { path: None } }]
        }
        Action::Invoke => giving::open_events(ui),
        Action::AsJson => giving::turn(ui),
        Action::Defaults if is_submission(ui) => submitting::begin_again(ui),
        Action::Defaults => giving::put_back(ui),
        Action::Submit => submitting::open(ui),
        Action::Send if is_submission(ui) => submitting::send(ui, TraceId(uuid::Uuid::now_v7())),
        Action::Send => giving::send(ui),
        Action::NextField if is_submission(ui) => submitting::step(ui, 1),
        Action::PreviousField if is_submission(ui) => submitting::step(ui, -1),
        Action::Params => submitting::turn(ui),
        Action::Files => submitting::files(ui),
        Action::NextField => giving::step(ui, 1),
        Action::PreviousField => giving::step(ui, -1),
        Action::Kick => {
            let bound = match session_at_hand(ui, model) {
                Some(session) => Some(Bound::KickPeer { session, client: client_of(model, session) }),
                None => model
                    .mpp()
                    .and_then(|mpp| mpp.adapter.as_ref())
                    .map(|adapter| Bound::Kick { peer: adapter.peer.clone() }),
            };
            ask(ui, bound)
        }
        Action::Restart => {
            let restart =
                |link| Effect::Command { asked: Asked::Restart, command: Command::Restart { link } };
            down_at_hand(ui, model).map(restart).into_iter().collect()
        }
        Action::Tray => {
            ui.overlays.push(Overlay::Tray(Tray::default()));
            Vec::new()
        }
        Action::Acknowledge => acknowledge(ui, model),
        Action::Ledger => {
            ui.overlays.extend(pane_at_hand(ui).map(|pane| Overlay::Account(Account { pane })));
            Vec::new()
        }
        Action::Confirm => confirm(ui, model),
        Action::Decline => {
            ui.overlays.pop();
            Vec::new()
        }
        Action::Refund => {
            if let Some(Overlay::Dialog(dialog)) = ui.overlays.last_mut() {
                dialog.refund = !dialog.refund;
            }
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// Whether the keys go to an opening that is written.
fn is_submission(ui: &Ui) -> bool {
    matches!(ui.place(), Place::Submit | Place::SubmitParams)
}

pub(super) fn ask(ui: &mut Ui, bound: Option<Bound>) -> Vec<Effect> {
    ui.overlays.extend(bound.map(|bound| Overlay::Dialog(Box::new(Dialog::new(bound)))));
    Vec::new()
}

/// What a session of the bus calls itself.
fn client_of(model: &Model, session: ConnectionId) -> String {
    let peer = model.rmp().and_then(|rmp| rmp.peers.get(&session)).filter(|peer| peer.greeting.is_some());
    peer.map_or_else(|| format!("session {session}"), |peer| panes::peer_name(peer, false))
}

/// The file that is recorded into.
fn recording(model: &Model) -> Option<&PathBuf> {
    Some(&model.world.as_ref()?.station.recording.as_ref()?.path)
}

/// Whether the end of the console ends or halts something: not where the station goes on without it.
pub(super) fn quits_station(model: &Model) -> bool {
    model.attachment.is_none() && has_work(model)
}

/// Quits at once when a restart would find everything in its place; asks otherwise.
fn quit(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    if !quits_station(model) {
        return vec![Effect::Quit];
    }
    ask(ui, Some(Bound::Quit))
}

fn confirm(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    let Some(Overlay::Dialog(dialog)) = ui.overlays.pop() else { return Vec::new() };
    let reason = dialog.reason().map(str::to_owned);
    match dialog.bound {
        Bound::Quit => vec![Effect::Quit],
        Bound::Cancel { id, .. } => {
            let command =
                mpp::Command::Cancel { ids: vec![id], reason: REASON.to_owned(), refund: dialog.refund };
            vec![Effect::Command { asked: Asked::Cancel { id }, command: Command::Mpp(command) }]
        }
        Bound::Kick { peer }
            if model
                .mpp()
                .and_then(|mpp| mpp.adapter.as_ref())
                .is_none_or(|adapter| adapter.peer != peer) =>
        {
            say(ui, format!("{peer} has left meanwhile: nobody was dropped"), true, ui.at);
            Vec::new()
        }
        Bound::KickPeer { session, .. }
            if model.rmp().is_none_or(|rmp| !rmp.peers.contains_key(&session)) =>
        {
            say(ui, format!("session {session} has ended meanwhile: nobody was dropped"), true, ui.at);
            Vec::new()
        }
        Bound::KickPeer { session, client } => {
            vec![Effect::Command {
                asked: Asked::KickPeer { client },
                command: Command::KickPeer { session },
            }]
        }
        Bound::Kick { .. } => {
            vec![Effect::Command { asked: Asked::Kick, command: Command::Mpp(mpp::Command::Kick) }]
        }
        Bound::CancelMany { rows } => {
            let moved = meanwhile(model);
            for (id, _) in &rows {
                if moved.contains_key(id) {
                    ui.marks.remove(*id);
                }
            }
            let ids = rows.into_iter().map(|(id, _)| id).filter(|id| !moved.contains_key(id)).collect();
            bulk::start(ui, ids, dialog.refund)
        }
        Bound::Migrate => {
            vec![Effect::Command { asked: Asked::Migrate, command: Command::Mpp(mpp::Command::Migrate) }]
        }
        Bound::StopRecording { path } if recording(model) != Some(&path) => {
            say(ui, format!("{} has ended meanwhile: nothing was stopped", path.display()), true, ui.at);
            Vec::new()
        }
        Bound::StopRecording { .. } => {
            vec![Effect::Command { asked: Asked::Record, command: Command::RecordStop }]
        }
        Bound::CancelRun { run, name } => running::confirm_cancel(ui, model, run, &name),
        Bound::CancelSession { session } => meeting::confirm_cancel(ui, model, &session, reason.as_deref()),
        Bound::Decide { action, approved, .. } => running::confirm_decide(ui, model, action, approved),
        Bound::Settle { .. } => Vec::new(),
    }
}

fn settle(ui: &mut Ui, to: mpp::Settlement) -> Vec<Effect> {
    match ui.overlays.pop() {
        Some(Overlay::Dialog(dialog)) => {
            let Bound::Settle { id, .. } = dialog.bound else { return Vec::new() };
            vec![Effect::Command {
                asked: Asked::Settle { id },
                command: Command::Mpp(mpp::Command::Settle { id, to }),
            }]
        }
        _ => Vec::new(),
    }
}

fn acknowledge(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    let Some(Overlay::Tray(tray)) = ui.overlays.last_mut() else { return Vec::new() };
    let Some(alert) = tray.selected(model) else { return Vec::new() };
    tray.first();
    vec![Effect::Acknowledge(alert.number)]
}

fn open(ui: &mut Ui, model: &Model, view: &View) -> Vec<Effect> {
    if let Some(Overlay::Tray(tray)) = ui.overlays.last() {
        if let Some(ask) = tray.question(model) {
            let (run, place) = (ask.run, ask.node.place);
            return inspect(ui, Some(Subject::Node(run, place)));
        }
        let alert = tray.selected(model).cloned();
        ui.overlays.extend(alert.map(|alert| Overlay::Facts(Facts::of(Subject::Alert(Box::new(alert))))));
        return Vec::new();
    }
    if let Some(Overlay::Dialog(dialog)) = ui.overlays.last_mut() {
        dialog.keep();
        return Vec::new();
    }
    if let Some(Overlay::Facts(facts)) = ui.overlays.last() {
        let entry = facts.entry();
        return entry.map_or_else(Vec::new, |seq| inspecting::open(ui, view, seq));
    }
    if let Some(Overlay::Pending(pending)) = ui.overlays.last() {
        let id = pending.selected().map(|row| row.id);
        return id.map_or_else(Vec::new, |id| vec![open_invocation(ui, id)]);
    }
    if let Some(Overlay::Files(_)) = ui.overlays.last() {
        return submitting::choose(ui);
    }
    if let Some(Overlay::Events(_)) = ui.overlays.last() {
        giving::open_form(ui, model);
        return Vec::new();
    }
    match ui.focus {
        Focus::Chips(_) => {
            match chip_at_hand(ui, model) {
                Some(ChipId::Hidden(pane)) => {
                    ui.zoomed = Some(pane);
                    ui.focus = Focus::Pane(pane);
                }
                Some(chip) => ui.overlays.push(Overlay::Facts(Facts::of(Subject::Chip(chip)))),
                None => {}
            }
            Vec::new()
        }
        Focus::Pane(pane) => match ui.selected(pane, model) {
            Some(RecordKey::Queue(queue)) => vec![open_pending(ui, queue)],
            Some(RecordKey::Invocation(id)) => vec![open_invocation(ui, id)],
            Some(RecordKey::Notice(number)) => {
                let notices = model.journal.notices.iter().chain(&model.journal.station);
                let notice = notices.into_iter().find(|notice| notice.number == number).cloned();
                inspect(ui, notice.map(|notice| Subject::Notice(Box::new(notice))))
            }
            Some(RecordKey::Refund(_)) => {
                let refund = ui.pages.refunds.selected().cloned();
                inspect(ui, refund.map(|refund| Subject::Refund(Box::new(refund))))
            }
            Some(RecordKey::StateKey(key)) => {
                let value = ui.pages.state.rows().iter().find(|row| row.key == key).cloned();
                inspect(ui, value.map(|value| Subject::State(Box::new(value))))
            }
            Some(RecordKey::Line(number)) => {
                let line = model.line(number).cloned();
                inspect(ui, line.map(|line| Subject::Line(Box::new(line))))
            }
            Some(RecordKey::Fault(breach)) => {
                let group = model.faults.group(breach).cloned();
                inspect(ui, group.map(|group| Subject::Fault(Box::new(group))))
            }
            Some(RecordKey::Entry(seq)) => inspecting::open(ui, view, seq),
            Some(RecordKey::Drop(key)) => {
                let group =
                    model.rmp().and_then(|rmp| drop_groups(rmp).into_iter().find(|group| group.key == *key));
                inspect(ui, group.map(|group| Subject::Drop(Box::new(group))))
            }
            Some(RecordKey::Topic(topic)) => inspect(ui, Some(Subject::Topic(topic))),
            Some(RecordKey::Subscription(session, _) | RecordKey::BusPeer(session)) => {
                inspect(ui, Some(Subject::BusPeer(session)))
            }
            Some(RecordKey::Run(run)) => inspect(ui, Some(Subject::Run(run))),
            Some(RecordKey::StoredRun(number, run)) => {
                let row = ui
                    .pages
                    .run_history
                    .rows()
                    .iter()
                    .find(|row| (row.number, row.run) == (number, run))
                    .cloned();
                inspect(ui, row.map(|row| Subject::StoredRun(Box::new(row))))
            }
            Some(RecordKey::Node(run, place)) => inspect(ui, Some(Subject::Node(run, place))),
            Some(RecordKey::RunEvent(run, number)) => {
                let is_it = |line: &&RunLine| line.number == number;
                let heard = model.heard_of_run(run).find(is_it);
                let line = heard.or_else(|| ui.pages.runs.older(run, u64::MAX).find(is_it)).cloned();
                inspect(ui, line.map(|line| Subject::RunLine(Box::new(line))))
            }
            Some(RecordKey::Artifact(run, number)) => {
                let row = ui.pages.runs.artifacts(run).iter().find(|row| row.number == number).cloned();
                inspect(ui, row.map(|row| Subject::Artifact(run, Box::new(row))))
            }
            Some(
                RecordKey::Session(_)
                | RecordKey::StoredSession(_)
                | RecordKey::Stand(..)
                | RecordKey::Voice(..)
                | RecordKey::SessionLine(..),
            ) => meeting::open(ui, model, pane),
            Some(
                RecordKey::Event(_)
                | RecordKey::Alert(_)
                | RecordKey::Question(_)
                | RecordKey::Field(_)
                | RecordKey::Figure(_),
            )
            | None => Vec::new(),
        },
    }
}

pub(super) fn inspect(ui: &mut Ui, subject: Option<Subject>) -> Vec<Effect> {
    ui.overlays.extend(subject.map(|subject| Overlay::Facts(Facts::of(subject))));
    Vec::new()
}

fn open_pending(ui: &mut Ui, queue: QueueName) -> Effect {
    // A filter is of one queue's list.
    ui.lens_mut(PaneId::Pending).set_filter(None);
    let (pending, effect) = Pending::open(queue);
    ui.overlays.push(Overlay::Pending(pending));
    effect
}

fn open_invocation(ui: &mut Ui, id: InvocationId) -> Effect {
    ui.overlays.push(Overlay::Facts(Facts::of(Subject::Invocation { id, row: None })));
    Effect::Query { asked: Asked::Details { id }, query: Query::Invocation { id } }
}
