//! What outlives the process.
mod apply;
mod aside;
mod backup;
mod counters;
mod error;
mod handle;
mod held;
mod intake;
pub mod invocations;
mod journal;
mod lock;
mod migrations;
pub mod op;
mod open;
mod read;
mod record;
mod replay;
mod reply;
mod retention;
mod segments;
pub mod state;
#[expect(clippy::module_inception, reason = "the store itself, beside its parts")]
mod store;
mod tables;
#[cfg(test)]
mod tests;
mod writer;

pub use counters::Counters;
pub use error::StoreError;
pub use handle::Handle;
pub use journal::Journal;
pub use lock::Lock;
pub use read::{InvocationFilter, OthersPage, RefundFilter, Rows};
pub use store::{Opened, Store};

/// Where an answer goes; called once, on one of the store's threads, so it must be quick.
pub type Answer<T> = Box<dyn FnOnce(Result<T, op::CommitError>) + Send>;
