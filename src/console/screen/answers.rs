//! What the station answered.

use crate::{
    console::{
        draw::format,
        systems::{
            bridge::{bulk, details, invoke, pending},
            runs::submitting,
            sessions::actions,
        },
        ui::{
            effect::{Effect, Purpose},
            message::show_message,
            state::Ui,
        },
    },
    macp, mpp,
    port::{Outcome, Page, PortError},
    runs,
    tap::entry::Link,
    time::Now,
    words::counted,
};

/// A command was answered. What went wrong is said with what to do about it.
pub(crate) fn on_command_answered(
    ui: &mut Ui,
    asked: &Purpose,
    outcome: Result<Outcome, PortError>,
    now: Now,
) -> Vec<Effect> {
    match asked {
        Purpose::CancelMany => return bulk::answered(ui, outcome, now),
        Purpose::Enqueue { number } => {
            invoke::answered(ui, *number, outcome, now);
            return Vec::new();
        }
        Purpose::Submit { request } => {
            submitting::answered(ui, *request, outcome, now);
            return Vec::new();
        }
        _ => {}
    }
    match outcome {
        Ok(outcome) => {
            if let Some((text, is_error)) = outcome_text(asked, &outcome) {
                show_message(ui, text, is_error, now);
            }
        }
        Err(error) => show_message(ui, error_text(&error), true, now),
    }
    Vec::new()
}

/// The reason and the hint.
fn error_text(error: &PortError) -> String {
    format!("{error}: {}", error.hint())
}

fn outcome_text(purpose: &Purpose, outcome: &Outcome) -> Option<(String, bool)> {
    let outcome = match outcome {
        Outcome::Mpp(outcome) => outcome,
        Outcome::Runs(outcome) => return run_outcome_text(purpose, *outcome).map(|words| (words, false)),
        Outcome::Macp(macp::Outcome::Cancelled { state }) => {
            let Purpose::CancelSession { id } = purpose else { return None };
            return Some(actions::outcome_text(id, *state));
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
            let Purpose::KickPeer { client } = purpose else { return None };
            return Some((
                format!("{client} is disconnected from the bus: its session {session} is over"),
                false,
            ));
        }
        Outcome::BackedUp { .. } | Outcome::Stopping { .. } => return None,
    };
    if let Purpose::Batch { text: words } = purpose {
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
        mpp::Outcome::Cancelled(rows) => match (rows.first(), purpose) {
            (Some(Ok(row)), _) if row.refund.is_some() => {
                (format!("{} is cancelled, and a refund is recorded", row.id), false)
            }
            (Some(Ok(row)), _) => (format!("{} is cancelled", row.id), false),
            (Some(Err(refusal)), _) => (format!("{refusal}: {}", refusal.hint()), true),
            (None, _) => return None,
        },
        mpp::Outcome::Settled { id, state } => (format!("{id} is settled: {}", state.name()), false),
        mpp::Outcome::Migrated { moved, failed, left } => {
            (migrated_text(*moved, *failed, *left), *failed > 0)
        }
        mpp::Outcome::Kicked { peer } => (format!("{peer} is disconnected"), false),
        _ => return None,
    })
}

fn run_outcome_text(purpose: &Purpose, outcome: runs::Outcome) -> Option<String> {
    Some(match (outcome, purpose) {
        (runs::Outcome::Cancelled { nodes }, Purpose::CancelRun { name }) => {
            format!("{name} is cancelled: {} had not ended", counted(nodes, "node"))
        }
        (runs::Outcome::Braked { .. }, Purpose::Batch { text: words }) => return words.clone(),
        (runs::Outcome::Decided, Purpose::Decide { approved: true, held: true }) => {
            "approved: runs are held, and the node goes on once they are released".to_owned()
        }
        (runs::Outcome::Decided, Purpose::Decide { approved: true, .. }) => {
            "approved: the node goes on".to_owned()
        }
        (runs::Outcome::Decided, Purpose::Decide { .. }) => "rejected: the node fails".to_owned(),
        _ => return None,
    })
}

fn migrated_text(moved: u64, failed: u64, left: u64) -> String {
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
pub(crate) fn on_query_answered(
    ui: &mut Ui,
    asked: Purpose,
    page: Result<Page, PortError>,
    now: Now,
) -> Vec<Effect> {
    match (asked, page) {
        (Purpose::Events, page) => invoke::listed(ui, page),
        (Purpose::Pending { queue, direction, serial }, page) => {
            if let Some(words) = pending::answered(ui, (&queue, direction, serial), page) {
                show_message(ui, words, true, now);
            }
        }
        (Purpose::Page { pane, serial }, page) => ui.paged_lists.take(&mut ui.systems, pane, serial, page),
        (Purpose::Details { id: wanted }, Ok(Page::Invocation(found))) => {
            let Some(found) = found else {
                show_message(
                    ui,
                    format!("there is no invocation {wanted} any more (limits.store.ended_rows_max)"),
                    true,
                    now,
                );
                return Vec::new();
            };
            details::on_invocation(ui, wanted, &found);
        }
        (_, Err(error)) => show_message(ui, error_text(&error), true, now),
        _ => {}
    }
    Vec::new()
}
