//! What the broker says, as a tool reads it.

use serde::{Deserialize, de::IgnoredAny};

use super::Message;

/// What the broker says.
#[derive(Debug, Deserialize)]
pub enum FromBroker {
    /// The answer to a Hello.
    HelloAck,
    /// The answer to a Publish.
    PublishAck(Ack),
    /// The answer to a Subscribe.
    SubscribeAck(Ack),
    /// A message for a subscription.
    Message {
        /// The subscription that it is for.
        sub_id: u64,
        /// The message.
        message: Message,
    },
}

/// The answer to a request.
#[derive(Debug, Deserialize)]
pub struct Ack {
    /// The tool's number of the request.
    pub id: u64,
    /// What became of it.
    pub result: AckResult,
}

/// What became of a request.
#[derive(Debug, Deserialize)]
pub enum AckResult {
    /// It was done.
    Ok(()),
    /// It was refused, in one of the forms of the facts, which are not looked into.
    Err(IgnoredAny),
}

impl FromBroker {
    /// Reads the JSON of one unit.
    ///
    /// # Errors
    /// Why it is none.
    pub fn decode(json: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(json)
    }
}
