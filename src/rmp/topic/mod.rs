//! Topics: their grammar, the patterns of subscriptions, and who may publish and receive what (rmp-v0 §11;
//! rulings RMP 5, 6).

mod class;
mod fault;
mod name;
mod pattern;
mod reserved;

pub use class::{AccessDenied, Class};
pub use fault::TopicFault;
pub use name::Topic;
pub use pattern::{Pattern, Tail};
pub use reserved::{ACTION_DECISION, ACTION_REQUEST, CTRL, DROPS, DROPS_BODIES, METRICS, OPERATOR, TAP};
