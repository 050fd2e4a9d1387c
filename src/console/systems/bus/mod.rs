//! The bus on the screen: topics, subscribers, peers and drops.

pub(crate) mod actions;
pub(crate) mod confirmations;
pub(crate) mod details;
pub(crate) mod drops;
mod entries;
pub(crate) mod keys;
pub(crate) mod peers;
pub(crate) mod subscribers;
pub(crate) mod system;
pub(crate) mod topics;
