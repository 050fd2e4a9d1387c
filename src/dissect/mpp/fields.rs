//! The fields of the twelve frames as their tables have them (mpp-v2, frames).

use self::{Expected as W, Requirement as N, Visibility as S};
use crate::{dissect::tree::Kind, tap::entry::mpp::FrameType};

/// What a field must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// The number 2.
    Version,
    /// One of the twelve names.
    FrameType,
    /// A whole number of 64 bits without a sign.
    Whole,
    Text,
    Object,
    ObjectOrNull,
    Boolean,
    Any,
    /// Rows of `persisted[]`.
    Rows,
    /// One of the five levels.
    Level,
}

impl Expected {
    /// What it is called where another stands there.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Self::Version => "expected 2",
            Self::FrameType => "expected one of the twelve frame types",
            Self::Whole => "expected an unsigned integer",
            Self::Text => "expected a string",
            Self::Object => "expected an object",
            Self::ObjectOrNull => "expected an object or null",
            Self::Boolean => "expected true or false",
            Self::Any => "expected a value",
            Self::Rows => "expected an array of { key, value, scope }",
            Self::Level => "expected trace, debug, info, warn or error",
        }
    }

    /// Whether a value is that; `text` is its JSON.
    pub(crate) fn matches(self, kind: Kind, text: &str) -> bool {
        if matches!(kind, Kind::Broken | Kind::Missing) {
            return false;
        }
        match self {
            Self::Version => text == "2",
            Self::FrameType => kind == Kind::Text && FrameType::from_name(unquoted(text)).is_some(),
            Self::Whole => kind == Kind::Number && text.parse::<u64>().is_ok(),
            Self::Text => kind == Kind::Text,
            Self::Object => kind == Kind::Object,
            Self::ObjectOrNull => matches!(kind, Kind::Object | Kind::Null),
            Self::Boolean => kind == Kind::Boolean,
            Self::Any => true,
            Self::Rows => kind == Kind::Array,
            Self::Level => {
                kind == Kind::Text && crate::tap::entry::mpp::Level::from_name(unquoted(text)).is_some()
            }
        }
    }
}

/// A JSON string without its quotes.
pub(crate) fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// When a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    Always,
    Never,
    /// Of `hello_ack` with `ok: true`.
    Accepted,
    /// Of `hello_ack` with `ok: false`.
    Refused,
}

/// Who may see a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// A word of the protocol.
    Public,
    /// A name that both sides know once the frame was taken; before, a peer can write anything there.
    Name,
    Login,
    Payload,
    Secret,
}

/// A field of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) expected: Expected,
    pub(crate) requirement: Requirement,
    pub(crate) visibility: Visibility,
    /// What it is, in a few words.
    pub(crate) about: &'static str,
}

const fn field(
    name: &'static str,
    wants: Expected,
    need: Requirement,
    seen: Visibility,
    about: &'static str,
) -> Field {
    Field { name, expected: wants, requirement: need, visibility: seen, about }
}

/// What every frame has.
pub(crate) const ENVELOPE: &[Field] = &[
    field("mpp", W::Version, N::Always, S::Public, "version"),
    field("type", W::FrameType, N::Always, S::Public, "frame type"),
];

const ID: Field = field("id", W::Whole, N::Always, S::Public, "invocation");

const PERSISTED: &[Field] = &[
    field("key", W::Text, N::Always, S::Name, "declared key"),
    field("value", W::Any, N::Always, S::Payload, "stored value"),
    field("scope", W::Text, N::Never, S::Payload, "the adapter's own tag of a run"),
];

/// The fields of one row of `persisted[]`.
pub(crate) const fn persisted() -> &'static [Field] {
    PERSISTED
}

const HELLO: &[Field] = &[
    field("pack_id", W::Text, N::Always, S::Name, "pack of the adapter"),
    field("manifest_hash", W::Text, N::Always, S::Name, "hash of its pack.toml"),
    field("bridge_token", W::Text, N::Always, S::Secret, "token from the pairing"),
];

const HELLO_ACK: &[Field] = &[
    field("ok", W::Boolean, N::Always, S::Public, "whether the adapter is accepted"),
    field("broadcaster_login", W::Text, N::Accepted, S::Login, "login of the broadcaster"),
    field("session_id", W::Whole, N::Accepted, S::Public, "id of the station's start"),
    field("persisted", W::Rows, N::Never, S::Public, "persisted state values, to be applied first"),
    field("reason", W::Text, N::Refused, S::Name, "reason for the refusal"),
];

const PULL: &[Field] = &[field("queue", W::Text, N::Always, S::Name, "queue granted one credit")];

const INVOCATION: &[Field] = &[
    ID,
    field("queue", W::Text, N::Always, S::Name, "queue"),
    field("event", W::Text, N::Always, S::Name, "event of the pack"),
    field("params", W::Object, N::Always, S::Payload, "event parameters"),
];

const APPLIED: &[Field] = &[ID, field("result", W::ObjectOrNull, N::Never, S::Payload, "result")];

const FAILED: &[Field] = &[
    ID,
    field("reason", W::Text, N::Always, S::Payload, "reason, recorded verbatim"),
    field("refund", W::Boolean, N::Never, S::Public, "whether to refund the viewer"),
];

const LOG: &[Field] = &[
    field("level", W::Level, N::Always, S::Name, "severity"),
    field("message", W::Text, N::Always, S::Payload, "log line"),
];

const STATE_WRITE: &[Field] = &[
    field("key", W::Text, N::Always, S::Name, "key, as declared in the manifest"),
    field("value", W::Any, N::Always, S::Payload, "value, any JSON"),
    field("scope", W::Text, N::Never, S::Payload, "the adapter's own tag of a run"),
];

const PROTOCOL_ERROR: &[Field] = &[
    field("code", W::Text, N::Always, S::Name, "violation code"),
    field("message", W::Text, N::Always, S::Payload, "description of the violation"),
];

/// The fields of a frame beside [`ENVELOPE`].
pub(crate) const fn fields(kind: FrameType) -> &'static [Field] {
    match kind {
        FrameType::Hello => HELLO,
        FrameType::HelloAck => HELLO_ACK,
        FrameType::Pull => PULL,
        FrameType::Invocation => INVOCATION,
        FrameType::Ack | FrameType::Done => &[ID],
        FrameType::Applied => APPLIED,
        FrameType::Failed => FAILED,
        FrameType::Heartbeat => &[],
        FrameType::Log => LOG,
        FrameType::StateWrite => STATE_WRITE,
        FrameType::ProtocolError => PROTOCOL_ERROR,
    }
}
