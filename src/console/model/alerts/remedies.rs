//! What to do about each cause, with a key and with a command.

use super::alert::Cause;
use crate::{
    console::{
        action::Action,
        model::{
            World,
            bus_health::socket_remedy,
            health::{
                Sentence, disk_remedy, host_remedy, port_remedy, press, run, settle_remedy, silent_remedy,
                store_remedy, to_do,
            },
        },
    },
    ids::QueueName,
    rmp::DropReason,
    runs::RunState,
};

/// What to do about it as things are now.
pub(crate) fn remedy(cause: &Cause, world: &World) -> Vec<Sentence> {
    match cause {
        Cause::HostDown(link) => host_remedy(*link),
        Cause::PortDown => port_remedy(),
        Cause::SocketDown => socket_remedy(),
        Cause::Dropping => dropping_remedy(world),
        Cause::StoreFailing => store_remedy(),
        Cause::DiskLow => disk_remedy(),
        Cause::RecordingFailed => {
            vec![to_do("make room, then begin another, into a new file:"), run("record OUT.mcap")]
        }
        Cause::AdapterGone(_) => {
            vec![to_do("start the adapter again; pending work waits for it, in its order")]
        }
        Cause::AdapterSilent(_) => silent_remedy(),
        Cause::HeadWaiting(queue) => head_remedy(queue, world),
        Cause::Asking => {
            let mut sentences = vec![press(
                Action::Tray,
                "has the questions first: approve or reject them there; silence becomes a no",
            )];
            if let Some(ask) = world.runs.asks_in_time().first() {
                sentences
                    .extend([run(format!("approve {}", ask.action)), run(format!("reject {}", ask.action))]);
            }
            sentences
        }
        Cause::RunsFailed => {
            let failed = world.runs.runs.iter().filter(|view| view.state == RunState::Failed);
            let last = failed.max_by_key(|view| view.ended_at.map(|at| at.mono));
            let mut sentences = vec![
                to_do(
                    "see which node failed and why, mend the opening or start the agent that is missing, and submit it again:",
                ),
                press(Action::ViewRuns, "shows the Runs"),
            ];
            sentences.extend(last.map(|view| run(format!("run events {}", view.run))));
            sentences
        }
        Cause::LeftApplied => {
            let first = world.mpp.live.iter().find(|(_, live)| live.left);
            first.map_or_else(Vec::new, |(id, _)| settle_remedy(*id))
        }
    }
}

fn dropping_remedy(world: &World) -> Vec<Sentence> {
    let mut sentences = vec![
        to_do("see in the Drops whose they are; each says what to do:"),
        press(Action::ViewBus, "shows the Bus"),
        run("ls subscriptions"),
    ];
    let full = world
        .rmp
        .drops
        .iter()
        .rev()
        .filter(|drop| drop.reason == DropReason::BackpressureTimeout)
        .find_map(|drop| drop.to);
    if let Some((session, _)) = full.filter(|(session, _)| world.rmp.peers.contains_key(session)) {
        sentences.extend([
            to_do("who hangs is disconnected, and may come again:"),
            run(format!("kick peer {session}")),
        ]);
    }
    sentences
}

fn head_remedy(queue: &QueueName, world: &World) -> Vec<Sentence> {
    let in_flight = world.mpp.queues.get(queue.as_str()).and_then(|queue| queue.in_flight);
    match (&world.mpp.adapter, in_flight) {
        (None, _) => vec![to_do("start the adapter; what is pending leaves as soon as it pulls")],
        (Some(_), Some(id)) => vec![
            to_do(&format!(
                "see what the adapter does with {id}; when it hangs, dropping it puts {id} back to the head:"
            )),
            press(Action::Kick, "drops the adapter"),
            run("kick adapter"),
        ],
        (Some(_), None) => vec![
            to_do(
                "look at the adapter: it grants a credit with a pull; held on purpose, a queue alerts no more:",
            ),
            press(Action::Hold, "on the queue holds it"),
            run(format!("hold {}", quoted(queue.as_str()))),
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
