//! What the station answered.

use super::dispatch::say;
use crate::{
    console::{
        action::{Asked, Effect},
        overlays::{Overlay, Subject},
        ui::Ui,
    },
    mpp,
    port::{Outcome, Page, PortError},
    time::Now,
};

/// A command was answered. What went wrong is said with what to do about it.
pub(super) fn commanded(ui: &mut Ui, asked: &Asked, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
    match outcome {
        Ok(outcome) => {
            if let Some((text, is_error)) = words(asked, &outcome) {
                say(ui, text, is_error, now);
            }
        }
        Err(error) => say(ui, error_words(&error), true, now),
    }
    Vec::new()
}

/// The reason and the hint.
fn error_words(error: &PortError) -> String {
    format!("{error}: {}", error.hint())
}

fn words(asked: &Asked, outcome: &Outcome) -> Option<(String, bool)> {
    let Outcome::Mpp(outcome) = outcome else { return None };
    if let Asked::Release { words } = asked {
        return words.clone().map(|words| (words, false));
    }
    Some(match outcome {
        mpp::Outcome::Braked(queues) => {
            let each = queues.iter().map(|(queue, brake)| match (brake.held, brake.draining) {
                (false, false) => format!("{queue} runs"),
                (true, false) => format!("{queue} is held"),
                (false, true) => format!("{queue} drains"),
                (true, true) => format!("{queue} is held and refuses new work"),
            });
            (each.collect::<Vec<_>>().join(", "), false)
        }
        mpp::Outcome::Cancelled(rows) => match (rows.first(), asked) {
            (Some(Ok(row)), _) if row.refund.is_some() => (format!("{} is cancelled, and a refund is recorded", row.id), false),
            (Some(Ok(row)), _) => (format!("{} is cancelled", row.id), false),
            (Some(Err(refusal)), _) => (format!("{refusal}: {}", refusal.hint()), true),
            (None, _) => return None,
        },
        mpp::Outcome::Settled { id, state } => (format!("{id} is settled: {}", state.name()), false),
        mpp::Outcome::Kicked { peer } => (format!("{peer} is disconnected"), false),
        _ => return None,
    })
}

/// A query was answered. An answer for something that was closed meanwhile is let go.
pub(super) fn queried(ui: &mut Ui, asked: Asked, page: Result<Page, PortError>, now: Now) -> Vec<Effect> {
    match (asked, page) {
        (Asked::Pending { queue, direction }, page) => {
            let list = ui.overlays.iter_mut().rev().find_map(|overlay| match overlay {
                Overlay::Pending(pending) if pending.queue == queue && pending.asking == Some(direction) => Some(pending),
                _ => None,
            });
            match (list, page) {
                (Some(list), Ok(Page::Invocations { rows, more })) => list.take(direction, rows, more),
                (Some(list), Ok(_)) => list.asking = None,
                (Some(list), Err(error)) => {
                    list.asking = None;
                    let words = error_words(&error);
                    if list.rows.is_empty() {
                        list.trouble = Some(words.clone());
                    }
                    say(ui, words, true, now);
                }
                (None, _) => {}
            }
        }
        (Asked::Details { id: wanted }, Ok(Page::Invocation(found))) => {
            let Some(found) = found else {
                say(ui, format!("there is no invocation {wanted} any more (limits.store.ended_rows_max)"), true, now);
                return Vec::new();
            };
            for overlay in &mut ui.overlays {
                if let Overlay::Facts(facts) = overlay
                    && let Subject::Invocation { id, row } = &mut facts.subject
                    && *id == wanted
                {
                    *row = Some(Box::new(found.clone()));
                }
            }
        }
        (_, Err(error)) => say(ui, error_words(&error), true, now),
        _ => {}
    }
    Vec::new()
}
