//! Cancelling many rows: in parts, one after the other's answer, and one account of all of them.

use std::collections::BTreeMap;

use crate::{
    console::{
        draw::format,
        overlays::DEFAULT_REASON,
        ui::{
            effect::{Effect, OnOutcome},
            message::show_message,
            state::Ui,
        },
    },
    ids::InvocationId,
    mpp,
    port::{Command, Outcome, PortError},
    time::Now,
};

/// A cancellation of many rows that is under way.
#[derive(Debug, Default)]
pub(crate) struct BulkCancel {
    refund: bool,
    /// Rows that were not asked for yet.
    remaining: Vec<InvocationId>,
    /// Rows that were asked for and not answered yet.
    requested: Vec<InvocationId>,
    cancelled: u64,
    refunded: u64,
    /// Why rows were refused, and how many for each reason.
    refused: BTreeMap<String, u64>,
}

/// Begins.
pub(crate) fn start(ui: &mut Ui, ids: Vec<InvocationId>, refund: bool) -> Vec<Effect> {
    let mut bulk = BulkCancel { refund, remaining: ids, ..BulkCancel::default() };
    let effect = next(&mut bulk, ui.limits.mpp.command_rows_max);
    ui.systems.bridge.bulk_cancel = effect.is_some().then_some(bulk);
    effect.into_iter().collect()
}

fn next(bulk: &mut BulkCancel, rows_max: u64) -> Option<Effect> {
    let rows = usize::try_from(rows_max).unwrap_or(usize::MAX).max(1).min(bulk.remaining.len());
    if rows == 0 {
        return None;
    }
    bulk.requested = bulk.remaining.drain(..rows).collect();
    let command = mpp::Command::Cancel {
        ids: bulk.requested.clone(),
        reason: DEFAULT_REASON.to_owned(),
        refund: bulk.refund,
    };
    Some(Effect::command(Command::Mpp(command), CancelPart))
}

/// The cancellation of a part of many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CancelPart;

impl OnOutcome for CancelPart {
    /// The next part follows, or the account is told.
    fn on_outcome(&self, ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
        on_part_cancelled(ui, outcome, now)
    }
}

fn on_part_cancelled(ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
    let Some(mut bulk) = ui.systems.bridge.bulk_cancel.take() else { return Vec::new() };
    let asked = std::mem::take(&mut bulk.requested);
    match outcome {
        Ok(Outcome::Mpp(mpp::Outcome::Cancelled(rows))) => {
            for row in rows {
                match row {
                    Ok(row) => {
                        bulk.cancelled += 1;
                        bulk.refunded += u64::from(row.refund.is_some());
                    }
                    Err(refusal) => *bulk.refused.entry(refusal_text(&refusal)).or_default() += 1,
                }
            }
            for id in asked {
                ui.systems.bridge.marked_rows.remove(id);
            }
        }
        Ok(_) => {}
        Err(error) => {
            // What stands against one part stands against the next. The marks stay, for another try.
            let count = asked.len() + bulk.remaining.len();
            let words =
                format!("{}; {count} were not cancelled: {error}: {}", summary_text(&bulk), error.hint());
            show_message(ui, words, true, now);
            return Vec::new();
        }
    }
    if let Some(effect) = next(&mut bulk, ui.limits.mpp.command_rows_max) {
        show_message(
            ui,
            format!("{}, {} to go", summary_text(&bulk), bulk.remaining.len() + bulk.requested.len()),
            false,
            now,
        );
        ui.systems.bridge.bulk_cancel = Some(bulk);
        return vec![effect];
    }
    let is_error = !bulk.refused.is_empty();
    show_message(ui, summary_text(&bulk), is_error, now);
    Vec::new()
}

/// Why a row was refused, without its id.
fn refusal_text(refusal: &mpp::Refusal) -> String {
    match refusal {
        mpp::Refusal::WrongState { state, .. } => format!("now {}", state.name()),
        mpp::Refusal::NoSuchInvocation { .. } => "gone".to_owned(),
        other => other.to_string(),
    }
}

fn summary_text(bulk: &BulkCancel) -> String {
    let mut words = vec![format!("{} cancelled", format::count(bulk.cancelled))];
    if bulk.refund {
        words.push(format!("{} recorded", format::many(bulk.refunded, "refund")));
    }
    let words = words.join(", ");
    let refused: u64 = bulk.refused.values().sum();
    if refused == 0 {
        return words;
    }
    let reasons: Vec<_> = bulk.refused.iter().map(|(why, count)| format!("{count} {why}")).collect();
    format!("{words}; {refused} refused: {}", reasons.join(", "))
}
