//! What a core would make of a frame that is not sent yet: the answer of its `judge`.
//!
//! A judgement shares its decision with `handle`, so it is right at the moment that it is made, and says what
//! it can't know: [`Certainty`] says whose word the verdict is, [`Doubt`] what may come in between.

mod doubt;
mod judgement;

pub use doubt::{Certainty, Doubt};
pub use judgement::{Answer, Judged, NAMES_MAX, PassedOver, Pending, Shortfall};
