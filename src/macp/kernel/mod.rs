//! What becomes of a message (macp-v1, Validation Rules), as a core without I/O.
//!
//! ```text
//! handle(now, Message | Cancel | Look) ─▶ decide(&self) ─▶ Decision ─▶ apply(&mut self) ─▶ Received, Transition, Persist, Answer
//!                                             │
//!                                             └─▶ Load: the session is in the store alone; the same input comes again with what is there
//! ```
//!
//! What is accepted is applied at once. Its answer names the ticket that must be durable before it is given,
//! and so does every answer that tells of a session: nothing that is told is lost. [`Kernel::replay`] makes
//! the same changes from a log, so that a session that is read back equals the one before.

mod apply;
mod closed;
mod core;
mod decide;
mod io;
mod replay;
mod seen;
mod session;
mod start;
#[cfg(test)]
mod tests;

pub use closed::Left;
pub use core::Kernel;
pub use decide::parse_ahead;
pub use io::{Acked, Answer, Input, Kept, Leaving, Lookup, Metadata, Output};
pub use replay::{Rebuilding, Told, rebuild};
pub use seen::{Digests, Sealed, digest};
pub use session::Image;
