//! What outlives the process.

pub mod invocations;
pub mod op;
pub mod state;
