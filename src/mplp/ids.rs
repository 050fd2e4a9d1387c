//! Identifiers that are derived of what they name, and not stored (ruling MPLP 3).

use std::fmt;

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::formats::is_uuid_v4;

/// What every derivation begins with.
const NAMESPACE: &str = "rl-console/mplp/1";

/// What an identifier is derived of: its kind and the parts that tell it from others of the kind. A record
/// is named by its trace, hyphenated, and that of a session by the session's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Derived<'a> {
    /// The Context of a record; of a session whose trace is known, that of the trace.
    Context(&'a str),
    /// The Plan of a record; also the `pipeline_id` of its events.
    Plan(&'a str),
    /// The Trace of a record.
    Trace(&'a str),
    /// The root span of a record.
    Span(&'a str),
    /// The Collab of a record; also the `session_id` of its MAP events.
    Collab(&'a str),
    /// The Dialog of a record.
    Dialog(&'a str),
    /// The Network of a record.
    Network(&'a str),
    /// The graph of a record.
    Graph(&'a str),
    /// The Core of a record.
    Core(&'a str),
    /// The single-agent execution of a record.
    Sa(&'a str),
    /// A step of a record's Plan: the node that it is made of.
    Step(&'a str, &'a str),
    /// A node of a record's Network.
    Node(&'a str, &'a str),
    /// A segment of a record's Trace: the number of the run event or log record that causes it. Also the
    /// `execution_id` and `token_id` of that attempt.
    Segment(&'a str, u64),
    /// The decision on an action.
    Decision(&'a str),
    /// The Role of a name.
    Role(&'a str),
    /// An Extension: its sort and its own id.
    Extension(&'a str, &'a str),
    /// An event of a record: the number of the run event or log record that causes it, and its place from 0
    /// among those that this one causes.
    Event(&'a str, u64, u64),
    /// A learning sample of a record: its family, and its place from 0 in it.
    Sample(&'a str, &'a str, u64),
}

impl Derived<'_> {
    /// The name of its kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Context(_) => "context",
            Self::Plan(_) => "plan",
            Self::Trace(_) => "trace",
            Self::Span(_) => "span",
            Self::Collab(_) => "collab",
            Self::Dialog(_) => "dialog",
            Self::Network(_) => "network",
            Self::Graph(_) => "graph",
            Self::Core(_) => "core",
            Self::Sa(_) => "sa",
            Self::Step(..) => "step",
            Self::Node(..) => "node",
            Self::Segment(..) => "segment",
            Self::Decision(_) => "decision",
            Self::Role(_) => "role",
            Self::Extension(..) => "extension",
            Self::Event(..) => "event",
            Self::Sample(..) => "sample",
        }
    }

    /// The identifier: the first 16 bytes of the SHA-256 over the namespace, the kind and the parts, each as
    /// UTF-8 with a zero byte behind it, with version 4 and variant 10.
    #[must_use]
    pub fn id(&self) -> MplpId {
        let mut hash = Sha256::new();
        let mut take = |part: &str| {
            hash.update(part.as_bytes());
            hash.update([0]);
        };
        take(NAMESPACE);
        take(self.kind());
        match *self {
            Self::Context(a)
            | Self::Plan(a)
            | Self::Trace(a)
            | Self::Span(a)
            | Self::Collab(a)
            | Self::Dialog(a)
            | Self::Network(a)
            | Self::Graph(a)
            | Self::Core(a)
            | Self::Sa(a)
            | Self::Decision(a)
            | Self::Role(a) => take(a),
            Self::Step(a, b) | Self::Node(a, b) | Self::Extension(a, b) => [a, b].into_iter().for_each(take),
            Self::Segment(a, n) => [a, &n.to_string()].into_iter().for_each(take),
            Self::Event(a, n, k) => [a, &n.to_string(), &k.to_string()].into_iter().for_each(take),
            Self::Sample(a, b, k) => [a, b, &k.to_string()].into_iter().for_each(take),
        }
        let digest = hash.finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        MplpId(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// A text that is a lowercase UUID v4, as it is; for any other the derived identifier.
    #[must_use]
    pub fn id_unless(&self, text: &str) -> MplpId {
        MplpId::parse(text).unwrap_or_else(|| self.id())
    }
}

/// An identifier of a protocol object (`mplp-l1 §3.2.1`): a UUID v4, written in lowercase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MplpId(Uuid);

impl MplpId {
    /// The identifier that a text is; nothing for a text that is no lowercase UUID v4.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if is_uuid_v4(text) { Uuid::try_parse(text).ok().map(Self) } else { None }
    }

    /// Its 16 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }
}

impl serde::Serialize for MplpId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for MplpId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

#[cfg(test)]
mod tests;
