//! The coordination runtime's calls and transitions (MACP): protobuf by its schema.

mod close_cause;
mod message;
mod preview;
mod protobuf;
mod row;
mod schema;
mod summary;
#[cfg(test)]
mod tests;
mod transitions;
mod verdict;

pub(crate) use close_cause::describe_close;
