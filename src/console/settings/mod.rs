//! What the command line hands to the console: configuration, appearance, subcommands, and what changes while
//! it runs.

pub(crate) mod appearance;
mod appearance_settings;
mod bookmark_keeper;
pub(crate) mod config;
pub(crate) mod config_watcher;
mod recordings;
pub(crate) mod shell;
pub(crate) mod view;

pub use appearance_settings::{AlertRules, AppearanceSettings, Desktop};
pub use bookmark_keeper::{BookmarkKeeper, SavedBookmarks};
pub use config::{CommandHints, Config, ConsoleError, Exit, Passthrough, Start};
pub use config_watcher::{ConfigSource, Fault, Reload};
pub use recordings::{OpenedRecording, RecordingOpener};
pub use shell::{
    DeferredText, ReplayedMoment, Runnable, Runner, RunningSubcommand, SavedFrames, SavedLayout, Shell,
    Subcommand, SubcommandEnd, SubcommandResult,
};
