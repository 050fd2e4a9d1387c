//! `snippet ls`, `snippet show` and `snippet check`, without a station.

mod check;
mod dispatch;
mod list;

pub(in crate::cli) use dispatch::run;
