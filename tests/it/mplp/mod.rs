//! MPLP L1: schemas, rules and what is found by them.

mod any;
mod bus;
mod generate;
mod oracle;
mod python;
mod rules;
mod runs;
mod scan;
mod schemas;
mod shape;
