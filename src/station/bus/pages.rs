//! What the bus answers to queries.

use super::handle::Bus;
use crate::{
    port::{Page, PortError, Query, drop_rows, peer_rows, subscription_rows, topic_rows},
    station::host::misdirected,
    tap::entry::Link,
};

pub(super) async fn answer(bus: &Bus, query: Query) -> Result<Page, PortError> {
    match query {
        Query::Topics => Ok(Page::Topics(topic_rows(&bus.snapshot().await?.1))),
        Query::Peers => Ok(Page::Peers(peer_rows(&bus.snapshot().await?.1))),
        Query::Subscriptions => Ok(Page::Subscriptions(subscription_rows(&bus.snapshot().await?.1))),
        Query::Drops => Ok(Page::Drops(drop_rows(&bus.snapshot().await?.1))),
        _ => Err(misdirected(Link::Rmp)),
    }
}
