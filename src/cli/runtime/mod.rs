//! The MACP runtime as a client of the command line has it: found, connected to, sent messages.

mod ack;
mod client;
mod endpoint;
mod message;
mod start;
mod text;
pub(crate) mod warnings;

pub(crate) use ack::{Acked, state_name};
pub(crate) use client::{Answers, Runtime};
pub(crate) use endpoint::{BridgeEndpoint, bridge, endpoints, is_ours};
pub(crate) use message::{Message, encode_payload, new_id};
pub(crate) use start::{Fields, fields, payload};
pub(crate) use text::bytes_of;
