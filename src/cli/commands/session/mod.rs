//! `session`: a client of the MACP runtime, as agents are, and what the station keeps of sessions.

mod cancel_by;
mod dispatch;
mod export;
mod line;
mod progress;
mod send;
mod show;
mod stream;

pub(in crate::cli) use dispatch::run;
