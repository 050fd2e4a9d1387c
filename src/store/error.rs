//! Why a store could not be opened.

use std::{io, path::PathBuf};

use rusqlite::ffi;

/// Why a store could not be opened, closed or backed up.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has the data folder.
    #[error("{} is in use by another station{}", .data.display(), .by_pid.map(|pid| format!(" (process {pid})")).unwrap_or_default())]
    Held {
        /// The data folder.
        data: PathBuf,
        /// The process that has it, where it could be read.
        by_pid: Option<u32>,
    },
    /// The database was written by a later version of the program.
    #[error("{} has schema {found}; this rl-console supports schemas up to {known}: use a newer rl-console, \
             or another data folder", .file.display())]
    NewerSchema {
        /// The database.
        file: PathBuf,
        /// Its schema version.
        found: i64,
        /// The latest that this program knows.
        known: i64,
    },
    /// The file is a database of another program.
    #[error("{} belongs to another program: move it away, or use another data folder", .file.display())]
    NotAStore {
        /// The database.
        file: PathBuf,
    },
    /// A file or folder could not be made, read or written.
    #[error("{what}: {source}")]
    Io {
        /// Which file, and for what.
        what: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The database refused.
    #[error("{what}: {source}")]
    Database {
        /// For what.
        what: &'static str,
        /// What it says.
        source: rusqlite::Error,
    },
    /// The writer did not end in time; what was accepted is in the journal and is taken up at the next start.
    #[error("the store's writer did not stop within {ms} ms; remaining changes are in the journal")]
    CloseTimedOut {
        /// How long was waited.
        ms: u64,
    },
    /// The writer ended with rows that it could not fold; the journal keeps them for the next start.
    #[error("the store closed without applying its journal: {0}")]
    Unfolded(String),
}

impl StoreError {
    /// Whether the disk has no room, so that it can be tried again once there is some.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Io { source, .. } => {
                matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            Self::Database { source, .. } => {
                // The index of the write-ahead log takes room too.
                let full = [ffi::SQLITE_FULL, ffi::SQLITE_IOERR_SHMSIZE];
                source.sqlite_error().is_some_and(|error| full.contains(&error.extended_code))
            }
            Self::Held { .. }
            | Self::NewerSchema { .. }
            | Self::NotAStore { .. }
            | Self::CloseTimedOut { .. }
            | Self::Unfolded(_) => false,
        }
    }

    pub(super) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    pub(super) fn database(what: &'static str) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| Self::Database { what, source }
    }
}
