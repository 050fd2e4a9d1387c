//! What a tool says, and the frames that its messages stand for.

use std::borrow::Cow;

use serde::Deserialize;

use crate::rmp::{HEADER_BYTES, MAGIC, RawFrame, RawHeader};

/// What a tool says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub enum FromClient<'a> {
    /// The first unit.
    Hello {
        /// What it would like to be; it is an agent whatever it says (ruling RMP 16).
        kind: HelloKind,
    },
    /// A message for a topic; always answered.
    Publish {
        /// The tool's number of the request.
        id: u64,
        /// The topic.
        #[serde(borrow)]
        topic: Cow<'a, str>,
        /// The message.
        message: Message,
    },
    /// Asks for the messages of topics.
    Subscribe {
        /// The tool's number of the request.
        id: u64,
        /// A pattern.
        #[serde(borrow)]
        topic: Cow<'a, str>,
        /// The tool's number of the subscription.
        sub_id: u64,
    },
    /// Ends a subscription; not answered.
    Unsubscribe {
        /// Its number.
        sub_id: u64,
    },
}

/// The kinds that a Hello names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum HelloKind {
    /// A user interface.
    Ui,
    /// A terminal.
    Tui,
    /// An agent.
    Agent,
}

/// A message: the header's fields, and the bytes of its body.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Message {
    /// What its header says.
    pub header: MessageHeader,
    /// Its body, MsgPack.
    pub body: Vec<u8>,
}

/// The fields of a header that the dialect has, in its order; the others are fixed.
#[expect(missing_docs, reason = "the fields of RawHeader")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct MessageHeader {
    pub header_version: u16,
    pub header_len: u16,
    pub flags: u32,
    pub schema_id: u16,
    pub body_len: u32,
    pub created_at_ms: u64,
    pub ttl_ms: u64,
    pub trace_id: u128,
    pub msg_id: u64,
}

impl Message {
    /// The frame that it stands for, byte for byte, right or wrong: its `frame_len` is that of the body
    /// given.
    #[must_use]
    pub fn frame(&self) -> Vec<u8> {
        let MessageHeader {
            header_version,
            header_len,
            flags,
            schema_id,
            body_len,
            created_at_ms,
            ttl_ms,
            trace_id,
            msg_id,
        } = self.header;
        let header = RawHeader {
            magic: MAGIC,
            header_version,
            header_len,
            flags,
            schema_id,
            reserved2: 0,
            body_len,
            created_at_ms,
            ttl_ms,
            trace_id,
            msg_id,
            reserved4: 0,
        };
        // A unit's length, which fits, is more than its body's.
        let frame_len = u32::try_from(HEADER_BYTES + self.body.len()).unwrap_or(u32::MAX);
        RawFrame { frame_len, header, body: &self.body }.encode()
    }
}

/// A unit that says nothing of the dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct MalformedUnit {
    /// What it asked for, as far as that can be told, so that it can be answered.
    pub request: Option<RequestRef>,
    /// The fault, with line and column.
    pub text: String,
}

/// A request that is answered, with the tool's number of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestRef {
    /// By a `PublishAck`.
    Publish(u64),
    /// By a `SubscribeAck`.
    Subscribe(u64),
}

/// As much of a request as its answer needs.
#[derive(Deserialize)]
enum RequestNumber {
    Publish { id: u64 },
    Subscribe { id: u64 },
}

impl<'a> FromClient<'a> {
    /// Reads the JSON of one unit. Keys that are not known are ignored.
    ///
    /// # Errors
    /// [`MalformedUnit`] for bad JSON, an unknown message, and a field that is missing, mistyped or out of
    /// its range.
    pub fn decode(json: &'a [u8]) -> Result<Self, MalformedUnit> {
        serde_json::from_slice(json).map_err(|error| {
            let asked = serde_json::from_slice(json).ok().map(|numbered| match numbered {
                RequestNumber::Publish { id } => RequestRef::Publish(id),
                RequestNumber::Subscribe { id } => RequestRef::Subscribe(id),
            });
            MalformedUnit { request: asked, text: error.to_string() }
        })
    }
}

/// Whether a unit may hold a token: a Hello that says more than its kind (ruling RMP 16 has no more), and
/// whatever cannot be read that names one, or may name it by escapes.
#[must_use]
pub fn may_hold_token(json: &[u8]) -> bool {
    match FromClient::decode(json) {
        Ok(FromClient::Hello { .. }) => serde_json::from_slice::<BareHello>(json).is_err(),
        Ok(_) => false,
        Err(_) => memchr::memmem::find(json, b"Hello").is_some() || memchr::memchr(b'\\', json).is_some(),
    }
}

/// A Hello that says its kind and nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
enum BareHello {
    Hello {
        #[expect(dead_code, reason = "it is looked for, not at")]
        kind: HelloKind,
    },
}
