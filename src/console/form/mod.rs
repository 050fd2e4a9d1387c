//! Work given by hand: an event's parameters as fields made from its JSON Schema, or as JSON. What the form
//! takes is what the bridge takes: both ask the same schema.
//!
//! ```text
//!  schema ──▶ shape ──▶ fields ──┐               ┌─▶ findings, each at its field
//!                                ├─▶ object (JSON)─┤
//!            members without a field             └─▶ what is sent
//! ```

mod drafts;
mod editor;
mod field;
mod invocation;
mod object;
mod shape;

pub(crate) use drafts::FormDrafts;
pub(crate) use editor::{Editor, overflow_text};
pub(crate) use field::{Choice, Field, Kind, Need, Number, Target, Value};
pub(crate) use invocation::Form;
