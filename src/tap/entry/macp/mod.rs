//! What the MACP runtime is told in: the taxonomy of errors, what is read of a call at a glance, how sessions
//! move.

mod fault;
mod frame;
mod session;
mod texts;
mod transition;
mod turn_away;

pub use fault::{Code, Fault};
pub use frame::{Answered, Head, Rpc, Status, Verdict};
pub use session::{Effect, Ending, Mode, Phase, SessionRef, SessionState};
pub use transition::{OpenedText, Transition};
pub use turn_away::TurnAwayCause;
