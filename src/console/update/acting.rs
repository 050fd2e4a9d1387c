//! Opening, asking and commanding.

use super::{
    brakes::{drain, hold, hold_all, release},
    hindrance::{chip_at_hand, left_at_hand},
};
use crate::{
    console::{
        action::{Action, Asked, Effect},
        model::Model,
        overlays::{Bound, Dialog, Facts, Help, Overlay, Pending, Subject},
        ui::{ChipId, Focus, RecordKey, Ui},
    },
    ids::{InvocationId, QueueName},
    mpp,
    port::{Command, Query},
};

/// Does what an action asks for; it is known to be possible.
pub(super) fn act(ui: &mut Ui, model: &Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Help => {
            let about = ui.place();
            ui.overlays.push(Overlay::Help(Help { about, scroll: 0 }));
            Vec::new()
        }
        Action::Open => open(ui, model),
        Action::Quit => quit(ui, model),
        Action::Hold => hold(ui, model).unwrap_or_default(),
        Action::Drain => drain(ui, model).into_iter().collect(),
        Action::HoldAll => hold_all(ui, model),
        Action::Settle => {
            let bound =
                left_at_hand(ui, model).map(|(id, live)| Bound::Settle { id, queue: live.queue.clone(), event: live.event.clone() });
            ask(ui, bound)
        }
        Action::SettleDone => settle(ui, mpp::Settlement::Done),
        Action::SettleFailed => settle(ui, mpp::Settlement::Failed),
        Action::Cancel => {
            let bound = match ui.overlays.last() {
                Some(Overlay::Pending(pending)) => {
                    pending.selected().map(|row| Bound::Cancel { id: row.id, queue: row.queue.clone(), event: row.event.clone() })
                }
                _ => None,
            };
            ask(ui, bound)
        }
        Action::Kick => {
            let bound = model.mpp().and_then(|mpp| mpp.adapter.as_ref()).map(|adapter| Bound::Kick { peer: adapter.peer.clone() });
            ask(ui, bound)
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

pub(super) fn ask(ui: &mut Ui, bound: Option<Bound>) -> Vec<Effect> {
    ui.overlays.extend(bound.map(|bound| Overlay::Dialog(Dialog::new(bound))));
    Vec::new()
}

/// Quits at once when a restart would lose nothing of its place; asks otherwise.
fn quit(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    if model.mpp().is_none_or(|mpp| mpp.live.is_empty()) {
        return vec![Effect::Quit];
    }
    ask(ui, Some(Bound::Quit))
}

fn confirm(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    let Some(Overlay::Dialog(dialog)) = ui.overlays.pop() else { return Vec::new() };
    match dialog.bound {
        Bound::Quit => vec![Effect::Quit],
        Bound::Cancel { id, .. } => {
            let command = mpp::Command::Cancel { ids: vec![id], reason: "by the operator".to_owned(), refund: dialog.refund };
            vec![Effect::Command { asked: Asked::Cancel { id }, command: Command::Mpp(command) }]
        }
        Bound::Kick { .. } => vec![Effect::Command { asked: Asked::Kick, command: Command::Mpp(mpp::Command::Kick) }],
        Bound::Release { queues } => release(ui, model, &queues, &[]),
        Bound::Settle { .. } => Vec::new(),
    }
}

fn settle(ui: &mut Ui, to: mpp::Settlement) -> Vec<Effect> {
    match ui.overlays.pop() {
        Some(Overlay::Dialog(Dialog { bound: Bound::Settle { id, .. }, .. })) => {
            vec![Effect::Command { asked: Asked::Settle { id }, command: Command::Mpp(mpp::Command::Settle { id, to }) }]
        }
        _ => Vec::new(),
    }
}

fn open(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    if let Some(Overlay::Pending(pending)) = ui.overlays.last() {
        let id = pending.selected().map(|row| row.id);
        return id.map_or_else(Vec::new, |id| vec![open_invocation(ui, id)]);
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
                let notice = model.journal.notices.iter().find(|notice| notice.number == number).cloned();
                ui.overlays.extend(notice.map(|notice| Overlay::Facts(Facts::of(Subject::Notice(Box::new(notice))))));
                Vec::new()
            }
            None => Vec::new(),
        },
    }
}

fn open_pending(ui: &mut Ui, queue: QueueName) -> Effect {
    let (pending, effect) = Pending::open(queue);
    ui.overlays.push(Overlay::Pending(pending));
    effect
}

fn open_invocation(ui: &mut Ui, id: InvocationId) -> Effect {
    ui.overlays.push(Overlay::Facts(Facts::of(Subject::Invocation { id, row: None })));
    Effect::Query { asked: Asked::Details { id }, query: Query::Invocation { id } }
}
