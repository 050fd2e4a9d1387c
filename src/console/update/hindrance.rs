//! Why an action would do nothing here and now: what greys the footer, and what the operator is told.

use crate::{
    console::{
        action::Action,
        model::Model,
        overlays::{Bound, Overlay, Pending},
        ui::{ChipId, Focus, PaneId, RecordKey, Ui},
    },
    ids::QueueName,
    tap::entry::mpp::RowState,
};

/// Why the action would do nothing, with what to do instead; nothing when it would do something.
pub(crate) fn hindrance(action: Action, ui: &Ui, model: &Model) -> Option<String> {
    let needs = |there: bool, why: &str| (!there).then(|| why.to_owned());
    match action {
        Action::Hold | Action::Drain => needs(queue_at_hand(ui, model).is_some(), "no queue is selected"),
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
        (None, Focus::Pane(PaneId::InFlight)) => {
            Some("what is with the adapter cannot be cancelled: wait for its answer, or K drops the adapter and requeues it".to_owned())
        }
        _ => Some("nothing is selected".to_owned()),
    }
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
