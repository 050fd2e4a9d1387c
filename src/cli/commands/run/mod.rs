//! `run`: how a run stands, what it told, what it kept.

pub(crate) mod artifacts;
mod dispatch;
mod events;
mod export;
mod rate;
mod show;

pub(in crate::cli) use artifacts::artifacts;
pub(in crate::cli) use dispatch::run;
