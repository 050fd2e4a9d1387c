//! The RMP broker.

use std::sync::Arc;

use crate::{
    ids::{ConnectionId, Peer, TopicName},
    rmp::{self, DropView, Greeting, Listener, PeerView, SubView, TopicView, Totals},
    tap::recorded::{
        DecodeError,
        plain::{self, moment, now},
        rmp::{
            live_drops, live_gauge, live_greeting, live_schema_id, recorded_drops, recorded_gauge,
            recorded_greeting,
        },
        wire,
    },
};

const NOTHING: wire::Nothing = wire::Nothing {};

pub(super) fn recorded_rmp(snapshot: &rmp::Snapshot) -> wire::RmpView {
    let rmp::Snapshot { listener, peers, topics, drops, totals } = snapshot;
    wire::RmpView {
        listener: Some(recorded_listener(listener)),
        peers: peers.iter().map(|(session, peer)| recorded_peer(*session, peer)).collect(),
        topics: topics.iter().map(|(name, topic)| recorded_topic(name, topic)).collect(),
        drops: drops.iter().map(recorded_drop).collect(),
        totals: Some(recorded_totals(totals)),
    }
}

pub(super) fn live_rmp(it: wire::RmpView) -> Result<rmp::Snapshot, DecodeError> {
    Ok(rmp::Snapshot {
        listener: live_listener(it.listener)?,
        peers: it.peers.into_iter().map(live_peer).collect::<Result<_, _>>()?,
        topics: it.topics.iter().map(live_topic).collect::<Result<_, _>>()?,
        drops: it.drops.into_iter().map(live_drop).collect::<Result<_, _>>()?,
        totals: live_totals(it.totals.unwrap_or_default()),
    })
}

fn recorded_listener(listener: &Listener) -> wire::RmpListener {
    use wire::rmp_listener::State;
    let state = match listener {
        Listener::Starting => State::Starting(NOTHING),
        Listener::Listening(path) => State::Listening(path.to_string()),
        Listener::Down(why) => State::Down(why.to_string()),
    };
    wire::RmpListener { state: Some(state) }
}

fn live_listener(listener: Option<wire::RmpListener>) -> Result<Listener, DecodeError> {
    use wire::rmp_listener::State;
    Ok(match listener.and_then(|it| it.state).ok_or(DecodeError::Missing("rmp.listener"))? {
        State::Starting(_) => Listener::Starting,
        State::Listening(path) => Listener::Listening(Arc::from(path)),
        State::Down(why) => Listener::Down(Arc::from(why)),
    })
}

fn recorded_peer(session: ConnectionId, view: &PeerView) -> wire::RmpPeerView {
    let PeerView { peer, connected_at, greeting, published, refused, subs } = view;
    wire::RmpPeerView {
        session: session.0,
        peer: peer.to_string(),
        connected_at: Some(moment(*connected_at)),
        greeting: greeting
            .as_ref()
            .map(|Greeting { client, kind, dialect }| recorded_greeting(client, *kind, *dialect)),
        published: *published,
        refused: *refused,
        subs: subs.iter().map(|(sub, view)| recorded_sub(*sub, view)).collect(),
    }
}

fn live_peer(it: wire::RmpPeerView) -> Result<(ConnectionId, PeerView), DecodeError> {
    let greeting = it.greeting.map(live_greeting).transpose()?;
    let view = PeerView {
        peer: Peer::new(&it.peer),
        connected_at: now(it.connected_at, "peer.connected_at")?,
        greeting: greeting.map(|(client, kind, dialect)| Greeting { client, kind, dialect }),
        published: it.published,
        refused: it.refused,
        subs: it.subs.iter().map(live_sub).collect::<Result<_, _>>()?,
    };
    Ok((ConnectionId(it.session), view))
}

fn recorded_sub(sub: u64, SubView { topic, since, gauge }: &SubView) -> wire::RmpSubView {
    wire::RmpSubView {
        sub,
        topic: topic.to_string(),
        since: Some(moment(*since)),
        gauge: Some(recorded_gauge(gauge)),
    }
}

fn live_sub(it: &wire::RmpSubView) -> Result<(u64, SubView), DecodeError> {
    let gauge = live_gauge(it.gauge.as_ref());
    Ok((it.sub, SubView { topic: TopicName::new(&it.topic), since: now(it.since, "sub.since")?, gauge }))
}

fn recorded_topic(name: &TopicName, view: &TopicView) -> wire::RmpTopicView {
    let TopicView { published, bytes, delivered, dropped, subscribers, schema_id, last_at } = view;
    wire::RmpTopicView {
        topic: name.to_string(),
        published: *published,
        bytes: *bytes,
        delivered: *delivered,
        dropped: Some(recorded_drops(*dropped)),
        subscribers: *subscribers,
        schema_id: schema_id.map(u32::from),
        last_at: Some(moment(*last_at)),
    }
}

fn live_topic(it: &wire::RmpTopicView) -> Result<(TopicName, TopicView), DecodeError> {
    let view = TopicView {
        published: it.published,
        bytes: it.bytes,
        delivered: it.delivered,
        dropped: live_drops(it.dropped.as_ref()),
        subscribers: it.subscribers,
        schema_id: live_schema_id(it.schema_id)?,
        last_at: now(it.last_at, "topic.last_at")?,
    };
    Ok((TopicName::new(&it.topic), view))
}

fn recorded_drop(view: &DropView) -> wire::RmpDropView {
    let DropView {
        first_at,
        at,
        reason,
        topic,
        to,
        to_client,
        from,
        from_client,
        notices,
        count,
        trace,
        msg_id,
        expires_at_ms,
    } = view;
    let dropped = wire::RmpDropped {
        reason: plain::to_rmp_drop_reason(*reason),
        topic: topic.to_string(),
        to: to.map(|(session, sub)| wire::RmpSubscription { session: session.0, sub }),
        from: from.map(|from| from.0),
        count: *count,
        msg_id: *msg_id,
        expires_at_ms: *expires_at_ms,
    };
    wire::RmpDropView {
        at: Some(moment(*at)),
        first_at: Some(moment(*first_at)),
        notices: *notices,
        dropped: Some(dropped),
        to_client: to_client.as_deref().map(str::to_owned),
        from_client: from_client.as_deref().map(str::to_owned),
        trace: plain::trace_bytes(*trace),
    }
}

fn live_drop(it: wire::RmpDropView) -> Result<DropView, DecodeError> {
    let dropped = it.dropped.ok_or(DecodeError::Missing("drop.dropped"))?;
    Ok(DropView {
        first_at: now(it.first_at, "drop.first_at")?,
        at: now(it.at, "drop.at")?,
        reason: plain::rmp_drop_reason(dropped.reason, "drop.reason")?,
        topic: TopicName::new(&dropped.topic),
        to: dropped.to.map(|to| (ConnectionId(to.session), to.sub)),
        to_client: it.to_client.map(Arc::from),
        from: dropped.from.map(ConnectionId),
        from_client: it.from_client.map(Arc::from),
        notices: it.notices,
        count: dropped.count,
        trace: plain::trace(it.trace.as_deref())?,
        msg_id: dropped.msg_id,
        expires_at_ms: dropped.expires_at_ms,
    })
}

fn recorded_totals(totals: &Totals) -> wire::RmpTotals {
    let Totals {
        published,
        published_bytes,
        delivered,
        refused,
        dropped,
        keys,
        evicted_young,
        lost_evicted_young,
        topics,
    } = *totals;
    let dropped = Some(recorded_drops(dropped));
    wire::RmpTotals {
        published,
        published_bytes,
        delivered,
        refused,
        dropped,
        keys,
        evicted_young,
        lost_evicted_young,
        topics,
    }
}

fn live_totals(it: wire::RmpTotals) -> Totals {
    Totals {
        published: it.published,
        published_bytes: it.published_bytes,
        delivered: it.delivered,
        refused: it.refused,
        dropped: live_drops(it.dropped.as_ref()),
        keys: it.keys,
        evicted_young: it.evicted_young,
        lost_evicted_young: it.lost_evicted_young,
        topics: it.topics,
    }
}
