//! The operator socket: commands and questions from other processes of the same user, one JSON object a line.
//!
//! A request is `{"command": …}` or `{"query": …}`, its answer `{"outcome": …}`, `{"page": …}` or `{"error": …}`, in order. The bus takes
//! this over once it exists.

mod client;
mod server;
mod wire;

pub use client::OperatorClient;
pub(super) use server::{Sharing, bind, serve};
pub use wire::socket_path;
