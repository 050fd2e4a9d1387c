//! What an executor asks of an agent, and what it takes back (rmp-v0 §9.1; rulings RMP 12, 14).

use rmpv::Value;

/// The type of a request.
pub(super) const REQUEST: &str = "intent.executor.agent.request.v1";
/// The type that tells an agent to stop.
pub(super) const CANCEL: &str = "intent.run.cancel.v1";

/// A request, as far as a stand-in looks at it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Request {
    /// The node's id.
    pub(super) node: String,
    /// Its parameters.
    pub(super) with: Option<Value>,
    /// What came in by ports: `{port: [{schema_id, type, value}]}`.
    pub(super) inputs: Vec<Value>,
    /// From 1.
    pub(super) attempt: u64,
    /// Where the answer goes.
    pub(super) reply_topic: String,
}

/// The attempt to stop.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cancel {
    /// The node's id.
    pub(super) node: String,
    /// Which attempt; every one where it does not say.
    pub(super) attempt: Option<u64>,
    /// Where its answer would go.
    pub(super) reply_topic: Option<String>,
}

impl Request {
    /// Reads a payload; what is missing in it where it is none.
    pub(super) fn read(payload: &Value) -> Result<Self, &'static str> {
        let reply_topic = text(payload, "reply_topic").ok_or("`reply_topic`")?;
        let node = field(payload, "node").ok_or("`node`")?;
        let node_id = text(node, "id").ok_or("`node.id`")?;
        let ports = field(payload, "inputs").and_then(Value::as_map);
        let inputs = ports
            .into_iter()
            .flatten()
            .filter_map(|(_, items)| items.as_array())
            .flatten()
            .cloned()
            .collect();
        let attempt = field(payload, "attempt").and_then(Value::as_u64).unwrap_or(1);
        Ok(Self { node: node_id, with: field(node, "with").cloned(), inputs, attempt, reply_topic })
    }
}

impl Cancel {
    /// Reads a payload.
    pub(super) fn read(payload: &Value) -> Result<Self, &'static str> {
        let node = text(payload, "node_id").ok_or("`node_id`")?;
        let attempt = field(payload, "attempt").and_then(Value::as_u64);
        Ok(Self { node, attempt, reply_topic: text(payload, "reply_topic") })
    }

    /// Whether it speaks of this request.
    pub(super) fn is_of(&self, request: &Request) -> bool {
        let same_topic = self.reply_topic.as_ref().is_none_or(|topic| *topic == request.reply_topic);
        same_topic
            && self.node == request.node
            && self.attempt.is_none_or(|attempt| attempt == request.attempt)
    }
}

/// A field of a map.
pub(super) fn field<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.as_map()?.iter().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value)
}

/// A field that is a text.
pub(super) fn text(value: &Value, name: &str) -> Option<String> {
    field(value, name)?.as_str().map(str::to_owned)
}
