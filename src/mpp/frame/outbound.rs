//! Frames from the bridge to the adapter, as an adapter reads them.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{
    dispatch,
    envelope::Fields,
    error,
    handshake::{self, Persisted},
    inbound,
};
use crate::{
    ids::{EventName, InvocationId, SessionId},
    tap::entry::mpp::{FrameType, Head, Violation},
};

/// A frame from the bridge whose fields are all there and of their types.
#[derive(Clone, Debug)]
pub enum Outbound<'a> {
    /// The adapter is taken.
    HelloAck {
        /// As whom the bridge is authenticated.
        broadcaster_login: Cow<'a, str>,
        /// The platform's session.
        session_id: SessionId,
        /// The stored values of `persist` keys.
        persisted: Vec<Persisted<'a>>,
    },
    /// The adapter is refused.
    HelloRefused {
        /// One of the six reason codes, or one of a later version.
        reason: Cow<'a, str>,
    },
    /// An event to run.
    Invocation {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: Cow<'a, str>,
        /// Its event.
        event: Cow<'a, str>,
        /// The event's parameters, an object.
        params: &'a RawValue,
    },
    /// Still here.
    Heartbeat,
    /// The last frame before the bridge closes.
    ProtocolError {
        /// One of the six codes, or one of a later version.
        code: Cow<'a, str>,
        /// The explanation for people.
        message: Cow<'a, str>,
    },
}

impl Outbound<'_> {
    /// What the tap says of it. A queue's name over 64 bytes is left out.
    #[must_use]
    pub fn head(&self) -> Head {
        let kind = match self {
            Self::HelloAck { .. } | Self::HelloRefused { .. } => FrameType::HelloAck,
            Self::Invocation { .. } => FrameType::Invocation,
            Self::Heartbeat => FrameType::Heartbeat,
            Self::ProtocolError { .. } => FrameType::ProtocolError,
        };
        let mut head = Head { kind: Some(kind), ..Head::default() };
        if let Self::Invocation { id, queue, event, .. } = self {
            head.id = Some(*id);
            head.queue = inbound::visible_queue(queue);
            head.event = Some(EventName::new(event));
        }
        head
    }
}

/// Reads one line from a bridge, with or without its LF and a CR before it.
///
/// # Errors
/// The violation; a type that only adapters send is [`Violation::WrongDirection`].
pub fn decode_outbound(wire: &[u8]) -> Result<Outbound<'_>, Violation> {
    let fields = Fields::read(wire)?;
    if !fields.is_version_2() {
        return Err(Violation::Version);
    }
    match inbound::kind(&fields)? {
        FrameType::HelloAck => handshake::read_hello_ack(&fields),
        FrameType::Invocation => dispatch::read_invocation(&fields),
        FrameType::Heartbeat => Ok(Outbound::Heartbeat),
        FrameType::ProtocolError => error::read_outbound(&fields),
        _ => Err(Violation::WrongDirection),
    }
}
