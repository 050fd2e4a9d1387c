//! Sessions on the screen: the lists, proposals, messages and log of one, and its cancellation.

pub(crate) mod actions;
pub(crate) mod confirmations;
mod detail_session;
pub(crate) mod details;
mod entries;
pub(crate) mod history;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod pages;
pub(crate) mod positions;
pub(crate) mod state;
pub(crate) mod statements;
mod status;
pub(crate) mod system;

pub(crate) use status::{session_of, session_sign, session_status, show_command};
