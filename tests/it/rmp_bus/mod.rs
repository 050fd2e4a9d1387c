//! The bus over its real socket.

mod bus;
mod cue;
mod find;
pub(crate) mod frames;
mod json;
mod operate;
mod peer;
mod secrets;
mod socket;

pub(crate) use bus::Bus;
pub(crate) use peer::Peer;
