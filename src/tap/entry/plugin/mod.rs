//! The vocabulary of the plugin host: frames and what breaks them, error codes, how plugins change.

mod code;
mod fault;
mod frame;
mod state;
mod texts;
mod transition;

pub use code::Code;
pub use fault::{Lint, Violation};
pub use frame::{Head, Verdict};
pub use state::{Audited, Decision, DisableCause, ExitStatus, Level, LogSource, UnhealthyCause};
pub use transition::{About, ActionEnd, StreamChange, Transition};
