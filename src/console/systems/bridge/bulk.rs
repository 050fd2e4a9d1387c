//! Cancelling or requeuing many rows: in parts, one after the other's answer, and one account of all of them.

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

/// What is done with many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BulkVerb {
    /// Pending rows are cancelled.
    Cancel {
        /// Whether each gets a refund record.
        refund: bool,
    },
    /// Ended rows are requeued.
    Requeue {
        /// Also those that have a refund.
        even_if_refunded: bool,
    },
}

impl BulkVerb {
    /// What has been done with a row.
    const fn done(self) -> &'static str {
        match self {
            Self::Cancel { .. } => "cancelled",
            Self::Requeue { .. } => "requeued",
        }
    }

    /// Why nothing more is asked of many rows.
    const fn busy_text(self) -> &'static str {
        match self {
            Self::Cancel { .. } => "another bulk cancel is running; wait for its result",
            Self::Requeue { .. } => "another bulk requeue is running; wait for its result",
        }
    }

    fn command(self, ids: Vec<InvocationId>) -> mpp::Command {
        match self {
            Self::Cancel { refund } => {
                mpp::Command::Cancel { ids, reason: DEFAULT_REASON.to_owned(), refund }
            }
            Self::Requeue { even_if_refunded } => mpp::Command::Requeue { ids, even_if_refunded },
        }
    }
}

/// What is under way with many rows.
#[derive(Debug)]
pub(crate) struct Bulk {
    verb: BulkVerb,
    /// Rows that were not asked for yet.
    remaining: Vec<InvocationId>,
    /// Rows that were asked for and not answered yet.
    requested: Vec<InvocationId>,
    done: u64,
    refunded: u64,
    /// Why rows were refused, and how many for each reason.
    refused: BTreeMap<String, u64>,
}

/// Begins.
pub(crate) fn start(ui: &mut Ui, ids: Vec<InvocationId>, verb: BulkVerb) -> Vec<Effect> {
    let mut bulk =
        Bulk { verb, remaining: ids, requested: Vec::new(), done: 0, refunded: 0, refused: BTreeMap::new() };
    let effect = next(&mut bulk, ui.limits.mpp.command_rows_max);
    ui.systems.bridge.bulk = effect.is_some().then_some(bulk);
    effect.into_iter().collect()
}

fn next(bulk: &mut Bulk, rows_max: u64) -> Option<Effect> {
    let rows = usize::try_from(rows_max).unwrap_or(usize::MAX).max(1).min(bulk.remaining.len());
    if rows == 0 {
        return None;
    }
    bulk.requested = bulk.remaining.drain(..rows).collect();
    let command = bulk.verb.command(bulk.requested.clone());
    Some(Effect::command(Command::Mpp(command), BulkPart))
}

/// A part of many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BulkPart;

impl OnOutcome for BulkPart {
    /// The next part follows, or the account is told.
    fn on_outcome(&self, ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
        on_part(ui, outcome, now)
    }
}

fn on_part(ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
    let Some(mut bulk) = ui.systems.bridge.bulk.take() else { return Vec::new() };
    let asked = std::mem::take(&mut bulk.requested);
    match outcome {
        Ok(Outcome::Mpp(mpp::Outcome::Cancelled(rows))) => {
            for row in rows {
                bulk.count(row.map(|row| row.refund.is_some()));
            }
            unmark(ui, asked);
        }
        Ok(Outcome::Mpp(mpp::Outcome::Requeued(rows))) => {
            for row in rows {
                bulk.count(row.map(|_| false));
            }
            unmark(ui, asked);
        }
        Ok(_) => {}
        Err(error) => {
            // What stands against one part stands against the next. The marks stay, for another try.
            let count = asked.len() + bulk.remaining.len();
            let words = format!(
                "{}; {count} were not {}: {error}: {}",
                summary_text(&bulk),
                bulk.verb.done(),
                error.hint()
            );
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
        ui.systems.bridge.bulk = Some(bulk);
        return vec![effect];
    }
    let is_error = !bulk.refused.is_empty();
    show_message(ui, summary_text(&bulk), is_error, now);
    Vec::new()
}

fn unmark(ui: &mut Ui, ids: Vec<InvocationId>) {
    for id in ids {
        ui.systems.bridge.marked_rows.remove(id);
    }
}

impl Bulk {
    /// Why nothing more is asked of many rows while it is under way.
    pub(super) const fn busy_text(&self) -> &'static str {
        self.verb.busy_text()
    }

    /// Counts a row, with whether a refund was recorded for it.
    fn count(&mut self, row: Result<bool, mpp::Refusal>) {
        match row {
            Ok(is_refunded) => {
                self.done += 1;
                self.refunded += u64::from(is_refunded);
            }
            Err(refusal) => *self.refused.entry(refusal_text(&refusal)).or_default() += 1,
        }
    }
}

/// Why a row was refused, without its id.
fn refusal_text(refusal: &mpp::Refusal) -> String {
    match refusal {
        mpp::Refusal::WrongState { state, .. } | mpp::Refusal::NotEnded { state, .. } => {
            format!("now {}", state.name())
        }
        mpp::Refusal::NoSuchInvocation { .. } => "gone".to_owned(),
        mpp::Refusal::RefundRequested { refund, .. } => format!("refund {}", refund.name()),
        mpp::Refusal::ParamsMismatch { .. } => "no longer fit the pack".to_owned(),
        mpp::Refusal::Damaged { .. } => "damaged".to_owned(),
        other => other.to_string(),
    }
}

fn summary_text(bulk: &Bulk) -> String {
    let mut words = vec![format!("{} {}", format::count(bulk.done), bulk.verb.done())];
    if bulk.verb == (BulkVerb::Cancel { refund: true }) {
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
