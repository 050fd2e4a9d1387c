//! `ls`: what a station holds, a row a line. Long lists are asked for in pages.

mod list;
mod rows;
mod rows_bus;

pub(in crate::cli) use list::run;
pub(super) use rows::refund_status;
