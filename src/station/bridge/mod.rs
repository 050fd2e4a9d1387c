//! The MPP bridge in a station: the pairing of its adapter, and waits for what it works on.

pub mod pairing;
#[cfg(test)]
pub(super) mod tests;
mod wait;

pub(super) use wait::until;
