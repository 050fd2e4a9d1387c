//! The actions of the bus: disconnecting a peer.

use crate::{
    console::{
        input::{action::Action, pane_id::PaneId, view_id::ViewId},
        model::{Model, bus::peer_name},
        systems::bus::{
            confirmations::KickPeer,
            keys::{PEER, SUBSCRIPTION},
        },
        ui::{
            Target,
            act::{Act, Resolved},
            pane::PaneContext,
        },
    },
    ids::ConnectionId,
};

/// What an action of the bus does; nothing where it is none of the bus's: elsewhere, the adapter is
/// disconnected.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
    let PaneContext { model, ui, view } = *cx;
    if action != Action::Kick {
        return None;
    }
    let session = match ui.target(model) {
        Target::Row(pane @ (PaneId::Peers | PaneId::Subscribers)) => {
            let key = ui.selected(pane, model);
            let peer =
                |key| PEER.id(key).or_else(|| SUBSCRIPTION.id(key).map(|(session, _)| session)).copied();
            key.as_ref().and_then(peer)
        }
        Target::Record(record) => Some(*PEER.id(&record.key())?),
        Target::Row(PaneId::Topics | PaneId::Drops) if ui.view == ViewId::Bus => {
            return Some(Err("select a session in Subscribers or Peers".into()));
        }
        _ => return None,
    };
    Some(match session {
        None => Err("no bus session is selected".into()),
        own if own == model.own_session() => {
            Err(format!("that is this console; {} quits it", view.key(Action::Quit)).into())
        }
        Some(session) => Ok(Act::confirm(KickPeer { session, client: client_of(model, session) })),
    })
}

/// What a session of the bus calls itself.
fn client_of(model: &Model, session: ConnectionId) -> String {
    let peer = model.rmp().and_then(|rmp| rmp.peers.get(&session)).filter(|peer| peer.greeting.is_some());
    peer.map_or_else(|| format!("session {session}"), |peer| peer_name(peer, false))
}
