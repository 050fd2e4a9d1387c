//! The MACP runtime in a station: started, ended, asked.

mod pages;
mod serve;
#[cfg(test)]
mod tests;

pub(super) use pages::{detail, flush, log, rows};
pub(super) use serve::{Serving, Sessions, start};
