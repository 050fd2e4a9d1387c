//! The messages once the bridge has done what it was told.

use crate::{
    console::ui::effect::{Effect, OutcomeText},
    mpp,
    port::{Command, Outcome},
};

/// A command of the bridge whose outcome says it all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BridgeCommand;

/// Such a command.
pub(super) fn bridge_command(command: mpp::Command) -> Effect {
    Effect::command(Command::Mpp(command), BridgeCommand)
}

impl OutcomeText for BridgeCommand {
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)> {
        let Outcome::Mpp(outcome) = outcome else { return None };
        Some(match outcome {
            mpp::Outcome::Braked(queues) => {
                let each = queues.iter().map(|(queue, brake)| match (brake.held, brake.draining) {
                    (false, false) => format!("{queue} resumed"),
                    (true, false) => format!("{queue} held"),
                    (false, true) => format!("{queue} draining"),
                    (true, true) => format!("{queue} held + draining"),
                });
                (each.collect::<Vec<_>>().join(", "), false)
            }
            mpp::Outcome::Cancelled(rows) => match rows.first()? {
                Ok(row) if row.refund.is_some() => (format!("{} cancelled, refund recorded", row.id), false),
                Ok(row) => (format!("{} cancelled", row.id), false),
                Err(refusal) => (format!("{refusal}: {}", refusal.hint()), true),
            },
            mpp::Outcome::Requeued(rows) => match rows.first()? {
                Ok(row) => (requeued_text(row), false),
                Err(refusal) => (format!("{refusal}: {}", refusal.hint()), true),
            },
            mpp::Outcome::Settled { id, state } => (format!("{id} marked {}", state.name()), false),
            mpp::Outcome::Migrated { moved, failed, left } => {
                (migrated_text(*moved, *failed, *left), *failed > 0)
            }
            mpp::Outcome::Kicked { peer } => (format!("{peer} disconnected"), false),
            _ => return None,
        })
    }
}

fn requeued_text(row: &mpp::EnqueuedRow) -> String {
    let from = row.requeued_from.map_or_else(String::new, |from| format!("{from} "));
    format!("{from}requeued as {}: {} on {}", row.id, row.state.name(), row.queue)
}

fn migrated_text(moved: u64, failed: u64, left: u64) -> String {
    let mut words = vec![format!("{moved} moved to this pack")];
    if failed > 0 {
        words.push(format!("{failed} failed: their queue is not in the pack"));
    }
    if left > 0 {
        words.push(format!("{left} unchanged: they do not fit its schemas"));
    }
    words.join(", ")
}
