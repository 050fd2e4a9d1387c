//! The broker's core under a virtual clock: transcripts of bytes, by clause and ruling.

mod clauses;
mod house;
mod lost;
mod reach;
mod told;
mod topics;
