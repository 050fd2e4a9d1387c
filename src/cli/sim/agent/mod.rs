//! A simulated agent, without I/O: what it does with the requests on its topic (rmp-v0 §9.1; ruling RMP 14).
//!
//! ```text
//! request ─▶ the first rule of the script that fits ─▶ delay, progress on the way ─▶ Completed · Failed · nothing
//! cancel ──▶ what is in work ends as Failed
//! ```

mod answer;
mod core;
mod draw;
mod event;
mod request;
mod sample;
mod script;
#[cfg(test)]
mod tests;

pub(crate) use self::core::{Agent, Output};
pub(crate) use event::Event;
pub(crate) use script::{BYTES_MAX as SCRIPT_BYTES_MAX, Script};
