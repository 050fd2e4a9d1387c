//! The coordination runtime's calls and transitions (MACP): protobuf by its schema.

pub(crate) mod message;
mod protobuf;
mod schema;
pub(crate) mod summary;
#[cfg(test)]
mod tests;
pub(crate) mod transitions;
