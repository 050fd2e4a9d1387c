//! What is wrong with a frame.

use std::{borrow::Cow, fmt};

use serde::Serialize;

use crate::rmp;

/// The fault of a frame, with the byte at which it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FrameFault {
    /// The name in the taxonomy of its protocol.
    pub(crate) name: Cow<'static, str>,
    /// The clause that is broken.
    pub(crate) clause: Cow<'static, str>,
    /// What the taxonomy says of it.
    pub(crate) says: Cow<'static, str>,
    pub(crate) message: String,
    pub(crate) expected: String,
    pub(crate) got: String,
    /// The byte, counted from the frame's first one.
    pub(crate) offset: usize,
    /// Whether nothing that follows is read.
    pub(crate) ends_stream: bool,
    /// What to do beside what is expected there.
    #[serde(skip)]
    pub(crate) hint: Option<&'static str>,
}

impl fmt::Display for FrameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.name, self.clause, self.message)
    }
}

impl From<&rmp::Error> for FrameFault {
    fn from(error: &rmp::Error) -> Self {
        let is_of_length = error.code() == rmp::Code::LengthMismatch;
        Self {
            name: error.name().into(),
            clause: error.clause().into(),
            says: error.code().says().into(),
            message: error.to_string(),
            expected: error.expected(),
            got: error.got(),
            offset: error.offset(),
            ends_stream: error.ends_stream(),
            hint: is_of_length.then_some("omit frame_len and body_len to have them filled in"),
        }
    }
}
