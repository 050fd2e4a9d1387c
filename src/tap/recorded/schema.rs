//! What a file or a peer must know to read the messages.

/// The file descriptor set of `tap.proto`, as recordings carry it.
pub const DESCRIPTOR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tap.fds"));

/// The full name of the message of an entry.
pub const ENTRY_MESSAGE: &str = "rl_console.tap.v1.Entry";

/// The full name of the message of a snapshot.
pub const SNAPSHOT_MESSAGE: &str = "rl_console.tap.v1.Snapshot";
