//! The MACP runtime in a station: started, ended, asked.

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
#[cfg(test)]
pub(super) use families::families;
pub(super) use handle::Sessions;
pub(super) use pages::{as_it_began, flush, log_row, row};
