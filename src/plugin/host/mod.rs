//! The processes of plugins, and the thread that serves them.
//!
//! - [`guard`]: the process between the station and a plugin, which leaves nothing behind.
//! - [`process`]: a plugin's process with its pipes, as the station starts, ends and awaits it.
//! - [`process_tree`]: what a plugin has started, and what that needs.
//! - [`folders`]: what is a plugin's own on disk.
//! - [`log_file`]: its log.
//! - [`credential`]: where a credential comes from.

pub mod credential;
pub mod folders;
pub mod guard;
pub mod log_file;
pub mod process;
pub mod process_tree;
