//! How the store answers.

use super::op::CommitError;

/// Where an answer goes; called once, on one of the store's threads, so it must be quick.
pub type Answer<T> = Box<dyn FnOnce(Result<T, CommitError>) + Send>;
