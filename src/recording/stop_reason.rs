//! Why recordings end by themselves.

use std::io;

use super::writer::WriteError;
use crate::words::{is_no_room, write_failure};

/// Why a recording ended that was not ended by anyone.
#[derive(Debug, thiserror::Error)]
pub(super) enum StopReason {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("cannot take a snapshot: {0}")]
    NoSnapshot(String),
    #[error("its files have reached {limit} bytes (limits.recording.bytes_max)")]
    TooLong { limit: u64 },
    #[error("the disk is too low for another file (limits.store.disk_free_bytes_min)")]
    DiskLow,
    #[error("cannot make the next file: {}", write_failure(.0))]
    NextFile(io::Error),
    /// Of what was written before.
    #[error("{}", write_failure(.0))]
    Sync(io::Error),
    #[error("its file was removed")]
    Removed,
}

impl StopReason {
    /// Whether that is a full disk.
    pub(super) fn is_disk_full(&self) -> bool {
        match self {
            Self::Write(WriteError::Io(error)) | Self::NextFile(error) | Self::Sync(error) => {
                is_no_room(error.kind())
            }
            Self::DiskLow => true,
            Self::Write(WriteError::Full { .. })
            | Self::NoSnapshot(_)
            | Self::TooLong { .. }
            | Self::Removed => false,
        }
    }

    /// Whether the file takes nothing more.
    pub(super) const fn is_of_file(&self) -> bool {
        matches!(self, Self::Write(WriteError::Io(_)) | Self::Removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_one_wherever_it_is_met() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let other = || io::Error::from(io::ErrorKind::PermissionDenied);
        for (end, is_full) in [
            (StopReason::Write(WriteError::Io(full())), true),
            (StopReason::NextFile(full()), true),
            (StopReason::Sync(full()), true),
            (StopReason::DiskLow, true),
            (StopReason::Write(WriteError::Io(other())), false),
            (StopReason::NextFile(other()), false),
            (StopReason::Write(WriteError::Full { limit: 1 }), false),
            (StopReason::TooLong { limit: 1 }, false),
            (StopReason::NoSnapshot(String::new()), false),
            (StopReason::Removed, false),
        ] {
            assert_eq!(end.is_disk_full(), is_full, "{end}");
        }
    }
}
