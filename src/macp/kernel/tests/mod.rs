//! The kernel's behaviours, with envelopes as the specification has them.

mod bounds;
mod closing;
mod judged;
mod judged_random;
mod log;
mod modes;
mod mutated;
mod naive;
mod properties;
mod rules;
mod sweep;
mod test_kernel;
