//! The lines of the operator socket.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::port::{Command, Outcome, Page, PortError, Query};

/// The longest path that every supported system takes as a socket's name, in bytes.
pub(super) const SOCKET_PATH_BYTES_MAX: usize = 103;

/// The socket of a data folder's station.
#[must_use]
pub fn socket_path(data: &Path) -> PathBuf {
    data.join("operator.sock")
}

/// What a client sends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    Command(Command),
    Query(Query),
}

/// What it is answered.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Response {
    Outcome(Outcome),
    Page(Page),
    Error(PortError),
}
