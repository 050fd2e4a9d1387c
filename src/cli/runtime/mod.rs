//! The MACP runtime as a client of the command line has it: found, connected to, sent messages.

mod ack;
mod client;
pub(crate) mod doubts;
mod message;
mod place;
mod start;
mod text;

pub(crate) use ack::{Acked, state_name};
pub(crate) use client::{Answers, Runtime};
pub(crate) use message::{Message, made_up, said};
pub(crate) use place::{is_ours, places, reached};
pub(crate) use start::{Fields, fields, payload};
pub(crate) use text::bytes_of;
