//! What goes between the station and an agent while it works (ruling RMP 14).

use std::sync::Arc;

use rmpv::Value;

use super::{
    amount::Amount,
    envelope::{Body, write},
    fields::{Fault, Fields, id, map},
};
use crate::ids::TraceId;

/// The type of a cancel's notice; schema id 2.
const CANCEL: &str = "intent.run.cancel.v1";
/// The type of a report of progress; schema id 1.
const PROGRESS: &str = "observation.progress.v1";

/// Tells an agent that an attempt is not awaited any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelNotice {
    /// The run.
    pub trace_id: TraceId,
    /// The node, by the id of its request.
    pub node_id: Arc<str>,
    /// Which attempt.
    pub attempt: u32,
    /// The reply topic of its request.
    pub reply_topic: Arc<str>,
}

/// Tells the station how far an agent is.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressReport {
    /// What it does, for a person.
    pub message: String,
    /// How much is done, in the agent's own unit.
    pub done: Option<Amount>,
    /// Of how much.
    pub total: Option<Amount>,
}

impl CancelNotice {
    /// Its body.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let payload = vec![
            ("trace_id", id(self.trace_id.0)),
            ("node_id", Value::from(&*self.node_id)),
            ("attempt", Value::from(self.attempt)),
            ("reply_topic", Value::from(&*self.reply_topic)),
        ];
        write(CANCEL, map(payload), None)
    }

    /// Reads a body, as an agent does.
    ///
    /// # Errors
    /// A [`Fault`] that names what is wrong.
    pub fn decode(body: &[u8]) -> Result<Self, Fault> {
        let mut fields = Fields::of(Body::read(body)?.payload_of(CANCEL)?, "payload")?;
        Ok(Self {
            trace_id: TraceId(fields.id("trace_id", TraceId::PREFIX)?),
            node_id: Arc::from(fields.text("node_id")?),
            attempt: u32::try_from(fields.number("attempt")?)
                .map_err(|_| fields.fault("attempt", "is too large"))?,
            reply_topic: Arc::from(fields.text("reply_topic")?),
        })
    }
}

impl ProgressReport {
    /// Its body, as an agent writes it.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut payload = vec![("message", Value::from(self.message.as_str()))];
        payload.extend(self.done.map(|done| ("done", done.value())));
        payload.extend(self.total.map(|total| ("total", total.value())));
        write(PROGRESS, map(payload), None)
    }

    /// Reads a body.
    ///
    /// # Errors
    /// A [`Fault`] that names what is wrong.
    pub fn decode(body: &[u8]) -> Result<Self, Fault> {
        let mut fields = Fields::of(Body::read(body)?.payload_of(PROGRESS)?, "payload")?;
        let message = fields.text_or_none("message")?.unwrap_or_default();
        Ok(Self { message, done: fields.amount_or_none("done")?, total: fields.amount_or_none("total")? })
    }
}
