//! What the station asks of agents, and what they answer (rmp-v0 §9.1; rulings RMP 12, 14).

use std::{collections::BTreeMap, sync::Arc};

use rmpv::Value;

use super::{
    count,
    envelope::{Body, write},
    fields::{Fault, Fields, id, map, named, of_json_map, variant},
    kinds,
};
use crate::{
    ids::{OpeningId, TraceId},
    runs::openings::{Map, PortValue},
};

/// The type of `CT_EXECUTOR_AGENT_REQUEST`.
const REQUEST: &str = "intent.executor.agent.request.v1";
/// The type of `CT_EXECUTOR_AGENT_RESPONSE`.
const RESPONSE: &str = "toolresult.executor.agent.response.v1";

/// Values by port.
pub type Ports = BTreeMap<Arc<str>, Vec<PortValue>>;

/// One attempt of a node, as its agent is asked for it.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentRequest {
    /// The node.
    pub node: RequestNode,
    /// What feeds it.
    pub inputs: Ports,
    /// The run.
    pub trace_id: TraceId,
    /// The opening.
    pub opening_id: OpeningId,
    /// Which attempt, from 1 on.
    pub attempt: u32,
    /// Where the answer is awaited, and on `<reply_topic>/progress` how far it is.
    pub reply_topic: Arc<str>,
}

/// A node as an agent sees it (ruling RMP 14).
#[derive(Clone, Debug, PartialEq)]
pub struct RequestNode {
    /// Its id in its own opening.
    pub id: Arc<str>,
    /// What does it: `agent:writer`.
    pub uses: String,
    /// What it is given.
    pub with: Map,
    /// Words that its author marked it with.
    pub tags: Vec<String>,
    /// Milliseconds that the attempt may take.
    pub timeout_ms: Option<u64>,
    /// Tokens that all its attempts may use together.
    pub budget_tokens: Option<u64>,
}

/// What an agent made of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentResponse {
    /// It did it.
    Completed {
        /// What it gives.
        ports: Ports,
    },
    /// It did not.
    Failed {
        /// Whether another attempt may help.
        retryable: bool,
        /// Why, for a person.
        reason: String,
    },
}

/// An answer as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentAnswer {
    /// What the agent made of the attempt.
    pub response: AgentResponse,
    /// Tokens that it used, where its meta says so (ruling RMP 14).
    pub tokens: Option<u64>,
}

/// An answer, with what is to be told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedAnswer {
    /// The answer.
    pub answer: AgentAnswer,
    /// Why its tokens are not counted, where its meta has some that are no whole number.
    pub tokens_fault: Option<Fault>,
    /// About the bytes that it takes in memory.
    pub bytes: u64,
}

/// Why what came on a reply topic is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnAnswer {
    /// It is something else: the attempt goes on.
    #[error("it is {kind}, not {RESPONSE}")]
    Foreign {
        /// Its type.
        kind: String,
    },
    /// It cannot be read.
    #[error(transparent)]
    Faulty(#[from] Fault),
}

impl AgentRequest {
    /// Its body; the meta is nil (ruling RMP 12).
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let Self { node, inputs, trace_id, opening_id, attempt, reply_topic } = self;
        let mut of_node = vec![
            ("id", Value::from(&*node.id)),
            ("use", Value::from(node.uses.as_str())),
            ("with", of_json_map(&node.with)),
            ("tags", Value::Array(node.tags.iter().map(|tag| Value::from(tag.as_str())).collect())),
        ];
        of_node.extend(node.timeout_ms.map(|ms| ("timeout_ms", Value::from(ms))));
        of_node.extend(node.budget_tokens.map(|tokens| ("budget_tokens", Value::from(tokens))));
        let payload = vec![
            ("node", map(of_node)),
            ("inputs", of_ports(inputs)),
            ("trace_id", id(trace_id.0)),
            ("opening_id", id(opening_id.0)),
            ("attempt", Value::from(*attempt)),
            ("reply_topic", Value::from(&**reply_topic)),
        ];
        write(REQUEST, map(payload), Some(Value::Nil))
    }

    /// Reads a body, as an agent does.
    ///
    /// # Errors
    /// A [`Fault`] that names what is wrong.
    pub fn decode(body: &[u8]) -> Result<Self, Fault> {
        let mut fields = Fields::of(Body::read(body)?.payload_of(REQUEST)?, "payload")?;
        let mut node = Fields::of(fields.required("node")?, "payload.node")?;
        let with = match node.take("with") {
            Some(with) => json(&with)
                .and_then(|with| if let serde_json::Value::Object(with) = with { Some(with) } else { None }),
            None => Some(Map::new()),
        };
        let tags = if let Some(Value::Array(tags)) = node.take("tags") { tags } else { Vec::new() };
        Ok(Self {
            node: RequestNode {
                id: Arc::from(node.text("id")?),
                uses: node.text("use")?,
                with: with.ok_or_else(|| node.fault("with", "is not a map that can be converted to JSON"))?,
                tags: tags.iter().filter_map(|tag| tag.as_str().map(str::to_owned)).collect(),
                timeout_ms: node.number_or_none("timeout_ms")?,
                budget_tokens: node.number_or_none("budget_tokens")?,
            },
            inputs: fields
                .take("inputs")
                .map_or_else(|| Ok(Ports::new()), |inputs| ports(inputs, "payload.inputs"))?,
            trace_id: TraceId(fields.id("trace_id", TraceId::PREFIX)?),
            opening_id: OpeningId(fields.id("opening_id", OpeningId::PREFIX)?),
            attempt: u32::try_from(fields.number("attempt")?)
                .map_err(|_| fields.fault("attempt", "is too large"))?,
            reply_topic: Arc::from(fields.text("reply_topic")?),
        })
    }
}

impl AgentAnswer {
    /// Its body; a meta only where it tells something (ruling RMP 12).
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let payload = match &self.response {
            AgentResponse::Completed { ports } => {
                map(vec![("Completed", map(vec![("ports", of_ports(ports))]))])
            }
            AgentResponse::Failed { retryable, reason } => {
                let fields =
                    vec![("retryable", Value::from(*retryable)), ("reason", Value::from(reason.as_str()))];
                map(vec![("Failed", map(fields))])
            }
        };
        write(RESPONSE, payload, self.tokens.map(|tokens| map(vec![("tokens", Value::from(tokens))])))
    }

    /// Reads a body.
    ///
    /// # Errors
    /// A [`Fault`] that names what is wrong.
    pub fn decode(body: &[u8]) -> Result<Self, Fault> {
        match Self::read(body) {
            Ok(answered) => Ok(answered.answer),
            Err(NotAnAnswer::Foreign { kind }) => {
                Err(Fault::new("type", &format!("is {kind}, not {RESPONSE}")))
            }
            Err(NotAnAnswer::Faulty(fault)) => Err(fault),
        }
    }

    /// The tokens that the meta of a body tells of, whatever else it says.
    #[must_use]
    pub fn tokens_of(body: &[u8]) -> Option<u64> {
        Body::read(body).ok()?.tokens().ok()?
    }

    /// Reads what came on a reply topic, with all that is to be told of it.
    ///
    /// # Errors
    /// [`NotAnAnswer`].
    pub fn read(body: &[u8]) -> Result<ParsedAnswer, NotAnAnswer> {
        let body_bytes = body.len() as u64;
        let body = Body::read(body)?;
        if body.kind() != RESPONSE {
            return Err(NotAnAnswer::Foreign { kind: body.kind().to_owned() });
        }
        let (tokens, tokens_fault) = match body.tokens() {
            Ok(tokens) => (tokens, None),
            Err(fault) => (None, Some(fault)),
        };
        let bytes = count::memory(body_bytes, body.values());
        let (name, value) = variant(body.payload_of(RESPONSE)?, "payload")?;
        let at = format!("payload.{name}");
        // Nothing said of it is nothing given.
        let mut fields = if value.is_nil() { Fields::empty(&at) } else { Fields::of(value, &at)? };
        let response = match name.as_str() {
            "Completed" => {
                let given = fields
                    .take("ports")
                    .map_or_else(|| Ok(Ports::new()), |given| ports(given, &format!("{at}.ports")))?;
                AgentResponse::Completed { ports: given }
            }
            "Failed" => {
                let reason =
                    fields.text_or_none("reason")?.unwrap_or_else(|| "the agent gave no reason".to_owned());
                AgentResponse::Failed {
                    retryable: fields.bool_or_none("retryable")?.unwrap_or(false),
                    reason,
                }
            }
            _ => return Err(Fault::new("payload", &format!("is {name:?}, not Completed or Failed")).into()),
        };
        Ok(ParsedAnswer { answer: Self { response, tokens }, tokens_fault, bytes })
    }
}

fn of_ports(ports: &Ports) -> Value {
    let of_value = |value: &PortValue| {
        let PortValue { schema_id, kind, value } = value;
        map(vec![
            ("schema_id", Value::from(*schema_id)),
            ("type", Value::from(&**kind)),
            ("value", value.clone()),
        ])
    };
    Value::Map(
        ports
            .iter()
            .map(|(port, values)| (Value::from(&**port), Value::Array(values.iter().map(of_value).collect())))
            .collect(),
    )
}

fn ports(value: Value, at: &str) -> Result<Ports, Fault> {
    let Value::Map(pairs) = value else {
        return Err(Fault::new(at, &format!("is {}, not a map", named(&value))));
    };
    let mut ports = Ports::new();
    for (port, values) in pairs {
        let port = port.as_str().ok_or_else(|| Fault::new(at, "has a port whose name is not a string"))?;
        let at = format!("{at}.{port}");
        let Value::Array(values) = values else {
            return Err(Fault::new(&at, &format!("is {}, not a list", named(&values))));
        };
        let values =
            values.into_iter().enumerate().map(|(place, value)| port_value(value, &format!("{at}[{place}]")));
        ports.insert(Arc::from(port), values.collect::<Result<_, _>>()?);
    }
    Ok(ports)
}

/// A port's value. Its type decides on the schema (ruling RMP 12).
fn port_value(value: Value, at: &str) -> Result<PortValue, Fault> {
    let mut fields = Fields::of(value, at)?;
    let kind = fields.text("type")?;
    let given = fields.number_or_none("schema_id")?;
    let given = given
        .map(|id| u16::try_from(id).map_err(|_| fields.fault("schema_id", "is over 65535")))
        .transpose()?;
    let says = "is not family.kind.vN of a known family or of a custom schema_id";
    let schema_id = kinds::schema_of(&kind, given).ok_or_else(|| fields.fault("type", says))?;
    Ok(PortValue { schema_id, kind: Arc::from(kind), value: fields.take("value").unwrap_or(Value::Nil) })
}

/// A value as JSON has it; none where JSON has no such value.
fn json(value: &Value) -> Option<serde_json::Value> {
    use serde_json::Value as Json;
    Some(match value {
        Value::Nil => Json::Null,
        Value::Boolean(it) => Json::from(*it),
        Value::Integer(it) => it.as_u64().map(Json::from).or_else(|| it.as_i64().map(Json::from))?,
        Value::F32(it) => Json::Number(serde_json::Number::from_f64(f64::from(*it))?),
        Value::F64(it) => Json::Number(serde_json::Number::from_f64(*it)?),
        Value::String(it) => Json::from(it.as_str()?),
        Value::Array(items) => Json::Array(items.iter().map(json).collect::<Option<_>>()?),
        Value::Map(pairs) => {
            let pair = |(key, value): &(Value, Value)| Some((key.as_str()?.to_owned(), json(value)?));
            Json::Object(pairs.iter().map(pair).collect::<Option<_>>()?)
        }
        Value::Binary(_) | Value::Ext(..) => return None,
    })
}
