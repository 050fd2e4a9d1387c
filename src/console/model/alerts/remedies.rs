//! What to do about each cause, with a key and with a command.

use super::alert::Cause;
use crate::{
    console::{
        input::action::Action,
        model::{
            bridge::health::{port_remedy, settle_remedy, silent_remedy},
            bus::health::socket_remedy,
            health::{ReportLine, command, host_remedy, instruction, key_hint},
            station::{
                StationState,
                health::{disk_remedy, store_remedy},
            },
        },
    },
    ids::QueueName,
    rmp::DropReason,
    runs::RunState,
};

/// What to do about it as things are now.
pub(crate) fn remedy(cause: &Cause, state: &StationState) -> Vec<ReportLine> {
    match cause {
        Cause::HostDown(link) => host_remedy(*link),
        Cause::PortDown => port_remedy(),
        Cause::SocketDown => socket_remedy(),
        Cause::Dropping => dropping_remedy(state),
        Cause::StoreFailing => store_remedy(),
        Cause::DiskLow => disk_remedy(),
        Cause::RecordingFailed => {
            vec![instruction("make room, then begin another, into a new file:"), command("record OUT.mcap")]
        }
        Cause::AdapterGone(_) => {
            vec![instruction("start the adapter again; pending work waits for it, in its order")]
        }
        Cause::AdapterSilent(_) => silent_remedy(),
        Cause::HeadWaiting(queue) => head_remedy(queue, state),
        Cause::AwaitingApproval => {
            let mut sentences = vec![key_hint(
                Action::Alerts,
                "has the questions first: approve or reject them there; silence becomes a no",
            )];
            if let Some(ask) = state.runs.asks_in_time().first() {
                sentences.extend([
                    command(format!("approve {}", ask.action)),
                    command(format!("reject {}", ask.action)),
                ]);
            }
            sentences
        }
        Cause::RunsFailed => {
            let failed = state.runs.runs.iter().filter(|view| view.state == RunState::Failed);
            let last = failed.max_by_key(|view| view.ended_at.map(|at| at.mono));
            let mut sentences = vec![
                instruction(
                    "see which node failed and why, mend the opening or start the agent that is missing, and submit it again:",
                ),
                key_hint(Action::ViewRuns, "shows the Runs"),
            ];
            sentences.extend(last.map(|view| command(format!("run events {}", view.run))));
            sentences
        }
        Cause::Orphaned => {
            let first = state.mpp.live.iter().find(|(_, live)| live.orphaned);
            first.map_or_else(Vec::new, |(id, _)| settle_remedy(*id))
        }
    }
}

fn dropping_remedy(state: &StationState) -> Vec<ReportLine> {
    let mut sentences = vec![
        instruction("see in the Drops whose they are; each says what to do:"),
        key_hint(Action::ViewBus, "shows the Bus"),
        command("ls subscriptions"),
    ];
    let full = state
        .rmp
        .drops
        .iter()
        .rev()
        .filter(|drop| drop.reason == DropReason::BackpressureTimeout)
        .find_map(|drop| drop.to);
    if let Some((session, _)) = full.filter(|(session, _)| state.rmp.peers.contains_key(session)) {
        sentences.extend([
            instruction("who hangs is disconnected, and may come again:"),
            command(format!("kick peer {session}")),
        ]);
    }
    sentences
}

fn head_remedy(queue: &QueueName, state: &StationState) -> Vec<ReportLine> {
    let in_flight = state.mpp.queues.get(queue.as_str()).and_then(|queue| queue.in_flight);
    match (&state.mpp.adapter, in_flight) {
        (None, _) => vec![instruction("start the adapter; what is pending leaves as soon as it pulls")],
        (Some(_), Some(id)) => vec![
            instruction(&format!(
                "see what the adapter does with {id}; when it hangs, dropping it puts {id} back to the head:"
            )),
            key_hint(Action::Kick, "drops the adapter"),
            command("kick adapter"),
        ],
        (Some(_), None) => vec![
            instruction(
                "look at the adapter: it grants a credit with a pull; held on purpose, a queue alerts no more:",
            ),
            key_hint(Action::Hold, "on the queue holds it"),
            command(format!("hold {}", quoted(queue.as_str()))),
        ],
    }
}

/// A queue's name as a shell reads it back.
fn quoted(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if !name.is_empty() && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "'\\''"))
    }
}
