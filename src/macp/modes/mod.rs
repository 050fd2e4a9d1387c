//! How sessions are coordinated (macp-v1, Mode System). A mode looks at a session and a message and says what
//! is to change; it changes nothing itself. States are kept decoded, so that a message costs the same however
//! long a session is.

mod decision;
mod json;
mod mode;
mod multi_round;
mod participants;
mod room;
mod state;

pub use decision::{DecisionDelta, DecisionMode, DecisionState, Evaluation, Objection, Proposal, Vote};
pub use json::Parsed;
pub use mode::{Coordination, Message, Rejection, Response};
pub use multi_round::{Contribution, MultiRoundMode, MultiRoundState};
pub use participants::Participants;
use room::Room;
pub use state::{Delta, ModeState};
