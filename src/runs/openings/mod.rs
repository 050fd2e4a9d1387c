//! What an opening is: a typed graph of nodes, written in YAML, checked as a whole before anything of it runs (Runloop facts, Openings).
//!
//! Nothing here does I/O: nested openings are read through the caller's library.

mod literal;
mod opening;
mod port;
mod success;

pub use literal::Literal;
pub use opening::{Edge, Map, Node, Opening, Policy, Retry, Use};
pub use port::{PortRef, PortValue};
pub use success::{Check, Is, Success};
