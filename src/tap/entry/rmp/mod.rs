//! What the bus is told in: the taxonomy, verdicts, what is read of a frame at a glance, changes of state.

mod close;
mod code;
mod drop;
mod frame;
mod kind;
mod refusal;
mod texts;
mod transition;

pub use close::CloseCause;
pub use code::Code;
pub use drop::DropReason;
pub use frame::{Dialect, FrameKind, Head, Verdict};
pub use kind::Kind;
pub use refusal::Refusal;
pub use transition::{Gauge, Transition};
