//! The transitions of runs.

mod row;
mod summary;
mod transitions;
