//! `submit` and `cancel run`: what is asked of the control plane over the bus (rmp-v0 §9).

pub(crate) mod cancel;
mod control;
mod end;
mod follow;
mod local;
mod private;
mod submission;

pub(in crate::cli) use cancel::run as cancel;
pub(in crate::cli) use submission::run;
