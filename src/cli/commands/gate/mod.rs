//! `gate`: rules that hold frames, and what is done with those that are held.

mod arm;
mod decide;
mod decision;
mod dispatch;
mod edit;
mod watch;

pub(in crate::cli) use dispatch::run;
