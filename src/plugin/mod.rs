//! The plugin host: supervised plugin processes that speak JSON-RPC on stdio (streamnook-plugin-v1; rulings
//! Plugins).
//!
//! - [`framing`]: frames in a stream of bytes.
//! - [`rpc`]: what the body of a frame says.
//! - [`manifest`]: `plugin.toml`.
//! - [`capability`]: what a plugin can ask for.
//! - [`panel`]: the settings that a plugin shows to the operator.
//! - [`host`]: the processes.

pub mod capability;
mod command;
pub mod framing;
pub mod host;
pub mod manifest;
pub mod panel;
pub mod rpc;

pub use command::{Badge, Channel, ChatMessage, Command, Outcome, Refusal, StreamCommand};

pub use crate::tap::entry::plugin::{
    About, ActionEnd, Code, Decision, DisableCause, ExitStatus, Head, Level, Lint, LogSource, StreamChange,
    Transition, UnhealthyCause, Verdict, Violation,
};
