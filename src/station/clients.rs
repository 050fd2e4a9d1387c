//! Who is connected to the ports.

use super::host::{Asking, Host as _};
use crate::{
    macp::host::Client,
    port::{ClientRow, Page, Query},
    tap::entry::Link,
};

/// All of them, by link; of a host that is down nobody is connected.
pub(super) async fn rows(asking: Asking<'_>) -> Vec<ClientRow> {
    let hosts = &asking.inner.hosts;
    let mut rows = Vec::new();
    if let Ok(Page::Adapters(adapters)) = hosts.bridge.answer(asking, Query::Adapters).await {
        rows.extend(adapters.into_iter().map(|row| ClientRow {
            link: Link::Mpp,
            peer: row.peer,
            client: None,
            connected_at_ms: Some(row.connected_at_ms),
            sessions: 0,
            subscriptions: 0,
        }));
    }
    if let Ok(Page::Peers(peers)) = hosts.bus.answer(asking, Query::Peers).await {
        rows.extend(peers.into_iter().map(|row| ClientRow {
            link: Link::Rmp,
            peer: row.peer,
            client: row.client,
            connected_at_ms: Some(row.connected_at_ms),
            sessions: 0,
            subscriptions: row.subscriptions,
        }));
    }
    let agents = hosts.sessions.handle().ok().and_then(|runtime| runtime.clients());
    rows.extend(agents.into_iter().flatten().map(|Client { peer, client, since, sessions }| ClientRow {
        link: Link::Macp,
        peer,
        client: client.map(|client| client.to_string()),
        connected_at_ms: since.map(|since| since.wall),
        sessions,
        subscriptions: 0,
    }));
    rows
}
