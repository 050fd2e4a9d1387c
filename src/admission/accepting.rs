//! Errors of `accept`: which are the listener's own, and what is told of them.

use std::io;

/// Whether an error of `accept` concerns the connection that was to be accepted, not the listener.
#[must_use]
pub(crate) fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::Interrupted
    )
}

/// Why nothing can be accepted for now, and what to do: mostly the system has no descriptor left.
#[must_use]
pub(crate) fn describe_accept_error(error: &io::Error) -> String {
    format!("cannot accept connections: {error}; retrying (raise the limit of open files with `ulimit -n`)")
}
