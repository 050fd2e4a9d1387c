//! Frames in the stream of bytes that a plugin writes (streamnook-plugin-v1, Transport; ruling Plugins 5).

mod framer;
mod headers;
#[cfg(test)]
mod tests;

pub use framer::{Broken, Frame, Framer};
