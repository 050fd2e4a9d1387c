//! The question before a peer of the bus is disconnected.

use crate::{
    console::{
        draw::{format, theme::Role},
        model::Model,
        overlays::{Answer, Answers, Confirm, detail::join_some},
        records::ManualPlace,
        settings::view::View,
        ui::{
            effect::{Effect, OutcomeText},
            state::Ui,
        },
    },
    ids::ConnectionId,
    port::{Command, Outcome},
};

/// Subscriptions that are named one by one.
const LISTED_MAX: usize = 6;

/// Drop this session of the bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KickPeer {
    pub(crate) session: ConnectionId,
    pub(crate) client: String,
}

impl Confirm for KickPeer {
    fn title(&self) -> String {
        format!("Disconnect {}?", self.client)
    }

    fn describe(&self, _refund: bool, model: &Model, _view: &View) -> Vec<(String, Role)> {
        describe_kick_peer(model, self.session, &self.client)
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("bus", ["Peers and tokens"])
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("disconnect")
    }

    fn commit(&self, _answer: Answer<'_>, _ui: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        let session = self.session;
        if model.rmp().is_none_or(|rmp| !rmp.peers.contains_key(&session)) {
            return Err(format!("session {session} has already disconnected"));
        }
        Ok(vec![Effect::command(Command::KickPeer { session }, self.clone())])
    }
}

impl OutcomeText for KickPeer {
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)> {
        let Outcome::PeerKicked { session } = outcome else { return None };
        let text = format!("{} disconnected from the bus (session {session})", self.client);
        Some((text, false))
    }
}

fn describe_kick_peer(model: &Model, session: ConnectionId, client: &str) -> Vec<(String, Role)> {
    let Some(peer) = model.rmp().and_then(|rmp| rmp.peers.get(&session)) else {
        return vec![("It has already disconnected.".to_owned(), Role::Warn)];
    };
    let kind = peer.greeting.as_ref().map_or("before its Hello", |greeting| greeting.kind.name());
    let mut words = vec![
        (
            format!(
                "{client} ({kind}, session {session}, {}) will be disconnected; it may reconnect at once.",
                peer.peer
            ),
            Role::Text,
        ),
        ("It misses all messages until then: the bus stores none for absent peers.".to_owned(), Role::Text),
    ];
    let topics: Vec<_> = peer.subs.values().map(|sub| sub.topic.to_string()).collect();
    if !topics.is_empty() {
        words.push((
            format!(
                "Its {} end{}: {}.",
                format::many(topics.len() as u64, "subscription"),
                if topics.len() == 1 { "s" } else { "" },
                join_some(&topics, LISTED_MAX)
            ),
            Role::Warn,
        ));
    }
    let waiting: u64 = peer.subs.values().map(|sub| sub.gauge.queued_messages).sum();
    if waiting > 0 {
        words.push((
            format!("Its queued messages are lost: {}.", format::many(waiting, "message")),
            Role::Warn,
        ));
    }
    words
}
