//! The configuration: flags, then `RL_CONSOLE_*`, then the user's file, then the machine's file, then
//! defaults. Every value remembers where it came from.

mod error;
mod file;
mod key;
mod plugins;
mod recording_keys;
mod report;
mod resolve;
mod settings;
mod value;

pub(crate) use error::{ConfigError, ConfigFault};
#[cfg(test)]
pub(crate) use file::faults_of;
pub(crate) use key::Key;
pub(crate) use plugins::own_program;
pub(crate) use resolve::{Origin, Resolved, stray_variables};
pub(crate) use settings::{AskedRecording, Discovery, OnHangup, Settings};
pub(crate) use value::{Kind, Value, endpoint};
