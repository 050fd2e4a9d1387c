//! The head of a call, read at a glance, and what the runtime made of it.

use std::sync::Arc;

use super::{Code, Fault};
use crate::tap::entry::names::names;

names! {
    /// A call of the service (macp-v1, gRPC Service Definition).
    Rpc {
        /// Agrees on a version.
        Initialize = "Initialize",
        /// One message.
        Send = "Send",
        /// One message of a stream.
        StreamSession = "StreamSession",
        /// How a session stands.
        GetSession = "GetSession",
        /// Ends a session before its time.
        CancelSession = "CancelSession",
        /// What the runtime is.
        GetManifest = "GetManifest",
        /// The modes.
        ListModes = "ListModes",
        /// Not implemented.
        WatchModeRegistry = "WatchModeRegistry",
        /// None.
        ListRoots = "ListRoots",
        /// Not implemented.
        WatchRoots = "WatchRoots",
    }
    /// The status of gRPC that a call ends with, where it is not OK.
    Status {
        /// The request is not one that the call takes.
        InvalidArgument = "INVALID_ARGUMENT",
        /// There is no such session.
        NotFound = "NOT_FOUND",
        /// The call is not implemented.
        Unimplemented = "UNIMPLEMENTED",
        /// A bound of the runtime is reached.
        ResourceExhausted = "RESOURCE_EXHAUSTED",
        /// What was accepted is not durable, or the runtime is going down.
        Unavailable = "UNAVAILABLE",
        /// The bytes are no message of the call.
        Internal = "INTERNAL",
        /// The message was not whole in time.
        DeadlineExceeded = "DEADLINE_EXCEEDED",
    }
}

/// A call and what it speaks of; what could not be read or is empty is absent. Texts are cut at
/// `limits.macp.id_bytes_max`. Its trace is the entry's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Which call it is of.
    pub rpc: Rpc,
    /// The session.
    pub session: Option<Arc<str>>,
    /// The message's type.
    pub message_type: Option<Arc<str>>,
    /// The message's id.
    pub message_id: Option<Arc<str>>,
    /// Who sends it.
    pub sender: Option<Arc<str>>,
    /// Of an answer, what it says.
    pub answer: Option<Answered>,
}

impl Head {
    /// A head that speaks of nothing but its call.
    #[must_use]
    pub const fn new(rpc: Rpc) -> Self {
        Self { rpc, session: None, message_type: None, message_id: None, sender: None, answer: None }
    }
}

/// What an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answered {
    /// It was done, or accepted.
    Ok,
    /// It had been accepted before.
    Duplicate,
    /// The message was rejected.
    Refused(Code),
    /// The call ends with a status. There are no bytes.
    Status(Status),
}

/// What the runtime made of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It was done, or accepted.
    Accepted,
    /// It had been accepted before, and changes nothing.
    Duplicate,
    /// The message was rejected.
    Refused(Fault),
    /// The call ends with a status.
    Declined(Status),
}
