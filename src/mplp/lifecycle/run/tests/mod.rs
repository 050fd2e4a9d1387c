//! Runs as the engine tells them, worked by hand of its order, and what holds of every record.

mod check;
pub(in super::super) mod play;
mod questions;
mod records;
mod sessions;
