//! Whole screens, fed with keys, snapshots and entries.

mod loops;
mod screens;
mod stage;
mod steps;
