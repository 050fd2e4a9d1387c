//! The bridge's frames and transitions (MPP): JSON by the frames' tables, and why connections end.

mod close_cause;
mod fields;
pub(crate) mod frame;
pub(crate) mod summary;

pub(crate) use close_cause::{describe_close, refusal_remedy};
