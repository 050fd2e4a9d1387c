//! The bus over its real socket.

mod find;
mod operate;
mod peer;
mod socket;
pub(crate) mod words;

pub(crate) use peer::Peer;
