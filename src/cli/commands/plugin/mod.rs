//! `plugin`: installs, runs and asks plugins.

mod check;
mod dev;
mod dispatch;
mod install;
mod logs;
mod request;
mod show;

pub(in crate::cli) use dispatch::run;
pub(super) use request::send;
