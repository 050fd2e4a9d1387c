//! The station's own transitions.

mod row;
mod summary;
mod transitions;
