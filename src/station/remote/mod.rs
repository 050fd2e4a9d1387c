//! The port of a station in another process, over its bus (ruling RMP 17).
//!
//! ```text
//! RemotePort ── questions ─▶ rlp/operator ─▶ answers in parts ─▶ Exchange
//!    │ entries()
//!    ▼
//!  Mirror ◀── Timeline ◀── batches ◀── rlp/sys/tap        a thread of its own, connecting again when the station is gone
//! ```

mod address;
mod operator;
mod past;
mod port;
mod rebase;
mod reconnect;
mod rpc;
mod session;

#[cfg(test)]
mod tests;

pub use address::Address;
pub use operator::OperatorClient;
pub use port::{Find, RemotePort};
