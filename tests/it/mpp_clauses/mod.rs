//! MPP v2 by its clauses: one transcript a clause, named after it, bytes in and bytes out, under a virtual
//! clock.

mod commands;
mod damage;
mod disconnect;
mod dispatch;
mod errors;
mod examples;
mod hello;
mod requeue;
mod store;
mod telemetry;
