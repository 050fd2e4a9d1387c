//! The gate as the station has it: rules that operators arm, frames that they decide on, and the time of
//! both.

mod commands;
mod crossing;
mod families;
mod matcher;
mod rows;
mod serve;

pub(super) use commands::{command, is_whole, owner_gone, sessions_gone};
pub(super) use families::families;
pub use matcher::matchers;
pub(super) use rows::{frame, held, rules};
pub(super) use serve::serve;
