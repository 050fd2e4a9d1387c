//! Why a file is not written, in words.

use std::io::{self, ErrorKind};

/// Whether a disk, or what one may have of it, is full.
pub(crate) const fn is_no_room(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// Why a file is not made or not written to, without the system's own number: `it exists`.
pub(crate) fn write_failure(error: &io::Error) -> String {
    let text = error.to_string();
    // What is no error of the system says it itself.
    if error.get_ref().is_some() {
        return text;
    }
    let words = match error.kind() {
        ErrorKind::AlreadyExists => "it exists",
        ErrorKind::NotFound => "its folder does not exist",
        ErrorKind::NotADirectory => "a part of its path is not a folder",
        ErrorKind::IsADirectory => "it is a folder",
        ErrorKind::PermissionDenied => "writing there is not permitted",
        ErrorKind::ReadOnlyFilesystem => "its disk is read-only",
        kind if is_no_room(kind) => "no room on its disk",
        _ => text.split(" (os error").next().unwrap_or_default(),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_file_is_not_written_is_said_without_the_systems_number() {
        for (number, words) in [
            (17, "it exists"),
            (2, "its folder does not exist"),
            (13, "writing there is not permitted"),
            (28, "no room on its disk"),
            (5, "Input/output error"),
        ] {
            assert_eq!(write_failure(&io::Error::from_raw_os_error(number)), words);
        }
        assert_eq!(write_failure(&io::Error::other("a chunk is too long")), "a chunk is too long");
    }
}
