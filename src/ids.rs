//! Newtypes for everything that has an identity: invocations, traces, tickets, names.
//!
//! Names are shared strings: cloning one costs a reference count, so that hot paths (tap entries,
//! transitions) never allocate.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl $name {
            /// The number after this one.
            #[must_use]
            pub fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }
    };
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps a text as it is.
            #[must_use]
            pub fn new(text: &str) -> Self {
                Self(Arc::from(text))
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }
    };
}

number! {
    /// The identity of one invocation, unique for the life of a data folder (mpp-v2, invocation).
    InvocationId
}
number! {
    /// The identity of one refund record.
    RefundId
}
number! {
    /// The count of station starts of a data folder, sent as `session_id` (ruling MPP 14).
    SessionId
}
number! {
    /// The place of an entry in the tap; the first is 1.
    Seq
}
number! {
    /// A core's request for durability, numbered in the order in which it was made.
    Ticket
}
number! {
    /// One accepted connection of a host, never reused within a start of the station.
    ConnectionId
}
number! {
    /// One command given through the port; its answer carries the same number.
    RequestId
}

name! {
    /// The name of a queue, at most 64 bytes (mpp-v2, security notes).
    QueueName
}
name! {
    /// The name of an event as declared in a pack manifest.
    EventName
}
name! {
    /// The key of a pack-state value, `[state.<key>]`.
    StateKey
}
name! {
    /// A pack's reverse-DNS identifier.
    PackId
}
name! {
    /// `sha256:` and 64 lowercase hex digits over a manifest's exact bytes (ruling MPP 15).
    ManifestHash
}
name! {
    /// A topic of the bus, or a pattern of topics (ruling RMP 5); at most 255 bytes.
    TopicName
}
name! {
    /// A plugin's reverse-DNS identifier, at most 64 characters (streamnook-plugin-v1, Manifest).
    PluginId
}
name! {
    /// Who is at the other end of a connection, as the operating system names it (`127.0.0.1:50312`).
    Peer
}

macro_rules! prefixed {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Uuid);

        impl $name {
            /// The prefix of the shown form.
            pub const PREFIX: &'static str = $prefix;

            /// The last four hex digits, enough for an eye to match two rows on one screen; the first ones
            /// may be a time, and all alike.
            #[must_use]
            pub fn short(self) -> String {
                self.0.simple().to_string().split_off(28)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", Self::PREFIX, self.0.hyphenated())
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            /// Reads the shown form or the bare UUID.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text.strip_prefix(Self::PREFIX).unwrap_or(text)).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

prefixed! {
    /// What correlates everything that one piece of work caused, across protocols; shown as `trace:<uuid>`. A
    /// run's is its name.
    TraceId, "trace:"
}
prefixed! {
    /// The identity of an opening as it was accepted for one run; shown as `opening:<uuid>`.
    OpeningId, "opening:"
}
prefixed! {
    /// A question to a person whether a node of a run may go on (ruling RMP 13); shown as `action:<uuid>`.
    ActionId, "action:"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_trace_id_with_and_without_its_prefix() {
        let bare = "0191d3c2-7a41-7f00-8000-00000000a41f";
        let with = format!("trace:{bare}");
        assert_eq!(bare.parse::<TraceId>().unwrap(), with.parse::<TraceId>().unwrap());
        assert_eq!(with.parse::<TraceId>().unwrap().to_string(), with);
        assert_eq!(with.parse::<TraceId>().unwrap().short(), "a41f");
    }
}
