//! What an opening is: a typed graph of nodes, written in YAML, checked as a whole before anything of it runs
//! (Runloop facts, Openings).
//!
//! Nothing here does I/O: nested openings are read through the caller's library.

pub(crate) mod bundle;
pub mod drawing;
mod expression;
mod fault;
pub mod graph;
mod library;
mod literal;
mod merge;
mod opening;
mod parse;
mod port;
mod purpose;
mod success;
mod template;
#[cfg(test)]
mod tests;

pub use bundle::{BundleError, bundle};
pub use fault::{Fault, FaultCause, FaultKind, Faults};
pub use library::{Library, NoLibrary};
pub use literal::Literal;
pub use merge::{declared_params, merge_params};

pub use opening::{Edge, Map, Node, Opening, Policy, Retry, Use};
pub(crate) use parse::ASKS;
pub use port::{PortRef, PortValue};
pub use purpose::declared_purpose;
pub use success::{Check, CheckKind, Success};
