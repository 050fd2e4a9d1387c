//! Which subscriptions a topic reaches (ruling RMP 5).
//!
//! A wildcard stands at a pattern's end alone, so that a topic is found by its text and by its prefixes: one
//! look-up for the topic, one for what asks for one segment below its parent, and one a prefix for what asks
//! for all below. What a match costs depends on the topic's segments and on how many subscriptions it
//! reaches, never on how many there are.

mod prefix_bucket;
mod route_table;
#[cfg(test)]
mod tests;

pub use route_table::{Route, RouteFault, Routes};
