//! What the agents' bus reports (rmp-v0; rulings RMP).

mod kind;

pub use kind::Kind;
