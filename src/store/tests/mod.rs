//! The store as a whole, killed and reopened within the process.

mod alerts;
mod behaviours;
mod bytes;
mod damage;
mod faults;
mod injected_traces;
pub(super) mod kit;
mod lost;
mod macp;
mod migrations;
mod model;
mod mplp;
mod plugins;
mod runs;
