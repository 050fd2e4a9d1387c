//! Why an action would do nothing here and now: what greys the footer, and what the operator is told.

use crate::{
    console::{
        action::Action,
        model::Model,
        overlays::{Bound, Overlay, Pending},
        ui::{ChipId, Focus, PaneId, RecordKey, Ui},
    },
    ids::{InvocationId, QueueName},
    mpp::LiveView,
    tap::entry::mpp::RowState,
};

/// Why the action would do nothing, with what to do instead; nothing when it would do something.
pub(crate) fn hindrance(action: Action, ui: &Ui, model: &Model) -> Option<String> {
    let needs = |there: bool, why: &str| (!there).then(|| why.to_owned());
    match action {
        Action::Hold => brake_hindrance("H", ui, model),
        Action::Drain => brake_hindrance("D", ui, model).or_else(|| undrain_hindrance(ui, model)),
        Action::Settle => settle_hindrance(ui, model),
        Action::HoldAll => needs(model.mpp().is_some_and(|mpp| !mpp.queues.is_empty()), "there are no queues"),
        Action::Kick => needs(model.mpp().is_some_and(|mpp| mpp.adapter.is_some()), "no adapter is connected"),
        Action::Open => match (ui.overlays.last(), ui.focus) {
            (Some(Overlay::Pending(pending)), _) => needs(pending.selected().is_some(), "nothing is selected"),
            (None, Focus::Pane(pane)) => needs(ui.selected(pane, model).is_some(), "there is nothing here yet"),
            _ => None,
        },
        Action::Cancel => cancel_hindrance(ui, model),
        Action::Refund => match ui.overlays.last() {
            Some(Overlay::Dialog(dialog)) if matches!(dialog.bound, Bound::Cancel { .. }) => None,
            _ => Some("there is nothing to refund".to_owned()),
        },
        _ => None,
    }
}

fn cancel_hindrance(ui: &Ui, model: &Model) -> Option<String> {
    match (ui.overlays.last(), ui.focus) {
        (Some(Overlay::Pending(pending)), _) => match pending.selected().map(|row| (row, Pending::state_now(row, model))) {
            None => Some("nothing is selected".to_owned()),
            Some((_, RowState::Pending)) => None,
            Some((row, state)) => Some(format!("{} is {} by now: only a pending row can be cancelled", row.id, state.name())),
        },
        (None, Focus::Pane(PaneId::InFlight)) if left_at_hand(ui, model).is_some() => {
            Some("a row that was left in applied can only be settled: e".to_owned())
        }
        (None, Focus::Pane(PaneId::InFlight)) => {
            Some("what is with the adapter cannot be cancelled: wait for its answer, or K drops the adapter and requeues it".to_owned())
        }
        _ => Some("nothing is selected".to_owned()),
    }
}

fn brake_hindrance(key: &str, ui: &Ui, model: &Model) -> Option<String> {
    if queue_at_hand(ui, model).is_some() {
        return None;
    }
    Some(match (ui.focus, ui.zoomed) {
        (Focus::Pane(PaneId::Queues), _) => "no queue is selected".to_owned(),
        (_, Some(_)) => format!("{key} works on a queue: Esc, then Tab to Queues"),
        (_, None) => format!("{key} works on a queue: Tab to Queues"),
    })
}

/// Only resuming ends a drain, and for a moment it would dispatch from a queue that is to stay held.
fn undrain_hindrance(ui: &Ui, model: &Model) -> Option<String> {
    let name = queue_at_hand(ui, model)?;
    let brake = model.mpp()?.queues.get(name.as_str())?.brake;
    (brake.held && brake.draining).then(|| format!("{name} is held: H releases it first, then D ends the drain"))
}

fn settle_hindrance(ui: &Ui, model: &Model) -> Option<String> {
    let Some(RecordKey::Invocation(id)) = ui.selected(PaneId::InFlight, model) else { return Some("nothing is selected".to_owned()) };
    left_at_hand(ui, model).is_none().then(|| format!("{id} is still with the adapter: only a row left in applied is settled by hand"))
}

/// The selected row of In flight, if it was left in applied.
pub(super) fn left_at_hand<'a>(ui: &Ui, model: &'a Model) -> Option<(InvocationId, &'a LiveView)> {
    let Some(RecordKey::Invocation(id)) = ui.selected(PaneId::InFlight, model) else { return None };
    model.mpp()?.live.get(&id).filter(|live| live.left).map(|live| (id, live))
}

/// The queue that brakes would act on.
pub(super) fn queue_at_hand(ui: &Ui, model: &Model) -> Option<QueueName> {
    match (ui.overlays.last(), ui.focus) {
        (Some(Overlay::Pending(pending)), _) => Some(pending.queue.clone()),
        (None, Focus::Pane(PaneId::Queues)) => match ui.selected(PaneId::Queues, model)? {
            RecordKey::Queue(queue) => Some(queue),
            _ => None,
        },
        _ => None,
    }
}

/// The focused chip.
pub(super) fn chip_at_hand(ui: &Ui, model: &Model) -> Option<ChipId> {
    match ui.focus {
        Focus::Chips(at) => ui.layout(model).chips().get(at).copied(),
        Focus::Pane(_) => None,
    }
}
