//! `trigger`: what the station looks for, and does then.

mod dispatch;
mod tried;

pub(in crate::cli) use dispatch::run;
