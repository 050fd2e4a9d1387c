//! The host of runs: a thin loop around the engine, on a thread of its own.
//!
//! ```text
//! heard on the bus ─┐                        ┌▶ tap
//! port's requests ──┼▶ Engine ─▶ outputs ────┼▶ bus (bounded: what finds no room waits here, in order)
//! store, bus, clock ┘                        └▶ store, openings
//! ```
//!
//! While messages wait for room on the bus, nothing more is taken from it or from the port, so that what waits is bounded by what one input
//! causes.

mod bus;
mod run;

pub use bus::{Bus, Heard, Message, NotSent, Reached};
pub use run::{Request, Setup, run};
