//! What an agent says (rmp-v0 §9.1; rulings RMP 12, 14).

use rmpv::Value;

use super::request::{Request, field, text};
use crate::{
    ids::TraceId,
    rmp::{Registry, SchemaId, client::Message, encode},
};

/// The type of an answer.
const RESPONSE: &str = "toolresult.executor.agent.response.v1";
/// The type of what is said on the way.
const PROGRESS: &str = "observation.progress.v1";
/// The type of what stands in where nothing came in.
const GENERIC: &str = "artifact.generic.v1";

/// How a request ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// With values on ports.
    Completed(Vec<(String, Vec<Value>)>),
    /// Without.
    Failed {
        /// Whether it may be tried again.
        retryable: bool,
        /// Why.
        reason: String,
    },
}

/// A map with texts as keys.
fn map<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::Map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

/// A value on a port: its type decides which schema it goes under.
pub(super) fn item(registry: &Registry, of_type: &str, value: Value) -> Value {
    let SchemaId(schema_id) = registry.id_of(of_type).unwrap_or(SchemaId::ARTIFACT);
    map([("schema_id", schema_id.into()), ("type", of_type.into()), ("value", value)])
}

/// Everything that came in, on the port `out`; the node's parameters where nothing did.
pub(super) fn echo(registry: &Registry, request: &Request) -> Answer {
    let again = |input: &Value| {
        let of_type = text(input, "type").unwrap_or_else(|| GENERIC.to_owned());
        item(registry, &of_type, field(input, "value").cloned().unwrap_or(Value::Nil))
    };
    let mut items: Vec<Value> = request.inputs.iter().map(again).collect();
    if items.is_empty() {
        items.push(item(registry, GENERIC, request.with.clone().unwrap_or_else(|| Value::Map(Vec::new()))));
    }
    Answer::Completed(vec![("out".to_owned(), items)])
}

impl Answer {
    /// The message that carries it. Without tokens there is no meta (ruling RMP 12).
    pub(super) fn message(&self, trace: TraceId, tokens: Option<u64>) -> Option<Message> {
        let payload = match self {
            Self::Completed(ports) => {
                let ports = ports
                    .iter()
                    .map(|(port, items)| (port.as_str().into(), Value::Array(items.clone())))
                    .collect();
                map([("Completed", map([("ports", Value::Map(ports))]))])
            }
            Self::Failed { retryable, reason } => map([(
                "Failed",
                map([("retryable", (*retryable).into()), ("reason", reason.as_str().into())]),
            )]),
        };
        let meta = tokens.map(|tokens| map([("tokens", tokens.into())]));
        let body = encode::body(RESPONSE, &payload, meta.as_ref()).ok()?;
        Some(Message::new(SchemaId::EXECUTOR_AGENT_RESPONSE, body).in_trace(trace))
    }
}

/// A message on the way, with how much is done.
pub(super) fn progress(trace: TraceId, message: &str, done: u64, total: u64) -> Option<Message> {
    let payload = map([("message", message.into()), ("done", done.into()), ("total", total.into())]);
    Message::of(SchemaId::OBSERVATION, PROGRESS, &payload).ok().map(|message| message.in_trace(trace))
}
