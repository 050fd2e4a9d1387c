//! The plugin host: supervised plugin processes that speak JSON-RPC on stdio (streamnook-plugin-v1; rulings
//! Plugins).
//!
//! - [`framing`]: frames in a stream of bytes.
//! - [`rpc`]: what the body of a frame says.
//! - [`manifest`]: what `plugin.toml` says.
//! - [`capability`]: what a plugin can ask for.
//! - [`panel`]: the settings that a plugin shows to the operator.
//! - [`session`]: one process, as the protocol sees it.
//! - [`supervisor`]: all plugins, and what becomes of what they send, as a core without I/O.
//! - [`snapshot`]: what holds of the plugins, as every reader of the tap has it.
//! - [`host`]: the processes.

pub mod capability;
mod command;
mod credential;
mod detail;
mod fold;
pub mod framing;
pub mod host;
pub mod manifest;
pub mod panel;
mod passing;
pub mod rpc;
pub mod session;
pub mod snapshot;
mod stand;
pub mod supervisor;

pub use command::{Badge, Channel, ChatMessage, Command, Outcome, Refusal, StreamCommand};
pub use credential::Credential;
pub use detail::{Detail, StreamDetail};
pub use snapshot::{AuditKind, PluginView, Snapshot};
pub use stand::{NotJudged, Stand};

pub use crate::tap::entry::plugin::{
    About, ActionEnd, Audited, Code, Decision, DisableCause, ExitStatus, Head, Level, Lint, LogSource,
    StreamChange, Transition, UnhealthyCause, Verdict, Violation,
};
