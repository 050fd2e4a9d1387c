//! The bridge's frames and transitions (MPP): JSON by the frames' tables, and why connections end.

mod clauses;
mod close_cause;
mod faults;
mod fields;
mod frame;
mod preview;
mod row;
mod summary;
mod transitions;
mod verdict;

pub(super) use clauses::{clause_text, violation_remedy};
pub(crate) use close_cause::{describe_close, refusal_remedy};
pub(super) use faults::fault_of;
pub(crate) use faults::reply_of;
pub(super) use fields::{ENVELOPE, Field, fields};
pub(super) use frame::fault_field;
