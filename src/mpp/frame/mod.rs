//! The twelve frames of MPP v2, one file per family: what a line says, and the line that says it.
//!
//! [`decode`] reads what an adapter sends, [`decode_outbound`] what the bridge sends; [`encode`] writes all
//! twelve. Decisions where the specification leaves room, beside the rulings:
//!
//! - A number counts as an integer when it is written as one: `2`, not `2.0` or `2e0`. That holds for `mpp`,
//!   `id` and `session_id`.
//! - Of keys that appear twice the last one counts.
//! - A string with an escape that is no Unicode (a lone surrogate) is mistyped; in a key it makes the line no
//!   JSON.
//! - `null` is a value of the wrong type for every field but `result` and `value`.
//! - Nesting is not bounded by the reader: values are scanned, not built, without recursion.

mod dispatch;
pub mod encode;
mod envelope;
mod error;
mod handshake;
mod inbound;
mod keepalive;
mod outbound;
mod outcome;
mod secret;
mod shortfall;
mod telemetry;
mod write;

pub use handshake::Persisted;
pub use inbound::{Inbound, Phase, Refusal, decode};
pub use outbound::{Outbound, decode_outbound};
pub use secret::token_ranges;
pub(super) use secret::unescaped;
pub use shortfall::shortfall;
