//! The configuration: flags, then `RL_CONSOLE_*`, then the user's file, then the machine's file, then defaults. Every value remembers where it
//! came from.

mod file;
mod key;
mod resolve;
mod settings;
mod value;

pub(crate) use key::Key;
pub(crate) use resolve::{Origin, Resolved, stray_variables};
pub(crate) use settings::{OnHangup, Settings};
pub(crate) use value::Value;

/// Why the configuration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub(crate) struct ConfigError {
    /// `file:line:column`, the flag, or the variable.
    pub(crate) place: String,
    /// What is wrong there.
    pub(crate) what: String,
    /// What to do.
    pub(crate) hint: String,
}
