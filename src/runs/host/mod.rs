//! The host of runs: a thin loop around the engine, on a thread of its own.
//!
//! ```text
//! heard on the bus ─┐                        ┌▶ tap
//! port's requests ──┼▶ Engine ─▶ outputs ────┼▶ bus (bounded: what finds no room waits here, in order)
//! store, bus, clock ┘                        ├▶ store, openings
//!                                            └▶ records (bounded: likewise)
//! ```
//!
//! While messages wait for room on the bus, parts of records with who makes those, or the store for room in
//! its queue, nothing more is taken from the bus, so that what waits is bounded by what one input causes.
//! What the port asks is always answered.

mod bus;
mod judge;
mod records;
mod request;
pub(crate) mod run;
#[cfg(test)]
mod tests;

pub use bus::{Bus, BusInput, Incoming, Message, NotSent, ReachFuture};
pub use records::{NoRecords, Records};
pub use request::{Question, Request};
pub use run::{Setup, run};
