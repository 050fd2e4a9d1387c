//! The coordination runtime's calls and transitions (MACP): protobuf by its schema.

mod clauses;
mod message;
mod preview;
pub(super) mod protobuf;
mod row;
pub(super) mod schema;
mod summary;
#[cfg(test)]
mod tests;
mod transitions;
mod turn_away;
mod verdict;

pub(super) use clauses::{fault_clause, occurs, status_clause};
pub(super) use message::fault_field;
pub(crate) use turn_away::describe_turn_away;
