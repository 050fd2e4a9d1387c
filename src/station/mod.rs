//! What runs: the hosts, the routes between them, their start and their end.

mod config;

pub use config::{Config, PackSource};
