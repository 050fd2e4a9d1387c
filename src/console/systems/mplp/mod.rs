//! The lifecycle records.

pub(crate) mod system;
