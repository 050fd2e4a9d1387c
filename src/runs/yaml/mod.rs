//! YAML 1.2 as a tree in which every value and key knows its line and column. The only place that knows the
//! YAML crate.
//!
//! Everything is bounded before it is kept: bytes, depth, values; aliases count as what they stand for.

mod fault;
pub(crate) mod read;
mod scalar;
#[cfg(test)]
mod tests;
mod tree;
mod write;

pub(in crate::runs) use fault::cut;
pub use fault::{Fault, FaultKind};
pub use read::{Bounds, Reading, read};
pub use tree::{Key, Located, Map, Position, Span, Value};
pub use write::{block_entry, flow, flow_entry, text};
