//! The store as a whole, killed and reopened within the process.

mod behaviours;
mod damage;
mod faults;
mod kit;
mod macp;
mod model;
mod runs;
