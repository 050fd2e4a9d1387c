//! Values of the command line that a message carries.

use crate::cli::{error::Error, input};

/// The bytes that a value stands for, which may be those of a file or of stdin.
///
/// # Errors
/// The file cannot be read, or has more than `bytes_max`.
pub(crate) fn bytes_of(said: &str, bytes_max: u64) -> Result<Vec<u8>, Error> {
    input::bytes_of(said, bytes_max, "the limit of a payload is `limits.macp.payload_bytes_max`")
}
