//! What the runs say on the bus.

use std::sync::Weak;

use tokio::sync::{mpsc::error::TrySendError, oneshot};

use crate::{
    rmp::{
        self, SchemaId,
        host::{PublishReport, Request},
    },
    runs::{
        engine::Reach,
        host::{Bus, Message, NotSent, ReachFuture},
    },
    station::local::Inner,
};

/// The bus as the runs have it.
pub(super) struct RunsBus {
    pub(super) inner: Weak<Inner>,
}

impl Bus for RunsBus {
    fn publish(&self, message: Message) -> Result<Option<ReachFuture>, NotSent> {
        let requests =
            self.inner.upgrade().and_then(|inner| inner.hosts.bus.requests().ok()).ok_or(NotSent::Down)?;
        let place = match requests.try_reserve() {
            Ok(place) => place,
            Err(TrySendError::Full(())) => return Err(NotSent::Full(message)),
            Err(TrySendError::Closed(())) => return Err(NotSent::Down),
        };
        let Message { topic, schema_id, trace, ttl_ms, body, asks_reach } = message;
        let (reached, told) = oneshot::channel();
        let reached = asks_reach.then_some(reached);
        place.send(Request::Publish {
            topic,
            schema_id: SchemaId(schema_id),
            trace,
            ttl_ms,
            body,
            report: reached,
        });
        // A bus that goes away with a message has given it to nobody.
        Ok(asks_reach.then(|| -> ReachFuture {
            Box::pin(async move { told.await.map_or(Reach::Down, to_runs_reach) })
        }))
    }
}

fn to_runs_reach(reached: PublishReport) -> Reach {
    let PublishReport { delivery: reach, msg_id } = reached;
    match reach {
        rmp::broker::DeliveryReport::Queued(peers) => Reach::Taken { peers, msg_id },
        rmp::broker::DeliveryReport::Nobody { agents, more } => Reach::Nobody { agents, more },
        rmp::broker::DeliveryReport::Full => Reach::Full,
        rmp::broker::DeliveryReport::TooLong => Reach::TooLong,
    }
}
