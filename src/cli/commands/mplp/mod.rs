//! `mplp validate`, `mplp schemas`, `mplp schema`, `mplp invariants`: without a station.

mod bundle;
mod dispatch;
mod input;
mod lists;
mod rows;
mod validate;
mod written;

pub(in crate::cli) use dispatch::run;
pub(in crate::cli) use rows::{Place, Report};
pub(in crate::cli) use written::{Export, Subject, write};
