//! The client over a Unix socket: one task that reads, one that writes, and what hands values between them
//! and the callers.

mod client;
mod connect;
mod error;
mod inbox;
mod queue;
mod shared;
mod subscription;
mod tasks;
#[cfg(test)]
mod tests;

pub use client::Client;
pub use error::{CloseReason, Error};
pub use subscription::Subscription;
