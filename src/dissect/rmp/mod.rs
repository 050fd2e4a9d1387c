//! The bus's frames and transitions (RMP): the header, the body's `MsgPack`, its clauses, and frames as JSON.

pub(crate) mod body_text;
mod clauses;
mod decoded_body;
mod faults;
pub(super) mod frame;
pub(crate) mod frame_json;
pub(super) mod msgpack;
mod names;
mod preview;
mod row;
mod summary;
#[cfg(test)]
mod tests;
mod transitions;
mod verdict;

pub(crate) use clauses::drop_remedy;
pub(super) use clauses::{clause_text, refusal_remedy};
pub(crate) use faults::{client, peer_label};
pub(super) use faults::{fault_of, reply_of};
pub(crate) use names::{drop_word, rights, schema_name};
