//! What the command line hands to the console: configuration, appearance, subcommands, and what changes while
//! it runs.

pub(crate) mod appearance;
pub(crate) mod config;
pub(crate) mod config_watcher;
pub(crate) mod shell;
pub(crate) mod view;

pub use config::{
    AlertRules, AppearanceSettings, CommandHints, Config, ConsoleError, Desktop, Exit, Passthrough,
};
pub use config_watcher::{ConfigSource, Fault, Reload};

pub use shell::{
    Runnable, Runner, RunningSubcommand, SavedLayout, Shell, Subcommand, SubcommandEnd, SubcommandResult,
};
