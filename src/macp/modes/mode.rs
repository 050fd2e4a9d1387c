//! What a mode is.

use std::borrow::Cow;

use bytes::Bytes;

use super::{Parsed, Participants};
use crate::macp::Fault;

/// A message as a mode sees it.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Its type.
    pub message_type: &'a str,
    /// Who sends it.
    pub sender: &'a str,
    /// What it carries.
    pub payload: &'a Bytes,
    /// What was found of that before, if somebody looked.
    pub parsed: Option<&'a Parsed>,
}

/// What a mode wants to change: the four responses of macp-v1, with a typed change in the place of the whole
/// state.
#[derive(Clone, Debug, PartialEq)]
pub enum Response<D> {
    /// Nothing; the message is accepted.
    NoOp,
    /// The mode's state.
    Persist(D),
    /// The session resolves with these bytes.
    Resolve(Bytes),
    /// Both, at once.
    PersistAndResolve {
        /// The change of the mode's state.
        delta: D,
        /// The resolution.
        resolution: Bytes,
    },
}

impl<D> Response<D> {
    /// Bytes of what the session resolves with.
    #[must_use]
    pub fn resolution_bytes(&self) -> u64 {
        match self {
            Self::NoOp | Self::Persist(_) => 0,
            Self::Resolve(resolution) | Self::PersistAndResolve { resolution, .. } => resolution.len() as u64,
        }
    }
}

/// Why a message is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The fault.
    pub fault: Fault,
    /// The reason, for people.
    pub why: Cow<'static, str>,
}

impl Rejection {
    /// A rejection.
    pub fn new(fault: Fault, why: impl Into<Cow<'static, str>>) -> Self {
        Self { fault, why: why.into() }
    }

    /// The payload is not what the mode expects.
    pub(super) fn payload(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Fault::InvalidPayload, why)
    }
}

/// A mode of coordination.
pub trait Coordination {
    /// What it keeps of a session.
    type State;
    /// How that changes.
    type Delta;

    /// What a session starts from.
    ///
    /// # Errors
    /// [`Rejection`] of the start.
    fn on_session_start(participants: &Participants) -> Result<Self::State, Rejection>;

    /// What a message is to change.
    ///
    /// # Errors
    /// [`Rejection`] of the message; it changes nothing then.
    fn on_message(
        state: &Self::State,
        participants: &Participants,
        message: Message<'_>,
    ) -> Result<Response<Self::Delta>, Rejection>;

    /// Makes the change.
    fn apply(state: &mut Self::State, delta: Self::Delta);
}
