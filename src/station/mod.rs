//! What runs: the hosts, the routes between them, their start and their end.

mod config;
mod stub;

pub use config::{Config, PackSource};
pub use stub::{OperatorClient, Ready, StartError, Station, operator_socket_path, pairing};
