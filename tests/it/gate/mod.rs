//! The gate over the real binary: rules, frames that are held, decisions, faults of a rehearsal.

mod cli;
mod doubts;
mod errors;
mod events;
mod faults;
mod owner;
mod owner_plugins;
mod owner_runtime;
mod plugins;
mod stage;
mod watch;
