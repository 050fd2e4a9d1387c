//! The bridge's actions: brakes, rows that are cancelled, marked, settled, moved or opened, and its adapter.

use crate::{
    console::{
        input::{action::Action, keymap::KeyScope, pane_id::PaneId},
        model::{Model, bridge::alerts::LEFT_APPLIED},
        overlays::Dialog,
        systems::bridge::{
            Pending,
            confirmations::{Cancel, CancelMany, Kick, Migrate, Settle},
            event_list,
            keys::{INVOCATION, QUEUE},
            marked_rows::MarkedRow,
            pending,
            queue_control::{drain, hold, hold_all, resume_all},
            requeue::{again, is_refunded},
            state_now,
        },
        ui::{
            Target,
            act::{Act, Resolved, Unavailable, act_if},
            moving,
            pane::PaneContext,
            state::{Focus, Ui},
        },
    },
    ids::{EventName, InvocationId, QueueName},
    mpp::LiveView,
    port::InvocationRow,
    tap::entry::{Link, alerts::Alert, mpp::RowState},
};

/// What an action of the bridge does; nothing where it is none of the bridge's.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
    let is_started = cx.model.station_state.is_some();
    Some(match action {
        Action::Hold => hold(cx),
        Action::Drain => drain(cx),
        Action::HoldAll => hold_all(cx),
        Action::ResumeAll => resume_all(cx),
        Action::Invoke => act_if(
            is_started,
            || Act::effects(|ui, _| event_list::open_events(ui)),
            "the station is starting",
        ),
        Action::Settle => settle(cx),
        Action::Again => again(cx),
        Action::Cancel => cancel(cx),
        Action::Mark => mark(cx),
        Action::Migrate => {
            let mut queues = cx.model.mpp().into_iter().flat_map(|mpp| mpp.queues.values());
            let is_other = queues.any(|queue| queue.other_manifest > 0);
            act_if(is_other, || Act::confirm(Migrate), "no pending rows of a stale manifest")
        }
        Action::Kick => match cx.model.mpp().and_then(|mpp| mpp.adapter.as_ref()) {
            Some(adapter) => Ok(Act::confirm(Kick { peer: adapter.peer.clone() })),
            None => Err("no adapter is connected".into()),
        },
        Action::Refund => Err("no cancel dialog is open".into()),
        Action::SettleDone | Action::SettleFailed => Err("no settle dialog is open".into()),
        Action::Open => return open(cx),
        _ => return None,
    })
}

/// The pending rows of the selected queue, or the details of the selected invocation.
fn open(cx: &PaneContext<'_>) -> Option<Resolved> {
    let Focus::Pane(pane) = cx.ui.focus else { return None };
    let key = cx.ui.selected(pane, cx.model)?;
    if let Some(queue) = QUEUE.id(&key).cloned() {
        return Some(Ok(Act::effects(move |ui, _| vec![pending::open(ui, queue)])));
    }
    let id = *INVOCATION.id(&key)?;
    Some(Ok(Act::effects(move |ui, _| vec![pending::open_invocation(ui, id)])))
}

/// A row that can be cancelled or marked, as far as this place shows one.
struct TargetRow {
    id: InvocationId,
    queue: QueueName,
    event: EventName,
    state: RowState,
    /// It has a refund that was not skipped.
    is_refunded: bool,
}

impl TargetRow {
    fn of(row: &InvocationRow, model: &Model) -> Self {
        Self {
            id: row.id,
            queue: row.queue.clone(),
            event: row.event.clone(),
            state: state_now(row, model),
            is_refunded: is_refunded(row),
        }
    }

    /// It, while it can be cancelled.
    fn while_pending(self) -> Result<Self, Unavailable> {
        match self.state {
            RowState::Pending => Ok(self),
            state => {
                Err(format!("{} is {}; only pending rows can be cancelled", self.id, state.name()).into())
            }
        }
    }
}

/// The selected row of the place that has the keys.
fn target_row(cx: &PaneContext<'_>) -> Result<TargetRow, Unavailable> {
    let row = match cx.ui.target(cx.model) {
        Target::Row(PaneId::Pending) => cx.ui.top::<Pending>().and_then(Pending::selected),
        Target::Row(pane) => cx.ui.paged_lists.selected(pane),
        _ => None,
    };
    row.map(|row| TargetRow::of(row, cx.model)).ok_or_else(|| "nothing selected".into())
}

fn cancel(cx: &PaneContext<'_>) -> Resolved {
    let PaneContext { model, ui, view } = *cx;
    let is_in = |pane| ui.overlays.is_empty() && ui.focus == Focus::Pane(pane);
    if let Some(bulk) = &ui.systems.bridge.bulk {
        return Err(bulk.busy_text().into());
    }
    if ui.key_scope() == KeyScope::Pane(PaneId::Queues) {
        let key = view.key(Action::Open);
        return Err(format!("queues cannot be cancelled; {key} lists their pending rows").into());
    }
    if is_in(PaneId::InFlight) {
        let why = if target_orphan(ui, model).is_some() {
            format!("orphaned rows can only be settled: {}", view.key(Action::Settle))
        } else {
            let key = view.key(Action::Kick);
            format!(
                "rows in flight cannot be cancelled; wait for the adapter, or disconnect it with {key} to requeue them"
            )
        };
        return Err(why.into());
    }
    if is_in(PaneId::Recent) {
        return Err("ended rows cannot be cancelled".into());
    }
    let marked = &ui.systems.bridge.marked_rows;
    if marked.have_ended() {
        let (again, back) = (view.key(Action::Again), view.key(Action::Back));
        return Err(
            format!("the marked rows have ended; {again} requeues them, {back} clears the marks").into()
        );
    }
    if !marked.is_empty() {
        return Ok(Act::change(|ui, _| {
            let marked = &ui.systems.bridge.marked_rows;
            let rows = marked.iter().map(|(id, row)| (id, row.queue.clone())).collect();
            ui.push(Dialog::new(Box::new(CancelMany { rows })));
        }));
    }
    let TargetRow { id, queue, event, .. } = target_row(cx)?.while_pending()?;
    Ok(Act::confirm(Cancel { id, queue, event }))
}

fn mark(cx: &PaneContext<'_>) -> Resolved {
    let (marked, marks_max) = (&cx.ui.systems.bridge.marked_rows, cx.ui.limits.console.marks_max);
    let row = target_row(cx)?;
    let has_ended = row.state.is_terminal();
    if !marked.contains(row.id) {
        if !has_ended && row.state != RowState::Pending {
            let why = format!("{} is {}; only pending or ended rows can be marked", row.id, row.state.name());
            return Err(why.into());
        }
        if !marked.is_empty() && marked.have_ended() != has_ended {
            let (known, key) = (if has_ended { "pending" } else { "ended" }, cx.view.key(Action::Back));
            return Err(format!("{} {known} rows are marked; {key} clears the marks", marked.len()).into());
        }
        if marked.len() as u64 >= marks_max {
            return Err(format!("{} rows are already marked (limits.console.marks_max)", marked.len()).into());
        }
    }
    Ok(Act::change(move |ui, cx| {
        let mark = MarkedRow { queue: row.queue, has_ended, is_refunded: row.is_refunded };
        ui.systems.bridge.marked_rows.toggle(row.id, mark, marks_max);
        moving::go(ui, cx.model, Action::Down);
    }))
}

fn settle(cx: &PaneContext<'_>) -> Resolved {
    let PaneContext { model, ui, .. } = *cx;
    let is_of_alert = matches!(ui.target(model), Target::Alert(_) | Target::Question(_));
    if !is_of_alert && (!ui.overlays.is_empty() || ui.focus != Focus::Pane(PaneId::InFlight)) {
        return Err("orphaned rows are settled in In flight: Tab there".into());
    }
    if let Some((id, live)) = target_orphan(ui, model) {
        return Ok(Act::confirm(Settle { id, queue: live.queue.clone(), event: live.event.clone() }));
    }
    if is_of_alert {
        return Err("the selected alert has no orphaned row".into());
    }
    let selected = ui.selected(PaneId::InFlight, model);
    Err(match selected.as_ref().and_then(|key| INVOCATION.id(key)) {
        Some(id) => format!("{id} is still in flight; only orphaned rows can be settled").into(),
        None => "nothing selected".into(),
    })
}

/// The selected row of In flight, if it was left in applied; where the selected alert tells of such rows, the
/// first of them.
fn target_orphan<'a>(ui: &Ui, model: &'a Model) -> Option<(InvocationId, &'a LiveView)> {
    let live = &model.mpp()?.live;
    if let Target::Alert(alert) = ui.target(model) {
        let is_left =
            |alert: &&Alert| alert.link == Link::Mpp && *alert.name == *LEFT_APPLIED && alert.holds();
        alert.filter(is_left)?;
        return live.iter().find(|(_, live)| live.orphaned).map(|(id, live)| (*id, live));
    }
    let id = *INVOCATION.id(&ui.selected(PaneId::InFlight, model)?)?;
    live.get(&id).filter(|live| live.orphaned).map(|live| (id, live))
}
