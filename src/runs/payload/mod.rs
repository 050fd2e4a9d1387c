//! The messages of runs as they are on the bus: whole bodies, `{type, payload, meta?}` in MsgPack (rmp-v0 §2,
//! §9, §10; rulings RMP 10 to 14).
//!
//! What we write follows the texts to the byte; what we read is taken in every form that they allow: ids as
//! 16 bytes or as text, with or without their prefix, nil as nothing, and keys that nobody knows are left
//! out. A [`Fault`] says what is wrong and where.

mod action;
mod agent;
mod amount;
mod control;
mod count;
mod envelope;
mod event;
mod fields;
mod kinds;
mod notices;
#[cfg(test)]
mod vectors;

pub use action::{ActionRequest, Decision};
pub use agent::{AgentAnswer, AgentRequest, AgentResponse, NotAnAnswer, ParsedAnswer, Ports, RequestNode};
pub use amount::Amount;
pub use control::{ControlRequest, ControlResponse, is_request, refusal, variant_of};
pub use count::memory_len;
pub use envelope::{Body, schema, value_len};
pub use event::{ArtifactMeta, EventMeta, HopMeta, QuestionMeta, RunEvent};
pub use fields::Fault;
pub use notices::{CancelNotice, ProgressReport};
