//! What becomes of a message (macp-v1, Validation Rules), as a core without I/O.
//!
//! ```text
//! handle(now, Message | Cancel | Look) ─▶ decide(&self) ─▶ Decision ─▶ apply(&mut self) ─▶ Received, Transition, Persist, Answer
//!                                             │
//!                                             └─▶ Load: the session is in the store alone; the same input comes again with what is there
//! ```
//!
//! [`Kernel::judge`] shares `decide` and changes nothing.
//!
//! What is accepted is applied at once. Its answer names the ticket that must be durable before it is given,
//! and so does every answer that tells of a session: nothing that is told is lost. [`Kernel::replay`] makes
//! the same changes from a log, so that a session that is read back equals the one before.

mod answer;
mod apply;
mod core;
mod decide;
mod effect;
mod evicted;
mod io;
mod judge;
mod message_ids;
mod reading;
mod replay;
mod session;
mod start;
#[cfg(test)]
mod tests;

pub use core::Kernel;
pub use decide::parse_ahead;
pub use evicted::Evicted;
pub use io::{Acked, Answer, Eviction, Input, Lookup, Metadata, Output, StoredSession};
pub use judge::Judgement;
pub use message_ids::{Digests, MessageIds, digest};
pub use reading::Reading;
pub use replay::{RebuiltSummary, SessionRebuilder, rebuild};
pub use session::Image;
