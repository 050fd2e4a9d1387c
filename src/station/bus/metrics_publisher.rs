//! What the station counts, on `rlp/sys/metrics` each second (Facts: `CT_METRICS_SNAPSHOT`).

use std::{sync::Weak, time::Duration};

use tokio::sync::mpsc;

use crate::{
    ids::{TopicName, TraceId},
    rmp::{SchemaId, encode, host::Request, topic},
    station::{
        local::Inner,
        metrics::{self, MetricsSnapshot},
        ticks::Ticks,
    },
};

const PERIOD: Duration = Duration::from_secs(1);
/// A snapshot is worth nothing once a few later ones are there.
const TTL_MS: u64 = 5_000;

/// Publishes the figures until the station or its bus has gone.
pub(super) async fn publish(inner: Weak<Inner>, requests: mpsc::Sender<Request>) {
    let Some(clock) = inner.upgrade().map(|inner| inner.clock) else { return };
    let mut ticks = Ticks::every(PERIOD, clock);
    loop {
        ticks.tick().await;
        let Some(inner) = inner.upgrade() else { return };
        let figures = metrics::collect(&inner).await;
        drop(inner);
        let Ok(body) =
            encode::body(MetricsSnapshot::TYPE, &MetricsSnapshot::new(&figures, PERIOD), None::<&()>)
        else {
            continue;
        };
        let request = Request::Publish {
            topic: TopicName::new(topic::METRICS),
            schema_id: SchemaId::METRICS_SNAPSHOT,
            trace: TraceId(uuid::Uuid::new_v4()),
            ttl_ms: TTL_MS,
            body: body.into(),
            report: None,
        };
        if requests.send(request).await.is_err() {
            return;
        }
    }
}
