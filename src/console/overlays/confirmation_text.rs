//! What a question says: the record that it is bound to, what hangs on it, and what changed since it was
//! asked.

use crate::console::{
    draw::format,
    systems::{runs, sessions},
};
use std::collections::BTreeMap;

use super::{Confirmation, Dialog, quit_confirmation};
use crate::{
    console::{draw::theme::Role, input::action::Action, model::Model, settings::view::View},
    ids::{ConnectionId, InvocationId, Peer, QueueName},
    tap::entry::mpp::RowState,
};

/// Its title.
pub(crate) fn title(bound: &Confirmation) -> String {
    match bound {
        Confirmation::Quit => "Quit?".to_owned(),
        Confirmation::Cancel { id, .. } => format!("Cancel {id}?"),
        Confirmation::CancelMany { rows } => format!("Cancel {} marked?", format::count(rows.len() as u64)),
        Confirmation::Kick { .. } => "Drop the adapter?".to_owned(),
        Confirmation::KickPeer { client, .. } => format!("Disconnect {client}?"),
        Confirmation::Settle { id, .. } => format!("Settle {id}?"),
        Confirmation::Migrate => "Move rows to this pack?".to_owned(),
        Confirmation::StopRecording { .. } => "Stop recording?".to_owned(),
        Confirmation::CancelRun { name, .. } => format!("Cancel {name}?"),
        Confirmation::CancelSession { session } => format!("Cancel {}?", session.id),
        Confirmation::Decide { node, approved: true, .. } => format!("Approve {node}?"),
        Confirmation::Decide { node, approved: false, .. } => format!("Reject {node}?"),
    }
}

/// What it says now: figures are those of this moment.
pub(crate) fn describe(dialog: &Dialog, model: &Model, view: &View) -> Vec<(String, Role)> {
    match &dialog.confirmation {
        Confirmation::Quit => quit_confirmation::describe(model),
        Confirmation::Cancel { id, queue, event } => {
            let mut words = vec![(
                format!("{id} {event} waits on {queue}. It becomes failed and is never dispatched."),
                Role::Text,
            )];
            match no_longer_pending(model).get(id) {
                Some(RowState::Dispatched | RowState::Applied) => {
                    words.push((
                        "It was dispatched meanwhile: cancelling will be refused.".to_owned(),
                        Role::Warn,
                    ));
                }
                Some(_) => {
                    words.push(("It has ended meanwhile: cancelling will be refused.".to_owned(), Role::Warn))
                }
                None => {}
            }
            words.push((describe_refund(dialog.refund, 1), Role::Accent));
            words
        }
        Confirmation::CancelMany { rows } => describe_cancel_many(rows, dialog.refund, model),
        Confirmation::Kick { peer } => describe_kick(model, peer),
        Confirmation::KickPeer { session, client } => describe_kick_peer(model, *session, client),
        Confirmation::Settle { id, queue, event } => {
            let mut words = vec![
                (
                    format!(
                        "Settle {id} as done ({}) or as failed ({})?",
                        view.key(Action::SettleDone),
                        view.key(Action::SettleFailed)
                    ),
                    Role::Text,
                ),
                (
                    format!("{event} on {queue} was applied, and its connection ended before it was done."),
                    Role::Muted,
                ),
            ];
            if !model.mpp().is_some_and(|mpp| mpp.live.get(id).is_some_and(|live| live.orphaned)) {
                words.push(("It has ended meanwhile: settling will be refused.".to_owned(), Role::Warn));
            }
            words
        }
        Confirmation::Migrate => describe_migrate(model),
        Confirmation::CancelRun { run, name } => runs::confirmations::describe_cancel(model, *run, name),
        Confirmation::CancelSession { session } => {
            sessions::confirmations::describe_cancel(model, session, view.now)
        }
        Confirmation::Decide { action, approved, .. } => {
            runs::confirmations::describe_decide(view, model, *action, *approved)
        }
        Confirmation::StopRecording { path } => match model
            .station_state
            .as_ref()
            .and_then(|state| state.station.recording.as_ref())
        {
            Some(recording) if recording.path == *path => vec![
                (
                    format!("{} has {} so far.", recording.path.display(), format::bytes(recording.bytes)),
                    Role::Text,
                ),
                (
                    "What happens from now on is in no recording, until one is started again.".to_owned(),
                    Role::Text,
                ),
            ],
            _ => vec![(format!("{} has ended meanwhile.", path.display()), Role::Warn)],
        },
    }
}

fn describe_refund(refund: bool, rows: usize) -> String {
    let yes = if rows == 1 {
        "yes, one is recorded".to_owned()
    } else {
        "yes, one is recorded for each".to_owned()
    };
    format!("refund: {}", if refund { yes } else { "no".to_owned() })
}

/// Rows that are no longer pending, as far as the console knows.
pub(crate) fn no_longer_pending(model: &Model) -> BTreeMap<InvocationId, RowState> {
    let Some(mpp) = model.mpp() else { return BTreeMap::new() };
    let ended = mpp.recent.iter().map(|row| (row.id, row.state));
    ended.chain(mpp.live.iter().map(|(id, live)| (*id, live.state))).collect()
}

fn describe_cancel_many(
    rows: &[(InvocationId, QueueName)],
    refund: bool,
    model: &Model,
) -> Vec<(String, Role)> {
    let moved = no_longer_pending(model);
    let mut queues: BTreeMap<&QueueName, usize> = BTreeMap::new();
    let mut gone: BTreeMap<&str, usize> = BTreeMap::new();
    for (id, queue) in rows {
        match moved.get(id) {
            Some(state) => *gone.entry(state.name()).or_default() += 1,
            None => *queues.entry(queue).or_default() += 1,
        }
    }
    let pending: usize = queues.values().sum();
    let each: Vec<String> = queues.iter().map(|(queue, count)| format!("{count} on {queue}")).collect();
    let mut words = vec![(
        format!("{pending} wait: {}. They become failed and are never dispatched.", join_some(&each)),
        Role::Text,
    )];
    if pending == 0 {
        words = vec![("None of them waits any more.".to_owned(), Role::Warn)];
    }
    if !gone.is_empty() {
        let count: usize = gone.values().sum();
        let states: Vec<String> = gone.iter().map(|(state, count)| format!("{count} {state}")).collect();
        words.push((
            format!("{count} went away meanwhile and are left out: {}.", states.join(", ")),
            Role::Warn,
        ));
    }
    words.push((describe_refund(refund, rows.len()), Role::Accent));
    words
}

fn describe_migrate(model: &Model) -> Vec<(String, Role)> {
    let Some(mpp) = model.mpp() else { return Vec::new() };
    let of = mpp.queues.iter().filter(|(_, queue)| queue.other_manifest > 0);
    let each: Vec<String> = of.map(|(name, queue)| format!("{} on {name}", queue.other_manifest)).collect();
    let count: u64 = mpp.queues.values().map(|queue| queue.other_manifest).sum();
    if count == 0 {
        return vec![("None waits any more.".to_owned(), Role::Warn)];
    }
    vec![
        (format!("{count} wait under another manifest: {}.", join_some(&each)), Role::Text),
        (format!("Those that fit {} {} take its hash, and are dispatched in their order.", mpp.pack.id, mpp.pack.version), Role::Text),
        (
            "Those of a queue that it lacks fail. Those that do not fit its schemas, or are of another pack, stay as they are.".to_owned(),
            Role::Text,
        ),
    ]
}

fn describe_kick(model: &Model, peer: &Peer) -> Vec<(String, Role)> {
    let Some(mpp) = model.mpp() else { return Vec::new() };
    let mut words = vec![(format!("{peer} is disconnected; it may connect again at once."), Role::Text)];
    let with_it = |state| {
        mpp.live
            .iter()
            .filter(move |(_, live)| live.state == state && !live.orphaned)
            .map(|(id, _)| id.to_string())
    };
    let dispatched: Vec<_> = with_it(RowState::Dispatched).collect();
    let applied: Vec<_> = with_it(RowState::Applied).collect();
    if !dispatched.is_empty() {
        let (count, ids) = (dispatched.len(), join_some(&dispatched));
        words.push((
            format!(
                "{count} dispatched go back to the heads of their queues, and may be applied twice: {ids}."
            ),
            Role::Warn,
        ));
    }
    if !applied.is_empty() {
        words.push((
            format!("{} stay applied, to be settled by hand: {}.", applied.len(), join_some(&applied)),
            Role::Warn,
        ));
    }
    if mpp.adapter.as_ref().is_none_or(|adapter| adapter.peer != *peer) {
        words.push(("It has left meanwhile.".to_owned(), Role::Warn));
    }
    words
}

fn describe_kick_peer(model: &Model, session: ConnectionId, client: &str) -> Vec<(String, Role)> {
    let Some(peer) = model.rmp().and_then(|rmp| rmp.peers.get(&session)) else {
        return vec![("It has left meanwhile.".to_owned(), Role::Warn)];
    };
    let kind = peer.greeting.as_ref().map_or("before its Hello", |greeting| greeting.kind.name());
    let mut words = vec![
        (
            format!(
                "{client} ({kind}, session {session}, {}) is disconnected; it may connect again at once.",
                peer.peer
            ),
            Role::Text,
        ),
        (
            "Nobody can tell it what it missed meanwhile: the bus keeps nothing for who is not there."
                .to_owned(),
            Role::Text,
        ),
    ];
    let topics: Vec<_> = peer.subs.values().map(|sub| sub.topic.to_string()).collect();
    if !topics.is_empty() {
        words.push((
            format!(
                "Its {} end{}: {}.",
                crate::console::draw::format::many(topics.len() as u64, "subscription"),
                if topics.len() == 1 { "s" } else { "" },
                join_some(&topics)
            ),
            Role::Warn,
        ));
    }
    let waiting: u64 = peer.subs.values().map(|sub| sub.gauge.queued_messages).sum();
    if waiting > 0 {
        words.push((
            format!("What waits for it is gone: {}.", crate::console::draw::format::many(waiting, "message")),
            Role::Warn,
        ));
    }
    words
}

/// The first few of many.
pub(crate) fn join_some(ids: &[String]) -> String {
    const SHOWN: usize = 6;
    let shown = ids.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if ids.len() > SHOWN { format!("{shown} and {} more", ids.len() - SHOWN) } else { shown }
}
