//! What the console adds to the station's alerts: what to do about each, and what of them a system's report
//! shows. Which there are is judged by the station alone, and comes in its snapshots and transitions.

mod heard;
mod kind;

pub(crate) use kind::{AlertKind, remedy, report};
