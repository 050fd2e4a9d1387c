//! Questions to a person, and the answers (ruling RMP 13).

use std::sync::Arc;

use rmpv::Value;

use super::{
    envelope::{Body, write},
    fields::{Fault, Fields, id, map},
};
use crate::{
    ids::{ActionId, TraceId},
    time::Wall,
};

/// The type of `CT_ACTION_REQUEST`.
const REQUEST: &str = "intent.action.request.v1";
/// The type of `CT_ACTION_DECISION`.
const DECISION: &str = "toolresult.action.decision.v1";

/// Asks a person whether a node may go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionRequest {
    /// The question's own name.
    pub action_id: ActionId,
    /// The run.
    pub trace_id: TraceId,
    /// The node; of a nested opening, `outer/inner`.
    pub node_id: Arc<str>,
    /// The question.
    pub summary: String,
    /// When it is rejected without an answer.
    pub expires_at: Wall,
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Which question it answers.
    pub action_id: ActionId,
    /// Whether the node may go on.
    pub approved: bool,
    /// What the person says to it.
    pub note: Option<String>,
}

impl ActionRequest {
    /// Its body.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let payload = vec![
            ("v", Value::from(1)),
            ("action_id", id(self.action_id.0)),
            ("trace_id", id(self.trace_id.0)),
            ("node_id", Value::from(&*self.node_id)),
            ("summary", Value::from(self.summary.as_str())),
            ("expires_at_ms", Value::from(self.expires_at.0)),
        ];
        write(REQUEST, map(payload), None)
    }

    /// Reads a body, as a console does.
    ///
    /// # Errors
    /// A [`Fault`] that names what is wrong.
    pub fn decode(body: &[u8]) -> Result<Self, Fault> {
        let mut fields = Fields::of(Body::read(body)?.payload_of(REQUEST)?, "payload")?;
        version(&mut fields)?;
        Ok(Self {
            action_id: ActionId(fields.id("action_id", ActionId::PREFIX)?),
            trace_id: TraceId(fields.id("trace_id", TraceId::PREFIX)?),
            node_id: Arc::from(fields.text("node_id")?),
            summary: fields.text("summary")?,
            expires_at: Wall(fields.number("expires_at_ms")?),
        })
    }
}

impl Decision {
    /// Its body.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut payload = vec![
            ("v", Value::from(1)),
            ("action_id", id(self.action_id.0)),
            ("approved", Value::from(self.approved)),
        ];
        payload.extend(self.note.as_ref().map(|note| ("note", Value::from(note.as_str()))));
        write(DECISION, map(payload), None)
    }

    /// Reads a body.
    ///
    /// # Errors
    /// A [`Fault`] that names what is wrong.
    pub fn decode(body: &[u8]) -> Result<Self, Fault> {
        let mut fields = Fields::of(Body::read(body)?.payload_of(DECISION)?, "payload")?;
        version(&mut fields)?;
        Ok(Self {
            action_id: ActionId(fields.id("action_id", ActionId::PREFIX)?),
            approved: fields.bool("approved")?,
            note: fields.text_or_none("note")?,
        })
    }

    /// Which question a body answers that is otherwise not understood, where that much can be read.
    #[must_use]
    pub fn action_of(body: &[u8]) -> Option<ActionId> {
        let mut fields = Fields::of(Body::read(body).ok()?.payload_of(DECISION).ok()?, "payload").ok()?;
        fields.id("action_id", ActionId::PREFIX).ok().map(ActionId)
    }
}

fn version(fields: &mut Fields) -> Result<(), Fault> {
    match fields.number_or_none("v")? {
        None | Some(1) => Ok(()),
        Some(other) => Err(fields.fault("v", &format!("is {other}, not 1"))),
    }
}
