//! The inspector: one entry of the tap as a tree of what it says, its exact bytes beside it, what was wrong
//! with it, what caused it and what it caused.
//!
//! What the bytes say is read by [`crate::dissect`], as a tree whose nodes have the range of their bytes, so
//! that a field and its bytes find each other both ways; the [worker](crate::console::worker) reads what
//! is large beside the screen's thread.

mod context;
mod draw;
pub(crate) mod hex;
mod inspector;
mod layer;
mod page;
mod payload;
mod selected_value;

pub(crate) mod actions;
pub(crate) mod related_entries;

#[cfg(test)]
pub(crate) use actions::open as inspect;
pub(crate) use actions::{InvocationEntry, invocation_entries};
pub(crate) use inspector::{EnterTarget, InspectOptions, Inspector};
