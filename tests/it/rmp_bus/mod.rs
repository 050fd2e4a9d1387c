//! The bus over its real socket.

mod bus;
mod cue;
mod find;
mod json;
mod operate;
mod peer;
mod socket;
pub(crate) mod words;

pub(crate) use bus::Bus;
pub(crate) use peer::Peer;
