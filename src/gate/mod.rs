//! The gate: what may stand between a framer and a core. Hosts ask it before a core takes a frame, and before
//! a frame leaves; closed, it costs them one relaxed load.
//!
//! ```text
//! framer ─▶ Gate::offer ─┬─ no rule ─────────────────────────────▶ core
//!                        └─ Intercepted ─▶ Held … Release ─ Passed ─▶ core, or dropped
//!                                           ▲
//!                       an operator, the rule's time, a stop
//! ```
//!
//! A held frame holds its connection in its direction alone: nothing behind it is read, or written, and
//! nothing is reordered; a unary call is held by itself. What a rule needs of a frame beyond its bytes is
//! asked of the host ([`Look`]), and whether it matches of a [`Matcher`] that the station hands in.
//! Handshakes and other frames that carry secrets are never offered. The host tells the tap of what was
//! stopped, and of what became of it, so that both are in the order of its link.

mod cleared;
mod failing;
mod handle;
mod offer;
mod rule;
mod sight;
mod stopped;
mod table;
#[cfg(test)]
mod tests;
mod then;

pub use cleared::Cleared;
pub use handle::{Gate, Held};
pub use offer::{Look, Notice, Offer, Offered, Release, Taken, Waits};
pub use rule::{Matcher, NewRule, OnTimeout, Owner, Rewrite, RuleView};
pub use stopped::{Stopped, poll_released};
pub use table::{ArmError, Decision, HeldView, LeftCounts, NotHeld};
pub use then::Then;
