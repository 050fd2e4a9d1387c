//! The command line: the console without a subcommand, and every action as one (UX, without a screen).
//!
//! ```text
//! argv ─▶ args ─┐
//! env ──────────┼─▶ config ─▶ commands ─▶ station, or another's over its bus
//! files ────────┘                │
//!                                └─▶ output (stdout) · error (stderr, exit code)
//! ```

mod appearance;
mod args;
mod asked;
mod bus_error;
mod commands;
mod config;
mod context;
mod debounced_file;
mod env;
mod error;
mod exit;
mod filter;
mod frame_files;
mod frame_input;
mod freed_memory;
mod guard;
mod help;
mod hex_text;
mod inject_error;
mod input;
mod job_control;
mod logging;
mod mplp_error;
mod ndjson;
mod nonblocking_writer;
mod opening_files;
mod operator;
mod output;
mod pager;
mod private_memory;
mod reach;
mod recording_error;
mod report;
mod run;
mod run_error;
mod runtime;
mod service;
mod session_error;
mod shell;
mod shutdown;
mod signals;
mod sim;
mod snippet_files;
mod socket;
mod start_error;
mod state_files;
mod table;

pub use guard::guard;
pub use run::run;
