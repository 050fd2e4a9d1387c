//! Who is connected to the ports.

use super::{
    host::{Asking, Host as _},
    metrics,
};
use crate::{
    ids::Peer,
    macp::host::Client,
    mpp,
    port::{ClientRow, Page, Query},
    tap::entry::Link,
    time::{Now, Wall},
};

/// All of them, by link, the metrics' port last; of a host that is down nobody is connected.
pub(super) async fn rows(asking: Asking<'_>) -> Vec<ClientRow> {
    let (hosts, now) = (&asking.inner.hosts, asking.inner.clock.now());
    let mut rows = Vec::new();
    if let Ok(Page::Adapters(adapters)) = hosts.bridge.answer(asking, Query::Adapters).await {
        rows.extend(adapters.into_iter().map(|row| spoken(Link::Mpp, row.peer, row.connected_at_ms)));
    }
    let guests = asking.running.with_bridge(mpp::Bridge::guests).await;
    rows.extend(guests.into_iter().flatten().map(|(peer, since)| silent(Link::Mpp, peer, since, now)));
    if let Ok(Page::Peers(peers)) = hosts.bus.answer(asking, Query::Peers).await {
        rows.extend(peers.into_iter().map(|row| ClientRow {
            silent_ms: row.kind.is_none().then(|| silence(row.connected_at_ms, now)),
            client: row.client,
            subscriptions: row.subscriptions,
            ..spoken(Link::Rmp, row.peer, row.connected_at_ms)
        }));
    }
    let agents = hosts.sessions.handle().ok().and_then(|runtime| runtime.clients());
    rows.extend(agents.into_iter().flatten().map(|agent| of_runtime(agent, now)));
    rows.extend(asking.inner.metrics.clients().into_iter().map(
        |metrics::Client { peer, since, has_asked }| {
            if has_asked {
                spoken(Link::Station, peer, since.wall)
            } else {
                silent(Link::Station, peer, since, now)
            }
        },
    ));
    rows
}

fn spoken(link: Link, peer: Peer, since: Wall) -> ClientRow {
    let connected_at_ms = Some(since);
    ClientRow { link, peer, client: None, connected_at_ms, silent_ms: None, sessions: 0, subscriptions: 0 }
}

fn silent(link: Link, peer: Peer, since: Now, now: Now) -> ClientRow {
    ClientRow { silent_ms: Some(silence(since.wall, now)), ..spoken(link, peer, since.wall) }
}

fn silence(since: Wall, now: Now) -> u64 {
    now.wall.0.saturating_sub(since.0)
}

fn of_runtime(agent: Client, now: Now) -> ClientRow {
    let Client { peer, client, since, has_called, sessions } = agent;
    ClientRow {
        link: Link::Macp,
        peer,
        client: client.map(|client| client.to_string()),
        connected_at_ms: since.map(|since| since.wall),
        silent_ms: since.filter(|_| !has_called).map(|since| silence(since.wall, now)),
        sessions,
        subscriptions: 0,
    }
}
