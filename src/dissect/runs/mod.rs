//! The transitions of runs.

pub(crate) mod summary;
pub(crate) mod transitions;
