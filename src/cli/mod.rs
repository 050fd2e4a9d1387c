//! The command line: the console without a subcommand, and every action as one (UX, without a screen).
//!
//! ```text
//! argv ─▶ args ─┐
//! env ──────────┼─▶ config ─▶ commands ─▶ station, or another's over its bus
//! files ────────┘                │
//!                                └─▶ output (stdout) · error (stderr, exit code)
//! ```

mod args;
mod bus_error;
mod commands;
mod config;
mod context;
mod env;
mod error;
mod filter;
mod frame_json;
mod hex_text;
mod input;
mod keeper;
mod logging;
mod looks;
mod ndjson;
mod operator;
mod output;
mod relay;
mod report;
mod run;
mod run_error;
mod runtime;
mod service;
mod session_error;
mod shelf;
mod shell;
mod shutdown;
mod signals;
mod sim;
mod socket;
mod start_error;
mod table;

pub use run::run;
