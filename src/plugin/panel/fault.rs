//! What is wrong with a panel, and where.

/// What is wrong with a panel's schema, and where: why it is refused with `-32602`, or what is linted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path} {what}")]
pub struct PathFault {
    /// The member, as in `schema.sections[0].fields[2].key`.
    pub path: String,
    /// What it must be, or what is wrong with it: the sentence that `path` begins.
    pub what: String,
}

impl PathFault {
    pub(super) fn new(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self { path: path.into(), what: what.into() }
    }
}
