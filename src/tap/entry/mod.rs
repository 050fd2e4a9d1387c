//! The vocabulary of the tap: what an [`Entry`] can say. One module per link holds that link's frame heads,
//! verdicts and transitions; a protocol's folder re-exports its own.

pub mod alerts;
pub mod gate;
mod link;
pub mod macp;
pub mod mplp;
pub mod mpp;
mod names;
mod origin;
pub mod plugin;
pub mod rmp;
pub mod runs;
pub mod station;
mod texts;
mod what;

pub use link::Link;
pub(crate) use link::links;
pub use origin::{Door, FrameOrigin};
pub(in crate::tap) use texts::Texts;
pub use what::{Direction, Entry, Frame, Head, Redaction, Transition, Verdict, What};
