//! MPP v2 by its clauses: one transcript a clause, named after it, bytes in and bytes out, under a virtual clock.
#![expect(non_snake_case, reason = "a test's name is its clause, two underscores, and what holds")]

mod commands;
mod disconnect;
mod dispatch;
mod errors;
mod examples;
mod hello;
mod store;
mod telemetry;
