//! Control requests and their responses (rmp-v0 §9; ruling RMP 10).

use rmpv::Value;

use super::{
    envelope::{Body, write},
    fields::{Fault, Fields, id, map, tagged, variant},
};
use crate::{
    ids::{OpeningId, TraceId},
    w3c::GivenTraceParent,
};

/// The type of `CT_CTRL_REQ`.
const REQUEST: &str = "intent.ctrl.request.v1";
/// The type of `CT_CTRL_RESP`.
const RESPONSE: &str = "toolresult.ctrl.response.v1";

/// A request on `rlp/ctrl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlRequest {
    /// Run an opening.
    RunSubmit {
        /// The request's name, and the run's.
        request_id: TraceId,
        /// The opening.
        opening_yaml: String,
        /// The trace context that it comes with, in the body's meta (ruling MPLP 18). One that is not valid
        /// is never sent.
        traceparent: Option<GivenTraceParent>,
    },
    /// End a run before its time.
    RunCancel {
        /// Which.
        trace_id: TraceId,
    },
    /// Describe agents; never answered with a description (ruling RMP 10).
    DescribeAgents {
        /// The request's name.
        request_id: TraceId,
        /// Which agents.
        agents: Vec<String>,
    },
}

/// An answer on `rlp/ctrl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlResponse {
    /// A run was accepted.
    RunAccepted {
        /// The request.
        request_id: TraceId,
        /// The run.
        trace_id: TraceId,
        /// The opening, as it was taken for this run.
        opening_id: OpeningId,
        /// Its name.
        opening_name: String,
    },
    /// A request was rejected.
    RunRejected {
        /// The request.
        request_id: TraceId,
        /// Why, for a person.
        reason: String,
    },
    /// A run was cancelled.
    RunCancelled {
        /// The request.
        request_id: TraceId,
        /// The run.
        trace_id: TraceId,
    },
    /// Agents are not described.
    AgentsDescribeFailed {
        /// The request.
        request_id: TraceId,
        /// Why, for a person.
        reason: String,
    },
}

/// How a request is refused that cannot be read, or that nobody can do now: in the form of its variant, by
/// the id that it has, else by `trace`, its header's. Nothing for what is no request.
#[must_use]
pub fn refusal(trace: TraceId, body: &[u8], reason: &str) -> Option<ControlResponse> {
    let (name, value) = variant(Body::read(body).ok()?.payload_of(REQUEST).ok()?, "payload").ok()?;
    let given =
        Fields::of(value, "").ok().and_then(|mut fields| fields.id("request_id", TraceId::PREFIX).ok());
    let (request_id, reason) = (given.map_or(trace, TraceId), reason.to_owned());
    Some(match name.as_str() {
        "DescribeAgents" => ControlResponse::AgentsDescribeFailed { request_id, reason },
        _ => ControlResponse::RunRejected { request_id, reason },
    })
}

/// Whether a body is that of a request, be it one that cannot be read; not where it is of another type.
#[must_use]
pub fn is_request(body: &[u8]) -> bool {
    !Body::read(body).is_ok_and(|body| body.kind() != REQUEST)
}

/// Which of the requests it is that are answered once and for all (ruling RMP 10), by the variant's name.
#[must_use]
pub fn variant_of(body: &[u8]) -> Option<&'static str> {
    let (name, _) = variant(Body::read(body).ok()?.payload_of(REQUEST).ok()?, "payload").ok()?;
    ["RunSubmit", "RunCancel"].into_iter().find(|variant| *variant == name)
}

impl ControlRequest {
    /// Its body.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let payload = match self {
            Self::RunSubmit { request_id, opening_yaml, .. } => {
                let fields = vec![
                    ("request_id", id(request_id.0)),
                    ("opening_yaml", Value::from(opening_yaml.as_str())),
                ];
                tagged("RunSubmit", map(fields))
            }
            Self::RunCancel { trace_id } => tagged("RunCancel", map(vec![("trace_id", id(trace_id.0))])),
            Self::DescribeAgents { request_id, agents } => {
                let agents = agents.iter().map(|agent| Value::from(agent.as_str())).collect();
                tagged(
                    "DescribeAgents",
                    map(vec![("request_id", id(request_id.0)), ("agents", Value::Array(agents))]),
                )
            }
        };
        let header = match self {
            Self::RunSubmit { traceparent, .. } => traceparent.as_ref().and_then(GivenTraceParent::valid),
            Self::RunCancel { .. } | Self::DescribeAgents { .. } => None,
        };
        write(REQUEST, payload, header.map(|header| map(vec![("traceparent", Value::from(header))])))
    }

    /// Reads a body. `agent_digests` is left out like every key that nobody knows.
    ///
    /// # Errors
    /// A [`Fault`] that names what is wrong.
    pub fn decode(body: &[u8]) -> Result<Self, Fault> {
        let body = Body::read(body)?;
        let traceparent = body.traceparent();
        let (name, value) = variant(body.payload_of(REQUEST)?, "payload")?;
        let mut fields = Fields::of(value, &format!("payload.{name}"))?;
        match name.as_str() {
            "RunSubmit" => Ok(Self::RunSubmit {
                request_id: TraceId(fields.id("request_id", TraceId::PREFIX)?),
                opening_yaml: fields.text("opening_yaml")?,
                traceparent,
            }),
            "RunCancel" => Ok(Self::RunCancel { trace_id: TraceId(fields.id("trace_id", TraceId::PREFIX)?) }),
            "DescribeAgents" => {
                let request_id = TraceId(fields.id("request_id", TraceId::PREFIX)?);
                let agents = fields.list("agents")?;
                let names =
                    agents.iter().map(|agent| agent.as_str().map(str::to_owned)).collect::<Option<_>>();
                let agents =
                    names.ok_or_else(|| fields.fault("agents", "contains a value that is not a string"))?;
                Ok(Self::DescribeAgents { request_id, agents })
            }
            _ => {
                let says = format!("is {name:?}, not RunSubmit, RunCancel or DescribeAgents");
                Err(Fault::new("payload", &says))
            }
        }
    }
}

impl ControlResponse {
    /// Its body.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let payload = match self {
            Self::RunAccepted { request_id, trace_id, opening_id, opening_name } => {
                let fields = vec![
                    ("request_id", id(request_id.0)),
                    ("trace_id", id(trace_id.0)),
                    ("opening_id", id(opening_id.0)),
                    ("opening_name", Value::from(opening_name.as_str())),
                ];
                tagged("RunAccepted", map(fields))
            }
            Self::RunRejected { request_id, reason } => tagged("RunRejected", refused(*request_id, reason)),
            Self::RunCancelled { request_id, trace_id } => tagged(
                "RunCancelled",
                map(vec![("request_id", id(request_id.0)), ("trace_id", id(trace_id.0))]),
            ),
            Self::AgentsDescribeFailed { request_id, reason } => {
                tagged("AgentsDescribeFailed", refused(*request_id, reason))
            }
        };
        write(RESPONSE, payload, None)
    }

    /// Reads a body.
    ///
    /// # Errors
    /// A [`Fault`] that names what is wrong.
    pub fn decode(body: &[u8]) -> Result<Self, Fault> {
        let (name, value) = variant(Body::read(body)?.payload_of(RESPONSE)?, "payload")?;
        let mut fields = Fields::of(value, &format!("payload.{name}"))?;
        let request_id = TraceId(fields.id("request_id", TraceId::PREFIX)?);
        match name.as_str() {
            "RunAccepted" => Ok(Self::RunAccepted {
                request_id,
                trace_id: TraceId(fields.id("trace_id", TraceId::PREFIX)?),
                opening_id: OpeningId(fields.id("opening_id", OpeningId::PREFIX)?),
                opening_name: fields.text("opening_name")?,
            }),
            "RunRejected" => Ok(Self::RunRejected { request_id, reason: fields.text("reason")? }),
            "RunCancelled" => Ok(Self::RunCancelled {
                request_id,
                trace_id: TraceId(fields.id("trace_id", TraceId::PREFIX)?),
            }),
            "AgentsDescribeFailed" => {
                Ok(Self::AgentsDescribeFailed { request_id, reason: fields.text("reason")? })
            }
            _ => Err(Fault::new("payload", &format!("is {name:?}, not a known response"))),
        }
    }

    /// The request that it answers.
    #[must_use]
    pub const fn request_id(&self) -> TraceId {
        match self {
            Self::RunAccepted { request_id, .. }
            | Self::RunRejected { request_id, .. }
            | Self::RunCancelled { request_id, .. }
            | Self::AgentsDescribeFailed { request_id, .. } => *request_id,
        }
    }
}

fn refused(request_id: TraceId, reason: &str) -> Value {
    map(vec![("request_id", id(request_id.0)), ("reason", Value::from(reason))])
}
