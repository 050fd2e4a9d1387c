//! What the runs say on the bus.

use std::sync::Weak;

use tokio::sync::mpsc::error::TrySendError;

use crate::{
    rmp::{SchemaId, host::Request},
    runs::host::{Bus, Message, NotSent},
    station::local::Inner,
};

/// The bus as the runs have it.
pub(super) struct Outward {
    pub(super) inner: Weak<Inner>,
}

impl Bus for Outward {
    fn publish(&self, message: Message) -> Result<(), NotSent> {
        let requests = self.inner.upgrade().and_then(|inner| inner.bus.requests().ok()).ok_or(NotSent::Down)?;
        let Message { topic, schema_id, trace, ttl_ms, body, reached } = message;
        let request = Request::Publish { topic, schema_id: SchemaId(schema_id), trace, ttl_ms, body, reached };
        requests.try_send(request).map_err(|error| match error {
            TrySendError::Full(Request::Publish { topic, schema_id, trace, ttl_ms, body, reached }) => {
                NotSent::Full(Message { topic, schema_id: schema_id.0, trace, ttl_ms, body, reached })
            }
            TrySendError::Full(_) | TrySendError::Closed(_) => NotSent::Down,
        })
    }
}
