//! JSON-RPC 2.0: what the body of a frame says, and the frames that the host sends (streamnook-plugin-v1,
//! Transport, Errors; ruling Plugins 5).
//!
//! A body is read as far as its envelope; params and results stay JSON texts that share the body's buffer
//! until somebody asks for what is in them.

mod encode;
mod envelope;
mod json;
mod message;
mod params;
mod path;
mod read;
#[cfg(test)]
mod tests;

pub use encode::{ERROR_MESSAGE_BYTES_MAX, TooLong, error, notification, request, result};
pub use json::RawJson;
pub use message::{ID_BYTES_MAX, Incoming, Message, PluginError, Refused, RequestId, head};
pub use params::{Params, ParamsFault};
pub use read::read;
