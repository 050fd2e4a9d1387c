//! The station's own transitions.

pub(crate) mod summary;
