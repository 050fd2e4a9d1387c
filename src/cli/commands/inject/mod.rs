//! `inject`: a frame made by hand, judged, sent, and followed.

mod captured;
mod frames;
mod many;
mod round;
mod run;
mod snippet;
#[cfg(test)]
mod tests;
mod way;

pub(in crate::cli) use run::run;
