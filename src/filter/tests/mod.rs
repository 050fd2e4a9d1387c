//! The language: what it reads, what it finds, what it says of what it cannot read.

mod completions;
mod faults;
mod finds;
mod properties;
mod sample;
mod terms;
