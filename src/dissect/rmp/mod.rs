//! The bus's frames and transitions (RMP): the header, the body's `MsgPack`, its clauses, and frames as JSON.

pub(crate) mod body_text;
pub(crate) mod clauses;
pub(crate) mod frame;
pub(crate) mod frame_json;
mod msgpack;
mod names;
pub(crate) mod summary;
#[cfg(test)]
mod tests;
pub(crate) mod transitions;

pub(crate) use names::{drop_word, rights, schema_name};
