//! Plugins on the screen: the list, what one may do, its status, log and audit, and what is done to it.

pub(crate) mod actions;
pub(crate) mod audit;
pub(crate) mod capabilities;
pub(crate) mod confirmations;
mod detail_plugin;
pub(crate) mod details;
mod entries;
pub(crate) mod form;
pub(crate) mod form_layer;
mod form_view;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod log;
mod question;
pub(crate) mod state;
pub(crate) mod status;
pub(crate) mod system;
