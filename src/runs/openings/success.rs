//! How a run is judged once every node has settled.

use super::{Literal, PortRef, PortValue};

/// When a run has succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Success {
    /// `any_of`: one check suffices.
    Any(Vec<Check>),
    /// `all_of`: every check.
    All(Vec<Check>),
}

/// One success expression: `node.port == value` or `exists(node.port)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The port that is looked at.
    pub port: PortRef,
    /// What must be there.
    pub kind: CheckKind,
}

/// What a check asks of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckKind {
    /// One value equals this.
    Equals(Literal),
    /// There is a value.
    Exists,
}

impl Success {
    /// Whether it holds. `values` gives what a node put out on a port; nothing when it did not complete.
    pub fn holds<'a>(&self, values: impl Fn(&PortRef) -> &'a [PortValue]) -> bool {
        match self {
            Self::Any(checks) => checks.iter().any(|it| it.holds(values(&it.port))),
            Self::All(checks) => checks.iter().all(|it| it.holds(values(&it.port))),
        }
    }
}

impl Check {
    fn holds(&self, values: &[PortValue]) -> bool {
        match &self.kind {
            CheckKind::Exists => !values.is_empty(),
            CheckKind::Equals(literal) => values.iter().any(|it| literal.equals(&it.value)),
        }
    }
}
