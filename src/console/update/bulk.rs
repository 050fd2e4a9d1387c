//! Cancelling many rows: in parts, one after the other's answer, and one account of all of them.

use std::collections::BTreeMap;

use super::dispatch::say;
use crate::{
    console::{
        action::{Asked, Effect},
        format,
        overlays::REASON,
        ui::Ui,
    },
    ids::InvocationId,
    mpp,
    port::{Command, Outcome, PortError},
    time::Now,
};

/// A cancellation of many rows that is under way.
#[derive(Debug, Default)]
pub(crate) struct Bulk {
    refund: bool,
    /// Rows that were not asked for yet.
    left: Vec<InvocationId>,
    /// Rows that were asked for and not answered yet.
    asked: Vec<InvocationId>,
    cancelled: u64,
    refunded: u64,
    /// Why rows were refused, and how many for each reason.
    refused: BTreeMap<String, u64>,
}

/// Begins.
pub(super) fn start(ui: &mut Ui, ids: Vec<InvocationId>, refund: bool) -> Vec<Effect> {
    let mut bulk = Bulk { refund, left: ids, ..Bulk::default() };
    let effect = next(&mut bulk, ui.limits.mpp.command_rows_max);
    ui.bulk = effect.is_some().then_some(bulk);
    effect.into_iter().collect()
}

fn next(bulk: &mut Bulk, rows_max: u64) -> Option<Effect> {
    let rows = usize::try_from(rows_max).unwrap_or(usize::MAX).max(1).min(bulk.left.len());
    if rows == 0 {
        return None;
    }
    bulk.asked = bulk.left.drain(..rows).collect();
    let command =
        mpp::Command::Cancel { ids: bulk.asked.clone(), reason: REASON.to_owned(), refund: bulk.refund };
    Some(Effect::Command { asked: Asked::CancelMany, command: Command::Mpp(command) })
}

/// Takes the answer to one part: the next one follows, or the account is told.
pub(super) fn answered(ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
    let Some(mut bulk) = ui.bulk.take() else { return Vec::new() };
    let asked = std::mem::take(&mut bulk.asked);
    match outcome {
        Ok(Outcome::Mpp(mpp::Outcome::Cancelled(rows))) => {
            for row in rows {
                match row {
                    Ok(row) => {
                        bulk.cancelled += 1;
                        bulk.refunded += u64::from(row.refund.is_some());
                    }
                    Err(refusal) => *bulk.refused.entry(reason(&refusal)).or_default() += 1,
                }
            }
            for id in asked {
                ui.marks.remove(id);
            }
        }
        Ok(_) => {}
        Err(error) => {
            // What stands against one part stands against the next. The marks stay, for another try.
            let count = asked.len() + bulk.left.len();
            let words = format!("{}; {count} were not cancelled: {error}: {}", account(&bulk), error.hint());
            say(ui, words, true, now);
            return Vec::new();
        }
    }
    if let Some(effect) = next(&mut bulk, ui.limits.mpp.command_rows_max) {
        say(ui, format!("{}, {} to go", account(&bulk), bulk.left.len() + bulk.asked.len()), false, now);
        ui.bulk = Some(bulk);
        return vec![effect];
    }
    let is_error = !bulk.refused.is_empty();
    say(ui, account(&bulk), is_error, now);
    Vec::new()
}

/// Why a row was refused, without its id.
fn reason(refusal: &mpp::Refusal) -> String {
    match refusal {
        mpp::Refusal::WrongState { state, .. } => format!("{} by now", state.name()),
        mpp::Refusal::NoSuchInvocation { .. } => "gone".to_owned(),
        other => other.to_string(),
    }
}

fn account(bulk: &Bulk) -> String {
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
