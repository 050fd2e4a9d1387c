//! The transitions of lifecycle records.

mod row;
mod summary;
mod transitions;
