//! The inspector: one entry of the tap as a tree of what it says, its exact bytes beside it, what was wrong
//! with it, what caused it and what it caused.
//!
//! A [`Decoder`](decoder::Decoder) reads the bytes of one protocol into nodes, each with the range of its
//! bytes, so that a field and its bytes find each other both ways. Decoders know nothing of the screen;
//! [`mod@worker`] lets them read what is large beside the screen's thread. A further protocol adds a decoder
//! and its line in `decoder_of`.

mod context;
mod decoder;
mod draw;
mod hex;
mod inspector;
mod json;
mod macp;
mod macp_transitions;
mod mpp;
mod msgpack;
mod node;
mod page;
mod protobuf;
mod rmp;
mod rmp_transitions;
mod runs_transitions;
mod schema;
mod selected_value;
mod table;
mod transition_decoder;
pub(crate) mod worker;

pub(crate) mod actions;
#[cfg(test)]
mod macp_tests;
pub(crate) mod related_entries;
#[cfg(test)]
mod rmp_tests;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use actions::open as inspect;
pub(crate) use actions::{InvocationEntry, invocation_entries};
pub(crate) use context::summary;
pub(crate) use decoder::Subject;
pub(crate) use inspector::{EnterTarget, InspectOptions, Inspector};
pub(crate) use node::Tree;
pub(crate) use worker::{Job, worker};
