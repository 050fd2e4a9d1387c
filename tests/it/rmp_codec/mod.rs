//! RMP v0 as bytes: the golden vector, each error of the taxonomy, the order of checks, and anything at all
//! (rmp-v0 §1 to §8; rulings RMP 2 to 4). Every fixture is written from the specification's table, field by
//! field; none comes from our encoder.

mod clauses;
mod frames;
mod properties;

pub(super) use frames::{Fields, VALID, golden};
