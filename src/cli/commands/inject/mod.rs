//! `inject`: a frame made by hand, judged, sent, and followed.

mod captured;
mod dry_run;
mod foreseen;
mod frames;
mod many;
mod round;
mod run;
mod snippet;
#[cfg(test)]
mod tests;
mod way;

pub(super) use foreseen::{foreseen_words, needs_yes, not_asked};
pub(in crate::cli) use run::run;
