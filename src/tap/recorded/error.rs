//! Why a recorded message cannot be read.

/// Why a recorded message cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// It is no message of this form.
    #[error("not a message of the recording format: {0}")]
    Malformed(#[from] prost::DecodeError),
    /// It holds a value of a newer version, or none where one must be.
    #[error("`{field}` has the value {value}, which this version of rl-console does not know")]
    Unknown {
        /// Where.
        field: &'static str,
        /// The number on the wire; 0 where nothing was written.
        value: i32,
    },
    /// It lacks a part that must be there, or has it in a form of a newer version.
    #[error("`{0}` is missing, or of a kind that this version of rl-console does not know")]
    Missing(&'static str),
    /// It holds a text or bytes that are not what they should be.
    #[error("`{0}` has invalid contents")]
    Invalid(&'static str),
}
