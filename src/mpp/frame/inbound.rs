//! Frames from the adapter to the bridge.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{
    dispatch,
    envelope::{Fields, Key, string},
    error, handshake, outcome, telemetry,
};
use crate::{
    ids::{InvocationId, QueueName},
    limits::QUEUE_NAME_BYTES_MAX,
    tap::entry::mpp::{ErrorCode, Fault, FrameType, Head, HelloReason, Level, Violation},
};

/// A frame from the adapter whose fields are all there and of their types. Strings borrow from the line
/// unless they have escapes.
#[derive(Clone, Debug)]
pub enum Inbound<'a> {
    /// Who the adapter is.
    Hello {
        /// The pack it claims.
        pack_id: Cow<'a, str>,
        /// The manifest it claims; its form is not checked here: one of another form equals none.
        manifest_hash: Cow<'a, str>,
        /// The raw token: a secret.
        bridge_token: Cow<'a, str>,
    },
    /// One credit on a queue.
    Pull {
        /// Its name.
        queue: Cow<'a, str>,
    },
    /// Received.
    Ack {
        /// Of which invocation it speaks.
        id: InvocationId,
    },
    /// The effect is in the game.
    Applied {
        /// Of which invocation it speaks.
        id: InvocationId,
        /// An object; absent when it was null or absent.
        result: Option<&'a RawValue>,
    },
    /// Finished.
    Done {
        /// Of which invocation it speaks.
        id: InvocationId,
    },
    /// Not done.
    Failed {
        /// Of which invocation it speaks.
        id: InvocationId,
        /// Why, to be recorded verbatim.
        reason: Cow<'a, str>,
        /// Whether the viewer is to get a refund.
        refund: bool,
    },
    /// Still here.
    Heartbeat,
    /// A line for the log.
    Log {
        /// How much it matters.
        level: Level,
        /// The line.
        message: Cow<'a, str>,
    },
    /// A pack-state value.
    StateWrite {
        /// Its key.
        key: Cow<'a, str>,
        /// Any JSON value, `null` included.
        value: &'a RawValue,
        /// The opaque tag to be echoed with it.
        scope: Option<Cow<'a, str>>,
    },
    /// The adapter gives up.
    ProtocolError {
        /// Its code, which need not be one of ours.
        code: Cow<'a, str>,
        /// Its explanation.
        message: Cow<'a, str>,
    },
}

/// Whether a connection's first frame is awaited, or a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Only `hello` may come, and the version is judged before its fields (rulings MPP 1 and 2).
    First,
    /// Anything but `hello` may come (ruling MPP 3).
    Later,
}

/// A line that ends its connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What could be read of it.
    pub head: Head,
    /// Why, and how the adapter is told.
    pub fault: Fault,
    /// The `message` of the `protocol_error`, should one be sent. It may repeat what the line says, at its
    /// whole length: secrets are to be masked in it before it is cut.
    pub message: Cow<'static, str>,
}

/// Reads one line from an adapter, with or without its LF and a CR before it.
///
/// # Errors
/// [`Refusal`] when the line is no frame, none that may come in this phase, or lacks a field.
pub fn decode(wire: &[u8], phase: Phase) -> Result<Inbound<'_>, Refusal> {
    let fields = Fields::read(wire).map_err(|violation| Refusal::new(Head::default(), violation))?;
    let frame = match phase {
        Phase::First => first(&fields),
        Phase::Later => later(&fields),
    };
    frame.map_err(|refused| refused.into_refusal(&fields))
}

impl Inbound<'_> {
    /// Its type.
    #[must_use]
    pub const fn kind(&self) -> FrameType {
        match self {
            Self::Hello { .. } => FrameType::Hello,
            Self::Pull { .. } => FrameType::Pull,
            Self::Ack { .. } => FrameType::Ack,
            Self::Applied { .. } => FrameType::Applied,
            Self::Done { .. } => FrameType::Done,
            Self::Failed { .. } => FrameType::Failed,
            Self::Heartbeat => FrameType::Heartbeat,
            Self::Log { .. } => FrameType::Log,
            Self::StateWrite { .. } => FrameType::StateWrite,
            Self::ProtocolError { .. } => FrameType::ProtocolError,
        }
    }

    /// The invocation it speaks of.
    #[must_use]
    pub const fn id(&self) -> Option<InvocationId> {
        match self {
            Self::Ack { id } | Self::Applied { id, .. } | Self::Done { id } | Self::Failed { id, .. } => {
                Some(*id)
            }
            _ => None,
        }
    }

    /// What the tap says of it. A queue's name over 64 bytes is left out. This allocates for a `pull`: where
    /// the queue is known, its own name is better put in.
    #[must_use]
    pub fn head(&self) -> Head {
        let queue = match self {
            Self::Pull { queue } => visible_queue(queue),
            _ => None,
        };
        Head { kind: Some(self.kind()), id: self.id(), queue, event: None }
    }
}

impl Refusal {
    fn new(head: Head, violation: Violation) -> Self {
        let message = Cow::Owned(violation.to_string());
        Self { head, fault: Fault::Protocol { code: ErrorCode::InvalidFrame, violation }, message }
    }
}

/// The fault of an object that could be read.
enum ReadFailure {
    Version,
    Violation(Violation),
}

impl From<Violation> for ReadFailure {
    fn from(violation: Violation) -> Self {
        Self::Violation(violation)
    }
}

impl ReadFailure {
    #[cold]
    fn into_refusal(self, fields: &Fields<'_>) -> Refusal {
        let head = head(fields);
        match self {
            Self::Version => Refusal {
                head,
                fault: Fault::Hello(HelloReason::UnsupportedMppVersion),
                message: Cow::Borrowed(""),
            },
            Self::Violation(violation @ Violation::UnknownType) => {
                let mut refusal = Refusal::new(head, violation);
                refusal.message = Cow::Owned(unknown_type(fields));
                refusal
            }
            Self::Violation(violation) => Refusal::new(head, violation),
        }
    }
}

fn first<'a>(fields: &Fields<'a>) -> Result<Inbound<'a>, ReadFailure> {
    // Ruling MPP 1: `hello_ack` with this reason whatever the type.
    if !fields.is_version_2() {
        return Err(ReadFailure::Version);
    }
    match kind(fields)? {
        FrameType::Hello => Ok(handshake::read_hello(fields)?),
        _ => Err(Violation::HelloFirst.into()),
    }
}

fn later<'a>(fields: &Fields<'a>) -> Result<Inbound<'a>, ReadFailure> {
    if !fields.is_version_2() {
        return Err(Violation::Version.into());
    }
    let frame = match kind(fields)? {
        FrameType::Pull => dispatch::read_pull(fields)?,
        FrameType::Ack => outcome::read_ack(fields)?,
        FrameType::Applied => outcome::read_applied(fields)?,
        FrameType::Done => outcome::read_done(fields)?,
        FrameType::Failed => outcome::read_failed(fields)?,
        FrameType::Heartbeat => Inbound::Heartbeat,
        FrameType::Log => telemetry::read_log(fields)?,
        FrameType::StateWrite => telemetry::read_state_write(fields)?,
        FrameType::ProtocolError => error::read_inbound(fields)?,
        FrameType::Hello => return Err(Violation::SecondHello.into()),
        FrameType::HelloAck | FrameType::Invocation => return Err(Violation::WrongDirection.into()),
    };
    Ok(frame)
}

/// The frame's type.
pub(super) fn kind(fields: &Fields<'_>) -> Result<FrameType, Violation> {
    let name = fields.raw(Key::Type).and_then(string).ok_or(Violation::NoType)?;
    FrameType::from_name(&name).ok_or(Violation::UnknownType)
}

fn head(fields: &Fields<'_>) -> Head {
    let kind = kind(fields).ok();
    let id = match kind {
        Some(
            FrameType::Ack | FrameType::Applied | FrameType::Done | FrameType::Failed | FrameType::Invocation,
        ) => fields.number(Key::Id).ok().map(InvocationId),
        _ => None,
    };
    let queue = match kind {
        Some(FrameType::Pull | FrameType::Invocation) => {
            fields.text(Key::Queue).ok().and_then(|name| visible_queue(&name))
        }
        _ => None,
    };
    Head { kind, id, queue, event: None }
}

/// A peer chose the name: what could not be a queue's is not kept.
pub(super) fn visible_queue(name: &str) -> Option<QueueName> {
    (name.len() <= QUEUE_NAME_BYTES_MAX).then(|| QueueName::new(name))
}

fn unknown_type(fields: &Fields<'_>) -> String {
    let name = fields.raw(Key::Type).and_then(string).unwrap_or_default();
    format!("unknown type: '{name}'")
}
