//! What the station answered.

use super::{bulk, dispatch::say, giving, meeting, submitting};
use crate::{
    console::{
        action::{Asked, Effect},
        format,
        overlays::{Overlay, Subject},
        pages,
        ui::Ui,
    },
    macp, mpp,
    port::{Outcome, Page, PortError},
    runs,
    tap::entry::Link,
    time::Now,
    words::counted,
};

/// A command was answered. What went wrong is said with what to do about it.
pub(super) fn commanded(
    ui: &mut Ui,
    asked: &Asked,
    outcome: Result<Outcome, PortError>,
    now: Now,
) -> Vec<Effect> {
    match asked {
        Asked::CancelMany => return bulk::answered(ui, outcome, now),
        Asked::Enqueue { number } => {
            giving::answered(ui, *number, outcome, now);
            return Vec::new();
        }
        Asked::Submit { request } => {
            submitting::answered(ui, *request, outcome, now);
            return Vec::new();
        }
        _ => {}
    }
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
    let outcome = match outcome {
        Outcome::Mpp(outcome) => outcome,
        Outcome::Runs(outcome) => return run_words(asked, *outcome).map(|words| (words, false)),
        Outcome::Macp(macp::Outcome::Cancelled { state }) => {
            let Asked::CancelSession { id } = asked else { return None };
            return Some(meeting::cancelled(id, *state));
        }
        Outcome::Recording { path } => return Some((format!("recording into {}", path.display()), false)),
        Outcome::Recorded { path, bytes, entries } => {
            let (bytes, entries) = (format::bytes(*bytes), format::many(*entries, "entry"));
            return Some((format!("recorded {entries}, {bytes}: {}", path.display()), false));
        }
        Outcome::Restarted { link: Link::Rmp } => {
            return Some(("the bus is up again: its peers can connect".to_owned(), false));
        }
        Outcome::Restarted { link: Link::Runs } => {
            return Some(("the control plane is up again: runs can be submitted".to_owned(), false));
        }
        Outcome::Restarted { link: Link::Macp } => {
            return Some(("the MACP runtime is up again: agents can connect".to_owned(), false));
        }
        Outcome::Restarted { .. } => {
            return Some(("the bridge is up again: adapters can connect".to_owned(), false));
        }
        Outcome::PeerKicked { session } => {
            let Asked::KickPeer { client } = asked else { return None };
            return Some((
                format!("{client} is disconnected from the bus: its session {session} is over"),
                false,
            ));
        }
        Outcome::BackedUp { .. } | Outcome::Stopping { .. } => return None,
    };
    if let Asked::Together { words } = asked {
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
            (Some(Ok(row)), _) if row.refund.is_some() => {
                (format!("{} is cancelled, and a refund is recorded", row.id), false)
            }
            (Some(Ok(row)), _) => (format!("{} is cancelled", row.id), false),
            (Some(Err(refusal)), _) => (format!("{refusal}: {}", refusal.hint()), true),
            (None, _) => return None,
        },
        mpp::Outcome::Settled { id, state } => (format!("{id} is settled: {}", state.name()), false),
        mpp::Outcome::Migrated { moved, failed, left } => (migrated(*moved, *failed, *left), *failed > 0),
        mpp::Outcome::Kicked { peer } => (format!("{peer} is disconnected"), false),
        _ => return None,
    })
}

fn run_words(asked: &Asked, outcome: runs::Outcome) -> Option<String> {
    Some(match (outcome, asked) {
        (runs::Outcome::Cancelled { nodes }, Asked::CancelRun { name }) => {
            format!("{name} is cancelled: {} had not ended", counted(nodes, "node"))
        }
        (runs::Outcome::Braked { .. }, Asked::Together { words }) => return words.clone(),
        (runs::Outcome::Decided, Asked::Decide { approved: true, held: true }) => {
            "approved: runs are held, and the node goes on once they are released".to_owned()
        }
        (runs::Outcome::Decided, Asked::Decide { approved: true, .. }) => {
            "approved: the node goes on".to_owned()
        }
        (runs::Outcome::Decided, Asked::Decide { .. }) => "rejected: the node fails".to_owned(),
        _ => return None,
    })
}

fn migrated(moved: u64, failed: u64, left: u64) -> String {
    let mut words = vec![format!("{moved} moved to this pack")];
    if failed > 0 {
        words.push(format!("{failed} failed: their queue is not in it"));
    }
    if left > 0 {
        words.push(format!("{left} left as they are: they do not fit its schemas"));
    }
    words.join(", ")
}

/// A query was answered. An answer for something that was closed meanwhile is let go.
pub(super) fn queried(ui: &mut Ui, asked: Asked, page: Result<Page, PortError>, now: Now) -> Vec<Effect> {
    match (asked, page) {
        (Asked::Events, page) => giving::listed(ui, page),
        (Asked::Pending { queue, direction, serial }, page) => {
            let list = ui.overlays.iter_mut().rev().find_map(|overlay| match overlay {
                Overlay::Pending(pending)
                    if pending.queue == queue
                        && pending.window.asking() == Some(direction)
                        && pending.window.serial() == serial =>
                {
                    Some(&mut pending.window)
                }
                _ => None,
            });
            if let Some(list) = list {
                let answer = pages::invocations(page);
                let trouble = answer.as_ref().err().cloned();
                list.answer(serial, answer);
                if let Some(words) = trouble {
                    say(ui, words, true, now);
                }
            }
        }
        (Asked::Page { pane, serial }, page) => ui.pages.take(pane, serial, page),
        (Asked::Details { id: wanted }, Ok(Page::Invocation(found))) => {
            let Some(found) = found else {
                say(
                    ui,
                    format!("there is no invocation {wanted} any more (limits.store.ended_rows_max)"),
                    true,
                    now,
                );
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
