//! Why an action would do nothing here and now: what greys the footer, and what the operator is told.

use crate::{
    console::{
        draw::class::Class,
        input::{action::Action, keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        inspect,
        model::{Alert, AlertStatus, Model, bridge::alerts::ORPHANED},
        overlays,
        screen::time_travel,
        settings::view::View,
        systems::{
            bridge::{
                Pending,
                keys::{INVOCATION, QUEUE},
                state_now,
            },
            bus::keys::{PEER, SUBSCRIPTION},
            runs, sessions,
        },
        trace,
        ui::{
            Target,
            state::{Focus, Ui},
            system::{ChipId, SYSTEM, System},
        },
    },
    ids::{ConnectionId, EventName, InvocationId, QueueName},
    mpp::LiveView,
    port::{HostState, InvocationRow},
    tap::entry::{Link, mpp::RowState},
};

/// Why the action would do nothing, with what to do instead; nothing when it would do something.
pub(crate) fn unavailable(action: Action, ui: &Ui, model: &Model, view: &View) -> Option<String> {
    let needs = |there: bool, why: &str| (!there).then(|| why.to_owned());
    if action.acts_on_station()
        && let Some(why) = model.read_only_reason()
    {
        return Some(why);
    }
    if let Some(offer) = ui.overlays.last().and_then(|layer| layer.offer(action, ui, model, view)) {
        return offer.err();
    }
    match action {
        Action::Pause
        | Action::StepBack
        | Action::StepForward
        | Action::SecondBack
        | Action::SecondForward
        | Action::Bookmark
        | Action::Jump => time_travel::unavailable(action, ui, model),
        Action::Filter | Action::FilterCell => crate::console::ui::filter::unavailable(action, ui, model),
        Action::Columns
        | Action::ToggleColumn
        | Action::SortColumn
        | Action::ColumnEarlier
        | Action::ColumnLater
        | Action::ResetColumns
        | Action::ResetLayout => super::columns::unavailable(action, ui, view),
        Action::Hold => brake_unavailable(action, ui, model, view),
        Action::Drain => {
            brake_unavailable(action, ui, model, view).or_else(|| undrain_unavailable(ui, model, view))
        }
        Action::Settle => settle_unavailable(ui, model),
        Action::Restart => {
            needs(target_down_host(ui, model).is_some(), "every host is up: there is nothing to restart")
        }
        Action::Kick if is_in_bus_sessions(ui, model) => match target_bus_session(ui, model) {
            None => Some("no session of the bus is selected".to_owned()),
            own if own == model.own_session() => {
                Some(format!("that is this console: {} leaves it", view.key(Action::Quit)))
            }
            Some(_) => None,
        },
        Action::Kick if is_on_bus(ui) => Some("select whom in Subscribers or Peers".to_owned()),
        Action::Kick => {
            needs(model.mpp().is_some_and(|mpp| mpp.adapter.is_some()), "no adapter is connected")
        }
        Action::Open => match ui.target(model) {
            Target::Row(PaneId::Meter) => Some("a figure has no details: its line says all".to_owned()),
            Target::Row(pane) => needs(ui.selected(pane, model).is_some(), "there is nothing here"),
            _ => None,
        },
        Action::Cause | Action::Effect | Action::RelatedNext | Action::RelatedPrevious | Action::Return => {
            inspect::actions::unavailable(action, ui, model)
        }
        Action::Ladder => trace::actions::unavailable(ui, model),
        Action::Copy
        | Action::CopyAs
        | Action::CopyCell
        | Action::CopyJson
        | Action::CopyHex
        | Action::CopyFrame
        | Action::CopyLine
        | Action::CopyAgain => overlays::copying::unavailable(action, ui, model, view),
        Action::Ledger => needs(ui.target_list().is_some(), "a pane has a ledger: Tab to one"),
        Action::Mark => mark_unavailable(ui, model),
        Action::Migrate => migrate_unavailable(model),
        Action::Send | Action::AsJson | Action::Defaults | Action::NextField | Action::PreviousField => {
            Some("no form is open".to_owned())
        }
        Action::Params | Action::Files => Some("no opening is being written".to_owned()),
        Action::HoldAll | Action::Invoke | Action::Submit | Action::Record => {
            needs(model.station_state.is_some(), "the station is starting")
        }
        Action::Acknowledge => Some("nothing is selected".to_owned()),
        Action::Cancel if runs::actions::concerns_run(ui, model) => {
            runs::actions::cancel_unavailable(ui, model)
        }
        Action::Cancel if sessions::actions::concerns_session(ui, model) => {
            sessions::actions::cancel_unavailable(ui, model)
        }
        Action::Reason => Some(
            "no session is about to be cancelled: that takes a reason; `:record` starts and stops a recording"
                .to_owned(),
        ),
        Action::Cancel => cancel_unavailable(ui, model, view),
        Action::Approve | Action::Reject => runs::actions::decide_unavailable(action, ui, model),
        Action::Refund => Some("no cancellation is asked for: refunds go with one".to_owned()),
        Action::SettleDone | Action::SettleFailed => Some("no settlement is asked for".to_owned()),
        Action::Confirm | Action::Decline => Some("no question is open".to_owned()),
        Action::Zoom => needs(
            ui.overlays.is_empty() && matches!(ui.focus, Focus::Pane(_)),
            "a pane is zoomed: Tab to one",
        ),
        _ => None,
    }
}

/// Whether the keys go to what tells of a run or of a session.
pub(crate) fn concerns_run_or_session(ui: &Ui, model: &Model) -> bool {
    runs::actions::concerns_run(ui, model) || sessions::actions::concerns_session(ui, model)
}

/// Whose words why an action would do nothing can have: what is wrong in a form quotes what is written there.
pub(crate) const fn class_of_reason(action: Action) -> Class {
    match action {
        Action::Send | Action::AsJson | Action::Params => Class::Payload,
        _ => Class::Public,
    }
}

/// A row that can be cancelled or marked, as far as this place shows one.
pub(crate) struct TargetRow {
    pub(crate) id: InvocationId,
    pub(crate) queue: QueueName,
    pub(crate) event: EventName,
    pub(crate) state: RowState,
}

impl TargetRow {
    fn of(row: &InvocationRow, model: &Model) -> Self {
        Self { id: row.id, queue: row.queue.clone(), event: row.event.clone(), state: state_now(row, model) }
    }
}

/// The selected row of the place that has the keys.
pub(crate) fn target_row(ui: &Ui, model: &Model) -> Option<TargetRow> {
    let row = match ui.target(model) {
        Target::Row(PaneId::Pending) => ui.top::<Pending>()?.selected(),
        Target::Row(pane) => ui.paged_lists.selected(pane),
        _ => None,
    };
    row.map(|row| TargetRow::of(row, model))
}

fn cancel_unavailable(ui: &Ui, model: &Model, view: &View) -> Option<String> {
    if ui.systems.bulk_cancel.is_some() {
        return Some("another cancellation is under way: wait for its account".to_owned());
    }
    if ui.key_scope() == KeyScope::Pane(PaneId::Queues) {
        return Some(format!(
            "a queue is not cancelled: {} lists what is pending there",
            view.key(Action::Open)
        ));
    }
    if ui.overlays.is_empty() && ui.focus == Focus::Pane(PaneId::InFlight) {
        if target_orphan(ui, model).is_some() {
            return Some(format!(
                "a row that was left in applied can only be settled: {}",
                view.key(Action::Settle)
            ));
        }
        let key = view.key(Action::Kick);
        return Some(format!(
            "what is with the adapter cannot be cancelled: wait for its answer, or {key} drops the adapter and requeues it"
        ));
    }
    if ui.overlays.is_empty() && ui.focus == Focus::Pane(PaneId::Recent) {
        return Some("what has ended cannot be cancelled".to_owned());
    }
    if !ui.marked_rows.is_empty() {
        return None;
    }
    match target_row(ui, model) {
        None => Some("nothing is selected".to_owned()),
        Some(row) => not_pending(&row, "cancelled"),
    }
}

fn not_pending(row: &TargetRow, done: &str) -> Option<String> {
    let is_pending = row.state == RowState::Pending;
    (!is_pending)
        .then(|| format!("{} is {} by now: only a pending row can be {done}", row.id, row.state.name()))
}

fn mark_unavailable(ui: &Ui, model: &Model) -> Option<String> {
    let Some(row) = target_row(ui, model) else { return Some("nothing is selected".to_owned()) };
    if ui.marked_rows.contains(row.id) {
        return None;
    }
    let is_full = ui.marked_rows.len() as u64 >= ui.limits.console.marks_max;
    not_pending(&row, "marked").or_else(|| {
        is_full.then(|| format!("{} are marked already (limits.console.marks_max)", ui.marked_rows.len()))
    })
}

fn migrate_unavailable(model: &Model) -> Option<String> {
    let is_other = model.mpp().is_some_and(|mpp| mpp.queues.values().any(|queue| queue.other_manifest > 0));
    (!is_other).then(|| "no row of another manifest is pending".to_owned())
}

fn brake_unavailable(action: Action, ui: &Ui, model: &Model, view: &View) -> Option<String> {
    if target_queue(ui, model).is_some() {
        return None;
    }
    let (key, next, back) = (view.key(action), view.key(Action::FocusNext), view.key(Action::Back));
    Some(match (ui.focus, ui.zoomed) {
        (Focus::Pane(PaneId::Queues), _) => "no queue is selected".to_owned(),
        _ if !ui.view.panes().contains(&PaneId::Queues) => {
            format!("{key} works on a queue: {} shows them", view.key(Action::ViewDeck))
        }
        (_, Some(_)) => format!("{key} works on a queue: {back}, then {next} to Queues"),
        (_, None) => format!("{key} works on a queue: {next} to Queues"),
    })
}

/// Only resuming ends a drain, and for a moment it would dispatch from a queue that is to stay held.
fn undrain_unavailable(ui: &Ui, model: &Model, view: &View) -> Option<String> {
    let name = target_queue(ui, model)?;
    let brake = model.mpp()?.queues.get(name.as_str())?.brake;
    (brake.held && brake.draining).then(|| {
        format!(
            "{name} is held: {} releases it first, then {} ends the drain",
            view.key(Action::Hold),
            view.key(Action::Drain)
        )
    })
}

fn settle_unavailable(ui: &Ui, model: &Model) -> Option<String> {
    if let Target::Alert(_) | Target::Approval(_) = ui.target(model) {
        return target_orphan(ui, model)
            .is_none()
            .then(|| "the selected alert tells of no row that waits to be settled".to_owned());
    }
    if !ui.overlays.is_empty() || ui.focus != Focus::Pane(PaneId::InFlight) {
        return Some("a row left in applied is settled in In flight: Tab there".to_owned());
    }
    let selected = ui.selected(PaneId::InFlight, model);
    let Some(id) = selected.as_ref().and_then(|key| INVOCATION.id(key)) else {
        return Some("nothing is selected".to_owned());
    };
    target_orphan(ui, model)
        .is_none()
        .then(|| format!("{id} is still with the adapter: only a row left in applied is settled by hand"))
}

/// The selected row of In flight, if it was left in applied; where the selected alert tells of such rows, the
/// first of them.
pub(crate) fn target_orphan<'a>(ui: &Ui, model: &'a Model) -> Option<(InvocationId, &'a LiveView)> {
    if let Target::Alert(alert) = ui.target(model) {
        let alert = alert?;
        let is_left = alert.cause.is(&ORPHANED) && !matches!(alert.status, AlertStatus::Resolved { .. });
        return model
            .mpp()?
            .live
            .iter()
            .find(|(_, live)| is_left && live.orphaned)
            .map(|(id, live)| (*id, live));
    }
    let id = *INVOCATION.id(&ui.selected(PaneId::InFlight, model)?)?;
    model.mpp()?.live.get(&id).filter(|live| live.orphaned).map(|live| (id, live))
}

/// The queue that brakes would act on.
pub(crate) fn target_queue(ui: &Ui, model: &Model) -> Option<QueueName> {
    match ui.target(model) {
        Target::Row(PaneId::Pending) => Some(ui.top::<Pending>()?.queue.clone()),
        Target::Row(PaneId::Queues) => QUEUE.id(&ui.selected(PaneId::Queues, model)?).cloned(),
        _ => None,
    }
}

/// Whether the keys go to a list of sessions of the bus.
/// Whether the bus is looked at, where no adapter is.
fn is_on_bus(ui: &Ui) -> bool {
    ui.overlays.is_empty()
        && matches!(ui.focus, Focus::Pane(PaneId::Topics | PaneId::Drops))
        && ui.view == ViewId::Bus
}

fn is_in_bus_sessions(ui: &Ui, model: &Model) -> bool {
    match ui.target(model) {
        Target::Row(pane) => matches!(pane, PaneId::Peers | PaneId::Subscribers),
        Target::Record(record) => PEER.id(&record.key()).is_some(),
        _ => false,
    }
}

/// The session of the bus that is selected, or told of.
pub(crate) fn target_bus_session(ui: &Ui, model: &Model) -> Option<ConnectionId> {
    match ui.target(model) {
        Target::Row(pane @ (PaneId::Peers | PaneId::Subscribers)) => {
            let key = ui.selected(pane, model)?;
            PEER.id(&key).or_else(|| SUBSCRIPTION.id(&key).map(|(session, _)| session)).copied()
        }
        Target::Record(record) => PEER.id(&record.key()).copied(),
        _ => None,
    }
}

/// The host that is down and would be started again: of several, the one that is looked at.
pub(crate) fn target_down_host(ui: &Ui, model: &Model) -> Option<Link> {
    let hosts = &model.station_state.as_ref()?.station.hosts;
    let is_down = |link: &Link| matches!(hosts[link.index()], HostState::Down(_));
    let of_view = || System::all().iter().find(|system| system.view == ui.view).map(|system| system.link);
    let first = match ui.target(model) {
        Target::Record(record) => match (SYSTEM.id(&record.key()), record.of_type::<Alert>()) {
            (Some(link), _) => Some(*link),
            (None, Some(alert)) => Some(alert.cause.link()),
            (None, None) => of_view(),
        },
        Target::Alert(alert) => alert.map(|alert| alert.cause.link()),
        Target::Approval(_) => None,
        _ if ui.overlays.is_empty() && matches!(ui.focus, Focus::Chips(_)) => match target_chip(ui, model) {
            Some(ChipId::System(system)) => Some(system.link),
            Some(ChipId::Hidden(_)) | None => None,
        },
        _ => of_view(),
    };
    first.into_iter().chain(Link::ALL).find(is_down)
}

/// The focused chip.
pub(crate) fn target_chip(ui: &Ui, model: &Model) -> Option<ChipId> {
    match ui.focus {
        Focus::Chips(at) => ui.layout(model).chips().get(at).copied(),
        Focus::Pane(_) => None,
    }
}
