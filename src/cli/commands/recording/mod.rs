//! `recording`: what is in recordings, and what is made of them, without a station.

mod cut;
mod dispatch;
mod export;
mod info;
mod repair;
mod verify;

pub(in crate::cli) use dispatch::run;
