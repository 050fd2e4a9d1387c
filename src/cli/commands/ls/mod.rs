//! `ls`: what a station holds, a row a line. Long lists are asked for in pages.

mod list;
mod rows;
mod rows_alerts;
mod rows_bus;
mod rows_clients;
mod rows_findings;
mod rows_gate;
mod rows_plugins;
mod rows_runs;
mod rows_sessions;
mod rows_violations;
#[cfg(test)]
mod titles_tests;

pub(in crate::cli) use list::{all, run};
pub(super) use rows::TableRow;
