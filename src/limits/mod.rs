//! Every bound of the program in one table: its default, its range and what it guards.
//!
//! A bound's configuration key is `limits.<group>.<name>`; the unit is the name's last word.

mod bound;
mod table;
#[cfg(test)]
mod tests;

pub use bound::{Bound, LimitError};
pub use table::*;
