//! Ports: where values leave and enter a node.

use std::sync::Arc;

/// A port of a node of one opening.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortRef {
    /// The node's index.
    pub node: usize,
    /// The port's name.
    pub port: Arc<str>,
}

/// A typed value of a port (rmp-v0 §9.1).
#[derive(Clone, Debug, PartialEq)]
pub struct PortValue {
    /// The schema's id.
    pub schema_id: u16,
    /// The value's type, which decides when it and `schema_id` disagree (ruling RMP 12).
    pub kind: Arc<str>,
    /// The value.
    pub value: rmpv::Value,
}
