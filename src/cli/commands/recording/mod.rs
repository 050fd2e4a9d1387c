//! `recording info`, `recording verify` and `recording repair`, without a station.

mod dispatch;
mod info;
mod repair;
mod verify;

pub(in crate::cli) use dispatch::run;
