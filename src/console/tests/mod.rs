//! Whole screens, fed with keys, snapshots and entries.

mod alerts;
mod bound;
mod brakes;
mod bulk;
mod canvas;
mod classes;
mod defaults;
mod every;
mod forms;
mod giving;
mod inspecting;
mod lenses;
mod loops;
mod noisy;
mod offered;
mod palette;
mod reloads;
mod screens;
mod stage;
mod steps;
mod told;
mod views;
mod wire;
