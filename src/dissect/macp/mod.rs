//! The coordination runtime's calls and transitions (MACP): protobuf by its schema.

mod message;
mod preview;
mod protobuf;
mod row;
mod schema;
mod summary;
#[cfg(test)]
mod tests;
mod transitions;
mod turn_away;
mod verdict;

pub(crate) use turn_away::describe_turn_away;
