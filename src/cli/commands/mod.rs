//! One file a subcommand.

pub(super) mod backup;
pub(super) mod brake;
pub(super) mod cancel;
pub(super) mod completions;
pub(super) mod config;
pub(super) mod console;
pub(super) mod decode;
pub(super) mod doctor;
pub(super) mod encode;
mod events;
pub(super) mod invoke;
pub(super) mod keys;
pub(super) mod kick;
pub(super) mod ls;
pub(super) mod man;
pub(super) mod pack;
pub(super) mod pair;
pub(super) mod record;
pub(super) mod restart;
pub(super) mod serve;
pub(super) mod service;
pub(super) mod settle;
pub(super) mod sim;
mod telling;
mod wait;
