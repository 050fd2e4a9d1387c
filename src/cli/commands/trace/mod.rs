//! `trace`: the ladder of a trace (rmp-v0 §3, Ladder bytes).

mod dispatch;
mod live;
mod print;
mod recorded;
mod stored;

pub(in crate::cli) use dispatch::run;
pub(in crate::cli) use recorded::trace_of;
