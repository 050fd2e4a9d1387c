//! Whole screens, fed with keys, snapshots and entries.

mod brakes;
mod loops;
mod screens;
mod stage;
mod steps;
mod told;
