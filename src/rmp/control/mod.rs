//! The session layer: control frames, by which a session is opened and steered (ruling RMP 1).
//!
//! ```text
//! client ──▶ Hello · Subscribe · Unsubscribe · Publish + message · Ping
//! broker ──▶ Welcome · Ok · Error · Deliver + message · Pong
//! ```
//!
//! A control frame is `CT_CONTROL`, type `intent.control.v1`; its payload is a map of one message by its
//! name, as in `{"Ping": {}}`. Its TTL is not 0, and it is never judged expired or a duplicate: decode it by
//! [`Checks::new`](super::Checks::new), which judges neither. Keys that no clause knows are ignored.

mod encode;
mod fields;
mod message;
mod secret;
#[cfg(test)]
mod tests;

pub use encode::{Message, TTL_MS, append, append_body, header};
pub use message::{FromBroker, FromClient, Token, VERSION};
pub use secret::{announces_message, token_ranges};
