//! The settings that a plugin shows to the operator (streamnook-host, Host methods; ruling Plugins 12).
//!
//! `read` makes a [`Schema`] of the params of `register_panel`, `value` says which values a [`Field`] has,
//! `text` reads and writes them for people.

mod fault;
mod read;
mod schema;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub use fault::PathFault;
pub use schema::{Choice, Field, FieldKind, FieldType, Range, Schema, Section};
