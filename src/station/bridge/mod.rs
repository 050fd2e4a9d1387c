//! The MPP bridge in a station, with the store that it carries: started, ended, asked; and the pairing of its
//! adapter.

pub(crate) mod alerts;
mod commands;
pub(crate) mod families;
mod handle;
mod host;
mod pages;
pub mod pairing;
mod queue_head_age;
mod reopen;
mod serve;
#[cfg(test)]
pub(super) mod tests;
mod wait;

pub(super) use commands::command;
#[cfg(test)]
pub(super) use families::families;
pub(super) use handle::{Bridge, Running};
pub(super) use pages::{adapter_rows, event_rows, queue_rows};
