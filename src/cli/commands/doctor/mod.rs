//! `doctor`: checks everything a station needs, and says how to mend what is wrong.

mod checks;
mod owner;
mod plugins;
mod report;
mod service;

pub(in crate::cli) use report::run;
