//! The JSON dialect that today's Runloop tools speak on the socket (facts, JSON dialect; ruling RMP 16).
//!
//! ```text
//! tool ──▶ {"Hello":{"kind":"Agent"}} · Publish · Subscribe · Unsubscribe
//! broker ─▶ "HelloAck" · PublishAck · SubscribeAck · Message
//! ```
//!
//! A unit is a u32 big-endian length and one JSON value. A message in it is turned into the very frame that
//! it stands for, which then goes through the checks that every frame goes through, in their order; what they
//! refuse is told in the dialect's own words.

mod encode;
mod framer;
mod from_broker;
mod json_refusal;
mod message;
#[cfg(test)]
mod tests;

pub use encode::{
    UnitTooLarge, append_hello_ack, append_message_head, append_publish_ack, append_subscribe_ack,
    frame_of_tail, message_head_bytes, message_tail, tail_bytes_max,
};
pub use framer::{Framer, Unit, is_json, unit_bytes_max};
pub use from_broker::{Ack, AckResult, FromBroker};
pub use json_refusal::JsonRefusal;
pub use message::{FromClient, HelloKind, MalformedUnit, Message, MessageHeader, RequestRef, may_hold_token};
