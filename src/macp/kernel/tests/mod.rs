//! The kernel's behaviours, with envelopes as the specification has them.

mod closing;
mod house;
mod log;
mod modes;
mod mutated;
mod naive;
mod properties;
mod rules;
mod sweep;
