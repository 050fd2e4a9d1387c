//! What a request asks, as far as that hangs on its bytes alone. The host's handlers and judgements share it.

use std::sync::Arc;

use bytes::Bytes;
use prost::{DecodeError, Message};

use super::{
    Head, Rpc, Status, envelope,
    proto::v1::{
        CancelSessionRequest, Envelope, GetManifestRequest, GetSessionRequest, InitializeRequest,
        ListModesRequest, ListRootsRequest, SendRequest, StreamSessionRequest,
    },
};
use crate::{limits, words::cut};

/// The status that a call ends with, and why.
pub type Declined = (Status, String);

/// A request that was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Agree on a version.
    Initialize(Box<InitializeRequest>),
    /// Take a message: of `Send`, or of a stream.
    Message {
        /// The envelope.
        envelope: Box<Envelope>,
        /// Its exact bytes.
        bytes: Bytes,
    },
    /// Tell how a session stands.
    Look {
        /// Which.
        session: String,
    },
    /// End a session before its time.
    Cancel {
        /// Which.
        session: String,
        /// Why.
        reason: String,
    },
    /// Tell what the runtime is.
    Manifest,
    /// Tell the modes.
    Modes,
    /// Tell the roots: there are none.
    Roots,
}

impl Request {
    /// Reads the request of a call from its bytes, as the service does.
    ///
    /// # Errors
    /// The status that the transport or the service ends the call with.
    pub fn read(rpc: Rpc, bytes: &Bytes, limits: &limits::Macp) -> Result<Self, Declined> {
        check_length(bytes.len(), limits)?;
        match rpc {
            Rpc::Initialize => {
                decode::<InitializeRequest>(bytes).map(|message| Self::Initialize(Box::new(message)))
            }
            Rpc::Send => {
                decode::<SendRequest>(bytes).and_then(|message| Self::message(message.envelope, bytes))
            }
            Rpc::StreamSession => decode::<StreamSessionRequest>(bytes)
                .and_then(|message| Self::message(message.envelope, bytes)),
            Rpc::GetSession => {
                decode::<GetSessionRequest>(bytes).map(|it| Self::Look { session: it.session_id })
            }
            Rpc::CancelSession => decode::<CancelSessionRequest>(bytes)
                .map(|it| Self::Cancel { session: it.session_id, reason: it.reason }),
            Rpc::GetManifest => decode::<GetManifestRequest>(bytes).map(|_| Self::Manifest),
            Rpc::ListModes => decode::<ListModesRequest>(bytes).map(|_| Self::Modes),
            Rpc::ListRoots => decode::<ListRootsRequest>(bytes).map(|_| Self::Roots),
            Rpc::WatchModeRegistry | Rpc::WatchRoots => Err(not_implemented(rpc)),
        }
    }

    fn message(given: Option<Envelope>, bytes: &Bytes) -> Result<Self, Declined> {
        let envelope = envelope_of(given)?;
        let bytes = envelope::bytes_within(bytes, &envelope);
        Ok(Self::Message { envelope: Box::new(envelope), bytes })
    }

    /// What the request says of itself at a glance.
    #[must_use]
    pub fn head(&self, rpc: Rpc, limits: &limits::Macp) -> Head {
        match self {
            Self::Message { envelope, .. } => with_envelope(rpc, envelope, limits),
            Self::Look { session } | Self::Cancel { session, .. } => {
                with_session(Head::new(rpc), session, limits)
            }
            Self::Initialize(_) | Self::Manifest | Self::Modes | Self::Roots => Head::new(rpc),
        }
    }
}

fn decode<T: Message + Default>(bytes: &Bytes) -> Result<T, Declined> {
    decoded(T::decode(bytes.clone()))
}

/// A message, or the status of a call whose bytes are none.
pub(super) fn decoded<T>(message: Result<T, DecodeError>) -> Result<T, Declined> {
    message.map_err(|error| (Status::Internal, error.to_string()))
}

/// The envelope of a request, which must have one (ruling MACP 3).
pub(super) fn envelope_of(given: Option<Envelope>) -> Result<Envelope, Declined> {
    given.ok_or_else(|| (Status::InvalidArgument, "the request has no envelope".to_owned()))
}

/// The status of a call that is not implemented, whatever its bytes are.
pub(super) fn not_implemented(rpc: Rpc) -> Declined {
    (Status::Unimplemented, format!("{} is not implemented", rpc.name()))
}

/// Whether the transport takes a request of so many bytes.
fn check_length(bytes: usize, limits: &limits::Macp) -> Result<(), Declined> {
    let max = envelope::request_bytes_max(limits);
    if bytes as u64 <= max {
        return Ok(());
    }
    // In tonic's words.
    let why =
        format!("Error, decoded message length too large: found {bytes} bytes, the limit is: {max} bytes");
    Err(too_long(&why, limits))
}

/// The status of a call whose request the transport found to be too long.
pub(super) fn too_long(why: &str, limits: &limits::Macp) -> Declined {
    let max = limits.payload_bytes_max;
    let why = format!("limits.macp.payload_bytes_max allows a payload of {max} bytes: {why}");
    (Status::ResourceExhausted, why)
}

/// A head that speaks of a session.
pub(super) fn with_session(head: Head, session: &str, limits: &limits::Macp) -> Head {
    Head { session: bounded_text(session, limits), ..head }
}

/// The head of a call with a message.
pub(super) fn with_envelope(rpc: Rpc, envelope: &Envelope, limits: &limits::Macp) -> Head {
    Head {
        session: bounded_text(&envelope.session_id, limits),
        message_type: bounded_text(&envelope.message_type, limits),
        message_id: bounded_text(&envelope.message_id, limits),
        sender: bounded_text(&envelope.sender, limits),
        ..Head::new(rpc)
    }
}

fn bounded_text(text: &str, limits: &limits::Macp) -> Option<Arc<str>> {
    (!text.is_empty()).then(|| Arc::from(cut(text, limits.id_bytes_max)))
}
