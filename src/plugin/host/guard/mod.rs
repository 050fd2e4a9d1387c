//! The guard of a plugin: the process that ends with the station and takes all with it that the plugin
//! started.
//!
//! ```text
//!  station ──stdin──▶ ┌────────────┐        ┌──────────────────────────┐
//!          ◀─stdout── │   guard    │──fork─▶│ launcher ──exec──▶ entry │──▶ what it starts
//!          ◀─stderr── └────────────┘        └──────────────────────────┘
//!                      own session,          own group, dies with the guard
//!                      child subreaper
//! ```
//!
//! The station starts this program again as `guard run`, which starts it once more as `guard launch`, which
//! becomes the plugin. The plugin has the three pipes untouched: the guard copies nothing, and holds its
//! stdin only to see that its other end is closed, which the station does after the plugin is gone, and the
//! system does when the station is.
//!
//! | what happens | what the guard does |
//! |---|---|
//! | the plugin's first process ends | ends all that is left of it, at once |
//! | SIGTERM, SIGINT, SIGHUP, SIGQUIT | ends the plugin and all of it, at once |
//! | the other end of stdin is closed, or the station is gone | the same after 1 s |
//!
//! That second is for a plugin that leaves at the end of its input.
//!
//! All of it: SIGKILL to every child, until none is left. The orphans of those that die become children of
//! the guard, so that neither `setsid` nor a double fork escapes.
//!
//! Limits. Who kills the guard with SIGKILL ends the plugin's first process, and not what that one has
//! started. Off Linux there is the plugin's process group alone. This is no sandbox: a plugin can do what the
//! operator can.
//!
//! How the guard ends says how the plugin ended ([`Ending`]): with the plugin's code, or 128 + the signal
//! that ended it. What is none of the plugin's own endings, an entry that cannot be executed and processes
//! that do not die, is said by a signal that the guard sends itself, since a plugin can end with every code
//! there is.

mod command_line;
mod ending;
#[cfg(target_os = "linux")]
mod format;
mod launch;
mod program;
mod run;
mod signals;
mod tree;

pub(super) use command_line::arguments;
pub use ending::{Ending, ExecFault};
pub use program::main;
