//! The plugin host in a station: started, ended, asked.

pub(crate) mod alerts;
mod commands;
pub(crate) mod families;
mod handle;
mod host;
mod pages;
mod serve;
#[cfg(test)]
mod tests;

pub(super) use commands::command;
pub(super) use handle::{Plugins, not_asked};
