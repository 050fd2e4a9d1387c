//! Requeuing what has ended, after a question: the selected row, of which the station is asked what it has,
//! or all that are marked.

use std::collections::BTreeMap;

use super::{
    bulk::{self, BulkVerb},
    keys::INVOCATION,
    marked_rows::MarkedRow,
    outcomes::bridge_command,
};
use crate::{
    console::{
        draw::{format, theme::Role},
        input::{action::Action, pane_id::PaneId},
        model::Model,
        overlays::{Answer, Answers, Confirm, Dialog, detail::join_some},
        records::{ManualPlace, paged_list::error_text},
        settings::view::View,
        ui::{
            act::{Act, Resolved, Unavailable},
            effect::{Effect, OnPage},
            message::show_message,
            pane::PaneContext,
            state::{Focus, Ui},
        },
    },
    ids::{EventName, InvocationId, QueueName},
    mpp,
    port::{InvocationRow, Page, PortError, Query, RefundRow},
    tap::entry::mpp::{RefundStatus, RowState},
    time::Now,
    words::counted,
};

/// Queues that are named one by one.
const LISTED_MAX: usize = 6;

/// Whether a row's source is given back for it.
pub(super) fn is_refunded(row: &InvocationRow) -> bool {
    row.refund.is_some_and(|refund| refund != RefundStatus::Skipped)
}

/// Asks whether what has ended is requeued: all that is marked, where marks are shown, or the selected row.
pub(super) fn again(cx: &PaneContext<'_>) -> Resolved {
    let PaneContext { model, ui, view } = *cx;
    let pane = match ui.focus {
        Focus::Pane(pane @ (PaneId::Recent | PaneId::History | PaneId::OtherPack | PaneId::Refunds))
            if ui.overlays.is_empty() =>
        {
            pane
        }
        _ => {
            return Err(
                "ended rows are requeued in Recent, History, Stale manifest and Refunds, runs resubmitted in Runs: Tab there"
                    .into(),
            );
        }
    };
    if let Some(bulk) = &ui.systems.bridge.bulk {
        return Err(bulk.busy_text().into());
    }
    let marked = &ui.systems.bridge.marked_rows;
    if matches!(pane, PaneId::History | PaneId::OtherPack) && !marked.is_empty() {
        if !marked.have_ended() {
            let (cancel, back) = (view.key(Action::Cancel), view.key(Action::Back));
            let why = format!("the marked rows are pending; {cancel} cancels them, {back} clears the marks");
            return Err(why.into());
        }
        return Ok(Act::change(|ui, _| {
            let rows = ui.systems.bridge.marked_rows.iter().map(|(id, row)| (id, row.clone())).collect();
            ui.push(Dialog::new(Box::new(RequeueMany { rows })));
        }));
    }
    let id = ended_row(pane, ui, model)?;
    Ok(Act::Do(vec![Effect::query(Query::Invocation { id }, RequeueAsked { id })]))
}

/// The invocation of the selected row, which has ended.
fn ended_row(pane: PaneId, ui: &Ui, model: &Model) -> Result<InvocationId, Unavailable> {
    let found = match pane {
        PaneId::Refunds => ui.paged_lists.selected::<RefundRow>(pane).map(|refund| refund.invocation_id),
        PaneId::Recent => ui.selected(pane, model).and_then(|key| INVOCATION.id(&key).copied()),
        _ => {
            let row = ui.paged_lists.selected::<InvocationRow>(pane);
            if let Some((row, state)) = row.map(|row| (row, super::state_now(row, model)))
                && !state.is_terminal()
            {
                let why = format!("{} is {}; only ended rows can be requeued", row.id, state.name());
                return Err(why.into());
            }
            row.map(|row| row.id)
        }
    };
    found.ok_or_else(|| "nothing selected".into())
}

/// A row that is to be requeued, as the station has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequeueAsked {
    pub(crate) id: InvocationId,
}

impl OnPage for RequeueAsked {
    /// The question, unless the operator has turned to something else.
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, now: Now) {
        let id = self.id;
        let why = match page {
            Ok(Page::Invocation(Some(row))) if !row.state.is_terminal() => {
                format!("{id} is {}; only ended rows can be requeued", row.state.name())
            }
            Ok(Page::Invocation(Some(_))) if !ui.overlays.is_empty() => {
                format!("{id} not requeued: something else was opened meanwhile")
            }
            Ok(Page::Invocation(Some(row))) => return ui.push(Dialog::new(Box::new(Requeue::of(&row)))),
            Ok(_) => format!("invocation {id} is no longer stored (limits.store.ended_rows_max)"),
            Err(error) => error_text(&error),
        };
        show_message(ui, why, true, now);
    }
}

/// Requeue this row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Requeue {
    pub(crate) id: InvocationId,
    pub(crate) queue: QueueName,
    pub(crate) event: EventName,
    pub(crate) state: RowState,
    pub(crate) refund: Option<RefundStatus>,
}

impl Requeue {
    fn of(row: &InvocationRow) -> Self {
        Self {
            id: row.id,
            queue: row.queue.clone(),
            event: row.event.clone(),
            state: row.state,
            refund: row.refund,
        }
    }
}

impl Confirm for Requeue {
    fn title(&self) -> String {
        format!("Requeue {}?", self.id)
    }

    fn describe(&self, _refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        let Self { id, queue, event, state, refund } = self;
        let mut words = vec![
            (format!("{id} {event} is {}. It will be enqueued again on {queue}.", state.name()), Role::Text),
            (SAME.to_owned(), Role::Muted),
        ];
        words.push(match refund {
            None => ("refund: none".to_owned(), Role::Muted),
            Some(RefundStatus::Skipped) => ("refund: skipped".to_owned(), Role::Muted),
            Some(RefundStatus::Requested) => {
                ("refund: requested. It is not revoked: the viewer gets both.".to_owned(), Role::Warn)
            }
            Some(RefundStatus::Manual) => {
                ("refund: manual. It is not revoked: the viewer gets both.".to_owned(), Role::Warn)
            }
        });
        words.extend(brake_words(queue, model));
        words
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("mpp", ["End work manually", "requeue"])
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("requeue")
    }

    fn commit(&self, _answer: Answer<'_>, _ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        let even_if_refunded = self.refund.is_some_and(|refund| refund != RefundStatus::Skipped);
        Ok(vec![bridge_command(mpp::Command::Requeue { ids: vec![self.id], even_if_refunded })])
    }
}

/// Requeue these rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequeueMany {
    pub(crate) rows: Vec<(InvocationId, MarkedRow)>,
}

impl RequeueMany {
    fn refunded(&self) -> u64 {
        self.rows.iter().filter(|(_, row)| row.is_refunded).count() as u64
    }
}

impl Confirm for RequeueMany {
    fn title(&self) -> String {
        format!("Requeue {} marked?", format::count(self.rows.len() as u64))
    }

    fn describe(&self, _refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        let mut queues: BTreeMap<&QueueName, usize> = BTreeMap::new();
        for (_, row) in &self.rows {
            *queues.entry(&row.queue).or_default() += 1;
        }
        let each: Vec<String> = queues.iter().map(|(queue, count)| format!("{count} on {queue}")).collect();
        let rows = counted(self.rows.len(), "ended row");
        let mut words = vec![
            (format!("{rows}: {}, enqueued again.", join_some(&each, LISTED_MAX)), Role::Text),
            (SAME.to_owned(), Role::Muted),
        ];
        words.push(match self.refunded() {
            0 => ("refunds: none".to_owned(), Role::Muted),
            refunded => (
                format!("refunds: {refunded} requested. They are not revoked: the viewers get both."),
                Role::Warn,
            ),
        });
        words.extend(queues.keys().take(LISTED_MAX).filter_map(|queue| brake_words(queue, model)));
        words
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("mpp", ["End work manually", "requeue"])
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("requeue")
    }

    fn commit(&self, _answer: Answer<'_>, ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        let ids = self.rows.iter().map(|(id, _)| *id).collect();
        Ok(bulk::start(ui, ids, BulkVerb::Requeue { even_if_refunded: self.refunded() > 0 }))
    }
}

/// What a new row takes over.
const SAME: &str =
    "Same event, params, source and user; no redemption or key. The ended rows stay in the History.";

/// What keeps a queue from taking or dispatching work.
fn brake_words(queue: &QueueName, model: &Model) -> Option<(String, Role)> {
    let known = model.mpp()?.queues.get(queue);
    let words = match known.map(|queue| (queue.ready_after.is_some(), queue.brake)) {
        None | Some((false, _)) => format!("{queue} is not in this pack: requeuing will be refused."),
        Some((_, brake)) if brake.draining => format!("{queue} is draining: requeuing will be refused."),
        Some((_, brake)) if brake.held => {
            format!("{queue} is held: dispatched once it is resumed.")
        }
        Some(_) => return None,
    };
    Some((words, Role::Warn))
}
